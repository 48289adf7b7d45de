import json
from functools import partial
from pathlib import Path

import pytest

from answersim.metrics import official
from tests.command_line import combined

run = partial(combined, "official")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "answers.jsonl"
    rows = [{"gold": "US", "a": "He used it", "b": "US", "question": f"q{i}"} for i in range(30)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_definitions_stand_side_by_side(table: Path, tmp_path: Path) -> None:
    code, text = run(table, "--pred", "a,b", "--question", "question", "-o", tmp_path / "out.json")
    assert code == 0, text
    assert text.startswith("containment of a: 100.0 (official:popqa) or 0.0 (answersim:containment)")
    assert "exact match, %" in text
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written["n"] == 30
    assert {row["word"] for row in written["rows"]} == {"exact match", "F1", "containment"}


def test_one_profile_and_markdown(table: Path, tmp_path: Path) -> None:
    code, text = run(table, "--pred", "a,b", "--profiles", "squad,triviaqa", "-o", tmp_path / "out.md")
    assert code == 0, text
    assert "official:popqa" not in text
    assert "official:triviaqa, f1" in (tmp_path / "out.md").read_text(encoding="utf-8")


def test_the_list_has_every_profile_with_its_owner() -> None:
    code, text = run()
    assert code == 0, text
    for name in official.profiles():
        assert name in text
        assert official.profile(name).commit in text
    assert any(line.endswith("math") for line in text.splitlines() if line.startswith("minerva "))


def test_mistakes_end_with_one_line(table: Path, tmp_path: Path) -> None:
    for words, message in (
        ((table, "--pred", "c"), "no column 'c'"),
        ((table, "--pred", "a", "--profiles", "squat"), "squad"),
        (("--profiles", "squad"), "--profiles is given, but it is for tables of answers; give a FILE"),
        ((table, "--pred", "a", "-o", tmp_path / "out.txt"), "a result is written as: .json, .md"),
    ):
        code, text = run(*words)
        assert code == 2
        assert message in text
