"""What a citation of a judge needs."""

from hashlib import sha256

import pytest

from answersim.judge.citation import citation, description, messages
from answersim.judge.prompts import REGISTRY
from answersim.judge.record import Record
from tests.judge.test_record import entry


def test_a_prompt_is_described_with_its_hash_and_its_text():
    prompt = REGISTRY["grades"]
    rows = dict(description(prompt))
    assert rows["prompt"] == prompt.fingerprint
    assert rows["verdicts"] == "correct (1), incorrect (0), not attempted (0)"
    assert f"|prompt:{prompt.fingerprint}|model:MODEL|" in f"|{rows['signature']}"
    text = "\n".join(messages(prompt))
    assert text.count("{pred}") == text.count("{gold}") == text.count("{question}") == 1


def test_a_record_is_described_by_what_it_contains(tmp_path):
    path = tmp_path / "r.jsonl"
    record = Record(path)
    with record.writing():
        record.append(entry("a", "m-1"), {"time": "2026-02-03T04:05:06+00:00"})
        record.append(entry("b", "m-2"), {"time": "2026-01-02T03:04:05+00:00"})
    rows = citation(path)
    assert rows[0] == ("record", f"{path}, 2 replies, SHA-256 {sha256(path.read_bytes()).hexdigest()}")
    assert ("returned", "m-1") in rows
    assert ("returned", "m-2") in rows
    assert ("asked", "from 2026-01-02T03:04:05+00:00 to 2026-02-03T04:05:06+00:00") in rows
    path.write_text("")
    with pytest.raises(ValueError, match="has no replies"):
        citation(path)
