"""The toy set: original questions about an invented world, shipped, so that everything runs on a fresh machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from rankers.data.corpus import Corpus, Request
from rankers.data.pools import Answer, Group
from rankers.data.tables import lines
from rankers.types import Questions

_FILE = "toy.jsonl"
_COUNTS = {"train": (300, 2400), "dev": (60, 480), "test": (120, 960)}


def _read(request: Request) -> Questions:
    path = request.path(_FILE)
    return request.questions(path, _groups(path, request.split), _COUNTS[request.split], relevant=2)


def _groups(path: Path, split: str) -> Iterator[Group]:
    for _, line in lines(path):
        row = json.loads(line)
        if row["split"] == split:
            answers = tuple(Answer(text, grade) for grade, text in row["candidates"])
            yield Group(row["question"], answers, golds=tuple(row["golds"]))


TOY = Corpus(
    name="toy",
    about="480 original questions about an invented world, 8 candidates each, graded 0-3 (2 and 3 relevant); shipped",
    files=dict.fromkeys(_COUNTS, (_FILE,)),
    source="made for this project; frozen",
    license="Apache-2.0",
    read=_read,
    home=Path(__file__).parent,
)
