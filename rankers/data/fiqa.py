"""FiQA: questions on finance with answers from forums; the candidates are all answers of a split.

BM25 pools over the available part of the collection would leak: they contain the positives of all splits, so that
98.7 % of the positives of test are among the negatives of train. So its candidates are the positives of its own split.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rankers.data.corpus import Corpus, Counts, Request
from rankers.data.disjoint import find_repeated
from rankers.data.pools import Answer, Group, share
from rankers.data.tables import objects, plain
from rankers.types import Questions

_PARTIAL = "ranking/fiqa-partial"
_N_PARTIAL = (333, 865)
_DISJOINT_COUNTS = {
    "train": Counts(190, 190 * 511, 511),
    "dev": Counts(51, 51 * 120, 120),
    "test": Counts(92, 92 * 234, 234),
}
_DEV_FROM, _TEST_FROM = 0.60, 0.75


class FiqaQuestion(NamedTuple):
    """A question of the corpus and the ids of its positives."""

    id: str
    text: str
    gold: tuple[str, ...]


def _partial(request: Request) -> tuple[Path, list[FiqaQuestion], dict[str, str]]:
    """Return the file of questions, all available questions, and all answers by their ids."""
    path = request.path(f"{_PARTIAL}/test.ids.jsonl")
    documents = {name: text for _, (name, text) in plain(request.path(f"{_PARTIAL}/test_answers.tsv"), 2)}
    queries = [
        FiqaQuestion(str(row["qid"]), row["question"], tuple(map(str, row["gold"])))
        for row in _objects(path, "qid", "question", "gold")
    ]
    for what, count, size in zip(("questions", "answers"), (len(queries), len(documents)), _N_PARTIAL, strict=True):
        request.expect(path, what, count, size)
    return path, queries, documents


def _read_disjoint(request: Request) -> Questions:
    """Read a split whose candidates are the positives of its own questions, all of them for every question.

    Raise ValueError if a question, or a positive, has the normalized text of another one.
    """
    path, queries, documents = _partial(request)
    golds = [name for query in queries for name in query.gold]
    for what, texts in (
        ("question", [query.text for query in queries]),
        ("positive", [_known(documents, name, path) for name in golds]),
    ):
        if again := find_repeated(texts):
            raise ValueError(
                f"{path}: the {what} {again[0]!r:.60} occurs twice, so that splits would share it; remove one"
            )
    queries = [query for query in queries if _split(query.id) == request.split]
    pool = [name for query in queries for name in query.gold]
    groups = [
        Group(
            query.text,
            tuple(Answer(documents[name], int(name in query.gold), name) for name in pool),
            query.id,
            tuple(documents[name] for name in query.gold),
        )
        for query in queries
    ]
    notes = [f"every question has all {len(pool)} positives of the split as candidates"]
    return request.questions(path, groups, _DISJOINT_COUNTS[request.split], pool="all of the split", notes=notes)


def _split(question: str) -> str:
    """Return the split of a question of the partial corpus, by the hash of its id: about 60, 15 and 25 %."""
    place = share("fiqa-partial", question)
    return "train" if place < _DEV_FROM else "dev" if place < _TEST_FROM else "test"


def _known(texts: Mapping[str, str], name: str, path: Path) -> str:
    if name not in texts:
        raise ValueError(f"{path} names {name!r}, but there is no text of that id; are the files of one version?")
    return texts[name]


def _objects(path: Path, *needed: str) -> list[dict[str, Any]]:
    """Return the object on each line. Each must have at least these names."""
    rows = []
    for where, row in objects(path):
        if any(name not in row for name in needed):
            raise ValueError(f"{where}: each line must be an object with {', '.join(needed)}")
        rows.append(row)
    return rows


_LICENSE = "research only (FiQA 2018)"

DISJOINT = Corpus(
    name="fiqa-disjoint",
    about="333 questions; candidates are all positives of a split's own questions: no text is in two splits",
    files=dict.fromkeys(_DISJOINT_COUNTS, (f"{_PARTIAL}/test.ids.jsonl", f"{_PARTIAL}/test_answers.tsv")),
    source="github yuanbit/FinBERT-QA @ 108a294",
    license=_LICENSE,
    read=_read_disjoint,
)
