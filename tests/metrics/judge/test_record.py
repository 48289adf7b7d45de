"""Recorded judgments: a record, a table, and batches are read back as they were written."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import time
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim._base.errors import ChecksumError
from answersim.metrics.judge.batches import Outbox
from answersim.metrics.judge.metric import MissingReplyError
from answersim.metrics.judge.record import Entry, Question, Record, RecordWarning, open_record
from answersim.metrics.judge.recorded import read_verdict
from answersim.scoring.tables.judge_batches import BatchRequests, write_judge_requests
from tests.cases import cases_of, every
from tests.metrics.judge.fake_server import FENCED


def entry(pred: str = "p", model: str = "m-1", *, structured: bool = True, **asked: object) -> Entry:
    raw = json.dumps({"model": model, "choices": [{"message": {"content": f'{{"verdict": "{pred}"}}'}}]})
    settings: dict[str, object] = {"question": "q", "gold": "g", "pred": pred} | asked
    return Entry(Question("equivalent/0123456789ab", "m", "{}", **settings), raw, structured)  # type: ignore[arg-type]


def written(path: Path, *entries: Entry) -> Record:
    record = Record(path)
    with record.writing():
        for entry in entries:
            record.append(entry, {"messages": [{"role": "user", "content": "Zürich\u2028"}]})
    return record


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


@pytest.mark.parametrize("cut", [2, 20, 400])
def test_an_incomplete_last_line_is_reported_and_replaced(tmp_path, cut):
    path = tmp_path / "r.jsonl"
    written(path, entry("a"), entry("b"))
    path.write_bytes(path.read_bytes()[:-cut])
    record = Record(path)
    with pytest.warns(RecordWarning, match="ends in an incomplete line"):
        record.read()
    assert [entry.request.pred for entry in record.entries()] == ["a"]
    with pytest.warns(RecordWarning), Record(path).writing():
        pass
    again = Record(path)
    with again.writing():
        again.append(entry("c"), {})
    fresh = Record(path)
    fresh.read()
    assert [entry.request.pred for entry in fresh.entries()] == ["a", "c"]


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
    assert [entry.request.pred for entry in record.entries()] == ["b"]
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
    remaining = entry("a", "m\ud800")
    written(path, remaining)
    fresh = Record(path)
    fresh.read()
    assert list(fresh.entries()) == [remaining]
    assert fresh.get(remaining.request.key, "m\ufffd") == remaining


def test_a_line_whose_key_is_not_that_of_its_parts_is_an_error_when_it_is_asked_for(tmp_path):
    asked = entry().request
    object.__setattr__(asked, "key", "0" * 32)  # as another program might write it, with a valid checksum
    record = written(tmp_path / "record.jsonl", Entry(asked, entry().raw))
    fresh = Record(record.path)
    fresh.read()
    with pytest.raises(ChecksumError, match="do not match the key"):
        fresh.get("0" * 32)


@every(
    ("cell", "score"),
    cases_of(__file__)["a_cell_is_a_number_a_word_or_free_text"],
)
def test_a_cell_is_a_number_a_word_or_free_text(cell, score):
    assert read_verdict(cell).score == score


BATCH_ROWS = cases_of(__file__)["batch_rows"]
COLUMNS = {name: [row[name] for row in BATCH_ROWS] for name in ("gold", "pred", "question")}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def built(name: str = "judge", **options: Any) -> Any:
    with Outbox("judge.jsonl").opened():
        return answersim.metric(name, record="judge.jsonl", replay=True, **({"model": "m"} | options))


def written_batches(metric: Any = None, output: str = "batch.jsonl", **settings: Any) -> BatchRequests:
    metric = built() if metric is None else metric
    answers = answersim.read_answers(COLUMNS, question="question")
    return write_judge_requests(answers, metric, "judge.jsonl", output, **settings)


def lines(path: str = "batch.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def reply(request: dict[str, Any], text: str | None = None, **changes: Any) -> dict[str, Any]:
    """A line of an output file, as both servers write it; the answer is right if it has a digit or a capital."""
    pred = FENCED.findall(request["body"]["messages"][-1]["content"])[-1][1]
    verdict = text or json.dumps({"verdict": "no" if pred.islower() and pred.isalpha() else "yes"})
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "m-2026",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": verdict}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105},
    }
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": request["custom_id"], "response": response, "error": None} | changes


def received(*replies: dict[str, Any] | str, name: str = "out.jsonl") -> Any:
    content = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in replies)
    Path(name).write_text(content, encoding="utf-8")
    outbox = Outbox("judge.jsonl")
    with outbox.opened():
        return outbox.receive([Path(name)])


def test_a_round_trip_gives_the_scores_of_a_replay_and_asks_nothing_twice():
    first = written_batches()
    assert (first.written, first.waiting, first.rows, first.files) == (4, 0, 4, ("batch.jsonl",))
    requests = lines()
    assert {(line["method"], line["url"]) for line in requests} == {("POST", "/v1/chat/completions")}
    assert {line["body"]["model"] for line in requests} == {"m"}
    assert all(line["body"]["response_format"]["type"] == "json_schema" for line in requests)
    assert len({line["custom_id"] for line in requests}) == 4  # two gold answers, and an equal row once
    second = written_batches(output="again.jsonl")
    assert (second.written, second.waiting, second.files) == (0, 4, ())
    assert not Path("again.jsonl").exists()
    assert received(*map(reply, reversed(requests))).summary() == [
        "4 replies recorded; 0 requests in batch files have no reply yet"
    ]
    assert answersim.score(COLUMNS["gold"], COLUMNS["pred"], built(), question=COLUMNS["question"]).values.tolist() == [
        1,
        1,
        0,
        0,
    ]
    assert (written_batches().written, written_batches().waiting) == (0, 0)


def test_partial_replies_leave_the_rest_waiting():
    written_batches()
    requests = lines()
    assert received(*map(reply, requests[:1])).waiting == 3
    with pytest.raises(MissingReplyError, match="3 of 4 replies are not in"):
        answersim.score(COLUMNS["gold"], COLUMNS["pred"], built(), question=COLUMNS["question"])
    assert (written_batches(output="b.jsonl").written, written_batches(output="b.jsonl", again=True).written) == (0, 3)
    assert received(*map(reply, requests)).summary() == [
        "3 replies recorded; 0 requests in batch files have no reply yet",
        "1 were recorded before, and 0 repeat the id of a line before",
    ]


@pytest.mark.parametrize(
    ("changes", "reason"),
    cases_of(__file__)["a_failed_request_is_reported_and_written_again"],
)
def test_a_failed_request_is_reported_and_written_again(changes, reason):
    written_batches()
    requests = lines()
    result = received(reply(requests[0]) | changes, *map(reply, requests[1:]))
    assert (result.recorded, result.waiting, sum(result.failed.values())) == (3, 0, 1)
    assert next(iter(result.failed)).startswith(reason)
    assert reason in "\n".join(result.summary())
    assert written_batches(output="b.jsonl").written == 1
    assert lines("b.jsonl") == requests[:1]


def test_repeated_and_foreign_ids_and_damaged_lines_are_reported_and_not_recorded():
    written_batches()
    requests = lines()
    other = reply(requests[0], '{"verdict": "no"}')
    result = received(
        reply(requests[0]),
        other,
        reply(requests[1]) | {"custom_id": "mine-7"},
        json.dumps(reply(requests[2]))[:-9],
        "[1]",
    )
    assert (result.recorded, result.repeated, dict(result.foreign)) == (1, 1, {"mine-7": 1})
    assert result.unreadable == ("out.jsonl, line 4", "out.jsonl, line 5")
    assert result.waiting == 3
    text = "\n".join(result.summary())
    for part in ("mine-7", "2 lines cannot be read: out.jsonl, line 4", "1 repeat the id"):
        assert part in text
    assert len(Path("judge.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_a_reply_without_a_verdict_is_recorded_and_does_not_stop_other_blocks():
    written_batches()
    received(*(reply(line, "Hm.") for line in lines()))
    result = written_batches(output="b.jsonl")
    assert (result.written, result.unparsed) == (0, 5)
    assert "5 pairs have a reply without a verdict; see unparsed=" in result.summary()


def test_an_interrupted_run_leaves_no_file_and_nothing_waiting(monkeypatch):
    from answersim.metrics.judge.batches import BatchFiles

    def stop(self: Any, line: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(BatchFiles, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        written_batches()
    assert sorted(path.name for path in Path().iterdir() if not path.name.endswith(".lock")) == ["judge.jsonl"]
