"""Draw the layers of answersim and two walks through them, as ``docs/architecture.svg``.

    python -m tools.site.drawing

The layers are those that import-linter enforces in pyproject.toml. A test compares the walks with traced calls.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import typer

from benchmarks.tables import save
from tools.site.sources import ROOT

PICTURE = ROOT / "docs" / "architecture.svg"
CONTRACT = "Inside answersim:"  # how the name of the contract begins

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


class Step(NamedTuple):
    """A step of a walk: a module, as a path below answersim/ without its suffix, and its purpose."""

    module: str
    does: str


class Walk(NamedTuple):
    """The modules that one call enters, in the order in which each is entered first."""

    title: str
    steps: tuple[Step, ...]


SCORE = Walk(
    "answersim.score with f1",
    (
        Step("scoring/score", "check the input"),
        Step("catalog/lookup", "find the metric"),
        Step("planning", "run each once"),
        Step("lexical/token_metric", "per pair"),
        Step("text", "tokens"),
        Step("lexical/f1", "one number"),
    ),
)
EVALUATE = Walk(
    "answersim evaluate answers.csv",
    (
        Step("commands/evaluate", "one library call"),
        Step("answers/reader", "join, check"),
        Step("evaluation/systems", "the evaluation"),
        Step("calibration/storing", "the calibration"),
        Step("scoring/cache", "stored scores"),
        Step("planning", "missing scores"),
        Step("lexical/recall", "one number"),
        Step("stats/clustered_means", "intervals"),
        Step("text_tables", "print it"),
        Step("evaluation/tables", "the table"),
    ),
)
WALKS = (SCORE, EVALUATE)

_WIDTHS = (300, 220, 310)  # of the layers and of the columns of the walks
_GAP, _LINE, _CHIP, _TOP = 10, 15, 19, 62
_CHIP_WIDTH, _STAGGER = (156, 178), (12, 14)  # of the chips in the column of a walk
_COLORS = ("#0b6e99", "#a4460a")
_PACKAGES = ("benchmarks", "rankers")  # above answersim


def layers(pyproject: str) -> list[tuple[str, ...]]:
    r"""Return the modules of each layer of answersim, from the top to the bottom, as import-linter enforces them.

    >>> layers('name = "Inside answersim: a"\nlayers = [\n  "b | c", # d\n]')
    [('b', 'c')]
    """
    _, found, rest = pyproject.partition(f'name = "{CONTRACT}')
    if not found:
        raise ValueError(f"pyproject.toml has no contract whose name begins with {CONTRACT!r}")
    block = rest[rest.index("layers = [") : rest.index("\n]")]
    lines = re.findall(r'^\s*"([^"]+)"', block, re.MULTILINE)
    return [tuple(module.strip() for module in line.split("|")) for line in lines]


def row_of(module: str, rows: Sequence[tuple[str, ...]]) -> int:
    """Return the row of the layer that a module belongs to.

    Raises:
        LookupError: If no layer has it.
    """
    for index, modules in enumerate(rows):
        if module.split("/")[0] in modules:
            return index
    raise LookupError(f"no layer of pyproject.toml has the module {module!r}; correct the walk")


def picture(rows: Sequence[tuple[str, ...]], walks: Sequence[Walk] = WALKS) -> str:
    """Return the drawing in SVG: one band per layer, and the steps of each walk as numbered chips in its column."""
    texts = [textwrap.wrap(", ".join(modules), 40, break_long_words=False) for modules in rows]
    steps = [
        [[n for n, step in enumerate(walk.steps) if row_of(step.module, rows) == row] for walk in walks]
        for row in range(len(rows))
    ]
    heights = [
        max(len(text) * _LINE, max(len(column) for column in columns) * (_CHIP + 3)) + 12
        for text, columns in zip(texts, steps, strict=True)
    ]
    tops = [_TOP + sum(heights[:row]) + 4 * row for row in range(len(rows))]
    width, height = sum(_WIDTHS) + 4 * _GAP, tops[-1] + heights[-1] + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Layers of answersim and two walks">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
        _text(_GAP, 22, f"{' and '.join(_PACKAGES)} import answersim, never the other way", "#555555"),
        _text(_GAP, 44, "A module imports from lower layers only", "#222222", bold=True),
    ]
    left = [_GAP * 2 + _WIDTHS[0], _GAP * 3 + _WIDTHS[0] + _WIDTHS[1]]
    for x, walk, color in zip(left, walks, _COLORS, strict=True):
        parts.append(_text(x, 44, walk.title, color, bold=True))
    for top, band, text in zip(tops, heights, texts, strict=True):
        parts.append(f'<rect x="{_GAP}" y="{top}" width="{width - 2 * _GAP}" height="{band}" rx="4" fill="#f1f3f5"/>')
        parts += [
            _text(_GAP * 2, top + 18 + _LINE * line, words, "#222222", mono=True, size="11")
            for line, words in enumerate(text)
        ]
    for column, (x, walk, color) in enumerate(zip(left, walks, _COLORS, strict=True)):
        spots = [_spot(n, column, x, tops, steps) for n in range(len(walk.steps))]
        points = " ".join(f"{spot_x + 8},{spot_y + _CHIP // 2}" for spot_x, spot_y in spots)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5" opacity=".6"/>')
        for n, (step, (spot_x, spot_y)) in enumerate(zip(walk.steps, spots, strict=True), 1):
            size = f'width="{_CHIP_WIDTH[column]}" height="{_CHIP}" rx="9"'
            parts.append(f'<rect x="{spot_x}" y="{spot_y}" {size} fill="#ffffff" stroke="{color}"/>')
            name = step.module.rpartition("/")[2]
            parts.append(_text(spot_x + 8, spot_y + 13, f"{n} {name}: {step.does}", color, size="11"))
    return "\n".join([*parts, "</svg>", ""])


def _spot(
    n: int, column: int, left: int, tops: Sequence[int], steps: Sequence[Sequence[Sequence[int]]]
) -> tuple[int, int]:
    """Return the left upper corner of a chip: a later step is farther right, and below others in its layer."""
    (row,) = (row for row, columns in enumerate(steps) if n in columns[column])
    return left + _STAGGER[column] * n, tops[row] + 6 + steps[row][column].index(n) * (_CHIP + 3)


def _text(x: int, y: int, words: str, color: str, bold: bool = False, mono: bool = False, size: str = "12") -> str:
    weight, family = ' font-weight="600"' if bold else "", ' font-family="ui-monospace, monospace"' if mono else ""
    return f'<text x="{x}" y="{y}" fill="{color}" font-size="{size}"{weight}{family}>{escape(words)}</text>'


@app.command()
def main(output: Path = typer.Option(PICTURE, help="The file of the picture.")) -> None:
    """Draw the layers and the walks."""
    save(picture(layers((ROOT / "pyproject.toml").read_text(encoding="utf-8"))), output)


if __name__ == "__main__":
    app(prog_name="python -m tools.site.drawing")
