"""The record: what was written is read back, a damaged line is never used, and one process writes at a time."""

import json
import multiprocessing
import pickle
import time
from pathlib import Path

import pytest

from answersim._base.errors import ChecksumError
from answersim.metrics.judge.record import Entry, Question, Record, RecordWarning, open_record


def entry(pred: str = "p", model: str = "m-1", *, structured: bool = True, **asked: object) -> Entry:
    raw = json.dumps({"model": model, "choices": [{"message": {"content": f'{{"verdict": "{pred}"}}'}}]})
    settings: dict[str, object] = {"question": "q", "gold": "g", "pred": pred} | asked
    return Entry(Question("equivalent/0123456789ab", "m", "{}", **settings), raw, structured)  # type: ignore[arg-type]


def written(path: Path, *entries: Entry) -> Record:
    record = Record(path)
    with record.writing():
        for each in entries:
            record.append(each, {"messages": [{"role": "user", "content": "Zürich\u2028"}]})
    return record


def test_what_is_written_is_read_back(tmp_path):
    path = tmp_path / "r.jsonl"
    entries = [entry("a"), entry("b\nc|d"), entry("北京", repeat=2), entry("a", "m-2")]
    written(path, *entries)
    fresh = Record(path)
    fresh.read()
    assert sorted(fresh.entries(), key=str) == sorted(entries, key=str)
    assert fresh.get(entries[0].asked.key) == entries[0]  # the first of two
    assert fresh.get(entries[0].asked.key, "m-2") == entries[3]
    assert fresh.get(entries[0].asked.key, "m-3") is None
    lines = path.read_text(encoding="utf-8").split("\n")
    assert len(lines) == 5
    assert json.loads(lines[0])["messages"][0]["content"] == "Zürich\u2028"
    assert json.loads(lines[0])["response"] == entries[0].raw


@pytest.mark.parametrize(
    "change",
    [{"question": ""}, {"gold": "h"}, {"pred": "z"}, {"repeat": 1}, {"model": "n"}, {"parameters": '{"seed":1}'}],
    ids=str,
)
def test_the_key_changes_with_everything_that_is_sent(change):
    base = {"prompt": "a/1", "model": "m", "parameters": "{}", "question": "q", "gold": "g", "pred": "p", "repeat": 0}
    key = Question(**base).key  # type: ignore[arg-type]
    assert Question(**base | change).key != key  # type: ignore[arg-type]
    assert Question(**base | {"prompt": "b/1"}).key == key  # type: ignore[arg-type]
    assert Question(**base | {"prompt": "a/2"}).key != key  # type: ignore[arg-type]


def test_the_content_key_changes_with_the_returned_model():
    assert entry().content != entry(model="m-2").content
    assert entry().asked.key == entry(model="m-2").asked.key


def test_a_last_line_without_its_end_is_whole(tmp_path):
    path = tmp_path / "r.jsonl"
    written(path, entry("a"), entry("b"))
    path.write_bytes(path.read_bytes()[:-1])
    written(path, entry("c"))
    fresh = Record(path)
    fresh.read()
    assert [found.asked.pred for found in fresh.entries()] == ["a", "b", "c"]
    assert path.read_bytes().count(b"\n") == 3


@pytest.mark.parametrize("cut", [2, 20, 400])
def test_an_incomplete_last_line_is_reported_and_replaced(tmp_path, cut):
    path = tmp_path / "r.jsonl"
    written(path, entry("a"), entry("b"))
    path.write_bytes(path.read_bytes()[:-cut])
    record = Record(path)
    with pytest.warns(RecordWarning, match="ends in an incomplete line"):
        record.read()
    assert [found.asked.pred for found in record.entries()] == ["a"]
    with pytest.warns(RecordWarning), Record(path).writing():
        pass
    again = Record(path)
    with again.writing():
        again.append(entry("c"), {})
    fresh = Record(path)
    fresh.read()
    assert [found.asked.pred for found in fresh.entries()] == ["a", "c"]


def test_a_changed_line_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "r.jsonl"
    record = written(path, entry("yes"), entry("no"), entry("b"))
    raw = path.read_bytes()
    time.sleep(0.05)  # a file system counts time in steps
    path.write_bytes(raw.replace(b'"pred":"no"', b'"pred":"na"', 1))
    for reader in (record, Record(path)):  # also by who wrote it
        with pytest.raises(ChecksumError, match="line 2 does not match its checksum"):
            reader.read()
    lines = raw.splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{}\n" + lines[2])
    with pytest.raises(ChecksumError, match="line 2"):
        Record(path).read()
    path.write_bytes(lines[2] + lines[0])
    Record(path).read()  # the order of lines, and which are there, does not matter


def test_a_record_that_was_replaced_or_deleted_is_read_anew(tmp_path):
    path, other = tmp_path / "r.jsonl", tmp_path / "s.jsonl"
    record = written(path, entry("a"))
    written(other, entry("b"))
    other.replace(path)
    record.read()
    assert [found.asked.pred for found in record.entries()] == ["b"]
    path.unlink()
    record.read(create=True)
    assert list(record.entries()) == []
    with pytest.raises(FileNotFoundError):
        record.read()


def _hold(path: Path, started: object, done: object) -> None:
    with Record(path).writing():
        started.set()  # type: ignore[attr-defined]
        done.wait(60)  # type: ignore[attr-defined]


def test_two_processes_cannot_write_one_record(tmp_path):
    path = tmp_path / "r.jsonl"
    context = multiprocessing.get_context("spawn")
    started, done = context.Event(), context.Event()
    process = context.Process(target=_hold, args=(path, started, done))
    process.start()
    try:
        assert started.wait(60)
        with pytest.raises(BlockingIOError, match="another run is writing the record"), Record(path).writing():
            pass
        Record(path).read()  # reading is allowed
    finally:
        done.set()
        process.join(60)
    with Record(path).writing():
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["r.jsonl"]


def test_a_path_is_one_record_in_a_process_and_survives_pickle(tmp_path):
    path = tmp_path / "r.jsonl"
    record = open_record(path)
    assert open_record(str(path)) is record
    assert pickle.loads(pickle.dumps(record)) is record
    assert open_record(None) is not open_record(None)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        open_record(tmp_path / "gone" / "r.jsonl")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        open_record(tmp_path)


def test_a_link_is_not_written_through(tmp_path):
    (tmp_path / "real").touch()
    (tmp_path / "r.jsonl").symlink_to(tmp_path / "real")
    with pytest.raises(PermissionError, match="link"), Record(tmp_path / "r.jsonl").writing():
        pass


def test_half_a_surrogate_pair_in_the_name_of_the_model_is_recorded(tmp_path):
    path = tmp_path / "r.jsonl"
    kept = entry("a", "m\ud800")
    written(path, kept)
    fresh = Record(path)
    fresh.read()
    assert list(fresh.entries()) == [kept]
    assert fresh.get(kept.asked.key, "m\ufffd") == kept


def test_a_line_whose_key_is_not_that_of_its_parts_is_an_error_when_it_is_asked_for(tmp_path):
    asked = entry().asked
    object.__setattr__(asked, "key", "0" * 32)  # as another program might write it, with a valid checksum
    record = written(tmp_path / "record.jsonl", Entry(asked, entry().raw))
    fresh = Record(record.path)
    fresh.read()
    with pytest.raises(ChecksumError, match="do not match the key"):
        fresh.get("0" * 32)
