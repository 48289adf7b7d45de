"""The service, called as a server calls an ASGI application: no socket, no client library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from answersim import Reward
from answersim.serving.app import Limits, build
from tests.cases import every
from tests.reward.waiting import Waiting

pytest.importorskip("starlette", reason="needs starlette, of the extra 'serve'")
RULES = Reward("rules")


async def call(
    app: Any, path: str, body: Any = None, token: str | None = None, parts: Sequence[bytes] | None = None
) -> tuple[int, Any]:
    """Return the status and the body of the response."""
    sent = list(parts) if parts is not None else [b"" if body is None else json.dumps(body).encode()]
    received: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": sent.pop(0), "more_body": bool(sent)}

    async def send(message: Any) -> None:
        received.append(message)

    headers = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "GET" if body is None and parts is None else "POST", "path": path}
    await app({**scope, "raw_path": path.encode(), "query_string": b"", "headers": headers, "app": app}, receive, send)
    text = b"".join(message.get("body", b"") for message in received).decode()
    return received[0]["status"], text if path == "/metrics" else json.loads(text or "{}")


def answer(app: Any, path: str, body: Any = None, **more: Any) -> tuple[int, Any]:
    return asyncio.run(call(app, path, body, **more))


def test_score_returns_a_reward_and_a_reason_per_row() -> None:
    status, found = answer(build(RULES), "/score", {"golds": ["5", ["6", "six"], None], "preds": ["#### 5", "7", "8"]})
    assert status == 200
    assert found["scores"] == [1.0, 0.0, None]
    assert [row["verdict"] for row in found["rows"]] == ["right", "wrong", "unreadable"]
    assert found["signature"] == RULES.signature


def test_reward_has_the_contract_of_openrlhf() -> None:
    body = {"query": ["2 + 3? 5<|im_end|>", "2 + 4? 5"], "prompts": ["2 + 3? ", "2 + 4? "], "labels": ["5", "6"]}
    status, found = answer(build(RULES), "/reward", body)
    assert (status, found["rewards"], found["scores"]) == (200, [1.0, 0.0], [1.0, 0.0])
    assert found["extra_logs"]["right"] == [1.0, 0.0]


def test_verify_has_the_contract_of_nemo_gym() -> None:
    body = {
        "responses_create_params": {"input": [{"role": "user", "content": "2 + 3?"}]},
        "response": {"output": [{"type": "message", "role": "assistant", "content": [{"text": "\\boxed{5}"}]}]},
        "expected_answer": "5",
    }
    assert answer(build(RULES), "/seed_session", body) == (200, {})
    status, found = answer(build(RULES), "/verify", body)
    assert (status, found["reward"], found["mask_sample"]) == (200, 1.0, False)
    assert found["response"] == body["response"]
    assert answer(build(RULES, gold="label"), "/verify", {**body, "label": "6"})[1]["reward"] == 0.0


@every(
    ("path", "body", "status", "words"),
    [
        ("/score", {"golds": ["5"], "preds": ["5", "6"]}, 422, "'golds' has 1 rows, but there are 2"),
        ("/score", {"preds": ["5"]}, 422, "golds"),
        ("/score", {"golds": ["5"], "preds": [5]}, 422, "preds[0] is 5"),
        ("/score", ["5"], 400, "must be an object"),
        ("/score", {"golds": [None] * 20, "preds": ["5"] * 20}, 422, "20 of 20 gold answers"),
        ("/score", {"golds": ["5"] * 4, "preds": ["5"] * 4}, 413, "4 rows, more than 3"),
        ("/reward", {"query": ["5"], "prompts": [""]}, 422, "labels"),
        ("/verify", {"response": {}}, 422, "expected_answer"),
        ("/verify", {"response": 5, "expected_answer": "5"}, 422, "get"),
    ],
)
def test_a_wrong_request_gets_a_reason_and_no_reward(path: str, body: Any, status: int, words: str) -> None:
    limits = Limits(rows=20 if isinstance(body, dict) and len(body.get("preds", [])) == 20 else 3)
    found = answer(build(Reward("rules"), limits=limits), path, body)
    assert found[0] == status
    assert words in found[1]["error"]
    assert "scores" not in found[1]


@pytest.mark.parametrize(
    ("parts", "status"), [([b"{"], 400), ([b"[" * 90_000], 400), ([b"\xff"], 400), ([b" " * 600, b" " * 600], 413)]
)
def test_a_body_that_cannot_be_read_is_refused(parts: list[bytes], status: int) -> None:
    limits = Limits(body=1000 if status == 413 else 10**6)
    assert answer(build(RULES, limits=limits), "/score", parts=parts)[0] == status


def test_a_token_is_demanded_on_all_paths_but_health() -> None:
    app = build(RULES, token="secret")
    body = {"golds": ["5"], "preds": ["5"]}
    assert answer(app, "/score", body)[0] == answer(app, "/score", body, token="wrong")[0] == 401
    assert answer(app, "/score", body, token="secret")[0] == 200
    assert answer(app, "/metrics")[0] == 401
    assert answer(app, "/metrics", token="secret")[0] == 200
    assert answer(app, "/health")[1]["status"] == "ok"


def test_requests_at_the_same_time_share_batches_and_none_is_lost() -> None:
    metric = Waiting(0.05)
    app = build(Reward(metric, limit=60))

    async def requests() -> list[tuple[int, Any]]:
        bodies = ({"golds": ["Rome"], "preds": [f"city {i}"]} for i in range(200))
        return await asyncio.gather(*(call(app, "/score", body) for body in bodies))

    found = asyncio.run(requests())
    assert [(status, each["scores"]) for status, each in found] == [(200, [1.0])] * 200
    assert sum(metric.calls) == 200
    assert len(metric.calls) < 20


def test_work_that_waits_has_a_limit() -> None:
    metric = Waiting(30)

    async def requests() -> tuple[int, int]:
        app = build(Reward(metric, limit=60), limits=Limits(waiting=2))
        first = asyncio.create_task(call(app, "/score", {"golds": ["Rome"] * 2, "preds": ["a", "b"]}))
        while not metric.calls:
            await asyncio.sleep(0.01)
        refused, _ = await call(app, "/score", {"golds": ["Rome"], "preds": ["c"]})
        metric.released.set()
        return refused, (await first)[0]

    assert asyncio.run(requests()) == (503, 200)


def test_a_metric_that_hangs_or_fails_gives_no_reward() -> None:
    metric = Waiting(30)
    try:
        app = build(Reward(metric, limit=0.1))
        assert answer(app, "/score", {"golds": ["Rome"], "preds": ["Oslo"]})[1]["rows"][0]["verdict"] == "undecided"
    finally:
        metric.released.set()
    status, found = answer(build(Reward(Waiting(0))), "/score", {"golds": ["Rome"] * 2, "preds": ["bad", "bad 2"]})
    assert status == 500
    assert "is gone" in found["error"]


def test_metrics_count_requests_and_rows() -> None:
    app = build(RULES)
    answer(app, "/score", {"golds": ["5", "5", None], "preds": ["5", "6", "7"]})
    answer(app, "/score", {"golds": ["5"], "preds": []})
    status, text = answer(app, "/metrics")
    assert status == 200
    for line in (
        'answersim_requests_total{path="/score",status="200"} 1',
        'answersim_requests_total{path="/score",status="422"} 1',
        'answersim_rows_total{verdict="unreadable"} 1',
        "answersim_rows_waiting 0",
        "answersim_request_seconds_count 2",
    ):
        assert line in text.splitlines()


def test_a_limit_below_one_is_an_error() -> None:
    with pytest.raises(ValueError, match="rows"):
        Limits(rows=0)
