"""The figures of an evaluation of systems: each from plain numbers, and readable without color."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from answersim.evaluation.tables import SystemRow
from answersim.report.drawing import (
    COLORS,
    LINES,
    MARKERS,
    color,
    faint,
    ink,
    legend_above,
    panels,
    shown,
    sides,
    single,
    whole_numbers,
)
from answersim.report.outcomes import OUTCOMES
from answersim.stats.resampling import Estimate
from answersim.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 4.8  # inches: on a narrow screen, its text is still large enough
_SERIES = (COLORS[0], COLORS[2], COLORS[3])  # without the color of wrong answers
_BINS = 20
_UNITS = 2  # the length of an axis from which on it has whole numbers; those of scores are shorter


class Series(NamedTuple):
    """Estimates of one kind by the name of the system, such as the shares of right answers."""

    name: str
    estimates: Mapping[str, Estimate]


def verdict_bars(rows: Sequence[SystemRow]) -> Figure:
    """Draw the shares of the verdicts on the answers of each system, with an interval of the share of right ones."""
    figure, axes = single(WIDTH, 0.95 + 0.3 * len(rows))
    places = np.arange(len(rows))[::-1]
    left = np.zeros(len(rows))
    for call, look in OUTCOMES.items():
        counts = [_count(row, call) for row in rows]
        if call == "not attempted" and not any(counts):
            continue
        shares = 100 * np.array([count / row.n for count, row in zip(counts, rows, strict=True)])
        name = f"{look.mark} {call} ({counts[0]:,})" if len(rows) == 1 else f"{look.mark} {call}"
        axes.barh(places, shares, left=left, height=0.6, color=look.color, hatch=look.hatch, edgecolor=ink(),
                  linewidth=0.6, label=name)  # fmt: skip
        left += shares
    _intervals(axes, [row.share for row in rows], places)
    if len(rows) > 1:
        axes.set_yticks(places, [shown(row.system) for row in rows])
    else:
        axes.set_yticks([])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the answers; the line is the interval of the share of right answers")
    legend_above(figure, axes)
    return figure


def _count(row: SystemRow, call: str) -> int:
    count = getattr(row, call.replace(" ", "_"))
    return 0 if count is None else int(count)


def _intervals(axes: Axes, shares: Sequence[Estimate], places: Any) -> None:
    """Draw intervals in percent so that they are seen on any fill: a dark line on a white one."""
    from matplotlib.patheffects import Stroke

    values = 100 * np.array([share.value for share in shares])
    below, above = sides(shares)
    drawn = axes.errorbar(
        values, places, xerr=[100 * below, 100 * above], fmt="none", ecolor="#000000", elinewidth=1.4, capsize=4
    )
    outline = [Stroke(linewidth=4.0, foreground="#ffffff"), Stroke(linewidth=1.4, foreground="#000000")]
    for line in [*drawn[1], *drawn[2]]:
        line.set_path_effects(outline)


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
    figure, axes = single(WIDTH, 0.75 + (0.12 + 0.2 * len(series)) * len(names))
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


def limits_of(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Return the ends of an axis that shows all of these with their intervals.

    >>> [round(end, 3) for end in limits_of([Estimate(0.5, 0.4, 0.6), Estimate(0.9, float("nan"), float("nan"))])]
    [0.375, 0.925]
    """
    numbers = np.array([number for estimate in estimates for number in estimate], dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return 0.0, 1.0
    room = 0.05 * float(np.ptp(numbers)) or 0.05
    return float(numbers.min()) - room, float(numbers.max()) + room


def scores_by_verdict(scores: Mapping[str, FloatArray], calls: Mapping[str, Any], label: str) -> Figure:
    """Draw how often each score occurs among right, unsure and wrong answers: stacked, one panel per system.

    Args:
        scores: By system, shape (n,).
        calls: The verdict of each score by system, shape (n,).
        label: The axis of scores.
    """
    figure, grid = panels(len(scores), 1, WIDTH, 1.8 if len(scores) == 1 else 1.5, share_y=False)
    every = np.concatenate([*scores.values(), [0.0, 1.0]])
    edges = np.linspace(float(every.min()), float(every.max()), _BINS + 1)
    highest = 1.0
    for (axes,), (system, values) in zip(grid, scores.items(), strict=True):
        bottom = np.zeros(_BINS)
        for call, look in OUTCOMES.items():
            if call == "not attempted" and not any((of_system == call).any() for of_system in calls.values()):
                continue
            counts = np.histogram(values[calls[system] == call], edges)[0]
            some = np.flatnonzero(counts) if counts.any() else np.array([0])  # a bar without height is still drawn
            axes.bar(edges[some], counts[some], np.diff(edges)[some], bottom=bottom[some], align="edge",
                     color=look.color, hatch=look.hatch, edgecolor=ink(), linewidth=0.5,
                     label=f"{look.mark} {call}")  # fmt: skip
            bottom += counts
        for left, total in zip(edges, bottom.tolist(), strict=False):
            if total:
                axes.annotate(_compact(total), (left + (edges[1] - edges[0]) / 2, total), xytext=(0, 1.5),
                              textcoords="offset points", ha="center", va="bottom", fontsize=6.5)  # fmt: skip
        highest = max(highest, float(bottom.max()))
        axes.set_ylabel("answers")
        whole_numbers(axes.yaxis)
        if len(scores) > 1:
            axes.set_title(shown(system), fontsize=9, loc="left")
    for (axes,) in grid:
        axes.set_ylim(0, 1.15 * highest)
        axes.set_xlim(edges[0], edges[-1])
    grid[-1][0].set_xlabel(shown(label))
    legend_above(figure, grid[0][0])
    return figure


def _compact(count: float) -> str:
    """Return a count in at most four characters.

    >>> _compact(999), _compact(12_345)
    ('999', '12k')
    """
    return f"{count:.0f}" if count < 1000 else f"{count / 1000:.2g}k" if count < 10_000 else f"{count / 1000:.0f}k"


def label_curves(curves: Mapping[str, Sequence[tuple[int, float]]], now: int) -> Figure:
    """Draw the width of an interval by the number of labels, one line per name.

    Args:
        curves: By name, numbers of labels with the width of the interval that they give, from 0 to 1.
        now: How many labels there are, drawn as a vertical line.
    """
    figure, axes = single(WIDTH, 2.8)
    for k, (name, points) in enumerate(curves.items()):
        labels, widths = [n for n, _ in points], [100 * width for _, width in points]
        axes.plot(labels, widths, color=color(k), marker=MARKERS[k % len(MARKERS)], linestyle=LINES[k % len(LINES)],
                  markersize=4, linewidth=1.3, label=shown(name))  # fmt: skip
    axes.axvline(now, color=faint(), linewidth=1.2)
    axes.annotate(f"{now:,} labels now", (now, 1), xycoords=("data", "axes fraction"), xytext=(3, -9),
                  textcoords="offset points", fontsize=8)  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    plain = "{x:,.0f}"
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(plain)
        axis.set_minor_formatter("")
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100) if axes.get_ylim()[0] <= tick <= axes.get_ylim()[1]]
    axes.set_yticks(ticks)
    axes.grid(alpha=0.5)
    axes.set_xlabel("labels")
    axes.set_ylabel("width of the interval, points")
    axes.legend(frameon=False)
    return figure
