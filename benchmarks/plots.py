"""The figures of a study of metrics: each from plain numbers, and readable without color by markers and hatches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from answersim.stats.resampling import Estimate
from answersim.types import FloatArray
from benchmarks.drawing import (
    COLORS,
    HATCHES,
    LINES,
    MARKERS,
    color,
    ink,
    legend_above,
    light,
    panels,
    shown,
    sides,
    single,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SYMBOLS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}


class Outcome(NamedTuple):
    """The look of right or wrong answers."""

    color: str
    hatch: str


OUTCOMES = {"right": Outcome(COLORS[0], ""), "wrong": Outcome(COLORS[1], "xxxx")}
_SERIES = (COLORS[0], COLORS[2], COLORS[3])  # without the color of wrong answers
_WIDTH = 4.8  # inches
_UNITS = 2  # the length of an axis from which on it has whole numbers; those of scores are shorter


class Bar(NamedTuple):
    """A bar of a bar chart, and the part of it that is hatched."""

    name: str
    value: float
    part: float = 0.0


class Ends(NamedTuple):
    """A number with its interval, to be drawn on a separate line."""

    name: str
    value: float
    low: float
    high: float


class Series(NamedTuple):
    """Estimates of one kind by the name of the system, such as the shares of right answers."""

    name: str
    estimates: Mapping[str, Estimate]


def bars(found: Sequence[Bar], *, label: str, part: str = "", whole: str = "") -> Figure:
    """Draw horizontal bars with their numbers, the first on top. A part of each may be hatched and named."""
    figure, axes = single(6.4, 0.6 + 0.27 * len(found))
    places = np.arange(len(found))[::-1]
    axes.barh(places, [bar.value - bar.part for bar in found], left=[bar.part for bar in found],
              color=COLORS[0], edgecolor=ink(), linewidth=0.5, label=whole)  # fmt: skip
    if any(bar.part for bar in found):
        axes.barh(places, [bar.part for bar in found], color="none", hatch="////", edgecolor=ink(),
                  linewidth=0.5, label=part)  # fmt: skip
        axes.legend(frameon=False, loc="lower right")
    for place, bar in zip(places, found, strict=True):
        axes.annotate(f"{bar.value:g}", (bar.value, place), xytext=(3, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, [shown(bar.name) for bar in found])
    axes.set_xlabel(label)
    axes.set_xlim(0, 1.1 * max((bar.value for bar in found), default=1))
    return figure


def log_ranges(
    found: Sequence[Ends], *, label: str, names: tuple[str, str] = ("", ""), beside: Mapping[str, float] | None = None
) -> Figure:
    """Draw numbers with their ranges on a logarithmic axis, the first on top.

    Args:
        found: The numbers, above 0.
        label: The axis.
        names: The names of the numbers, and of those beside them.
        beside: By name, a number of another origin, drawn as a hollow square on the same line.
    """
    figure, axes = single(6.4, 0.7 + 0.27 * len(found))
    places = np.arange(len(found))[::-1]
    _ranges(axes, found, places)
    axes.set_xscale("log")
    if beside:
        markers = [
            (beside[estimate.name], place)
            for place, estimate in zip(places, found, strict=True)
            if estimate.name in beside
        ]
        axes.plot(*zip(*markers, strict=True), "s", markerfacecolor="none", color=COLORS[1], label=names[1])
        axes.plot([], [], "o", color=COLORS[0], label=names[0])
        legend_above(figure, axes)
    for place, estimate in zip(places, found, strict=True):
        axes.annotate(
            f"{estimate.value:.3g}", (estimate.high, place), xytext=(5, 0), textcoords="offset points", va="center"
        )
    axes.margins(x=0.12)
    axes.grid(axis="x", alpha=0.4)
    axes.set_xlabel(label)
    return figure


def score_spread(sets: Mapping[str, Mapping[str, FloatArray]]) -> Figure:
    """Draw the spread of the scores of each metric, one panel per set: quartile boxes, whiskers at 5 and 95 %."""
    figure, grid = panels(1, len(sets), 2.7, 0.9 + 0.28 * max(map(len, sets.values())), share_y=False)
    limits = _limits([column for columns in sets.values() for column in columns.values()])
    for i, (title, columns) in enumerate(sets.items()):
        axes = grid[0][i]
        _boxes(axes, list(columns.values()), [OUTCOMES["right"]] * len(columns), vertical=False)
        axes.set_yticks(range(1, len(columns) + 1), [shown(name) for name in columns])
        axes.invert_yaxis()
        axes.set_title(shown(title), fontsize=9)
        axes.set_xlabel("score")
        axes.set_xlim(*limits)
    return figure


def scores_by_label(
    columns: Mapping[str, FloatArray], labels: FloatArray, positive_from: float, *, across: int = 4
) -> Figure:
    """Draw the spread of the scores of each metric by label, one panel per metric.

    Labels of at least ``positive_from`` have the look of right answers, and others that of wrong ones.
    """
    values = np.unique(labels)
    rows = -(-len(columns) // across)
    figure, grid = panels(rows, min(across, len(columns)), 1.9, 1.7, share_y=False)
    cells = [axes for row in grid for axes in row]
    limits = _limits(list(columns.values()))
    for axes, (name, column) in zip(cells, columns.items(), strict=False):
        groups = [column[labels == value] for value in values]
        _boxes(axes, groups, [OUTCOMES["right" if value >= positive_from else "wrong"] for value in values.tolist()])
        names = [f"{value:g}\nn={len(group)}" for value, group in zip(values, groups, strict=True)]
        axes.set_xticks(range(1, len(values) + 1), names)
        axes.set_ylim(*limits)
        axes.set_title(shown(name), fontsize=9)
    for axes in cells[len(columns) :]:
        axes.set_axis_off()
    return figure


def histograms(columns: Mapping[str, FloatArray], *, bins: int = 30, label: str = "score") -> Figure:
    """Draw how often each score occurs, one outline per column, all in the same bins and each with its own dashes."""
    figure, axes = single(6.4, 2.8)
    low = min(float(scores.min(initial=0.0)) for scores in columns.values())
    high = max(float(scores.max(initial=1.0)) for scores in columns.values())
    edges = np.linspace(low, high, bins + 1)
    for k, (name, column) in enumerate(columns.items()):
        counts = np.histogram(column, edges)[0]
        axes.stairs(counts, edges, color=color(k), linestyle=LINES[k % len(LINES)], linewidth=1.3, label=shown(name))
        axes.stairs(counts, edges, fill=True, facecolor="none", edgecolor=color(k), alpha=0.35, linewidth=0,
                    hatch=HATCHES[1 + k % (len(HATCHES) - 1)])  # fmt: skip
    axes.set_xlabel(label)
    axes.set_ylabel("pairs")
    axes.legend(frameon=False)
    return figure


def _ranges(axes: Axes, estimates: Sequence[Ends], places: Any) -> None:
    values = [estimate.value for estimate in estimates]
    axes.errorbar(values, places, xerr=sides(estimates), fmt="o", color=COLORS[0], markersize=5, capsize=3)
    axes.set_yticks(places, [shown(estimate.name) for estimate in estimates])
    axes.set_ylim(-0.7, len(estimates) - 0.3)


def _boxes(axes: Axes, groups: Sequence[FloatArray], looks: Sequence[Outcome], *, vertical: bool = True) -> None:
    drawn = axes.boxplot(
        [group if len(group) else np.array([np.nan]) for group in groups],
        orientation="vertical" if vertical else "horizontal",
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        widths=0.6,
        medianprops={"color": ink(), "linewidth": 1.6},
        whiskerprops={"color": ink(), "linewidth": 0.8},
        capprops={"color": ink(), "linewidth": 0.8},
    )
    for box, look in zip(drawn["boxes"], looks, strict=True):
        box.set(facecolor=light(look.color), edgecolor=ink(), linewidth=0.8, hatch=look.hatch)


def _limits(columns: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the ends of an axis for all of these scores. The axis contains 0 and 1."""
    low, high = (float(end(pooled)) for end in (np.min, np.max) for pooled in [np.concatenate([*columns, [0.0, 1.0]])])
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


def forest(
    series: Sequence[Series], *, label: str, factor: float = 1.0, limits: tuple[float, float] | None = None
) -> Figure:
    """Draw estimates with intervals, one line per name and a marker per series, the first name on top.

    Args:
        series: The estimates. A name that a series lacks is left out of it.
        label: The axis.
        factor: What all numbers are multiplied by, such as 100 for percent.
        limits: The ends of the axis before this, so that several figures share one scale.
    """
    names = list(dict.fromkeys(name for each in series for name in each.estimates))
    figure, axes = single(_WIDTH, 0.75 + (0.12 + 0.2 * len(series)) * len(names))
    middle = (len(series) - 1) / 2
    for k, each in enumerate(series):
        found = [(i, each.estimates[name]) for i, name in enumerate(names) if name in each.estimates]
        found = [(i, estimate) for i, estimate in found if not np.isnan(estimate.value)]
        if not found:
            continue
        estimates = [estimate for _, estimate in found]
        below, above = sides(estimates)
        places = [len(names) - 1 - i + 0.22 * (middle - k) for i, _ in found]
        axes.errorbar(
            factor * np.array([estimate.value for estimate in estimates]), places,
            xerr=[factor * below, factor * above], fmt=MARKERS[k % len(MARKERS)], color=_SERIES[k % len(_SERIES)],
            markersize=5, capsize=3, label=each.name,
        )  # fmt: skip
    axes.set_yticks(range(len(names)), [shown(name) for name in reversed(names)])
    axes.set_ylim(-0.6, len(names) - 0.4)
    if limits is not None:
        axes.set_xlim(factor * limits[0], factor * limits[1])
    low, high = axes.get_xlim()
    if high - low > _UNITS:  # percent or points
        axes.set_xlim(math.floor(low), math.ceil(high))
        whole_numbers(axes.xaxis)
    axes.grid(axis="x", alpha=0.5)
    axes.set_xlabel(label)
    if len(series) > 1:
        legend_above(figure, axes)
    return figure
