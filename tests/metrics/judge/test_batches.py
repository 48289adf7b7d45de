"""Batch files: requests and replies of OpenAI and vLLM, joined to the record that a replay reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.metrics.judge.batches import Outbox
from answersim.metrics.judge.metric import MissingReplyError
from answersim.scoring.judge_batches import BatchRequests, write_judge_requests
from tests.metrics.judge.fake_server import FENCED

ROWS = [
    {"gold": ["Rome", "Roma"], "pred": "in Rome", "question": "Which city?"},
    {"gold": ["eleven"], "pred": "11", "question": "How many?"},
    {"gold": ["cortex"], "pred": "brain", "question": ""},
    {"gold": ["cortex"], "pred": "brain", "question": ""},  # the same request
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ("gold", "pred", "question")}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def built(name: str = "judge", **options: Any) -> Any:
    with Outbox("judge.jsonl").opened():
        return answersim.metric(name, record="judge.jsonl", replay=True, **({"model": "m"} | options))


def written(metric: Any = None, output: str = "batch.jsonl", **settings: Any) -> BatchRequests:
    metric = built() if metric is None else metric
    return write_judge_requests(COLUMNS, metric, "judge.jsonl", output, question="question", **settings)


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
    first = written()
    assert (first.written, first.waiting, first.rows, first.files) == (4, 0, 4, ("batch.jsonl",))
    requests = lines()
    assert {(line["method"], line["url"]) for line in requests} == {("POST", "/v1/chat/completions")}
    assert {line["body"]["model"] for line in requests} == {"m"}
    assert all(line["body"]["response_format"]["type"] == "json_schema" for line in requests)
    assert len({line["custom_id"] for line in requests}) == 4  # two gold answers, and an equal row once
    second = written(output="again.jsonl")
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
    assert (written().written, written().waiting) == (0, 0)


def test_the_record_of_a_batch_is_that_of_a_server_but_for_the_time():
    written()
    received(*map(reply, lines()))
    (line,) = {tuple(json.loads(line)) for line in Path("judge.jsonl").read_text(encoding="utf-8").splitlines()}
    assert line[:12] == (
        *("v", "key", "content", "prompt", "model", "returned", "parameters"),
        *("question", "gold", "pred", "repeat", "structured"),
    )
    assert line[12:] == ("messages", "batch", "response", "sum")


def test_partial_replies_leave_the_rest_waiting():
    written()
    requests = lines()
    assert received(*map(reply, requests[:1])).waiting == 3
    with pytest.raises(MissingReplyError, match="3 of 4 replies are not in"):
        answersim.score(COLUMNS["gold"], COLUMNS["pred"], built(), question=COLUMNS["question"])
    assert (written(output="b.jsonl").written, written(output="b.jsonl", again=True).written) == (0, 3)
    assert received(*map(reply, requests)).summary() == [
        "3 replies recorded; 0 requests in batch files have no reply yet",
        "1 were recorded before, and 0 repeat the id of a line before",
    ]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"response": None, "error": {"code": "batch_expired", "message": "late"}}, "batch_expired, late"),
        (
            {"response": {"status_code": 429, "body": {"error": {"type": "rate", "message": "slow down"}}}},
            "status 429, rate, slow down",
        ),
        (
            {"response": {"status_code": 400, "request_id": "r", "body": None}, "error": {"object": "error"}},
            "status 400",
        ),
        ({"response": {"status_code": 200, "body": {"choices": []}}}, "the body is not a chat completion"),
        ({"response": None}, "no response"),
    ],
)
def test_a_failed_request_is_reported_and_written_again(changes, reason):
    written()
    requests = lines()
    result = received(reply(requests[0]) | changes, *map(reply, requests[1:]))
    assert (result.recorded, result.waiting, sum(result.failed.values())) == (3, 0, 1)
    assert next(iter(result.failed)).startswith(reason)
    assert reason in "\n".join(result.summary())
    assert written(output="b.jsonl").written == 1
    assert lines("b.jsonl") == requests[:1]


def test_repeated_and_foreign_ids_and_damaged_lines_are_reported_and_not_recorded():
    written()
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


def test_a_full_file_is_continued_in_the_next():
    result = written(most=3)
    assert result.files == ("batch.jsonl", "batch-2.jsonl")
    assert (len(lines()), len(lines("batch-2.jsonl"))) == (3, 1)


def test_a_server_without_schemas():
    written(schema=False)
    assert not any("response_format" in line["body"] for line in lines())
    received(*(reply(line, "Yes, it is correct.") for line in lines()))
    assert {json.loads(line)["structured"] for line in Path("judge.jsonl").read_text().splitlines()} == {False}


def test_a_panel_asks_all_its_models_in_one_round():
    panel = built(model="a,b", reduce="min")
    assert written(panel).written == 8
    received(*(reply(line, '{"verdict": "yes"}' if line["body"]["model"] == "a" else None) for line in lines()))
    assert written(panel, "second.jsonl").written == 0


def test_a_reply_without_a_verdict_is_recorded_and_does_not_stop_other_blocks():
    written()
    received(*(reply(line, "Hm.") for line in lines()))
    result = written(output="b.jsonl")
    assert (result.written, result.unparsed) == (0, 5)
    assert "5 pairs have a reply without a verdict; see unparsed=" in result.summary()


def test_an_interrupted_run_leaves_no_file_and_nothing_waiting(monkeypatch):
    from answersim.metrics.judge.batches import BatchFiles

    def stop(self: Any, line: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(BatchFiles, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        written()
    assert sorted(path.name for path in Path().iterdir() if not path.name.endswith(".lock")) == ["judge.jsonl"]
