"""Couples that were written by hand: two things that are easily confused, each in two forms."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from tools.weights.minimal_pairs.family import Family, Twins, twins

SOURCES = Path(__file__).parent / "sources"
SEPARATOR = " || "
# Where the second form must not become the gold answer: a detail that nobody asked for belongs to the candidate.
FIXED = {"extra-detail"}


def couples(language: str) -> Iterator[tuple[str, Twins]]:
    """Yield the kind and the twins of each couple of ``sources/couples.LANGUAGE.txt``, in its order.

    A line is ``a1 | a2 || b1 | b2``, where a1 and a2 mean the same, and so do b1 and b2. A question comes before each
    side: ``question | a1 | a2 || question | b1 | b2``. A line in brackets names the kind of the lines below it. For
    about half of the couples, by a hash of the line, the second forms become the gold answers. A line that starts with
    "=" keeps its order. "extra-detail" has entity and detail instead: ``a | detail of a || b | detail of b``. Raise
    ValueError if a line has another form.
    """
    path = SOURCES / f"couples.{language}.txt"
    kind = ""
    for line in path.read_text("utf-8").splitlines() if path.is_file() else []:
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            kind = line.strip("[]")
            continue
        yield kind, _twins(line, kind, path.name)


def _twins(line: str, kind: str, file: str) -> Twins:
    sides = [[field.strip() for field in side.split(" | ")] for side in line.removeprefix("=").split(SEPARATOR)]
    if len(sides) != 2 or len(sides[0]) != len(sides[1]) or len(sides[0]) not in (2, 3) or not all(map(all, sides)):
        raise ValueError(
            f"{file}: {line!r} is not 'a1 | a2 || b1 | b2', with a question before each side or without any"
        )
    questions = [side[0] if len(side) == 3 else "" for side in sides]
    (a1, a2), (b1, b2) = (side[-2:] for side in sides)
    if kind in FIXED:
        form = ["{}, {}", "{} ({})"][_bit(line)]
        return Twins(
            Family(questions[0], a1, form.format(a1, a2), form.format(a1, b2)),
            Family(questions[1], b1, form.format(b1, b2), form.format(b1, a2)),
        )
    if _bit(line) and not line.startswith("="):
        (a1, a2), (b1, b2) = (a2, a1), (b2, b1)
    return twins(a1, a2, b1, b2, *questions)


def _bit(line: str) -> int:
    return hashlib.sha256(line.encode()).digest()[0] % 2
