"""The simulation of intervals of shares, differences and few labels: its populations, its cells, its tables."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.interval_coverage import (
    SCORED,
    by_bonett_price,
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


# Bonett & Price 2012: p12 = (b + 1) / (n + 2), p21 = (c + 1) / (n + 2), variance (p12 + p21 - (p12 - p21)²) / (n + 2).
def test_the_earlier_interval_of_verdicts_is_that_of_bonett_and_price() -> None:
    up, down = 16 / 102, 6 / 102
    half = 1.98397 * np.sqrt((up + down - (up - down) ** 2) / 102)  # t with 99 degrees of freedom
    assert by_bonett_price(np.repeat([1.0, -1.0, 0.0], [15, 5, 80])) == pytest.approx(
        (up - down - half, up - down + half), abs=1e-4
    )


def test_cells_show_what_is_wrong_and_the_tables_have_all_of_them() -> None:
    populations = {one.name: one for one in means_of_populations()}
    name = "probabilities, 0.97 near .97, others near .05, 1 answer per question"
    rare = of_means(populations[name], 30, 200)
    assert rare.before < 0.75 < 0.93 <= rare.covered
    gaps = {one.name: one for one in differences_of_systems()}
    noise = of_differences(gaps["scores, noise 0.03"], 100, 100)
    assert noise.width < 0.4 * noise.width_before
    assert noise.more == 0
    tail = of_labels("exp(3 z + 2 y), share .5", 10, 150)
    assert tail.before < 0.85 < 0.9 < tail.covered
    assert abs(tail.more) < 0.05 < tail.more_before
    pairs = [(gaps["scores, noise 0.03"], noise), (list(gaps.values())[-1], noise._replace(covered=0.5))]
    shown = render(list(tables([rare], pairs, [tail], 100)), [], "markdown")
    assert name in shown
    assert "the least coverage of the 1 cells is 0.500" in shown
