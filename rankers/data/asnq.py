"""ASNQ: questions of Natural Questions over the sentences of a Wikipedia page, for the first training of TANDA."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappush, heappushpop
from pathlib import Path

from rankers.data.corpus import Corpus, Counts, Option, Request
from rankers.data.pools import Answer, Group, digest, share
from rankers.data.tables import grade
from rankers.types import Questions

_POSITIVE = 4  # 1 to 3 are negatives: outside the long answer, with the short answer's words, or inside without them
_DEV_SHARE = 0.02
_LINES = {"train": 20_377_568, "dev": 20_377_568, "test": 930_062}


def _read(request: Request) -> Questions:
    path = request.path(ASNQ.files[request.split][0])
    read = _Lines(path)
    groups = list(_groups(read, request.split, request.options["negatives"]))
    request.expect(path, "lines", read.number, _LINES[request.split])
    kept = request.options["negatives"]
    notes = [f"at most {kept} negatives of each question are kept, by the hash of their text"]
    if request.split == "dev":
        notes.append(f"{_DEV_SHARE:.0%} of the questions of train, by the hash of their text")
    return request.questions(path, groups, Counts(len(groups)), pool="page", notes=notes)


class _Lines:
    """Reader of a file of twenty million lines, one line at a time.

    Attributes:
        number: The number of lines read so far.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.number = path, 0

    def __iter__(self) -> Iterator[tuple[str, str, int]]:
        """Yield question, sentence and label. Raise ValueError for the line that has another form."""
        with self.path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                self.number += 1
                cells = line.rstrip("\r\n").split("\t")
                where = f"{self.path}, line {self.number}"
                if len(cells) != 3:
                    raise ValueError(
                        f"{where}: {len(cells)} cells, but each line must have 3: question, sentence, label"
                    )
                label = grade(cells[2], where)
                if not 1 <= label <= _POSITIVE:
                    raise ValueError(f"{where}: the label is {label}, but it must be 1, 2, 3 or 4 (4 is an answer)")
                yield cells[0], cells[1], label


def _groups(lines: _Lines, split: str, negatives: int) -> Iterator[Group]:
    """Yield the questions of a split, wherever their lines are, with all positives and some of the negatives."""
    positives: dict[str, list[str]] = {}
    others: dict[str, list[tuple[str, str]]] = {}  # a heap per question; the largest hashes stay
    for question, sentence, label in lines:
        if split != "test" and (share("asnq-dev", question) < _DEV_SHARE) != (split == "dev"):
            continue
        heap = others.setdefault(question, [])
        if label == _POSITIVE:
            positives.setdefault(question, []).append(sentence)
        elif len(heap) == negatives:
            heappushpop(heap, (digest(sentence), sentence))
        else:
            heappush(heap, (digest(sentence), sentence))
    for question, heap in others.items():
        answers = [Answer(text, 1) for text in positives.get(question, [])] + [Answer(text, 0) for _, text in heap]
        yield Group(question, tuple(answers))


ASNQ = Corpus(
    name="asnq",
    about="57,242 questions over the sentences of Wikipedia pages, for a first training; dev is cut from train",
    files={
        "train": ("ranking/asnq/train.tsv",),
        "dev": ("ranking/asnq/train.tsv",),
        "test": ("ranking/asnq/dev.tsv",),
    },
    source="github alexa/wqa_tanda, asnq.tar (Garg, Vu & Moschitti 2020); its dev.tsv is the test split here",
    license="CC BY-NC-SA 3.0",
    read=_read,
    options={
        "negatives": Option(50, "negatives of each question that are kept, at most; all 20 million need many gigabytes")
    },
    tried=False,
)
