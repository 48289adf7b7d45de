"""Agreement on yes and no, and on the order of systems."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from answersim.calibration.scores import Scores
from answersim.evaluation.agreement.binary import MEASURES, binary_rows
from answersim.evaluation.agreement.judgments import Judgments
from answersim.evaluation.agreement.study import correlate
from answersim.evaluation.agreement.system_order import system_order_rows
from answersim.evaluation.agreement.tables import tables
from answersim.stats.confusion import cells, confusion
from answersim.stats.resampling import Bootstrap
from answersim.types import Pair
from tests.cases import every

HOW = {"level": 0.95, "resamples": 400, "seed": 0}


def judged(n: int = 200, wrong: float = 0.1, raters: int = 0, copies: int = 1, seed: int = 0) -> Judgments:
    """Answers with verdicts; the metric "good" errs on a share of them, "flat" is constant."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.7).astype(float)
    good = np.where(rng.random(n) < wrong, 1 - labels, labels) + 0.01 * rng.random(n)
    people = {f"rater {i}": np.where(rng.random(n) < 0.05, 1 - labels, labels) for i in range(raters)}
    columns = {name: np.repeat(values, copies) for name, values in {"labels": labels, "good": good, **people}.items()}
    pairs = tuple(Pair(f"gold {i // copies}", "a word" * (1 + i % 3)) for i in range(n * copies))
    return Judgments(
        "made",
        "en",
        pairs,
        np.mean([columns[name] for name in people], axis=0) if people else columns["labels"],
        questions=tuple(f"q{i // copies}" for i in range(n * copies)),
        scores={"good": Scores(columns["good"], "good|rev:1"), "flat": Scores(np.zeros(n * copies))},
        raters={name: columns[name] for name in people},
    )


def test_measures_follow_from_the_confusion_at_the_threshold() -> None:
    data = judged()
    rows = {row.column: row for row in binary_rows(data, "all", **HOW)}
    assert list(rows) == ["good", "flat", "length", "constant"]
    good = rows["good"]
    assert 0.01 < good.threshold < 1
    expected = confusion(data.scores["good"].values > 0.5, data.labels)
    for name, measure in MEASURES.items():
        value, low, high = good.measures[name]
        assert value == pytest.approx(float(measure(expected)))
        assert low < value < high
    assert good.prevalence.value == pytest.approx(data.labels.mean())
    assert (good.n, good.clusters, good.kind, good.against) == (200, 200, "metric", "label")


def test_rows_of_one_question_are_drawn_together() -> None:
    once = next(binary_rows(judged(), "all", **HOW)).measures["accuracy"]
    copies = next(binary_rows(judged(copies=5), "all", **HOW)).measures["accuracy"]
    assert copies.value == pytest.approx(once.value)
    assert copies.high - copies.low == pytest.approx(once.high - once.low, rel=0.2)


def test_each_rater_is_compared_with_the_metrics_and_with_the_others() -> None:
    data = judged(raters=3)
    rows = list(binary_rows(data, "all", **HOW))
    assert [row.against for row in rows if row.column == "good"] == ["rater 0", "rater 1", "rater 2"]
    between = [(row.against, row.column) for row in rows if row.kind == "rater"]
    assert between == [(f"rater {i}", f"rater {j}") for i in range(3) for j in range(3) if i != j]
    first = next(row for row in rows if row.kind == "rater")
    agreed = (data.raters["rater 0"] == data.raters["rater 1"]).mean()
    assert first.measures["accuracy"].value == pytest.approx(agreed)
    assert math.isnan(first.threshold)


def test_rows_without_a_label_of_a_rater_are_left_out() -> None:
    data = judged(raters=2)
    partly = np.where(np.arange(200) < 120, data.raters["rater 1"], np.nan)
    part = Judgments(
        *("made", "en", data.pairs, data.raters["rater 0"]),
        questions=data.questions,
        scores=data.scores,
        raters={"rater 0": data.raters["rater 0"], "rater 1": partly},
    )
    rows = list(binary_rows(part, "all", **HOW))
    assert {(row.against, row.n) for row in rows if row.kind == "metric"} == {
        ("label", 200),
        ("rater 0", 200),
        ("rater 1", 120),
    }
    shared = next(row for row in rows if (row.against, row.column) == ("rater 0", "rater 1"))
    both = cells(partly[:120] == 1, data.raters["rater 0"][:120] == 1).sum(axis=1)
    assert shared.n == 120
    assert shared.measures["accuracy"].value == pytest.approx((both[0] + both[3]) / 120)


@every("labels", [np.arange(200) % 3, np.zeros(200)])
def test_labels_that_are_no_yes_and_no_give_no_rows(labels: np.ndarray) -> None:
    data = judged()
    other = Judgments("made", "en", data.pairs, labels.astype(float), scores=data.scores)
    assert list(binary_rows(other, "all", **HOW)) == []


def test_the_study_prints_one_correlation_and_the_measures() -> None:
    agreement = correlate(judged(), bootstrap=Bootstrap(resamples=50))
    assert {row.subset for row in agreement.binary} >= {"all"}
    first, second, *_ = tables(agreement)
    assert first.header[:3] == ("metric", "auc>=1", "95%")
    assert first.header[-4:] == ("tau-b", "pearson", "spearman", "tied")
    assert "tau-b rewards ties" in first.notes[1]
    by_tau = next(tables(correlate(judged(), bootstrap=Bootstrap(resamples=50), compare=("tau-b",))))
    assert by_tau.header == ("metric", "tau-b", "95%", "ceiling", "auc>=1", "tied")
    assert "only tau-b is printed" in by_tau.notes[1]
    assert second.title == "all: agreement on yes and no"
    assert second.header == ("column", "accuracy", "kappa", "MCC", "TPR", "TNR", "F1", "called", "threshold")
    assert [row[0] for row in second.rows] == ["good", "flat", "length (baseline)", "constant (baseline)"]
    record = agreement.to_dict()["binary"][0]
    assert record["measures"]["kappa"]["value"] == pytest.approx(agreement.binary[0].measures["kappa"].value)


def three_systems(questions: int = 30) -> Judgments:
    """Three systems; the metric "good" is the label, and "bad" its opposite."""
    rng = np.random.default_rng(0)
    labels = (rng.random((questions, 3)) < [0.9, 0.6, 0.3]).astype(float).ravel()
    n = len(labels)
    return Judgments(
        "made",
        "en",
        tuple(Pair("gold", "two words" if i % 2 else "one") for i in range(n)),
        labels,
        questions=tuple(f"q{i // 3}" for i in range(n)),
        scores={"good": Scores(10 * labels), "bad": Scores(-labels)},
        columns={"system": ["a", "b", "c"] * questions},
    )


def test_a_metric_that_is_the_label_orders_systems_as_surely() -> None:
    rows = {row.column: row for row in system_order_rows(three_systems(), "all", seed=0)}
    assert rows["good"].accuracy == 1
    assert rows["bad"].accuracy < 0.1
    assert 0.4 < rows["constant"].accuracy < 0.7
    assert (rows["constant"].kind, rows["good"].systems, rows["good"].questions) == ("baseline", 3, 30)


def test_only_questions_that_all_systems_answered_count() -> None:
    part = three_systems().where(np.arange(90) >= 4)
    assert next(iter(system_order_rows(part, "all", seed=0))).questions == 28
    assert list(system_order_rows(three_systems(9), "all", seed=0)) == []
    assert list(system_order_rows(replace(three_systems(), columns={}), "all", seed=0)) == []
    assert list(system_order_rows(replace(three_systems(), columns={"system": ["a"] * 90}), "all", seed=0)) == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_all_tables_of_a_study_have_the_sentinels() -> None:
    study = correlate(three_systems(), bootstrap=Bootstrap(resamples=20), test_resamples=20)
    by_name = {table.title: [row[0] for row in table.rows] for table in tables(study) if table.title.startswith("all")}
    assert set(by_name) == {
        "all (n = 90)",
        "all: agreement on yes and no",
        "all: order of systems",
    }
    for columns in by_name.values():
        assert {"good", "bad", "length (baseline)", "constant (baseline)"} <= set(columns)
    content = study.to_dict()
    assert {"baselines", "orders"} <= set(content)
    assert content["orders"][0]["accuracy"] == 1
    assert study.metrics == ("good", "bad")
