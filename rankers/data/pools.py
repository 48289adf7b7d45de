"""From rows to questions: ids that reveal neither label nor position, and a random order that depends on a seed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, TypeVar

from answersim._base.errors import MissingExtraError
from rankers.types import Candidate, Question

T = TypeVar("T")


class Answer(NamedTuple):
    """A candidate as in a file. ``id`` is None if the id in the file would reveal the label or the position."""

    text: str
    grade: int
    id: str | None = None


class Group(NamedTuple):
    """A question as in a file, with its candidates in the same order."""

    text: str
    answers: tuple[Answer, ...]
    id: str | None = None
    golds: tuple[str, ...] = ()


class CandidateRow(NamedTuple):
    """One line of a file: a question and one of its candidates. Rows of one question have the same ``key``."""

    key: Hashable
    question: str
    answer: Answer
    question_id: str | None = None
    golds: tuple[str, ...] = ()


def digest(*parts: object) -> str:
    """Return sixteen hexadecimal digits that depend on these parts alone, on every machine and in every run.

    >>> digest("wikiqa", 0) == digest("wikiqa", 0) != digest("wikiqa", 1)
    True
    """
    text = "\x1f".join(map(str, parts))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def share(*parts: object) -> float:
    """Return a number in [0, 1) that depends on these parts alone, to assign questions to splits."""
    return int(digest(*parts), 16) / 16**16


def shuffle(items: Iterable[T], names: Sequence[str], *seed: object) -> list[T]:
    """Return the items in an order that depends on their names and the seed, whatever the given order."""
    order = sorted(zip((digest(*seed, name) for name in names), names, items, strict=True), key=lambda keyed: keyed[:2])
    return [item for _, _, item in order]


def blocks(rows: Iterable[CandidateRow]) -> Iterator[Group]:
    """Yield adjacent rows of one question as a group. The same key may occur again later."""
    for _, block in groupby(rows, key=lambda row: row.key):
        yield _group(list(block))


def gather(rows: Iterable[CandidateRow]) -> Iterator[Group]:
    """Return the rows of each question as a group, wherever they are; groups are in the order of their first rows."""
    by_key: dict[Hashable, list[CandidateRow]] = {}
    for row in rows:
        by_key.setdefault(row.key, []).append(row)
    return map(_group, by_key.values())


def _group(rows: list[CandidateRow]) -> Group:
    golds = tuple(dict.fromkeys(gold for row in rows for gold in row.golds))
    return Group(rows[0].question, tuple(row.answer for row in rows), rows[0].question_id, golds)


def shelve(groups: Iterable[Group], corpus: str, split: str, seed: int) -> tuple[Question, ...]:
    """Return the questions in order, every one with an id, their candidates with ids and shuffled.

    An id that is not given is the hash of the text, followed by -2, -3 and so on if a text occurs again. The order of a
    question's candidates depends on corpus, split, question, candidates and seed alone: not on the other questions,
    nor on the order in the file.
    """
    seen: Counter[str] = Counter()
    items = []
    for group in groups:
        name = group.id if group.id is not None else _numbered(digest(group.text), seen)
        candidates = _named(name, group.answers)
        candidates = shuffle(candidates, [candidate.id for candidate in candidates], seed, corpus, split, name)
        items.append(Question(name, group.text, tuple(candidates), group.golds))
    return tuple(items)


def _named(question: str, answers: Sequence[Answer]) -> list[Candidate]:
    """Return the candidates with ids. The suffix -2 of one of two equal texts does not reveal which came first."""
    if len({answer.text for answer in answers}) < len(answers):
        answers = shuffle(answers, list(map(str, range(len(answers)))), question)
    seen: Counter[str] = Counter()
    return [
        Candidate(_numbered(_hash(answer.text), seen) if answer.id is None else answer.id, *answer[:2])
        for answer in answers
    ]


@lru_cache(maxsize=100_000)  # the answers of InsuranceQA are in many pools
def _hash(text: str) -> str:
    return digest(text)


def _numbered(name: str, seen: Counter[str]) -> str:
    seen[name] += 1
    return name if seen[name] == 1 else f"{name}-{seen[name]}"


K1, B = 0.9, 0.4  # Anserini's defaults, with which the published pools of FiQA and MS MARCO were made


def bm25_pools(questions: Sequence[str], documents: Mapping[str, str], depth: int) -> list[list[str]]:
    """Return the ids of the best ``depth`` documents for each question, best first, or all if there are fewer.

    Source: Robertson and Zaragoza 2009 in Lucene's form, k1 = 0.9, b = 0.4, English stop words, no stemming (bm25s).
    """
    try:
        import bm25s
    except ImportError as error:
        raise MissingExtraError("a BM25 pool", "rankers", "bm25s") from error
    names = list(documents)
    index = bm25s.BM25(k1=K1, b=B, method="lucene")
    queries, texts = (
        bm25s.tokenize(list(listed), stopwords="en", show_progress=False) for listed in (questions, documents.values())
    )
    index.index(texts, show_progress=False)
    retrieved = index.retrieve(queries, k=min(depth, len(names)), show_progress=False)
    return [[names[place] for place in places] for places in retrieved.documents]
