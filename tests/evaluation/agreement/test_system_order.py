"""Soft pairwise accuracy in a study: of the questions that all systems answered, and nothing without systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from answersim.calibration.scores import Scores
from answersim.evaluation.agreement.judgments import Judgments
from answersim.evaluation.agreement.study import correlate
from answersim.evaluation.agreement.system_order import system_order_rows
from answersim.evaluation.agreement.tables import tables
from answersim.stats.resampling import Bootstrap
from answersim.types import Pair


def judged(questions: int = 30) -> Judgments:
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
    rows = {row.column: row for row in system_order_rows(judged(), "all", seed=0)}
    assert rows["good"].accuracy == 1
    assert rows["bad"].accuracy < 0.1
    assert 0.4 < rows["constant"].accuracy < 0.7
    assert (rows["constant"].kind, rows["good"].systems, rows["good"].questions) == ("baseline", 3, 30)


def test_only_questions_that_all_systems_answered_count() -> None:
    part = judged().where(np.arange(90) >= 4)
    assert next(iter(system_order_rows(part, "all", seed=0))).questions == 28
    assert list(system_order_rows(judged(9), "all", seed=0)) == []
    assert list(system_order_rows(replace(judged(), columns={}), "all", seed=0)) == []
    assert list(system_order_rows(replace(judged(), columns={"system": ["a"] * 90}), "all", seed=0)) == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_all_tables_of_a_study_have_the_sentinels() -> None:
    study = correlate(judged(), bootstrap=Bootstrap(resamples=20), test_resamples=20)
    found = {table.title: [row[0] for row in table.rows] for table in tables(study) if table.title.startswith("all")}
    assert set(found) == {
        "all (n = 90)",
        "all: agreement on yes and no",
        "all: order of systems",
    }
    for columns in found.values():
        assert {"good", "bad", "length (baseline)", "constant (baseline)"} <= set(columns)
    content = study.to_dict()
    assert {"baselines", "orders"} <= set(content)
    assert content["orders"][0]["accuracy"] == 1
    assert study.metrics == ("good", "bad")
