"""The service, called as a server calls an ASGI application: no socket, no client library."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any
from urllib.request import Request, urlopen

import pytest

from answersim import Reward
from answersim.integrations.serving.app import BOUNDS, Counts, build
from answersim.integrations.serving.budget import Budget, Limits, RefusedError, Share
from answersim.integrations.serving.server import OpenServiceWarning, serve
from tests.cases import cases_of, every
from tests.made_metrics import Waiting

pytest.importorskip("starlette", reason="needs starlette, of the extra 'serve'")
uvicorn: Any = pytest.importorskip("uvicorn", reason="needs uvicorn, of the extra 'serve'")
RULES = Reward("rules")


Receive = Callable[[], Awaitable[dict[str, Any]]]


async def post_raw(app: Any, path: str, receive: Receive, method: str = "POST", **headers: str) -> list[dict[str, Any]]:
    """Return the messages of the response."""
    received: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        received.append(message)

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    await app({**scope, "headers": pairs, "app": app}, receive, send)
    return received


async def call(
    app: Any, path: str, body: Any = None, token: str | None = None, parts: Sequence[bytes] | None = None
) -> tuple[int, Any]:
    """Return the status and the body of the response."""
    sent = list(parts) if parts is not None else [b"" if body is None else json.dumps(body).encode()]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": sent.pop(0), "more_body": bool(sent)}

    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    received = await post_raw(app, path, receive, "GET" if body is None and parts is None else "POST", **headers)
    text = b"".join(message.get("body", b"") for message in received).decode()
    return received[0]["status"], text if path == "/metrics" else json.loads(text or "{}")


def answer(app: Any, path: str, body: Any = None, **more: Any) -> tuple[int, Any]:
    return asyncio.run(call(app, path, body, **more))


def test_score_returns_a_reward_and_a_reason_per_row() -> None:
    status, result = answer(build(RULES), "/score", {"golds": ["5", ["6", "six"], None], "preds": ["#### 5", "7", "8"]})
    assert status == 200
    assert result["scores"] == [1.0, 0.0, None]
    assert [row["verdict"] for row in result["rows"]] == ["right", "wrong", "unreadable"]
    assert result["signature"] == RULES.signature


def test_reward_has_the_contract_of_openrlhf() -> None:
    body = {"query": ["2 + 3? 5<|im_end|>", "2 + 4? 5"], "prompts": ["2 + 3? ", "2 + 4? "], "labels": ["5", "6"]}
    status, result = answer(build(RULES), "/reward", body)
    assert (status, result["rewards"], result["scores"]) == (200, [1.0, 0.0], [1.0, 0.0])
    assert result["extra_logs"]["right"] == [1.0, 0.0]


def test_verify_has_the_contract_of_nemo_gym() -> None:
    body = {
        "responses_create_params": {"input": [{"role": "user", "content": "2 + 3?"}]},
        "response": {"output": [{"type": "message", "role": "assistant", "content": [{"text": "\\boxed{5}"}]}]},
        "expected_answer": "5",
    }
    assert answer(build(RULES), "/seed_session", body) == (200, {})
    status, result = answer(build(RULES), "/verify", body)
    assert (status, result["reward"], result["mask_sample"]) == (200, 1.0, False)
    assert result["response"] == body["response"]
    assert answer(build(RULES, gold="label"), "/verify", {**body, "label": "6"})[1]["reward"] == 0.0


@every(("path", "body", "status", "words"), cases_of(__file__)["a_wrong_request_gets_a_reason_and_no_reward"])
def test_a_wrong_request_gets_a_reason_and_no_reward(path: str, body: Any, status: int, words: str) -> None:
    limits = Limits(rows=20 if "20 of 20" in words else 3)
    result = answer(build(Reward("rules"), limits=limits), path, body)
    assert result[0] == status
    assert words in result[1]["error"]
    assert "scores" not in result[1]


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([b"{"], 400),
        ([b"[" * 90_000], 400),
        ([b"\xff"], 400),
        ([b'{"x": NaN}'], 400),
        ([b'{"golds": [1e400], "preds": ["inf"]}'], 400),
        ([b'{"golds": [' + b"9" * 5000 + b"]}"], 400),
        ([b" " * 600, b" " * 600], 413),
    ],
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

    completed = asyncio.run(requests())
    assert [(status, entry["scores"]) for status, entry in completed] == [(200, [1.0])] * 200
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
    status, result = answer(build(Reward(Waiting(0))), "/score", {"golds": ["Rome"] * 2, "preds": ["bad", "bad 2"]})
    assert status == 500
    assert "is gone" in result["error"]


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


def test_rows_beyond_the_limits_have_no_reward_and_the_others_are_scored() -> None:
    golds = ["5", ["5"] * 10, [[[["5"]]]], "\ud800", ["5", 5.0]]
    body = {"golds": [*golds, "5"], "preds": ["5"] * 5 + ["\udc00"], "question": [""] * 6}
    status, result = answer(build(RULES, limits=Limits(golds=9)), "/score", body)
    assert (status, result["scores"]) == (200, [1.0, None, None, None, 1.0, None])
    reasons = [row["reason"] for row in result["rows"]]
    assert reasons[1:4] == [
        "the row has more than 9 gold answers",
        "the gold answers are nested more than 3 deep",
        "a text contains half of a surrogate pair, which is no character",
    ]
    assert reasons[5] == reasons[3]


def test_options_are_a_field_of_a_request() -> None:
    options = ["Rome", "Paris"]
    body = {
        "golds": ["B", "B", "B"],
        "preds": ["Paris", "It is Rome.", "B"],
        "choices": [options, options, [options] * 3],
    }
    status, result = answer(build(RULES, limits=Limits(golds=5)), "/score", body)
    assert (status, result["scores"]) == (200, [1.0, 0.0, None])
    assert result["rows"][2]["reason"] == "the row has more than 5 gold answers"


def test_memory_of_waiting_requests_has_a_limit() -> None:
    body = {"golds": ["Rome"] * 3, "preds": [f"{i} {'x' * 200}" for i in range(3)]}
    assert answer(build(RULES, limits=Limits(memory=700)), "/score", body)[0] == 413
    values = {"golds": ["Rome"], "preds": ["Rome"], "question": [[]] * 100}
    assert answer(build(RULES, limits=Limits(memory=5000)), "/score", values)[0] == 413
    narrow, wide = ({"golds": ["Rome"], "preds": [letter + "x" * 120_000]} for letter in ("x", "\U0001f600"))
    app = build(RULES, limits=Limits(memory=600_000))  # Python stores a text with an emoji in 4 bytes per character
    assert (answer(app, "/score", narrow)[0], answer(app, "/score", wide)[0]) == (200, 413)
    metric = Waiting(30)

    async def requests() -> tuple[int, int, int]:
        app = build(Reward(metric, limit=60), limits=Limits(memory=2000))
        first = asyncio.create_task(call(app, "/score", body))
        while not metric.calls:
            await asyncio.sleep(0.01)
        refused, _ = await call(app, "/score", body)
        metric.released.set()
        return refused, (await first)[0], (await call(app, "/score", body))[0]

    assert asyncio.run(requests()) == (503, 200, 200)


def test_if_there_is_no_room_the_newest_request_gives_way_to_the_oldest() -> None:
    app = build(RULES, limits=Limits(memory=3000))
    raw = json.dumps({"golds": ["Rome"], "preds": ["x" * 1700]}).encode()

    async def requests() -> list[int]:
        gates = (asyncio.Event(), asyncio.Event())

        async def request() -> int:
            parts = [raw[:800], raw[800:1600], raw[1600:]]

            async def receive() -> dict[str, Any]:
                if len(parts) < 3:
                    await gates[2 - len(parts)].wait()
                return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

            return int((await post_raw(app, "/score", receive))[0]["status"])

        tasks = [asyncio.create_task(request()) for _ in range(2)]
        for gate in gates:  # after the first, both have sent a half, and need more than there is
            await asyncio.sleep(0.05)
            gate.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(requests()) == [200, 503]


def test_no_time_for_sending_is_refused() -> None:
    with pytest.raises(ValueError, match="sending is 0, but it must be a number of seconds above 0"):
        Limits(sending=0)


def test_a_body_that_does_not_arrive_in_time_is_refused_and_a_client_that_leaves_is_no_error() -> None:
    app = build(RULES, limits=Limits(sending=0.05))

    async def receive_late() -> dict[str, Any]:
        await asyncio.sleep(30)
        raise AssertionError("it was not cancelled")

    async def receive_end() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    replies = [asyncio.run(post_raw(app, "/score", receive)) for receive in (receive_late, receive_end)]
    assert [reply[0]["status"] for reply in replies] == [408, 499]
    text = answer(app, "/metrics")[1]
    assert 'answersim_requests_total{path="/score",status="408"} 1' in text
    assert 'status="500"' not in text


@pytest.mark.parametrize("path", ["/score/", "/health/", "/verify/"])
def test_a_path_with_a_slash_at_its_end_leads_to_this_service_whatever_the_header_host_says(path: str) -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    reply, *_ = asyncio.run(post_raw(build(RULES), path, receive, host="evil.example"))
    assert reply["status"] == 307
    assert dict(reply["headers"])[b"location"] == path.rstrip("/").encode()


@pytest.mark.parametrize("given", ["", " ", "sécret", "two words", "a\x00b"])
def test_a_token_that_no_header_can_contain_is_an_error_at_the_start(given: str) -> None:
    with pytest.raises(ValueError, match="token of the service"):
        build(RULES, token=given)


# A metric of one second, so that the signal comes while a request waits.
PROGRAM = """
import sys, time
import numpy as np
from answersim import Reward
from answersim.integrations.serving.app import build
from answersim.integrations.serving.server import serve
from answersim.types import Capabilities

class Slow:
    signature = "slow|rev:1"
    capabilities = Capabilities(cost="remote", scale="probability")

    def __call__(self, pairs):
        if ("Rome", "Oslo") in pairs:
            print("began", flush=True)
            time.sleep(1)
        return np.ones(len(pairs))

reward = Reward(Slow())
serve(build(reward), reward, port=0, ready=lambda address: print(address, flush=True))
"""


def post(address: str, body: Any) -> Any:
    request = Request(f"{address}/score", json.dumps(body).encode())
    with urlopen(request, timeout=30) as response:
        return json.load(response)


def process() -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, env=environment)


def test_a_signal_ends_the_process_after_the_accepted_requests() -> None:
    with process() as child:
        address = child.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        results: list[Any] = []
        caller = threading.Thread(
            target=lambda: results.append(post(address, {"golds": ["Rome"], "preds": ["Oslo"]})), daemon=True
        )
        caller.start()
        assert child.stdout.readline().strip() == "began"
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == -signal.SIGTERM
        caller.join(30)
    assert results[0]["scores"] == [1.0]


def test_connections_that_only_the_kernel_has_accepted_are_answered_after_the_signal() -> None:
    with process() as child:
        address = child.stdout.readline().strip()
        post(address, {"golds": ["Rome"], "preds": ["Paris"]})  # it runs
        host, _, port = address.removeprefix("http://").rpartition(":")
        child.send_signal(signal.SIGSTOP)
        body = json.dumps({"golds": ["Rome"], "preds": ["Paris"]}).encode()
        request = b"POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        callers = [socket.create_connection((host, int(port)), 30) for _ in range(24)]
        for caller in callers:
            caller.sendall(request)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGCONT)
        for caller in callers:
            with caller:
                assert caller.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        assert child.wait(30) == -signal.SIGTERM


@pytest.mark.parametrize(("host", "warned"), [("0.0.0.0", True), ("x.localhost", True), ("localhost", False)])
def test_an_open_address_without_a_token_is_a_warning(host, warned, monkeypatch, recwarn):
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    create, names = socket.create_server, {"x.localhost": "0.0.0.0"}
    monkeypatch.setattr(socket, "create_server", lambda at, **more: create((names.get(*at[:1] * 2), at[1]), **more))
    addresses: list[str] = []
    reward = Reward("rules")
    serve(build(reward), reward, host=host, port=0, ready=addresses.append)
    assert addresses[0].startswith(f"http://{host}:")
    assert any(isinstance(entry.message, OpenServiceWarning) for entry in recwarn) is warned


def test_a_port_in_use_is_an_error() -> None:
    reward = Reward("rules")
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        serve(build(reward), reward, port=taken.getsockname()[1])


def test_the_buckets_of_a_histogram_are_cumulative() -> None:
    counts = Counts('a "signature"')
    for seconds in (0.001, 0.005, 0.3, 1000.0):
        counts.request("/score", 200, seconds)
    lines = counts.text().splitlines()
    assert 'answersim_request_seconds_bucket{le="0.005"} 2' in lines
    assert f'answersim_request_seconds_bucket{{le="{BOUNDS[-1]}"}} 3' in lines
    assert 'answersim_request_seconds_bucket{le="+Inf"} 4' in lines
    assert "answersim_request_seconds_sum 1000.306000" in lines
    assert 'answersim_info{signature="a \\"signature\\""} 1' in lines


def test_each_name_has_a_type() -> None:
    lines = Counts("x").text().splitlines()
    assert all(line.startswith(("#", "answersim_")) for line in lines)
    assert len([line for line in lines if line.startswith("# TYPE")]) == 7


def test_a_request_that_gives_way_after_its_last_byte_is_told_to_come_again() -> None:
    budget = Budget(Limits())

    async def parts(share: Share) -> AsyncIterator[bytes]:
        yield b"{}"
        share.give_way()

    with budget.request() as share, pytest.raises(RefusedError, match="try again later") as refused:
        asyncio.run(budget.read(parts(share), share))
    assert refused.value.status == 503
