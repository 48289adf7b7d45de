"""A reduced InsuranceQA, version 1: the questions and answers that have text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankers.data.corpus import Corpus, Counts, Option, Request
from rankers.data.pools import Answer, Group, digest
from rankers.data.tables import plain
from rankers.types import Questions

_MINI = "ranking/insuranceqa"
_N_MINI_ANSWERS = 8_690
_MINI_COUNTS = {
    "train": Counts(3_288, None, 3_648),
    "dev": Counts(260, 292 + 11_117, 292),
    "test1": Counts(510, 573 + 21_873, 573),
    "test2": Counts(501, 561 + 21_679, 561),
}


class Entry(NamedTuple):
    """A question with the ids of its positives and of its pool, as in a file."""

    question: str
    right: list[str]
    pool: list[str]


def _read_mini(request: Request) -> Questions:
    path = request.path(MINI.files[request.split][0])
    texts = _answers(request, f"{_MINI}/answers.tsv", _N_MINI_ANSWERS)
    entries = [
        Entry(question, right.split(), [*right.split(), *wrong.split()])
        for _, (question, right, wrong) in plain(path, 3)
    ]
    expected = _MINI_COUNTS[request.split]
    if request.split == "train":
        return _with_random_negatives(request, path, entries, texts, expected)
    # The letter of an id reveals the source of its text, and only positives are from X: so ids are hashed.
    groups = [_group(path, entry, texts) for entry in entries]
    return request.questions(path, groups, expected, pool="reduced")


def _with_random_negatives(
    request: Request, path: Path, entries: Sequence[Entry], texts: Mapping[str, str], expected: Counts
) -> Questions:
    """Return the training questions, which have no pool: positives, and random other answers by question and seed.

    The others are right answers of other training questions. So no answer is right or wrong more often than another,
    and nothing can be learned from the answers alone. No answer of a dev or test question is seen.
    """
    number, everything = request.options["negatives"], sorted({name for entry in entries for name in entry.right})
    drawn = [
        entry._replace(pool=[*entry.right, *_others(everything, entry, number, request.seed, f"{place}")])
        for place, entry in enumerate(entries)
    ]
    groups = [_group(path, entry, texts) for entry in drawn]
    return request.questions(path, groups, expected, pool=f"random@{number}")


def _others(everything: Sequence[str], entry: Entry, number: int, seed: int, place: str) -> list[str]:
    """Return ``number`` ids of answers that are not positives of this question, without repetition."""
    rng = np.random.default_rng(int(digest("insuranceqa", seed, place, entry.question), 16))
    right = set(entry.right)
    drawn = rng.choice(len(everything), size=min(number + len(right), len(everything)), replace=False)
    return [everything[i] for i in drawn if everything[i] not in right][:number]


def _group(path: Path, entry: Entry, texts: Mapping[str, str]) -> Group:
    """Return the question with its pool, each answer once. A positive that is not in the pool is not added."""
    missing = [identifier for identifier in [*entry.right, *entry.pool] if identifier not in texts]
    if missing:
        raise ValueError(
            f"{path}: {entry.question!r} has the answer {missing[0]!r}, which is not in the file of answers"
        )
    right = set(entry.right)
    answers = tuple(Answer(texts[name], int(name in right)) for name in dict.fromkeys(entry.pool))
    return Group(entry.question, answers, golds=tuple(texts[identifier] for identifier in entry.right))


def _answers(request: Request, relative: str, size: int) -> dict[str, str]:
    """Return the text of every answer by its id."""
    path = request.path(relative)
    answers = dict(line.cells for line in plain(path, 2))
    request.expect(path, "answers", len(answers), size)
    return answers


_NEGATIVES = {"negatives": Option(50, "random positives of other questions in the pool of each training question")}

MINI = Corpus(
    name="insuranceqa-mini",
    about="a reduced InsuranceQA: the questions and answers whose text is at hand; never compare with published P@1",
    files={
        split: (f"{_MINI}/mini.{split}.tsv", f"{_MINI}/answers.tsv") for split in ("train", "dev", "test1", "test2")
    },
    source="derived from github shuzi/insuranceQA @ 5c380dd",
    license="research only",
    read=_read_mini,
    options=_NEGATIVES,
)
