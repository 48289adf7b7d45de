"""How figures are drawn and stored: one style for all, as files in three formats."""

from __future__ import annotations

import io
import re
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
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\", "||||")  # lines: a dotted one makes an SVG ten times as long
# Of Okabe & Ito 2008, "Color universal design", without yellow and black: yellow is not seen on white.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")

_LONGEST = 32  # characters of a name in a figure
_SETTINGS = {
    "svg.fonttype": "none",  # text stays text: small, searched and read aloud
    "svg.hashsalt": "answersim",  # the same figure is the same file
    "pdf.fonttype": 42,  # publishers refuse Type 3 fonts
    "font.size": 9.0,
    "hatch.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


def rendered(figure: Figure, suffix: str) -> bytes:
    """Return the figure as a file in this format: "svg", "png" (150 dots per inch, on white) or "pdf".

    Equal figures are equal files.
    """
    content = io.BytesIO()
    dates: dict[str, Any] = {"svg": {"Date": None}, "png": {"Software": None}, "pdf": {"CreationDate": None}}
    with _matplotlib().rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(
            content,
            format=suffix,
            dpi=150,
            bbox_inches="tight",
            facecolor="none" if suffix == "svg" else "white",
            metadata=dates[suffix],
        )
    return content.getvalue()


def plain(svg: str) -> str:
    """Return an SVG of ``rendered`` as a standalone file, on white."""
    start = svg.index("<svg")
    head, rest = svg[start:].split(">", 1)
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}>{ground}{_without_metadata(rest)}'


def save(figure: Figure, stem: Path, *, vector: bool = True) -> tuple[Path, ...]:
    """Save the figure as ``stem.svg``, ``.png`` (150 dots per inch) and ``.pdf``, or only as PNG. Return the paths."""
    png = {} if vector else {"png": rendered(figure, "png")}
    contents = png or _standalone(figure, rendered(figure, "svg").decode())
    paths = {stem.with_name(f"{stem.name}.{suffix}"): content for suffix, content in contents.items()}
    for path, content in paths.items():
        path.write_bytes(content)
    return tuple(paths)


def _standalone(figure: Figure, svg: str) -> dict[str, bytes]:
    """Return the files of a figure by format, on white. ``svg``: the figure as ``rendered`` returned it."""
    figure.set_layout_engine("none")  # the layout stays as it is, and is not computed again for each format
    return {"svg": plain(svg).encode()} | {suffix: rendered(figure, suffix) for suffix in ("png", "pdf")}


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


def _without_metadata(svg: str) -> str:
    return re.sub(r"<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("a figure", "dev", "matplotlib") from error
    return matplotlib
