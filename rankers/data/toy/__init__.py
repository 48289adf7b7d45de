"""The toy set: original questions about an invented world, shipped, so that everything runs on a fresh machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from rankers.data.corpus import Request, described
from rankers.data.pools import Answer, Group
from rankers.data.tables import lines
from rankers.types import Questions


def _read(request: Request) -> Questions:
    (path,) = request.paths()
    return request.questions(path, _groups(path, request.split), relevant=2)


def _groups(path: Path, split: str) -> Iterator[Group]:
    for _, line in lines(path):
        row = json.loads(line)
        if row["split"] == split:
            answers = tuple(Answer(text, grade) for grade, text in row["candidates"])
            yield Group(row["question"], answers, golds=tuple(row["golds"]))


TOY = described("toy", _read, home=Path(__file__).parent)
