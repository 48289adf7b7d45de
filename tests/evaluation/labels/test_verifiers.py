"""Verifiers in evaluate: functions, rewards, servers and recorded verdicts, and their errors by few labels."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.verdicts import Verdicts
from answersim.evaluation.labels.verifiers import resolved
from answersim.metrics.judge.client import JudgeError
from answersim.types import Pair
from tests.cases import every

PAIRS = [Pair("Rome", "Rome"), Pair("Rome", "Oslo"), Pair("1/2", "0.5")]
N = 600


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
        ("rules", [1, 0, 1]),
        (answersim.Reward("rules"), [1, 0, 1]),
        ("tests.evaluation.labels.test_verifiers:two", [1, 0, 0]),
    ],
)
def test_each_kind_of_verifier_gives_a_verdict_per_answer(verifier: Any, expected: list[float]) -> None:
    metric: Any = resolved(verifier).metric
    assert metric(PAIRS, ["?", "", ""]).tolist() == expected


def test_a_threshold_decides_instead_of_the_middle_and_a_missing_verdict_stays_one() -> None:
    result = resolved(three, Verdicts(threshold=0.8))
    assert result.metric(PAIRS, ["?", "", ""]).tolist() == [0.5, 0, 0]  # type: ignore[call-arg] # questions
    assert result.verdicts == Verdicts()
    assert (result.name, result.metric.signature) == ("three", "verifier|of:three|rev:1")
    assert resolved("em").metric.signature.startswith("em|")
    data = {"gold": ["a"] * 3, "pred": ["x", "y", "z"], "q": ["?", "", ""]}
    row = answersim.evaluate(data, three, question="q", calibration=Verdicts(threshold=0.1)).row()
    assert (row.right, row.wrong, row.unsure) == (2, 0, 1)


@every(
    ("verifier", "error", "message"),
    [
        (lambda golds, preds: [1.0], ValueError, "returns 1 numbers for 3 answers"),
        ("no_such_module:verify", LookupError, "no module that can be imported"),
        (
            "tests.evaluation.labels.test_verifiers:nothing",
            LookupError,
            "no function of tests.evaluation.labels.test_verifiers",
        ),
        ("no-such-metric", LookupError, "no metric"),
        (5, TypeError, "metric is 5"),
        ("http://user:word@localhost/verify", ValueError, "put the key into [$]ANSWERSIM_VERIFIER_KEY"),
        ("column:verdict", ValueError, "has verdicts for the rows of a table"),
    ],
)
def test_what_is_no_verifier_is_an_error_with_a_remedy(verifier: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        resolved(verifier).metric(PAIRS)


def made(seed: int = 0) -> dict[str, list[Any]]:
    """Return answers of two systems with their truth. Verdicts err on 10 % of right answers and 20 % of wrong ones."""
    rng = np.random.default_rng(seed)
    table: dict[str, list[Any]] = {"id": list(range(N)), "q": [f"q{i}" for i in range(N)], "gold": ["yes"] * N}
    for system, share in (("a", 0.8), ("b", 0.5)):
        truth = rng.random(N) < share
        table[system] = ["yes" if right else "I don't know." if i % 5 == 0 else "no" for i, right in enumerate(truth)]
        table[f"truth_{system}"] = truth.astype(float).tolist()
        table[f"verdict_{system}"] = np.where(truth, rng.random(N) > 0.1, rng.random(N) < 0.2).astype(float).tolist()
    table["kind"] = ["even" if i % 2 == 0 else "odd" for i in range(N)]
    return table


TABLE = made()
COLUMNS: dict[str, Any] = {"pred": ["a", "b"], "question": "q"}
FEW = {system: {str(i): TABLE[f"truth_{system}"][i] for i in range(0, N, 8)} for system in "ab"}


def test_few_labels_contain_the_errors_of_recorded_verdicts_by_system_and_subset() -> None:
    evaluation = answersim.evaluate(TABLE, "column:verdict_a,verdict_b", labels=FEW, by=["kind"], **COLUMNS)
    assert [(share.subset, share.system) for share in evaluation.labeled] == [
        *(("all", "a"), ("all", "b"), ("kind=even", "a"), ("kind=even", "b"))
    ]  # each eighth row is even
    assert "a, kind=odd: fewer than 10 labels, so there is no share by labels" in evaluation.notes
    for share in evaluation.labeled[:2]:
        truth, called = (np.array(TABLE[f"{name}_{share.system}"]) == 1 for name in ("truth", "verdict"))
        assert share.errors is not None
        expected = (called[~truth].mean(), (~called[truth]).mean(), (called == truth).mean())
        for estimate, value in zip(share.errors, expected, strict=False):
            assert estimate.low <= value <= estimate.high
            assert estimate.high - estimate.low < 0.5
        assert share.ppi.low <= truth.mean() <= share.ppi.high
        assert evaluation.row(share.system).right == called.sum()
    assert evaluation.signature == "verifier|column:verdict_a,verdict_b|rev:1"
    assert "a: accepts " in evaluation.summary()[3]
    (errors,) = (table for table in evaluation.tables() if table.title == "Errors of the verdict right")
    assert errors.header[-3:] == ("wrong ones accepted", "right ones rejected", "accuracy")
    assert len(errors.rows) == 4


def test_all_labels_give_the_rates_themselves_and_words_are_verdicts() -> None:
    words = {**TABLE, "mine": ["correct" if value else "Incorrect" for value in TABLE["verdict_a"]]}
    words["mine"][:2] = [None, ""]
    evaluation = answersim.evaluate(words, "column:mine", pred="a", labels="truth_a")
    truth, called = np.array(TABLE["truth_a"]) == 1, np.array(TABLE["verdict_a"]) == 1
    called[:2] = False
    (share,) = evaluation.labeled
    assert share.errors is not None
    assert share.errors.false_positive.value == pytest.approx(called[~truth].mean())
    assert share.errors.false_negative.value == pytest.approx((~called[truth]).mean())
    assert evaluation.row().unsure + evaluation.row().not_attempted >= 2


def test_labels_of_accepted_answers_alone_give_no_rates() -> None:
    accepted = {str(i): 1 for i in range(N) if TABLE["verdict_a"][i]}
    evaluation = answersim.evaluate(TABLE, "column:verdict_a", pred="a", labels=accepted)
    assert evaluation.labeled[0].errors is None
    assert "label some of these ('answersim label --verifier' draws both kinds)" in "\n".join(evaluation.notes)


def test_a_judge_with_its_record_is_a_verifier(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.csv"
    file.write_text("gold,pred,verdict\nyes,yes,correct\nyes,no,incorrect\nyes,I don't know.,no\n", encoding="utf-8")
    evaluation = answersim.evaluate(TABLE, answersim.metric("judge", verdicts=str(file)), pred="a", labels="truth_a")
    (share,) = evaluation.labeled
    assert share.errors is not None
    assert share.errors.accuracy.value == 1.0


@every(
    ("metric", "more", "error", "message"),
    [
        (
            "column:nothing",
            {},
            LookupError,
            "a has no column 'nothing' of recorded verdicts; its columns are: id, q, gold",
        ),
        ("column:verdict_a,verdict_b,kind", {"pred": ["a", "b"]}, ValueError, "3 columns of verdicts for 2 systems"),
        (
            "column:verdict_a",
            {"labels": dict.fromkeys(map(str, range(5)), 1)},
            ValueError,
            "a has 5 labels, but at least 10",
        ),
        (two, {"extract": "auto"}, TypeError, "a verifier reads the predictions itself"),
    ],
)
def test_mistakes_are_errors_with_a_remedy(metric: Any, more: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        answersim.evaluate(TABLE, metric, **({"pred": "a"} | more))


class _Handler(BaseHTTPRequestHandler):
    """Accepts equal texts. Of "lost" there is no reply that can be read. Of "key" it accepts the key that it got."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization")
        scores = [float(pred in (gold, key)) for gold, pred in zip(body["golds"], body["preds"], strict=True)]
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
    assert resolved(server).metric(pairs).tolist() == [float(gold == pred) for gold, pred in pairs]
    with pytest.raises(JudgeError, match="did not answer 1 of 1 requests"):
        resolved(server).metric([Pair("a", "lost")])


def test_a_server_gets_its_own_key_and_none_over_plain_http_to_another_host(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("httpx")
    monkeypatch.setenv("ANSWERSIM_JUDGE_KEY", "of-the-judge")
    pairs = [Pair("x", "Bearer of-the-judge"), Pair("x", "Bearer mine")]
    assert resolved(server).metric(pairs).tolist() == [0, 0]
    monkeypatch.setenv("ANSWERSIM_VERIFIER_KEY", "mine")
    assert resolved(server).metric(pairs).tolist() == [0, 1]
    monkeypatch.setattr("answersim.metrics.judge.client.is_loopback", lambda url: False)
    assert resolved(server).metric(pairs).tolist() == [0, 0]
