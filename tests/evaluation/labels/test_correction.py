"""Shares and differences that human labels correct, and labels of a verifier."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import numpy as np
import pandas as pd
import pytest

import answersim
from answersim.calibration.verdicts import Decided, Verdicts
from answersim.evaluation.labels.correction import estimate_mean
from answersim.evaluation.labels.human_labels import SystemLabels
from answersim.evaluation.labels.labeled_shares import labeled_shares
from answersim.evaluation.labels.labeling import choose
from answersim.evaluation.labels.verifiers import resolved
from answersim.metrics.judge.client import JudgeError
from answersim.stats.few_labels.prediction_powered import prediction_powered
from answersim.stats.few_labels.rogan_gladen import rogan_gladen_of_rows
from answersim.stats.intervals.resampling import Bootstrap
from answersim.types import Pair
from tests.cases import every
from tests.evaluation.made import compare


def made(n: int = 100, rows: int = 1000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Verdicts of which one in ten is wrong, and n labels; 80 % of the answers are correct."""
    rng = np.random.default_rng(seed)
    right = rng.random(rows) < 0.8
    return np.where(rng.random(rows) < 0.9, right, ~right).astype(float), np.where(np.arange(rows) < n, right, np.nan)


VERDICTS, LABELS = made(200)
LABELED = ~np.isnan(LABELS)
INCLUSION = np.where(VERDICTS == 0, 0.5, 0.1)
STRATA = np.arange(1000) % 4.0
QUESTIONS = [f"q{i // 2}" for i in range(1000)]


@every(
    ("labels", "given", "how"),
    [
        (LABELS, {}, {}),
        (LABELS, {"groups": QUESTIONS}, {"groups": np.arange(1000) // 2}),
        (LABELS, {"inclusion": INCLUSION}, {"weights": 1 / INCLUSION}),
        (LABELS, {"inclusion": np.where(LABELED, INCLUSION, np.nan)}, {"weights": 1 / INCLUSION}),
        (LABELS, {"strata": np.where(LABELED, STRATA, np.nan)}, {"strata": STRATA}),
        (LABELS, {"finite_population": True}, {"finite": True}),
        (LABELS, {"bootstrap": answersim.Bootstrap(0.8)}, {"level": 0.8}),
    ],
)
def test_the_estimate_is_that_of_prediction_powered_inference(labels, given, how) -> None:
    result, expected = estimate_mean(VERDICTS, labels, **given), prediction_powered(VERDICTS, labels, **how)
    assert (result.value, result.low, result.high, result.explained) == (*expected[:3], expected.explained)
    assert tuple(result.labels_alone) == (expected.plain, expected.plain_low, expected.plain_high)
    assert (result.labels_worth, result.uncorrected) == (expected.labels_worth, VERDICTS.mean())


def test_verdicts_can_be_corrected_by_their_rates() -> None:
    settings = {"groups": QUESTIONS, "inclusion": INCLUSION}
    estimate = estimate_mean(VERDICTS, LABELS, method="rogan-gladen", **settings)
    expected = rogan_gladen_of_rows(VERDICTS, LABELS, weights=1 / INCLUSION, groups=np.arange(1000) // 2)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(expected)
    alone = estimate.labels_alone.high - estimate.labels_alone.low
    assert estimate.labels_worth == pytest.approx(200 * (alone / (estimate.high - estimate.low)) ** 2)
    assert np.isnan(estimate.explained)


def test_none_and_booleans_and_series_are_labels_too() -> None:
    verdicts, labels = made()
    expected = estimate_mean(verdicts, labels)
    objects = [None if np.isnan(label) else bool(label) for label in labels]
    assert estimate_mean(verdicts.astype(bool), objects) == expected
    assert estimate_mean(pd.Series(verdicts), pd.Series(labels)) == expected


def test_series_of_other_rows_are_refused() -> None:
    verdicts, labels = made()
    with pytest.raises(ValueError, match="different indexes"):
        estimate_mean(pd.Series(verdicts), pd.Series(labels, index=np.arange(1000) + 1))


def test_what_limits_a_result_is_stated() -> None:
    verdicts, labels = made()
    one_class = estimate_mean(verdicts, np.where(np.isnan(labels), np.nan, 1.0))
    assert one_class.value == 1
    assert 0.9 < one_class.low < 0.98
    assert "all 100 labels are 1" in one_class.notes[0]
    ties = estimate_mean(np.full(1000, 0.4), labels)
    assert "all scores are 0.4" in ties.notes[0]
    assert ties.labels_worth == pytest.approx(100)


@every(
    ("change", "error", "message"),
    [
        ({"labels": np.where(np.arange(1000) < 9, 1.0, np.nan)}, ValueError, "9 of 1000 rows have a label.*answersim"),
        ({"labels": np.full(1000, np.nan)}, ValueError, "0 of 1000 rows have a label"),
        ({"labels": np.ones(999)}, ValueError, "the lengths differ: 1000 scores, 999 labels"),
        ({"labels": np.full(1000, np.inf)}, ValueError, "the label of row 1 is inf"),
        ({"labels": np.where(np.arange(1000) == 3, 2.0, 1.0)}, ValueError, "label of row 4 is 2, but a label is from"),
        ({"inclusion": np.full(1000, 9e-7)}, ValueError, "the inclusion probability of row 1 is 9e-07"),
        ({"labels": ["yes"] * 1000}, TypeError, "labels is"),
        ({"scores": np.where(np.arange(1000) == 6, np.nan, 0.5)}, ValueError, "the score of row 7 is nan"),
        ({"scores": np.ones((1000, 1))}, ValueError, r"scores have the shape \(1000, 1\)"),
        ({"groups": ["q"] * 1000}, ValueError, "the labels are of 1 clusters, but an interval needs at least 5"),
        ({"groups": ["q"] * 7}, ValueError, "1000 labels, 7 groups"),
        ({"inclusion": np.zeros(1000)}, ValueError, "the inclusion probability of row 1 is 0.0"),
        ({"strata": np.where(np.arange(1000) == 2, np.nan, 0.0)}, ValueError, "the stratum of row 3 is nan"),
        ({"strata": [0.0] * 7}, ValueError, "lengths differ"),
        ({"inclusion": np.full(1000, 1.5)}, ValueError, "the inclusion probability of row 1 is 1.5"),
        ({"bootstrap": 0.9}, TypeError, r"bootstrap is 0\.9 \(float\), but it must be"),
        ({"method": "ppi++"}, LookupError, "no method is called 'ppi[+][+]'; did you mean 'ppi'"),
        ({"method": "rogan-gladen", "scores": np.full(1000, 0.5)}, ValueError, "a score is 0.5, but method='rogan-gl"),
        ({"method": "rogan-gladen", "labels": np.ones(1000)}, ValueError, "no labeled row is negative"),
    ],
)
def test_bad_input_is_refused_by_name(change: dict[str, object], error: type[Exception], message: str) -> None:
    verdicts, labels = made()
    stated = {"scores": verdicts, "labels": labels} | change
    with pytest.raises(error, match=message):
        estimate_mean(**stated)


N = 800
RNG = np.random.default_rng(3)
RIGHT = RNG.random(N) < 0.8
P = np.where(RNG.random(N) < 0.9, RIGHT, ~RIGHT) * 0.8 + 0.1
DECIDED = Decided(P / 2, P, np.where(P >= 0.7, 0, np.where(P <= 0.3, 1, 2)).astype(np.int8))
SHARE_QUESTIONS = [f"q{i // 2}" for i in range(N)]
WHOLE, FIRST = ([("all", {"s": np.ones(n, dtype=bool)})] for n in (N, 40))


def test_the_estimates_use_the_probabilities_the_verdicts_and_how_rows_were_drawn() -> None:
    drawn = choose(P, 100, allocation="equal", strata=2)
    labels, inclusion, strata = (np.full(N, np.nan) for _ in range(3))
    labels[drawn.rows], inclusion[drawn.rows] = RIGHT[drawn.rows], drawn.inclusion[drawn.rows]
    strata[drawn.rows] = drawn.strata[drawn.rows]
    stated = {"s": SystemLabels(labels, inclusion, strata)}
    ((share,), notes) = labeled_shares(stated, {"s": DECIDED}, SHARE_QUESTIONS, 0.9, WHOLE)
    settings = {"groups": SHARE_QUESTIONS, "inclusion": inclusion, "bootstrap": Bootstrap(0.9)}
    assert share.ppi == estimate_mean(P, labels, strata=strata, **settings)
    assert repr(share.rogan_gladen) == repr(estimate_mean(P >= 0.7, labels, method="rogan-gladen", **settings))
    assert (share.system, notes) == ("s", [])
    ((of_scores,), _) = labeled_shares(stated, {"s": Decided(P / 2, None, None)}, SHARE_QUESTIONS, 0.9, WHOLE)
    assert of_scores.rogan_gladen is None
    assert of_scores.ppi.uncorrected == pytest.approx(P.mean() / 2)


def test_what_cannot_be_estimated_is_stated() -> None:
    labels = np.where(np.arange(N) < 40, RIGHT, np.nan)
    ((share,), notes) = labeled_shares({"s": SystemLabels(labels)}, {"s": DECIDED}, SHARE_QUESTIONS, 0.95, WHOLE)
    assert notes == [
        "s: the labels have no inclusion probabilities, so they count as a sample with equal probabilities"
    ]
    assert str(share).endswith(f"right by 40 labels, which are worth {share.ppi.labels_worth:,.0f} with the scores")
    few = {"s": Decided(np.arange(40.0), None, None)}
    with pytest.raises(ValueError, match="labels of s: the labels are of 4 clusters"):
        labeled_shares({"s": SystemLabels(labels[:40])}, few, [f"q{i // 10}" for i in range(40)], 0.95, FIRST)


N_PAIRED = 900


def judged() -> tuple[np.ndarray, np.ndarray]:
    """Labels of two systems, .75 and .83 right, and scores that are wrong for one answer in ten."""
    rng = np.random.default_rng(1)
    right = rng.random((2, N_PAIRED)) < [[0.75], [0.83]]
    return right.astype(float), np.where(rng.random((2, N_PAIRED)) < 0.9, right, ~right).astype(float)


RIGHT_PAIRED, SCORES = judged()
DRAWN = np.where(np.random.default_rng(2).random(N_PAIRED) < 0.3, RIGHT_PAIRED, np.nan)
LOW, HIGH = np.where(SCORES[0] == 0, 0.8, 0.15), np.where(SCORES[1] == 0, 0.8, 0.15)
LAYERS = np.arange(N_PAIRED) % 3.0


def found(first: tuple[Any, ...] = (), second: tuple[Any, ...] = (), labels: np.ndarray = DRAWN) -> Any:
    """The difference of the labels; of each system, the probabilities and the strata of its rows, if they are known."""
    stated = (SystemLabels(labels[0], *first), SystemLabels(labels[1], *second))
    return compare(*SCORES, labels=stated, groups=np.arange(N_PAIRED) // 2).labeled


@every(
    ("first", "second", "how"),
    [
        ((), (), {}),
        ((LOW,), (), {"weights": 1 / LOW}),  # one system may have the probabilities of both
        ((LOW,), (LOW,), {"weights": 1 / LOW}),  # drawn once for both
        ((LOW,), (HIGH,), {"weights": 1 / (LOW * HIGH)}),  # two independent samples
        ((None, LAYERS), (), {"strata": LAYERS}),
        ((None, LAYERS), (None, LAYERS), {"strata": LAYERS}),
        ((None, LAYERS), (None, LAYERS[::-1]), {}),
        ((LOW, LAYERS), (HIGH, LAYERS), {"weights": 1 / (LOW * HIGH)}),
    ],
)
def test_the_difference_is_that_of_prediction_powered_inference(first, second, how):
    gaps, groups = DRAWN[1] - DRAWN[0], np.arange(N_PAIRED) // 2
    expected = prediction_powered(SCORES[1] - SCORES[0], gaps, groups=groups, share=False, reach=1.0, **how)
    result = found(first, second)
    assert (result.value, result.low, result.high) == pytest.approx(expected[:3])
    assert tuple(result.labels_alone) == pytest.approx((expected.plain, expected.plain_low, expected.plain_high))
    assert result.labels_worth == pytest.approx(expected.labels_worth)
    assert (result.n, result.n_labeled) == (N_PAIRED, int((~np.isnan(gaps)).sum()))


def test_samples_that_seldom_share_a_question_are_two_even_with_equal_probabilities() -> None:
    apart = np.where(
        np.arange(N_PAIRED) % 3 == np.array([[0], [1]]), np.nan, RIGHT_PAIRED
    )  # a third of the questions has both
    gaps, groups = apart[1] - apart[0], np.arange(N_PAIRED) // 2
    expected = prediction_powered(
        SCORES[1] - SCORES[0], gaps, weights=1 / LOW**2, groups=groups, share=False, reach=1.0
    )
    assert found((LOW,), (LOW,), apart).value == pytest.approx(expected.value)


def test_labels_without_a_difference_leave_a_width() -> None:
    labels = np.where(np.arange(N_PAIRED) < 50, 1.0, np.nan)
    result = found(labels=np.stack([labels, labels]))
    assert result.value == 0
    assert result.low < -0.02 < 0.02 < result.high
    assert "the same difference of labels" in result.notes[0]


@every(
    ("first", "message"),
    [((np.full(N_PAIRED, np.nan),), "question 1 has both labels, but no inclusion probability for A or B")],
)
def test_bad_probabilities_and_strata_are_refused(first: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        found(first)


PAIRS = [Pair("Rome", "Rome"), Pair("Rome", "Oslo"), Pair("1/2", "0.5")]
N_VERIFIERS = 600


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
        ("tests.evaluation.labels.test_correction:two", [1, 0, 0]),
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
            "tests.evaluation.labels.test_correction:nothing",
            LookupError,
            "no function of tests.evaluation.labels.test_correction",
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


def made_verifiers(seed: int = 0) -> dict[str, list[Any]]:
    """Return answers of two systems with their truth. Verdicts err on 10 % of right answers and 20 % of wrong ones."""
    rng = np.random.default_rng(seed)
    table: dict[str, list[Any]] = {
        "id": list(range(N_VERIFIERS)),
        "q": [f"q{i}" for i in range(N_VERIFIERS)],
        "gold": ["yes"] * N_VERIFIERS,
    }
    for system, share in (("a", 0.8), ("b", 0.5)):
        truth = rng.random(N_VERIFIERS) < share
        table[system] = ["yes" if right else "I don't know." if i % 5 == 0 else "no" for i, right in enumerate(truth)]
        table[f"truth_{system}"] = truth.astype(float).tolist()
        table[f"verdict_{system}"] = (
            np.where(truth, rng.random(N_VERIFIERS) > 0.1, rng.random(N_VERIFIERS) < 0.2).astype(float).tolist()
        )
    table["kind"] = ["even" if i % 2 == 0 else "odd" for i in range(N_VERIFIERS)]
    return table


TABLE = made_verifiers()
COLUMNS: dict[str, Any] = {"pred": ["a", "b"], "question": "q"}
FEW = {system: {str(i): TABLE[f"truth_{system}"][i] for i in range(0, N_VERIFIERS, 8)} for system in "ab"}


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
    accepted = {str(i): 1 for i in range(N_VERIFIERS) if TABLE["verdict_a"][i]}
    evaluation = answersim.evaluate(TABLE, "column:verdict_a", pred="a", labels=accepted)
    assert evaluation.labeled[0].errors is None
    assert "label some of these ('answersim label --verifier' draws both kinds)" in "\n".join(evaluation.notes)


@every(
    ("metric", "more", "error", "message"),
    [
        ("column:nothing", {}, LookupError, "a has no column 'nothing' of recorded verdicts; its columns are: id, q,"),
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


def test_a_server_gets_its_own_key_and_none_over_plain_http_to_another_host(server, monkeypatch):
    pytest.importorskip("httpx")
    monkeypatch.setenv("ANSWERSIM_JUDGE_KEY", "of-the-judge")
    pairs = [Pair("x", "Bearer of-the-judge"), Pair("x", "Bearer mine")]
    assert resolved(server).metric(pairs).tolist() == [0, 0]
    monkeypatch.setenv("ANSWERSIM_VERIFIER_KEY", "mine")
    assert resolved(server).metric(pairs).tolist() == [0, 1]
    monkeypatch.setattr("answersim.metrics.judge.client.is_loopback", lambda url: False)
    assert resolved(server).metric(pairs).tolist() == [0, 0]
