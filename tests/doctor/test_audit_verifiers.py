"""What can be audited: functions, metrics, rewards, servers, and columns of verdicts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

import answersim
from answersim.doctor.audit_verifiers import accepted, recorded, verifier_of
from answersim.judge.client import JudgeError
from answersim.types import Pair
from tests.cases import every

PAIRS = [Pair("Rome", "Rome"), Pair("Rome", "Oslo"), Pair("1/2", "0.5")]


def two(golds: list[str], preds: list[str]) -> list[bool]:
    return [gold == pred for gold, pred in zip(golds, preds, strict=True)]


def three(golds: list[str], completions: list[str], prompts: list[str]) -> list[float | None]:
    return [None if prompt == "?" else 0.7 for prompt in prompts]


def named(golds: list[str], preds: list[str], *, question: list[str]) -> list[float]:
    return [float(text == "?") for text in question]


@every(
    ("verifier", "expected"),
    [
        (two, [1, 0, 0]),
        (three, [0.5, 1, 1]),
        (named, [1, 0, 0]),
        ("em", [1, 0, 0]),
        ("rules", [1, 0, 1]),
        (answersim.Reward("rules"), [1, 0, 1]),
        ("tests.doctor.test_audit_verifiers:two", [1, 0, 0]),
        (answersim.metric("em"), [1, 0, 0]),
    ],
)
def test_each_kind_of_verifier_gives_a_verdict_per_answer(verifier: Any, expected: list[float]) -> None:
    assert verifier_of(verifier)(PAIRS, ["?", "", ""]).tolist() == expected


def test_a_cut_decides_instead_of_the_middle() -> None:
    assert verifier_of(three, threshold=0.8)(PAIRS, ["?", "", ""]).tolist() == [0.5, 0, 0]
    by_f1 = verifier_of("f1", calibration=None, threshold=0.5)
    assert by_f1([Pair("in Rome", "Rome")]).tolist() == [1]
    assert "0.5" in by_f1.sentence


def test_rewards_have_none_without_a_verdict_and_the_signature_names_the_verifier() -> None:
    verifier = verifier_of(three)
    assert verifier.rewards(["a"], ["b"], ["?"]) == [None]
    assert verifier.signature == "verifier|of:three|rev:1"
    assert verifier_of("em").signature.startswith("em|")
    assert verifier_of(verifier) is verifier


def test_columns_record_numbers_words_and_replies() -> None:
    values = ["correct", "Incorrect", True, 0.0, None, "The answer is correct."]
    assert recorded(values, ["x"] * 6, [["y", "z"]] * 6, None).tolist() == [1, 0, 1, 0, 0.5, 1]


@every(
    ("verifier", "error", "message"),
    [
        (lambda golds, preds: [1.0], ValueError, "returns 1 numbers for 3 answers"),
        ("no_such_module:verify", LookupError, "no module that can be imported"),
        ("bleu", ValueError, "--threshold"),
        ("no-such-metric", LookupError, "no metric"),
        (5, TypeError, "must be a function"),
        ("http://user:word@localhost/verify", ValueError, "credentials"),
    ],
)
def test_what_is_no_verifier_is_an_error_with_a_remedy(verifier: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        verifier_of(verifier)(PAIRS)


def test_numbers_are_checked() -> None:
    assert accepted([float("nan"), 0.5, 0.51], 3, "mine", None).tolist() == [0.5, 0, 1]


class _Handler(BaseHTTPRequestHandler):
    """Accepts equal texts. Of "lost" there is no reply that can be read."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        scores = [float(gold == pred) for gold, pred in zip(body["golds"], body["preds"], strict=True)]
        text = json.dumps({} if "lost" in body["preds"] else {"scores": scores})
        self.send_response(400 if "lost" in body["preds"] else 200)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    served = HTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}/verify"
    served.shutdown()
    served.server_close()


def test_a_server_gets_batches_and_returns_scores(server: str) -> None:
    pytest.importorskip("httpx")
    pairs = [*PAIRS, *[Pair(str(i), str(i % 2)) for i in range(300)]]
    assert verifier_of(server)(pairs).tolist() == [float(gold == pred) for gold, pred in pairs]


def test_a_server_that_does_not_answer_is_an_error(server: str) -> None:
    pytest.importorskip("httpx")
    with pytest.raises(JudgeError, match="did not answer 1 of 1 requests"):
        verifier_of(server)([Pair("a", "lost")])
