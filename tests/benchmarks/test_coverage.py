"""The simulation of coverage: made populations, the published interval against ppi_py, and its tables."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.evaluation.data.system_answers import SystemAnswer
from benchmarks.coverage import (
    LABELS,
    Population,
    differences,
    of_difference,
    populations,
    published,
    simulated,
)


def made(column: str = "recall", clusters: bool = False, good: float = 0.95) -> Population:
    rng = np.random.default_rng(0)
    labels = (rng.random(1200) < 0.8).astype(float)
    scores = np.where(rng.random(1200) < good, labels, 1 - labels)
    return Population(
        "made", "all" if clusters else "s", column, scores, labels, np.arange(1200) // 3 if clusters else None
    )


# ppi_python 0.2.3: ppi_mean_ci of the data of tests/stats/test_few_labels.py, its scores times 3.
def test_the_published_interval_is_that_of_ppi_py() -> None:
    rng = np.random.default_rng(7)
    right = rng.random(3000) < 0.8
    scores = np.clip(np.where(right, 0.8, 0.3) + rng.normal(0, 0.2, 3000), 0, 1)
    found = published(3 * scores, np.where(np.arange(3000) < 400, right, np.nan))
    assert found == pytest.approx((0.76051379, 0.78856361 * 2 - 0.76051379), abs=1e-4)


@pytest.mark.parametrize("clusters", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_intervals_of_a_made_population_cover_and_the_score_is_worth_labels(clusters: bool) -> None:
    rows = list(simulated(made(clusters=clusters), 150))
    assert {row.n for row in rows} == set(LABELS)
    assert all(0.88 <= row.covered <= 1 for row in rows)
    assert all(row.worth > 1.2 for row in rows if row.n > 50)
    assert all(np.isnan(row.published) for row in rows if clusters or row.target == "these rows")


def test_systems_are_compared_question_by_question() -> None:
    one, other = made(), made(good=0.9)._replace(system="t")
    (gap,) = differences([one, other, made(clusters=True)])
    assert gap.system == "t - s"
    assert (gap.labels == 0).all()
    rows = list(of_difference(differences([one, other._replace(labels=1 - other.labels)])[0], 20))
    assert [row.n for row in rows if row.design == "uniform"] == list(LABELS)
    assert {row.design for row in rows} == {"uniform", "proportional", "equal"}


def test_answers_of_several_systems_are_populations_of_each_and_of_all() -> None:
    answers = [
        SystemAnswer(f"q{i}", ("Rome",), system, "Rome" if i % 3 else "Oslo", bool(i % 3), "test")
        for i in range(1000)
        for system in ("a", "b")
    ]
    found = populations("made", answers, ["recall"], None)
    assert [(one.system, len(one.labels)) for one in found] == [("a", 1000), ("b", 1000), ("all", 2000)]
    assert found[2].clusters.tolist()[:4] == [0, 0, 1, 1]
    assert np.corrcoef(found[0].scores, found[0].labels)[0, 1] == pytest.approx(1)
