"""The simulation of intervals of shares, differences and few labels: its populations, its cells, its tables."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.interval_coverage import (
    SCORED,
    differences_of_systems,
    means_of_populations,
    of_differences,
    of_labels,
    of_means,
    tables,
)
from benchmarks.tables import render


def test_every_population_has_the_mean_that_it_states() -> None:
    rng = np.random.default_rng(0)
    for one in (*means_of_populations(), *differences_of_systems()):
        assert one.draw(rng, 60_000).mean() == pytest.approx(one.truth, abs=0.006), one.name
    for name, (truth, draw) in SCORED.items():
        assert np.mean([draw(rng)[1].mean() for _ in range(40)]) == pytest.approx(truth, abs=0.01), name


def test_intervals_of_made_populations_contain_their_means_and_the_tables_have_all_cells() -> None:
    populations = {one.name: one for one in means_of_populations()}
    name = "probabilities, 0.97 near .97, others near .05, 1 answer per question"
    rare = of_means(populations[name], 30, 200)
    assert rare.covered >= 0.93  # percentiles of the bootstrap: below 0.75
    gaps = {one.name: one for one in differences_of_systems()}
    noise = of_differences(gaps["scores, noise 0.03"], 100, 100)
    assert noise.covered >= 0.93
    assert noise.width < 0.04  # two virtual rows of a difference of 1: 0.11
    assert noise.more == 0
    tail = of_labels("exp(3 z + 2 y), share .5", 10, 150)
    assert tail.covered > 0.9  # without a bound on the leverage of a score: below 0.85
    assert abs(tail.more) < 0.05
    pairs = [(gaps["scores, noise 0.03"], noise), (list(gaps.values())[-1], noise._replace(covered=0.5))]
    shown = render(list(tables([rare], pairs, [tail], 100)), [], "markdown")
    assert name in shown
    assert "the least coverage of the 1 cells is 0.500" in shown
