"""How figures are drawn and stored: one style for all."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim.errors import MissingExtraError
from answersim.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
LINES = ("-", "--", ":", "-.")
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\", "||||")
# Of Okabe & Ito 2008, "Color universal design", without yellow and black: yellow is not seen on white.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")

_LONGEST = 32  # characters of a name in a figure
_SETTINGS = {
    "font.size": 9.0,
    "hatch.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


def save(figure: Figure, path: Path) -> None:
    """Save a figure as PNG, 150 dots per inch, on white. Equal figures are equal files."""
    with _matplotlib().rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(path, format="png", dpi=150, bbox_inches="tight", facecolor="white", metadata={"Software": None})


def shown(name: str) -> str:
    r"""Return a name as matplotlib draws it unchanged, without anything that matplotlib would interpret.

    A dollar would open a formula, and a name that begins with an underscore would be left out of a legend. Characters
    that no font draws (control characters, line ends, halves of surrogate pairs) become spaces. A long name is
    truncated.

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


def ink() -> str:
    """Return the color of texts and lines."""
    return str(_matplotlib().rcParams["text.color"])


def faint() -> str:
    """Return the color of lines that only help to read."""
    return str(_matplotlib().rcParams["grid.color"])


def color(k: int) -> str:
    """Return the color of series k, from 0."""
    return COLORS[k % len(COLORS)]


def whole_numbers(axis: Axis) -> None:
    """Put the ticks of an axis at whole numbers: 60 and 65, not 62.5."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True, min_n_ticks=2))


def single(width: float, height: float) -> tuple[Figure, Axes]:
    """Create a figure of one panel of this size in inches."""
    figure, grid = panels(1, 1, width, height)
    return figure, grid[0][0]


def panels(rows: int, columns: int, width: float, height: float, share_y: bool = True) -> tuple[Figure, Any]:
    """Create a figure of panels of this size in inches, without pyplot, which keeps figures and needs a screen."""
    matplotlib = _matplotlib()
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharey="row" if share_y else False)
    return figure, grid


def light(color: str) -> tuple[float, float, float, float]:
    """Return a color for areas."""
    from matplotlib.colors import to_rgb

    return (*to_rgb(color), 0.45)


def sides(estimates: Sequence[Any]) -> tuple[FloatArray, FloatArray]:
    """Return how far intervals reach below and above their values; 0 if there is none. Shape (n,) each."""
    values = np.array([estimate.value for estimate in estimates])
    below = np.nan_to_num(values - [estimate.low for estimate in estimates])
    above = np.nan_to_num(np.array([estimate.high for estimate in estimates]) - values)
    return np.maximum(0, below), np.maximum(0, above)


def legend_above(figure: Figure, axes: Axes) -> None:
    """Put the legend of these axes above all panels."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("a figure", "dev", "matplotlib") from error
    return matplotlib
