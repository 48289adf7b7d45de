"""Draw the rooms of answersim and who imports whom, as ``docs/architecture.svg``.

    python -m tools.rooms

The floors are those that import-linter enforces in pyproject.toml. A dot in the column of a room means that the room of
the row imports it, also inside a function. A dot left of the diagonal would be an import upward.
"""

from __future__ import annotations

import ast
import re
import textwrap
from html import escape
from pathlib import Path
from typing import NamedTuple

from benchmarks.options import run_program
from tools import size
from tools.tables import rendered

ROOT = size.ROOT
PICTURE = ROOT / "docs" / "architecture.svg"
CONTRACT = "Ten rooms of answersim:"  # how the name of the contract begins
TEMPLATE = Path(__file__).parent / "sources" / "rooms.svg"


class Room(NamedTuple):
    """A room of the package: its floor (1 is the lowest), and its purpose."""

    name: str
    floor: int
    purpose: str


def floors(pyproject: str) -> list[tuple[str, ...]]:
    r"""Return the rooms of each floor, from the top to the bottom, without the entry point ``__main__``.

    >>> floors('name = "Ten rooms of answersim: a"\nlayers = [\n  "__main__",\n  "b | c", # d\n]')
    [('b', 'c')]
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


def drawn(root: Path = ROOT) -> str:
    """Return the picture of the tree as it is now."""
    filters = {"escaped": escape, "wrapped": lambda text: textwrap.wrap(text, 84)[:2]}
    arrows = size.arrows_of(root, "answersim").items()
    pairs = [(room, other) for room, others in arrows for other in others]
    return rendered(TEMPLATE, filters, rooms=rooms(root), arrows=pairs)


def main() -> None:
    """Draw the rooms."""
    PICTURE.write_text(drawn(), encoding="utf-8")


if __name__ == "__main__":
    run_program(main)
