"""InsuranceQA version 1: the full corpus in its own format, and a reduced task of the answers that have text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankers.data.corpus import Corpus, Counts, Option, Request
from rankers.data.pools import Answer, Group, digest
from rankers.data.tables import plain
from rankers.types import Questions

_FULL = "ranking/insuranceqa-v1"
_MINI = "ranking/insuranceqa"
_N_ANSWERS = 24_981
_POOL = 500
_FULL_COUNTS = {"train": 12_887, "dev": 1_000, "test1": 1_800, "test2": 1_800}
_FULL_RIGHT = 18_540  # pairs of a training question and a positive
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


def _read_full(request: Request) -> Questions:
    path = request.path(INSURANCEQA.files[request.split][0])
    words = _vocabulary(request.path(f"{_FULL}/vocabulary"))
    texts = _answers(request, f"{_FULL}/answers.label.token_idx", _N_ANSWERS, words)
    train = request.split == "train"
    entries = list(_entries(path, train, words))
    if train:
        request.expect(path, "right answers", sum(len(entry.right) for entry in entries), _FULL_RIGHT)
        return _with_random_negatives(request, path, entries, texts, Counts(_FULL_COUNTS["train"]), own_ids=True)
    for entry in entries:
        request.expect(path, f"pool entries for {entry.question!r}", len(entry.pool), _POOL)
    repeated = sum(len(entry.pool) - len(set(entry.pool)) for entry in entries)
    groups = [_group(path, entry, texts, own_ids=True) for entry in entries]
    notes = [f"{repeated:,} repeated answers taken out of the pools of {_POOL}"]
    return request.questions(path, groups, Counts(_FULL_COUNTS[request.split]), pool=f"pool@{_POOL}", notes=notes)


def _read_mini(request: Request) -> Questions:
    path = request.path(MINI.files[request.split][0])
    texts = _answers(request, f"{_MINI}/answers.tsv", _N_MINI_ANSWERS)
    entries = [
        Entry(question, right.split(), [*right.split(), *wrong.split()])
        for _, (question, right, wrong) in plain(path, 3)
    ]
    expected = _MINI_COUNTS[request.split]
    if request.split == "train":
        return _with_random_negatives(request, path, entries, texts, expected, own_ids=False)
    # The letter of an id reveals the source of its text, and only positives are from X: so ids are hashed.
    groups = [_group(path, entry, texts, own_ids=False) for entry in entries]
    return request.questions(path, groups, expected, pool="reduced")


def _with_random_negatives(
    request: Request, path: Path, entries: Sequence[Entry], texts: Mapping[str, str], expected: Counts, own_ids: bool
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
    groups = [_group(path, entry, texts, own_ids) for entry in drawn]
    return request.questions(path, groups, expected, pool=f"random@{number}")


def _others(everything: Sequence[str], entry: Entry, number: int, seed: int, place: str) -> list[str]:
    """Return ``number`` ids of answers that are not positives of this question, without repetition."""
    rng = np.random.default_rng(int(digest("insuranceqa", seed, place, entry.question), 16))
    right = set(entry.right)
    drawn = rng.choice(len(everything), size=min(number + len(right), len(everything)), replace=False)
    return [everything[i] for i in drawn if everything[i] not in right][:number]


def _group(path: Path, entry: Entry, texts: Mapping[str, str], own_ids: bool) -> Group:
    """Return the question with its pool, each answer once. A positive that is not in the pool is not added."""
    missing = [identifier for identifier in [*entry.right, *entry.pool] if identifier not in texts]
    if missing:
        raise ValueError(
            f"{path}: {entry.question!r} has the answer {missing[0]!r}, which is not in the file of answers"
        )
    right = set(entry.right)
    answers = tuple(
        Answer(texts[identifier], int(identifier in right), identifier if own_ids else None)
        for identifier in dict.fromkeys(entry.pool)
    )
    return Group(entry.question, answers, golds=tuple(texts[identifier] for identifier in entry.right))


def _entries(path: Path, train: bool, words: Mapping[str, str]) -> Iterator[Entry]:
    """Yield the questions of a file: "question, right" for training, else "right, question, pool"."""
    for where, cells in plain(path, 2 if train else 3):
        question, right, pool = (cells[0], cells[1], "") if train else (cells[1], cells[0], cells[2])
        yield Entry(_words(question, words, where), right.split(), pool.split())


def _answers(request: Request, relative: str, size: int, words: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the text of every answer by its id."""
    path = request.path(relative)
    answers = {}
    for where, (name, tokens) in plain(path, 2):
        answers[name] = tokens if words is None else _words(tokens, words, where)
    request.expect(path, "answers", len(answers), size)
    return answers


def _vocabulary(path: Path) -> dict[str, str]:
    return {index: word for _, (index, word) in plain(path, 2)}


def _words(tokens: str, words: Mapping[str, str], where: str) -> str:
    """Return the words behind these indices, joined by spaces."""
    try:
        return " ".join(words[token] for token in tokens.split())
    except KeyError as error:
        raise ValueError(f"{where}: {error.args[0]!r} is not in the vocabulary") from None


_NEGATIVES = {"negatives": Option(50, "random positives of other questions in the pool of each training question")}

INSURANCEQA = Corpus(
    name="insuranceqa",
    about="questions about insurance, pools of 500 (repetitions taken out); version 1, by word indices",
    files={
        split: (f"{_FULL}/{name}", f"{_FULL}/vocabulary", f"{_FULL}/answers.label.token_idx")
        for split, name in {
            "train": "question.train.token_idx.label",
            "dev": "question.dev.label.token_idx.pool",
            "test1": "question.test1.label.token_idx.pool",
            "test2": "question.test2.label.token_idx.pool",
        }.items()
    },
    source="github shuzi/insuranceQA (Feng et al. 2015), version 1",
    license="research only",
    read=_read_full,
    tried=False,
    options=_NEGATIVES,
)

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
