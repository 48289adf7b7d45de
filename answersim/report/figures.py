"""The figures of a study of metrics: each from plain numbers, and readable without color by markers and hatches."""

from __future__ import annotations

import io
import re
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from answersim.agreement.layers import Point
from answersim.errors import MissingExtraError
from answersim.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
LINES = ("-", "--", ":", "-.")
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\", "||||")  # lines: a dotted one makes an SVG ten times as long
COLOURS = ("#3b6fb6", "#c2571a", "#2e8b57", "#8a4fa3", "#b0354a", "#6b6b6b")  # of about equal lightness on both grounds
SYMBOLS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}

_LONGEST = 32  # characters of a name in a figure
_INK = "#010203"  # replaced by the text color of the page
_FAINT = "#040506"
_SETTINGS = {
    "svg.fonttype": "none",  # text stays text: small, searched and read aloud
    "svg.hashsalt": "answersim",  # the same figure is the same file
    "font.size": 9.0,
    "hatch.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}
_INKED = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _INK),
    "grid.color": _FAINT,
    "axes.titlecolor": _INK,
}


class Bar(NamedTuple):
    """A bar of a bar chart, and the part of it that is hatched."""

    name: str
    value: float
    part: float = 0.0


class Ends(NamedTuple):
    """A number with its interval, to be drawn on a line of its own."""

    name: str
    value: float
    low: float
    high: float


def bars(found: Sequence[Bar], *, label: str, part: str = "", whole: str = "") -> Figure:
    """Draw horizontal bars with their numbers, the first on top. A part of each may be hatched and named."""
    figure, axes = _figure(6.4, 0.6 + 0.27 * len(found))
    places = np.arange(len(found))[::-1]
    axes.barh(places, [bar.value - bar.part for bar in found], left=[bar.part for bar in found],
              color=COLOURS[0], edgecolor=_ink(), linewidth=0.5, label=whole)  # fmt: skip
    if any(bar.part for bar in found):
        axes.barh(places, [bar.part for bar in found], color="none", hatch="////", edgecolor=_ink(),
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
        names: What the numbers are called, and those beside them.
        beside: By name, a number of another origin, drawn as a hollow square on the same line.
    """
    figure, axes = _figure(6.4, 0.7 + 0.27 * len(found))
    places = np.arange(len(found))[::-1]
    _ranges(axes, found, places)
    axes.set_xscale("log")
    if beside:
        markers = [
            (beside[estimate.name], place)
            for place, estimate in zip(places, found, strict=True)
            if estimate.name in beside
        ]
        axes.plot(*zip(*markers, strict=True), "s", markerfacecolor="none", color=COLOURS[1], label=names[1])
        axes.plot([], [], "o", color=COLOURS[0], label=names[0])
        _legend_above(figure, axes)
    for place, estimate in zip(places, found, strict=True):
        axes.annotate(
            f"{estimate.value:.3g}", (estimate.high, place), xytext=(5, 0), textcoords="offset points", va="center"
        )
    axes.margins(x=0.12)
    axes.grid(axis="x", alpha=0.4)
    axes.set_xlabel(label)
    return figure


def ranges(found: Sequence[Ends], *, label: str, width: float = 6.4) -> Figure:
    """Draw numbers with their intervals, one per line, the first on top, with a line at 0. The width is in inches."""
    figure, axes = _figure(width, 0.7 + 0.27 * len(found))
    places = np.arange(len(found))[::-1]
    _ranges(axes, found, places)
    axes.axvline(0, color=_faint(), linewidth=0.8)
    axes.grid(axis="x", alpha=0.4)
    axes.set_xlabel(label)
    return figure


def layer_curves(curves: Mapping[str, Sequence[Point]]) -> Figure:
    """Draw each coefficient by layer: one panel per coefficient (across) and subset (down), one line per encoder."""
    points = [point for curve in curves.values() for point in curve]
    subsets = list(dict.fromkeys((point.subset, point.n) for point in points))
    coefficients = list(dict.fromkeys(point.coefficient for point in points))
    figure, grid = _grid(len(subsets), len(coefficients), 2.5, 1.9)
    for i, (subset, n) in enumerate(subsets):
        for j, coefficient in enumerate(coefficients):
            axes = grid[i][j]
            for k, (name, curve) in enumerate(curves.items()):
                selected = [p for p in curve if p.subset == subset and p.coefficient == coefficient]
                layers = [point.layer for point in selected]
                if not all(np.isnan(point.low) for point in selected):
                    axes.fill_between(
                        layers,
                        [p.low for p in selected],
                        [p.high for p in selected],
                        color=_color(k),
                        alpha=0.2,
                        linewidth=0,
                    )
                axes.plot(
                    layers,
                    [point.value for point in selected],
                    color=_color(k),
                    marker=MARKERS[k % len(MARKERS)],
                    linestyle=LINES[k % len(LINES)],
                    markersize=4,
                    linewidth=1.2,
                    label=shown(name),
                )
            axes.grid(alpha=0.3)
            if i == 0:
                axes.set_title(shown(SYMBOLS.get(coefficient, coefficient)), fontsize=9)
            if i == len(subsets) - 1:
                axes.set_xlabel("layer")
            if j == 0:
                axes.set_ylabel(f"{shown(subset)} (n={n})")
    if len(curves) > 1:
        _legend_above(figure, grid[0][0])
    return figure


def score_spread(sets: Mapping[str, Mapping[str, FloatArray]]) -> Figure:
    """Draw the spread of the scores of each metric, one panel per set: quartile boxes, whiskers at 5 and 95 %."""
    figure, grid = _grid(1, len(sets), 2.7, 0.9 + 0.28 * max(map(len, sets.values())), share_y=False)
    limits = _limits([column for columns in sets.values() for column in columns.values()])
    for i, (title, columns) in enumerate(sets.items()):
        axes = grid[0][i]
        _boxes(axes, list(columns.values()), [""] * len(columns), vertical=False)
        axes.set_yticks(range(1, len(columns) + 1), [shown(name) for name in columns])
        axes.invert_yaxis()
        axes.set_title(shown(title), fontsize=9)
        axes.set_xlabel("score")
        axes.set_xlim(*limits)
    return figure


def scores_by_label(columns: Mapping[str, FloatArray], labels: FloatArray, *, across: int = 4) -> Figure:
    """Draw the spread of the scores of each metric by label, one panel per metric; labels have hatches."""
    values = np.unique(labels)
    rows = -(-len(columns) // across)
    figure, grid = _grid(rows, min(across, len(columns)), 1.9, 1.7, share_y=False)
    cells = [axes for row in grid for axes in row]
    limits = _limits(list(columns.values()))
    for axes, (name, column) in zip(cells, columns.items(), strict=False):
        groups = [column[labels == value] for value in values]
        _boxes(axes, groups, [HATCHES[k % len(HATCHES)] for k in range(len(groups))])
        names = [f"{value:g}\nn={len(group)}" for value, group in zip(values, groups, strict=True)]
        axes.set_xticks(range(1, len(values) + 1), names)
        axes.set_ylim(*limits)
        axes.set_title(shown(name), fontsize=9)
    for axes in cells[len(columns) :]:
        axes.set_axis_off()
    return figure


def histograms(columns: Mapping[str, FloatArray], *, bins: int = 30, label: str = "score") -> Figure:
    """Draw how often each score occurs, one outline per column, all in the same bins and each with its own dashes."""
    figure, axes = _figure(6.4, 2.8)
    low = min(float(scores.min(initial=0.0)) for scores in columns.values())
    high = max(float(scores.max(initial=1.0)) for scores in columns.values())
    edges = np.linspace(low, high, bins + 1)
    for k, (name, column) in enumerate(columns.items()):
        counts = np.histogram(column, edges)[0]
        axes.stairs(counts, edges, color=_color(k), linestyle=LINES[k % len(LINES)], linewidth=1.3, label=shown(name))
        axes.stairs(counts, edges, fill=True, facecolor="none", edgecolor=_color(k), alpha=0.35, linewidth=0,
                    hatch=HATCHES[1 + k % (len(HATCHES) - 1)])  # fmt: skip
    axes.set_xlabel(label)
    axes.set_ylabel("pairs")
    axes.legend(frameon=False)
    return figure


def reliability(found: Sequence[Ends], predicted: Sequence[float], *, label: str, observed: str) -> Figure:
    """Draw the observed share of each bin against its mean prediction, with intervals, beside the diagonal.

    Args:
        found: Observed share of each bin, with its interval; its name is the number of pairs in it.
        predicted: The mean prediction of each bin.
        label: The axis of predictions.
        observed: The axis of what was observed.
    """
    figure, axes = _figure(4.2, 3.6)
    values = np.array([estimate.value for estimate in found])
    below = np.maximum(0, values - [estimate.low for estimate in found])
    above = np.maximum(0, np.array([estimate.high for estimate in found]) - values)
    axes.plot([0, 1], [0, 1], color=_faint(), linestyle="--", linewidth=1)
    axes.errorbar(
        predicted, values, yerr=[below, above], color=COLOURS[0], marker="o", markersize=5, linewidth=1, capsize=3
    )
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xlabel=label, ylabel=observed)
    axes.grid(alpha=0.3)
    return figure


def shown(name: str) -> str:
    r"""Return a name as matplotlib draws it: as it is, with nothing in it that matplotlib would obey.

    A dollar would open a formula, and a name that begins with an underscore would be left out of a legend. Characters
    that no font draws (control characters, line ends, halves of surrogate pairs) become spaces. A long name is cut.

    >>> shown("$a$ and $b$"), shown("__x"), shown("a\nb"), len(shown("x" * 1000))
    ('\\$a\\$ and \\$b\\$', ' __x', 'a b', 32)
    """
    line = "".join(
        " " if unicodedata.category(character) in ("Cc", "Cs", "Cn", "Co", "Zl", "Zp") else character
        for character in name
    )
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST - 1]}…"
    return f"{' ' if line.startswith('_') else ''}{line}".replace("$", r"\$")


def save(figure: Figure, stem: Path) -> tuple[Path, Path]:
    """Save the figure as ``stem.png`` (150 dots per inch, on white) and ``stem.svg``, and return the two paths."""
    paths = stem.with_suffix(".png"), stem.with_suffix(".svg")
    with _matplotlib().rc_context(_SETTINGS):
        figure.savefig(paths[0], dpi=150, facecolor="white", bbox_inches="tight", metadata={"Software": None})
        figure.savefig(paths[1], facecolor="white", bbox_inches="tight", metadata={"Date": None})
    return paths


def inline(figure: Figure, title: str) -> str:
    """Return the figure as an SVG element for a page, in the text color of the page, with an accessible name.

    The figure has to be made within ``inked()``.
    """
    page = io.StringIO()
    with _matplotlib().rc_context({**_SETTINGS, **_INKED}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # the page has fonts of its own
        figure.savefig(page, format="svg", bbox_inches="tight", metadata={"Date": None})
    svg = page.getvalue()
    svg = svg[svg.index("<svg") :]
    head, rest = svg.split(">", 1)
    view = re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) [\d.]+"', head)
    assert view is not None  # matplotlib writes one
    rest = re.sub(r"<metadata>.*?</metadata>", "", rest, count=1, flags=re.DOTALL)
    rest = re.sub(
        r"<[^>]*>", lambda tag: _of_the_page(tag.group()), rest
    )  # texts are escaped, so that no tag is in one
    width = float(view.group(1)) * 4 / 3  # points as pixels: the size at which its text is as large as requested
    return (
        f'<svg role="img" aria-label="{_escaped(title)}" {view.group()} style="max-width: {width:.0f}px" '
        f'xmlns="http://www.w3.org/2000/svg">{rest}'
    )


def _of_the_page(tag: str) -> str:
    """Return a tag of an SVG with the colors and fonts of the page, and without a name."""
    # The groups' names repeat from figure to figure; ids that are referred to contain a hash of their content.
    tag = re.sub(r'^<g id="[^"]*">$', "<g>", tag)
    tag = tag.replace(_INK, "currentColor").replace(_FAINT, "var(--faint)")
    tag = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", tag)
    return re.sub(r"font-family: [^;\"]*;?", "", tag)


def inked() -> Any:
    """Draw figures in colors that ``inline`` replaces by those of the page."""
    return _matplotlib().rc_context({**_SETTINGS, **_INKED})


def _escaped(text: str) -> str:
    from html import escape

    return escape(text, quote=True)


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("a figure", "report", "matplotlib") from error
    return matplotlib


def _ink() -> str:
    return str(_matplotlib().rcParams["text.color"])


def _faint() -> str:
    return str(_matplotlib().rcParams["grid.color"])


def _color(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure, grid = _grid(1, 1, width, height)
    return figure, grid[0][0]


def _grid(rows: int, columns: int, width: float, height: float, share_y: bool = True) -> tuple[Figure, Any]:
    """Create a figure of panels of this size in inches, without pyplot, which keeps figures and needs a screen."""
    matplotlib = _matplotlib()
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharey="row" if share_y else False)
    return figure, grid


def _ranges(axes: Axes, estimates: Sequence[Ends], places: Any) -> None:
    values = np.array([estimate.value for estimate in estimates])
    below = np.maximum(0, np.nan_to_num(values - [estimate.low for estimate in estimates]))
    above = np.maximum(0, np.nan_to_num(np.array([estimate.high for estimate in estimates]) - values))
    axes.errorbar(values, places, xerr=[below, above], fmt="o", color=COLOURS[0], markersize=5, capsize=3)
    axes.set_yticks(places, [shown(estimate.name) for estimate in estimates])
    axes.set_ylim(-0.7, len(estimates) - 0.3)


def _boxes(axes: Axes, groups: Sequence[FloatArray], hatches: Sequence[str], *, vertical: bool = True) -> None:
    drawn = axes.boxplot(
        [group if len(group) else np.array([np.nan]) for group in groups],
        orientation="vertical" if vertical else "horizontal",
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        widths=0.6,
        medianprops={"color": _ink(), "linewidth": 1.6},
        whiskerprops={"color": _ink(), "linewidth": 0.8},
        capprops={"color": _ink(), "linewidth": 0.8},
    )
    for k, (box, hatch) in enumerate(zip(drawn["boxes"], hatches, strict=True)):
        box.set(facecolor=_light(k if any(hatches) else 0), edgecolor=_ink(), linewidth=0.8, hatch=hatch)


def _limits(columns: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the ends of an axis for all of these scores. The axis contains 0 and 1."""
    low, high = (float(end(pooled)) for end in (np.min, np.max) for pooled in [np.concatenate([*columns, [0.0, 1.0]])])
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


def _light(k: int) -> tuple[float, float, float, float]:
    from matplotlib.colors import to_rgb

    return (*to_rgb(_color(k)), 0.45)


def _legend_above(figure: Figure, axes: Axes) -> None:
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
