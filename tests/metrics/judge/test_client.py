"""The client against a real server with faults: nothing is lost, nothing is asked twice, and the key goes nowhere."""

import json
import logging
import threading
import time
from itertools import pairwise

import pytest

from answersim._base.errors import MissingExtraError
from answersim.metrics.judge import client as module
from answersim.metrics.judge.client import KEY_VARIABLE, Answered, Client, Failure, Request, checked_url
from answersim.metrics.judge.prompts import REGISTRY
from answersim.metrics.judge.replies import read_reply
from answersim.metrics.judge.settings import Transport
from tests.cases import every
from tests.metrics.judge.fake_server import Running, running

pytestmark = pytest.mark.skipif(
    not any(__import__("importlib.util").util.find_spec(name) for name in ("httpx", "httpx2")),
    reason="needs httpx: pip install '.[judge]'",
)
KEY = "sk-very-secret-0123"
PROMPT = REGISTRY["equivalent"]


def requests(*preds: str) -> list[Request]:
    messages = [PROMPT.messages("", "g", pred) for pred in preds]
    return [Request({"model": "m", "messages": message}, PROMPT.response_format()) for message in messages]


def ask(server: Running, *preds: str, **settings: object) -> tuple[dict[str, Answered], list[Failure]]:
    answered: dict[str, Answered] = {}

    def receive(result: Answered) -> None:
        assert preds[result.position] not in answered, "a reply came twice"
        answered[preds[result.position]] = result

    client = Client(server.url, Transport(**{"backoff": 0.01, "timeout": 20.0} | settings))  # type: ignore[arg-type]
    failures, _ = client.ask_all(requests(*preds), receive)
    return answered, failures


FAULTS = (
    "429",
    "429 0",
    "429 Wed, 21 Oct 2015 07:28:00 GMT",
    "429 soon",
    "503",
    "half",
    "half, closed",
    "json",
    "empty",
)


@pytest.mark.parametrize(
    "faults",
    [*([fault] for fault in FAULTS), ["500", "502"], ["drop"], ["drop", "429", "500", "half", "json"]],
    ids=", ".join,
)
def test_a_fault_is_overcome_and_each_reply_comes_once(faults):
    preds = ["g", *(f"p{i}" for i in range(10))]
    with running(plan={"g": faults, "p3": faults}) as server:
        answered, failures = ask(server, *preds, concurrency=4)
        assert failures == []
        assert sorted(answered) == sorted(preds)
        assert sorted(server.preds("answered")) == sorted(preds)
        asked = server.preds("asked")
        assert {pred: asked.count(pred) for pred in preds} == {
            pred: 1 + len(faults) if pred in ("g", "p3") else 1 for pred in preds
        }
    assert read_reply(answered["g"].raw).text == '{"verdict": "yes"}'
    assert read_reply(answered["p1"].raw).text == '{"verdict": "no"}'


def test_a_pause_that_the_server_asks_for_is_kept_by_all():
    preds = [*(f"p{i}" for i in range(10)), "a", *(f"q{i}" for i in range(100))]
    with running(plan={"a": ["429 0.8"]}) as server:
        answered, failures = ask(server, *preds, concurrency=2)
        assert (len(answered), failures) == (111, [])
        asked = [(event["pred"], event["time"]) for event in server.events("asked")]
        first, second = (at for pred, at in asked if pred == "a")
        assert second - first >= 0.8
        assert max(b - a for (_, a), (_, b) in pairwise(asked)) > 0.5  # a time in which nothing was asked


def test_a_very_long_pause_ends_the_run():
    with running(plan={"*": ["429 86400"]}) as server:
        answered, failures = ask(server, "a", "b", concurrency=1)
    assert answered == {}
    assert len(failures) == 1
    assert "a pause of 86,400 s" in failures[0].reason


def test_a_slow_response_is_dropped_and_requested_again():
    with running(plan={"a": ["slow"]}) as server:
        answered, failures = ask(server, "a", timeout=0.6)
        assert (list(answered), failures) == (["a"], [])
        assert server.preds("asked") == ["a", "a"]
    with running(plan={"a": ["slow"] * 2}) as server:
        answered, failures = ask(server, "a", timeout=0.3, attempts=2)
    assert answered == {}
    assert failures[0].reason == "no complete response in 0.3 s (after 2 attempts)"


@pytest.mark.parametrize("status", ["401", "403", "404", "302"])
def test_a_hopeless_error_ends_the_run(status):
    with running(plan={"*": [status] * 9}) as server:
        answered, failures = ask(server, *map(str, range(50)), concurrency=2)
        assert answered == {}
        assert failures[0].hopeless
        assert status in failures[0].reason
        assert len(server.events("asked")) <= 4


@pytest.mark.parametrize("host", ["", "no-such-host.invalid"])
def test_a_server_that_cannot_be_reached_ends_the_run_after_a_few_attempts(host):
    with running() as server:
        url = server.url.replace("127.0.0.1", host) if host else server.url
    failures, effort = Client(url, Transport(backoff=0.01)).ask_all(requests(*map(str, range(100))), print)
    assert [failure.hopeless for failure in failures] == [True]
    assert failures[0].reason.startswith(f"no connection to {url} (")
    assert failures[0].reason.endswith("start the server, or correct the address: base_url= (--base-url)")
    assert effort.sent == 3
    assert Client(url, Transport(attempts=1)).ask_all(requests("a"), print)[1].sent == 1


def test_a_server_that_goes_away_later_is_awaited(monkeypatch):
    monkeypatch.setattr(module, "_CONNECTIONS", 1)  # it would not help
    httpx, posted = module.http_library(), module._Run._post
    refused = iter([False, True, True, False])

    def post(*arguments: object) -> object:
        if next(refused, False):
            raise httpx.ConnectError("Connection refused")
        return posted(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module._Run, "_post", post)
    with running() as server:
        answered, failures = ask(server, "a", "b", concurrency=1)
    assert (sorted(answered), failures) == (["a", "b"], [])


@pytest.mark.parametrize("fault", ["huge", "huge, no length", "gzip"])
def test_a_response_that_is_too_large_is_not_read_to_its_end(fault):
    with running(plan={"a": [fault] * 9}) as server:
        answered, failures = ask(server, "b", "a", "c", concurrency=1)
        assert (sorted(answered), [failure.position for failure in failures]) == (["b", "c"], [1])
        assert not failures[0].hopeless
        assert ("compressed" if fault == "gzip" else "more than 4,000,000 bytes") in failures[0].reason
        assert server.preds("asked").count("a") == 1
        assert len(server.events("megabyte")) < 60  # those that the system buffers are sent, too


@pytest.mark.parametrize("fault", ["NaN", "two texts"])
def test_what_is_not_json_is_requested_again(fault):
    with running(plan={"a": [fault]}) as server:
        answered, failures = ask(server, "a")
        assert (list(answered), failures, len(server.preds("asked"))) == (["a"], [], 2)
    with running(plan={"a": [fault] * 2}) as server:
        reason = ask(server, "a", attempts=2)[1][0].reason
    assert reason.startswith("the body is not JSON: ")
    assert ("NaN" if fault == "NaN" else "'content' has two values") in reason


def test_the_limits_of_concurrency_and_rate_are_kept():
    with running(delay=0.05) as server:
        ask(server, *map(str, range(30)), concurrency=5)
        assert max(event["busy"] for event in server.events("asked")) <= 5
    with running() as server:
        start = time.monotonic()
        ask(server, *map(str, range(6)), rate=600.0)
        assert time.monotonic() - start >= 0.5  # five gaps of a tenth of a second


def test_the_key_is_sent_and_found_nowhere_else(monkeypatch, caplog):
    monkeypatch.setenv(KEY_VARIABLE, f" {KEY}\n")
    caplog.set_level(logging.DEBUG)
    with running(echo_key=True, plan={"b": ["echo"] * 9}) as server:
        answered, _ = ask(server, "a", concurrency=1)
        _, failures = ask(server, "b", concurrency=1)
        assert {event["auth"] for event in server.events("asked")} == {f"Bearer {KEY}"}
    echo = json.loads(answered["a"].raw)["echo"]
    assert len(echo) == 6
    assert all("[key]" in text for text in echo)
    for text in echo[3:]:  # only the characters that depend on the neighbors of the key are left
        assert len(text.replace("[key]", "")) <= 12, text
    assert "[key]" in failures[0].reason
    assert KEY not in repr((answered, failures, Client(server.url))) + caplog.text


def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, f"{KEY}\nX: y")
    with pytest.raises(ValueError, match=KEY_VARIABLE) as caught:
        Client("http://127.0.0.1:1").ask_all(requests("a"), lambda _: None)
    assert KEY not in str(caught.value)


def test_an_error_of_the_receiver_ends_the_run_and_is_raised():
    def receive(result: Answered) -> None:
        raise OSError(28, "No space left on device")

    with running() as server:
        with pytest.raises(OSError, match="No space left"):
            Client(server.url, Transport(concurrency=2)).ask_all(requests(*map(str, range(50))), receive)
        assert len(server.events("asked")) <= 6


def test_it_runs_inside_an_event_loop_and_in_threads():
    import asyncio

    async def inside(server: Running) -> int:
        return len(ask(server, "a", "b")[0])

    with running() as server:
        assert asyncio.run(inside(server)) == 2
        threads = [threading.Thread(target=ask, args=(server, "c", "d")) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert server.preds("answered").count("c") == 3


@every(
    "given",
    [
        *("http://user:sk-secret@host/v1", "http://sk-secret@host/v1", "https://host/v1?key=sk-secret"),
        *(
            "https://host/v1#sk-secret",
            "host:8000/v1",
            "ftp://host",
            "http://",
            "http://host:99999999",
            "http://ho st",
            "",
        ),
    ],
)
def test_an_address_with_credentials_or_none_is_refused(given):
    with pytest.raises(ValueError, match="base_url") as caught:
        checked_url(given)
    assert "sk-secret" not in str(caught.value)


def test_without_the_library_the_extra_is_named(monkeypatch):
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(module, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[judge\]"):
        module.http_library()
