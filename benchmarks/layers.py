"""BERTScore by layer: the curves of Figure 3 of the SAS paper, and their plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from answersim.stats.intervals.resampling import COEFFICIENTS, generator
from benchmarks import plots
from benchmarks.resampled import scored_subset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from answersim._base.arrays import FloatArray
    from answersim.evaluation.agreement.subsets import Mask


class Point(NamedTuple):
    """One coefficient of the scores of one layer with the labels over a subset, with its interval; nan if undefined."""

    layer: int
    subset: str
    n: int
    coefficient: str
    value: float
    low: float
    high: float


def curves(
    columns: Mapping[int, FloatArray], labels: FloatArray, parts: Mapping[str, Mask], resamples: int
) -> list[Point]:
    """Return each coefficient of each layer with the labels by subset. All layers share the resamples of its rows."""
    points = []
    for subset, mask in parts.items():
        rows = scored_subset(mask, labels, list(columns.values()), resamples, generator(0, "layers", subset))
        for name in COEFFICIENTS:
            values, intervals = (resampled := rows.resampled(name)).values, resampled.intervals()
            points += [
                Point(layer, subset, len(rows.labels), name, float(value), *interval)
                for layer, value, interval in zip(columns, values, intervals, strict=True)
            ]
    return points


def draw(curves: Mapping[str, Sequence[Point]]) -> Figure:
    """Draw each coefficient by layer: one panel per coefficient (across) and subset (down), one line per encoder."""
    points = [point for curve in curves.values() for point in curve]
    subsets = list(dict.fromkeys((point.subset, point.n) for point in points))
    coefficients = list(dict.fromkeys(point.coefficient for point in points))
    figure, grid = plots.panels(len(subsets), len(coefficients), 2.5, 1.9)
    for i, (subset, n) in enumerate(subsets):
        for axes, coefficient in zip(grid[i], coefficients, strict=True):
            for k, (name, curve) in enumerate(curves.items()):
                line = [point for point in curve if (point.subset, point.coefficient) == (subset, coefficient)]
                layers, color = [point.layer for point in line], plots.COLORS[k]
                low, high = [point.low for point in line], [point.high for point in line]
                axes.fill_between(layers, low, high, color=color, alpha=0.2, linewidth=0)
                axes.plot(layers, [point.value for point in line], color=color, label=name, markersize=4,
                          linewidth=1.2, marker=plots.MARKERS[k], linestyle=plots.LINES[k])  # fmt: skip
            axes.grid(alpha=0.3)
        grid[i][0].set_ylabel(f"{subset} (n={n})")
    for j, coefficient in enumerate(coefficients):
        grid[0][j].set_title(plots.SYMBOLS[coefficient], fontsize=9)
        grid[-1][j].set_xlabel("layer")
    if len(curves) > 1:
        plots.legend_above(figure, grid[0][0])
    return figure
