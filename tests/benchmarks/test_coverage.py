"""Coverage of the intervals in simulations."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import LABELS, Population, published, simulated
from benchmarks.interval_coverage import (
    differences_of_systems,
    means_of_populations,
    of_differences,
    of_labels,
    of_means,
    tables,
)
from benchmarks.tables import render


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
    result = published(3 * scores, np.where(np.arange(3000) < 400, right, np.nan))
    assert result == pytest.approx((0.76051379, 0.78856361 * 2 - 0.76051379), abs=1e-4)


@pytest.mark.parametrize("clusters", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_intervals_of_a_made_population_cover_and_the_score_is_worth_labels(clusters: bool) -> None:
    rows = list(simulated(made(clusters=clusters), 60))
    assert {row.n for row in rows} == set(LABELS)
    assert all(0.88 <= row.covered <= 1 for row in rows)
    assert all(row.worth > 1.2 for row in rows if row.n > 50)
    assert all(np.isnan(row.published) for row in rows if clusters or row.target == "these rows")


def test_intervals_of_made_populations_contain_their_means_and_the_tables_have_all_cells() -> None:
    populations = {population.name: population for population in means_of_populations()}
    name = "probabilities, 0.97 near .97, others near .05, 1 answer per question"
    rare = of_means(populations[name], 30, 100)
    assert rare.covered >= 0.93  # percentiles of the bootstrap: below 0.75
    gaps = {system.name: system for system in differences_of_systems()}
    noise = of_differences(gaps["scores, noise 0.03"], 100, 60)
    assert noise.covered >= 0.93
    assert noise.width < 0.04  # two virtual rows of a difference of 1: 0.11
    assert noise.more == 0
    tail = of_labels("exp(3 z + 2 y), share .5", 10, 100)
    assert tail.covered > 0.9  # without a bound on the leverage of a score: below 0.85
    assert abs(tail.more) < 0.05
    pairs = [(gaps["scores, noise 0.03"], noise), (list(gaps.values())[-1], noise._replace(covered=0.5))]
    printed = render(list(tables([rare], pairs, [tail], 100)), [], "markdown")
    assert name in printed
    assert "the least coverage of the 1 cells is 0.500" in printed
