"""The figures of the studies as PNG: each from plain numbers, and readable without color by markers and hatches."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.errors import MissingExtraError
from answersim.stats.intervals.resampling import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SYMBOLS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}
MARKERS, LINES, HATCHES = ("o", "s", "^", "D", "v"), ("-", "--", ":", "-."), ("////", "----", "xxxx")
# Of Okabe & Ito 2008, "Color universal design", without yellow and black: yellow is not seen on white.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
OUTCOMES = {"right": (COLORS[0], ""), "wrong": (COLORS[1], "xxxx")}  # the color and the hatch of answers
_INK = "black"
_SETTINGS = {"font.size": 9.0, "hatch.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False}


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


def save(figure: Figure, path: Path) -> None:
    """Save a figure as PNG, 150 dots per inch, on white. Equal figures are equal files."""
    with _matplotlib().rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(path, format="png", dpi=150, bbox_inches="tight", facecolor="white", metadata={"Software": None})


def panels(rows: int, columns: int, width: float, height: float, share_y: bool = True) -> tuple[Figure, Any]:
    """Create a figure of panels of this size in inches, without pyplot, which keeps figures and needs a screen."""
    matplotlib = _matplotlib()
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharey="row" if share_y else False)
    return figure, grid


def legend_above(figure: Figure, axes: Axes) -> None:
    """Put the legend of these axes above all panels."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)


def bars(found: Sequence[Bar], *, label: str, part: str = "", whole: str = "") -> Figure:
    """Draw horizontal bars with their numbers, the first on top. A part of each may be hatched and named."""
    figure, axes = _single(6.4, 0.6 + 0.27 * len(found))
    places = np.arange(len(found))[::-1]
    axes.barh(places, [bar.value - bar.part for bar in found], left=[bar.part for bar in found],
              color=COLORS[0], edgecolor=_INK, linewidth=0.5, label=whole)  # fmt: skip
    if any(bar.part for bar in found):
        axes.barh(places, [bar.part for bar in found], color="none", hatch="////", edgecolor=_INK,
                  linewidth=0.5, label=part)  # fmt: skip
        axes.legend(frameon=False, loc="lower right")
    for place, bar in zip(places, found, strict=True):
        axes.annotate(f"{bar.value:g}", (bar.value, place), xytext=(3, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, [bar.name for bar in found])
    axes.set_xlabel(label)
    axes.set_xlim(0, 1.1 * max((bar.value for bar in found), default=1))
    return figure


def log_ranges(found: Sequence[Ends], *, label: str, names: tuple[str, str], beside: Mapping[str, float]) -> Figure:
    """Draw numbers above 0 with their ranges on a logarithmic axis, the first on top.

    ``beside``: by name, a number of another origin, drawn as a hollow square on the same line. ``names``: the names of
    the numbers, and of those beside them.
    """
    figure, axes = _single(6.4, 0.7 + 0.27 * len(found))
    places = np.arange(len(found))[::-1]
    _points(axes, found, places, COLORS[0], "o")
    axes.set_xscale("log")
    axes.set_yticks(places, [one.name for one in found])
    axes.set_ylim(-0.7, len(found) - 0.3)
    markers = [(beside[one.name], place) for place, one in zip(places, found, strict=True) if one.name in beside]
    axes.plot(*zip(*markers, strict=True), "s", markerfacecolor="none", color=COLORS[1], label=names[1])
    axes.plot([], [], "o", color=COLORS[0], label=names[0])
    legend_above(figure, axes)
    for place, one in zip(places, found, strict=True):
        axes.annotate(f"{one.value:.3g}", (one.high, place), xytext=(5, 0), textcoords="offset points", va="center")
    axes.margins(x=0.12)
    axes.grid(axis="x", alpha=0.4)
    axes.set_xlabel(label)
    return figure


def score_spread(sets: Mapping[str, Mapping[str, FloatArray]]) -> Figure:
    """Draw the spread of the scores of each metric, one panel per set: quartile boxes, whiskers at 5 and 95 %."""
    figure, grid = panels(1, len(sets), 2.7, 0.9 + 0.28 * max(map(len, sets.values())), share_y=False)
    limits = _limits([column for columns in sets.values() for column in columns.values()])
    for axes, (title, columns) in zip(grid[0], sets.items(), strict=True):
        _boxes(axes, list(columns.values()), ["right"] * len(columns), vertical=False)
        axes.set_yticks(range(1, len(columns) + 1), list(columns))
        axes.invert_yaxis()
        axes.set_title(title, fontsize=9)
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
    figure, grid = panels(-(-len(columns) // across), min(across, len(columns)), 1.9, 1.7, share_y=False)
    cells = [axes for row in grid for axes in row]
    limits = _limits(list(columns.values()))
    for axes, (name, column) in zip(cells, columns.items(), strict=False):
        groups = [column[labels == value] for value in values]
        _boxes(axes, groups, ["right" if value >= positive_from else "wrong" for value in values.tolist()])
        names = [f"{value:g}\nn={len(group)}" for value, group in zip(values, groups, strict=True)]
        axes.set_xticks(range(1, len(values) + 1), names)
        axes.set_ylim(*limits)
        axes.set_title(name, fontsize=9)
    for axes in cells[len(columns) :]:
        axes.set_axis_off()
    return figure


def histograms(columns: Mapping[str, FloatArray], *, bins: int = 30, label: str = "score") -> Figure:
    """Draw how often each score occurs, one outline per column, all in the same bins and each with its own dashes."""
    figure, axes = _single(6.4, 2.8)
    edges = np.linspace(*_ends(list(columns.values())), bins + 1)
    for k, (name, column) in enumerate(columns.items()):
        counts = np.histogram(column, edges)[0]
        axes.stairs(counts, edges, color=COLORS[k], linestyle=LINES[k], linewidth=1.3, label=name)
        axes.stairs(counts, edges, fill=True, alpha=0.35, linewidth=0, hatch=HATCHES[k], ec=COLORS[k], fc="none")
    axes.set_xlabel(label)
    axes.set_ylabel("pairs")
    axes.legend(frameon=False)
    return figure


def forest(series: Mapping[str, Mapping[str, Estimate]], *, label: str) -> Figure:
    """Draw estimates with intervals, one line per name and a marker per series, the first name on top."""
    names = list(dict.fromkeys(name for each in series.values() for name in each))
    figure, axes = _single(4.8, 0.75 + (0.12 + 0.2 * len(series)) * len(names))
    for k, (title, each) in enumerate(series.items()):
        found = [Ends(name, *each[name]) for name in names if name in each]
        places = [len(names) - 1 - names.index(one.name) + 0.22 * ((len(series) - 1) / 2 - k) for one in found]
        _points(axes, found, places, (COLORS[0], *COLORS[2:])[k], MARKERS[k], title)  # not the color of wrong answers
    axes.set_yticks(range(len(names)), names[::-1])
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(axis="x", alpha=0.5)
    axes.set_xlabel(label)
    if len(series) > 1:
        legend_above(figure, axes)
    return figure


def _single(width: float, height: float) -> tuple[Figure, Axes]:
    figure, grid = panels(1, 1, width, height)
    return figure, grid[0][0]


def _points(axes: Axes, found: Sequence[Ends], places: Any, color: str, marker: str, name: str | None = None) -> None:
    values, low, high = (np.array([one[i] for one in found]) for i in (1, 2, 3))
    axes.errorbar(values, places, xerr=(values - low, high - values), fmt=marker, color=color, markersize=5,
                  capsize=3, label=name)  # fmt: skip


def _boxes(axes: Axes, groups: Sequence[FloatArray], outcomes: Sequence[str], *, vertical: bool = True) -> None:
    from matplotlib.colors import to_rgb

    thin = {"color": _INK, "linewidth": 0.8}
    drawn = axes.boxplot(
        list(groups),
        orientation="vertical" if vertical else "horizontal",
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        widths=0.6,
        medianprops={"color": _INK, "linewidth": 1.6},
        whiskerprops=thin,
        capprops=thin,
    )
    for box, outcome in zip(drawn["boxes"], outcomes, strict=True):
        color, hatch = OUTCOMES[outcome]
        box.set(facecolor=(*to_rgb(color), 0.45), edgecolor=_INK, linewidth=0.8, hatch=hatch)


def _ends(columns: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the least and the greatest of all scores, 0 and 1."""
    pooled = np.concatenate([*columns, [0.0, 1.0]])
    return float(pooled.min()), float(pooled.max())


def _limits(columns: Sequence[FloatArray]) -> tuple[float, float]:
    low, high = _ends(columns)
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("a figure", "dev", "matplotlib") from error
    return matplotlib
