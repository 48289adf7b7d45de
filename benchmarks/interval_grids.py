"""Grids beside ``interval_coverage``: unequal clusters and weights, the width for few questions, tests of two metrics.

    python -m benchmarks.interval_grids --format markdown

All populations are made, so that the truth is known. The rows of a draw are those of one random sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.stats.coefficients.auc import auc
from answersim.stats.coefficients.kendall import kendall
from answersim.stats.coefficients.weighted import pearson
from answersim.stats.intervals.bounded_mean import Sums, bounded_means, sums_of
from answersim.stats.intervals.permutation import exchange_p
from answersim.stats.intervals.resampling import bootstrap_counts, difference_of, generator
from benchmarks.options import FORM, OUTPUT, check_folder, run_program, show
from benchmarks.tables import Format, Table

DRAWS, SEED, LEVEL = 1000, 0, 0.95
CLUSTERS, SHARES = (30, 100, 300), (0.5, 0.8, 0.95)
SIZES = (1, 2, 10, 30)  # rows of unequal clusters, equally probable
_LARGE = 10  # rows of a large cluster
_GAP = 0.3  # between the shares of right rows in small and large clusters, at a share of .5
_SPREAD = 1.5  # standard deviation of the logarithm of a weight
LEVELS = (0.95, 0.945, 0.94, 0.935, 0.93, 0.925, 0.92, 0.915, 0.91, 0.905, 0.9, 0.895, 0.89, 0.885, 0.88)
_QUESTIONS, _ALIKE, _FLIPPED = 10, 5, 0.05
_WIDTH_SHARES = tuple(np.round(np.arange(0.5, 0.96, 0.025), 3))
_RESAMPLES = 400


def _auc_of_same(scores: Any, labels: Any, counts: Any = None) -> Any:
    return auc(scores, labels, 1.0, counts)


_COEFFICIENTS: dict[str, Any] = {"tau-b": kendall, "pearson": pearson, "auc>=1": _auc_of_same}


class Clustered(NamedTuple):
    """A population of clusters: how large they are, who is right, and what a row counts."""

    rows: str  # the rows of a cluster: "1", "5" or "1 to 30"
    right: str  # which clusters are right less often: "alike", "small" or "large"
    weights: str  # "equal", or "lognormal" for each row
    share: float  # the weighted share of right rows in the population


class CellCovered(NamedTuple):
    """The draws of one population of clusters and one number of clusters."""

    rows: str
    right: str
    weights: str
    share: float
    n: int  # the number of clusters
    covered: float
    width: float


class Width(NamedTuple):
    """The width for ten questions of five answers, beside the narrowest of the same family that covers .95."""

    flipped: float  # the share of answers that differ from the others of their question
    share: float  # the share of right answers
    covered: float
    width: float
    best_level: float  # the lowest level whose intervals cover at least .95 at all shares
    best_width: float


class Tested(NamedTuple):
    """How often the difference of two metrics is significant at .05."""

    coefficient: str
    n: int  # the number of rows
    noise: float  # of the second metric; that of the first is 1
    bootstrap: float  # the share of the draws with a p of at most .05 by the paired bootstrap
    permutation: float  # the same by exchanged scores


def main(
    draws: int = typer.Option(DRAWS, min=2, help="Draws per cell; a fifth of them for tests of two metrics."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Simulate intervals of unequal clusters, their width for few questions, and tests of two metrics."""
    with user_errors():
        check_folder(output)
        cells = [of_clusters(one, n, draws) for one in populations() for n in CLUSTERS]
        widths = [row for flipped in (0.0, _FLIPPED) for row in of_width(flipped, draws)]
        tests = [
            of_tests(coefficient, n, noise, max(2, draws // 5))
            for coefficient, n, noise in product(_COEFFICIENTS, (50, 100, 300), (1.0, 1.4))
        ]
        show(list(tables(cells, widths, tests, draws)), [*cells, *widths, *tests], form, output)


def populations() -> Iterator[Clustered]:
    """Yield the populations of the grid. Equal clusters with equal weights are in ``interval_coverage``."""
    for rows, weights in product(("1", "5", "1 to 30"), ("equal", "lognormal")):
        for right in ("alike", "small", "large") if rows == "1 to 30" else ("alike",):
            if (rows, weights) not in (("1", "equal"), ("5", "equal")):
                yield from (Clustered(rows, right, weights, share) for share in SHARES)


def drawn(population: Clustered, n: int, rng: np.random.Generator) -> tuple[FloatArray, NDArray[np.int64], FloatArray]:
    """Return the values, the clusters and the weights of a sample of n clusters. Rows of a cluster are alike."""
    sizes = rng.choice(SIZES, n) if population.rows == "1 to 30" else np.full(n, int(population.rows))
    shares = np.full(n, population.share)
    if population.right != "alike":
        gap = _GAP * min(population.share, 1 - population.share) / 0.5
        large = sizes >= _LARGE
        of_large = sum(size for size in SIZES if size >= _LARGE) / sum(SIZES)  # the share of rows in large clusters
        shares += np.where(large, of_large - 1, of_large) * (gap if population.right == "large" else -gap)
    groups = np.repeat(np.arange(n), sizes)
    values = (rng.random(n) < shares)[groups].astype(np.float64)
    lognormal = population.weights == "lognormal"
    weights = np.exp(_SPREAD * rng.standard_normal(len(groups))) if lognormal else np.ones(len(groups))
    return values, groups, weights


def of_clusters(population: Clustered, n: int, draws: int) -> CellCovered:
    """Return the coverage of ``bounded_mean`` in one cell."""
    rng = generator(SEED, *map(str, population), str(n))
    samples = [sums_of(*drawn(population, n, rng)) for _ in range(draws)]
    ends = np.array([found[1:] for found in bounded_means(samples, [(0.0, 1.0)] * draws, LEVEL)])
    inside = (ends[:, 0] <= population.share) & (population.share <= ends[:, 1])
    return CellCovered(*population, n, float(inside.mean()), float((ends[:, 1] - ends[:, 0]).mean()))


def of_width(flipped: float, draws: int) -> list[Width]:
    """Return the widths for ten questions of five answers at each share.

    The best interval is the narrowest of the same family: that of the lowest level with a coverage of at least .95 at
    every share.
    """
    rng = generator(SEED, "width", str(flipped))
    samples = {share: _distinct(share, flipped, draws, rng) for share in _WIDTH_SHARES}
    found = {level: {share: _covered_width(*samples[share], share, level) for share in samples} for level in LEVELS}
    enough = [level for level, cells in found.items() if all(covered >= LEVEL for covered, _ in cells.values())]
    best = min(enough, default=LEVEL)
    return [Width(flipped, float(share), *found[LEVEL][share], best, found[best][share][1]) for share in _WIDTH_SHARES]


def _distinct(
    share: float, flipped: float, draws: int, rng: np.random.Generator
) -> tuple[list[Sums], NDArray[np.int64]]:
    """Return the different samples, and how often each was drawn."""
    flips = min(flipped, (1 - share) / 2)
    right = rng.random((draws, _QUESTIONS, 1)) < (share - flips) / (1 - 2 * flips)
    totals = np.sort((right ^ (rng.random((draws, _QUESTIONS, _ALIKE)) < flips)).sum(axis=2), axis=1)
    different, times = np.unique(totals, axis=0, return_counts=True)
    groups = np.repeat(np.arange(_QUESTIONS), _ALIKE)
    return [sums_of(np.repeat(row / _ALIKE, _ALIKE), groups) for row in different], times


def _covered_width(samples: list[Sums], times: NDArray[np.int64], share: float, level: float) -> tuple[float, float]:
    ends = np.array([found[1:] for found in bounded_means(samples, [(0.0, 1.0)] * len(samples), level)])
    inside = (ends[:, 0] <= share) & (share <= ends[:, 1])
    return float(inside @ times / times.sum()), float((ends[:, 1] - ends[:, 0]) @ times / times.sum())


def of_tests(coefficient: str, n: int, noise: float, draws: int) -> Tested:
    """Return how often two metrics differ significantly: scores are the labels and noise; noise 1 is no difference."""
    of, rng = _COEFFICIENTS[coefficient], generator(SEED, coefficient, str(n), str(noise))
    significant = np.zeros((draws, 2))
    for i in range(draws):
        labels = rng.integers(0, 2 if coefficient.startswith("auc") else 3, n).astype(np.float64)
        first, second = labels + rng.standard_normal(n), labels + noise * rng.standard_normal(n)
        counts = bootstrap_counts(n, _RESAMPLES, rng)
        samples = of(first, labels, counts) - of(second, labels, counts)
        by_bootstrap = difference_of(float(of(first, labels)[0] - of(second, labels)[0]), samples).p
        scale: Literal["ranks", "standard"] = "standard" if coefficient == "pearson" else "ranks"
        by_exchange = exchange_p(of, first, second, labels, rng=rng, permutations=_RESAMPLES, scale=scale)
        significant[i] = (by_bootstrap <= 1 - LEVEL, by_exchange <= 1 - LEVEL)
    return Tested(coefficient, n, noise, *significant.mean(axis=0).tolist())


def tables(cells: list[CellCovered], widths: list[Width], tests: list[Tested], draws: int) -> Iterator[Table]:
    """Yield the tables of the page."""
    error = (0.0475 / draws) ** 0.5
    note = f"{draws:,} draws per cell, seed {SEED}: the standard error of a coverage of .95 is {error:.4f}"
    least = f"the least coverage of the {len(cells)} cells is {min(row.covered for row in cells):.3f}"
    columns: tuple[str, ...]
    columns = ("rows of a cluster", "less often right", "weights", "share", "clusters", "covered", "width")
    title = "Unequal clusters and weights: coverage of 95 % intervals, and mean widths"
    yield Table.of(title, columns, [tuple(row) for row in cells], (least, note))
    ratios = [row.width / row.best_width for row in widths]
    title = "Ten questions of five answers: the width beside the narrowest interval that covers .95 at all shares"
    columns = ("flipped answers", "share", "covered", "width", "level of the narrowest", "its width", "ratio")
    lines = [(*row, ratio) for row, ratio in zip(widths, ratios, strict=True)]
    yield Table.of(title, columns, lines, (f"the largest ratio is {max(ratios):.3f}", note))
    error = (0.0475 / max(2, draws // 5)) ** 0.5
    title = "Tests of two metrics in correlate: p of at most .05 without a difference (noise 1), and power"
    columns = ("coefficient", "rows", "noise of the second", "bootstrap", "permutation")
    more = f"{max(2, draws // 5):,} draws, {_RESAMPLES} resamples each: the standard error of .05 is {error:.3f}"
    yield Table.of(title, columns, [tuple(row) for row in tests], (more,))


if __name__ == "__main__":
    run_program(main)
