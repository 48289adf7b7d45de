"""Logs of Inspect: small ones that inspect-ai 0.3.285 wrote (without their events), and damaged ones."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from answersim.answers.logs import inspect_log
from tests.cases import every

DATA = Path(__file__).parent / "data"
WRITTEN = [DATA / "inspect-0.3.285.json", DATA / "inspect-0.3.285.eval"]
SAMPLE = {"id": 1, "epoch": 2, "input": "Who?", "target": "a", "output": {"choices": [], "completion": "b"}}


def by_id(path: Path) -> dict[str, dict[str, Any]]:
    if path.suffix == ".eval":
        pytest.importorskip("pyarrow", reason="could not import 'pyarrow'")
    return {row["id"]: row for row in inspect_log.rows(path)}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.suffix)
def test_each_sample_is_a_row_with_the_last_question_and_the_completion(path):
    rows_by_id = by_id(path)
    assert rows_by_id["2"] == {
        "id": "2",
        "epoch": 1,
        "question": "How many players has a football team?",
        "gold": ["eleven"],
        "pred": "11",
    }
    assert rows_by_id["long"]["gold"] == ["Rome", "Roma"]
    assert rows_by_id["long"]["question"].startswith("Which city is the capital of Italy? Think")
    assert rows_by_id["long"]["pred"].endswith("as everybody knows.")
    assert (rows_by_id["chat"]["question"], rows_by_id["chat"]["pred"]) == (
        "Who wrote Hamlet?",
        "William \nShakespeare",
    )


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.suffix)
def test_an_empty_completion_is_an_answer_and_an_error_is_not(path):
    rows_by_id = by_id(path)
    assert rows_by_id["error"]["pred"] is None
    assert (rows_by_id["open"]["pred"], rows_by_id["open"]["gold"]) == ("", None)


def zipped(path: Path, samples: dict[str, str], compression: int = ZIP_DEFLATED) -> Path:
    with ZipFile(path, "w", compression) as file:
        file.writestr("header.json", "{}")
        for name, content in samples.items():
            file.writestr(f"samples/{name}.json", content)
    return path


def test_long_texts_may_be_stored_beside_the_sample(tmp_path):
    sample = SAMPLE | {
        "input": "attachment://x",
        "output": {"choices": [{"message": {"content": "attachment://y"}}]},
        "attachments": {"x": "a long question", "y": "a long answer"},
    }
    (row,) = inspect_log.rows(zipped(tmp_path / "a.eval", {"1": json.dumps(sample)}, ZIP_STORED))
    assert (row["question"], row["pred"], row["epoch"]) == ("a long question", "a long answer", 2)


def test_a_sample_of_several_frames_of_zstd_is_read_and_its_checksum_is_checked(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="could not import 'pyarrow'")
    text = json.dumps(SAMPLE).encode()
    frames = b"".join(pyarrow.compress(part, "zstd", asbytes=True) for part in (text[:20], text[20:]))
    for damaged in (False, True):
        path = zipped(tmp_path / f"{damaged}.eval", {"1": frames.decode("latin-1")}, ZIP_STORED)
        with ZipFile(path, "w") as file:
            file.writestr("samples/1.json", frames)
        raw = bytearray(path.read_bytes())
        directory = raw.index(b"PK\1\2")
        sums = struct.pack("<III", zlib.crc32(text) + damaged, len(frames), len(text))
        raw[8:10] = raw[directory + 10 : directory + 12] = struct.pack("<H", 93)
        raw[14:26] = raw[directory + 16 : directory + 28] = sums
        path.write_bytes(raw)
        if damaged:
            with pytest.raises(ValueError, match=r"samples/1\.json is damaged: its checksum differs"):
                list(inspect_log.rows(path))
        else:
            assert [row["pred"] for row in inspect_log.rows(path)] == ["b"]


@every(
    ("content", "message"),
    [
        ("{", r"samples/1\.json: not JSON"),
        ("[]", r"samples/1\.json: there must be an object with the field 'target'"),
        ('{"id": 1, "target": "a"}', "the field 'input', but there is one with the fields id, target"),
    ],
)
def test_a_damaged_sample_is_named(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        list(inspect_log.rows(zipped(tmp_path / "a.eval", {"1": content})))


def test_a_log_that_was_broken_off_is_an_error(tmp_path):
    whole = zipped(tmp_path / "a.eval", {"1": json.dumps(SAMPLE)}).read_bytes()
    (tmp_path / "b.eval").write_bytes(whole[:-30])
    with pytest.raises(ValueError, match="not a complete log of Inspect"):
        list(inspect_log.rows(tmp_path / "b.eval"))
    (tmp_path / "c.json").write_text('{"version": 2, "status": "error", "eval": {}}')
    with pytest.raises(ValueError, match="the field 'samples'"):
        list(inspect_log.rows(tmp_path / "c.json"))
