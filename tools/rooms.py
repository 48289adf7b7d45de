"""Draw the rooms of answersim and who imports whom, as ``docs/architecture.svg``.

    python -m tools.rooms

The floors are those that import-linter enforces in pyproject.toml. A dot in the column of a room means that the room of
the row imports it, also inside a function. A dot left of the diagonal would be an import upward.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from benchmarks.options import run_program
from tools import size

ROOT = size.ROOT
PICTURE = ROOT / "docs" / "architecture.svg"
CONTRACT = "Ten rooms of answersim:"  # how the name of the contract begins
_ROW, _LEFT, _NAME, _TEXT, _CELL, _TOP = 40, 10, 108, 520, 21, 96
_INK, _GRAY, _BAND, _DOT = "#222222", "#555555", "#f1f3f5", "#0b6e99"


class Room(NamedTuple):
    """A room of the package: its floor (1 is the lowest), and its purpose."""

    name: str
    floor: int
    purpose: str


def floors(pyproject: str) -> list[tuple[str, ...]]:
    r"""Return the rooms of each floor, from the top to the bottom, without the entry point ``__main__``.

    >>> floors('name = "Ten rooms of answersim: a"\nlayers = [\n  "__main__",\n  "b | c", # d\n]')
    [('b', 'c')]

    Raises:
        ValueError: If the contract is missing.
    """
    _, found, rest = pyproject.partition(f'name = "{CONTRACT}')
    if not found:
        raise ValueError(f"pyproject.toml has no contract whose name begins with {CONTRACT!r}; restore the name")
    block = rest[rest.index("layers = [") : rest.index("\n]")]
    lines = re.findall(r'^\s*"([^"]+)"', block, re.MULTILINE)
    rows = [tuple(room.strip() for room in line.split("|")) for line in lines]
    return [row for row in rows if row != ("__main__",)]


def rooms(root: Path = ROOT) -> list[Room]:
    """Return the rooms from the top floor to the bottom, with the first line of each ``__init__`` or module."""
    rows = floors((root / "pyproject.toml").read_text(encoding="utf-8"))
    listed = []
    for name, floor in ((name, len(rows) - n) for n, row in enumerate(rows) for name in row):
        folder = root / "answersim" / name
        source = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
        listed.append(Room(name, floor, text.partition("\n")[0].replace("`", "")))
    return listed


def picture(listed: Sequence[Room], arrows: Mapping[str, set[str]]) -> str:
    """Return the drawing in SVG: a row per room with its purpose, and a matrix of the imports between rooms."""
    matrix = _LEFT * 2 + _NAME + _TEXT
    width, height = matrix + _CELL * len(listed) + _LEFT, _TOP + _ROW * len(listed) + _LEFT
    n_arrows = sum(map(len, arrows.values()))
    title = f"The rooms of answersim: {len(listed)} rooms, {n_arrows} imports between rooms, all of them downward"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="{escape(title)}">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
        _words(_LEFT, 24, f"{len(listed)} rooms, {n_arrows} imports between them, none upward", _INK, "600"),
        _words(_LEFT, 44, "Top: what a user calls. Bottom: what everything needs.", _GRAY),
        _words(_LEFT, 62, "A dot: the room of the row imports the room of the column.", _GRAY),
    ]
    parts += [
        _words(matrix + _CELL * n + _CELL // 2 + 4, _TOP - 8, room.name, _GRAY, rotated=True)
        for n, room in enumerate(listed)
    ]
    for n, room in enumerate(listed):
        y = _TOP + _ROW * n
        parts += [
            f'<rect x="{_LEFT}" y="{y + 2}" width="{width - 2 * _LEFT}" height="{_ROW - 4}" rx="4" fill="{_BAND}"/>',
            _words(_LEFT + 8, y + 18, room.name, _INK, "600"),
            _words(_LEFT + 8, y + 32, f"floor {room.floor}", _GRAY),
            *(
                _words(_LEFT + _NAME, y + 18 + 14 * line, text, _INK)
                for line, text in enumerate(textwrap.wrap(room.purpose, 84)[:2])
            ),
        ]
        for column, other in enumerate(listed):
            x = matrix + _CELL * column + _CELL // 2
            if column == n:
                parts.append(f'<rect x="{x - 4}" y="{y + 16}" width="8" height="8" fill="#c3c9cf"/>')
            elif other.name in arrows.get(room.name, ()):
                parts.append(f'<circle cx="{x}" cy="{y + 20}" r="5" fill="{_DOT}"/>')
    return "\n".join([*parts, "</svg>", ""])


def _words(x: int, y: int, words: str, color: str, weight: str = "400", rotated: bool = False) -> str:
    turn = f' transform="rotate(-60 {x} {y})"' if rotated else ""
    return f'<text x="{x}" y="{y}" fill="{color}" font-weight="{weight}"{turn}>{escape(words)}</text>'


def drawn(root: Path = ROOT) -> str:
    """Return the picture of the tree as it is now."""
    return picture(rooms(root), size.arrows_of(root, "answersim"))


def main() -> None:
    """Draw the rooms."""
    PICTURE.write_text(drawn(), encoding="utf-8")


if __name__ == "__main__":
    run_program(main)
