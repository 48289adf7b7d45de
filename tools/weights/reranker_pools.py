"""What the shipped reranker learns from: questions of SelQA with one positive each, and three kinds of negatives.

SelQA is under a license that allows it. Seven of eight questions of its dev split train, and the others are dev.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.metrics.checkpoints.search import sha256
from rankers.data.catalog import trainable
from rankers.data.leaks import negatives, normalize
from rankers.data.pools import Answer, Group, shelve
from rankers.types import Questions

NAME = "reranker-training"
SELQA = "ranking/selqa/dev.tsv"


class Example(NamedTuple):
    """A question with its positive."""

    question: str  # its text
    positive: str  # a text that answers it
    own: tuple[str, ...]  # texts beside the positive that do not answer it


class Pools(NamedTuple):
    """The training pools, and the dev pools that select the epoch."""

    train: Questions  # questions with one positive each
    dev: Questions  # the other questions of SelQA, as they are
    files: dict[str, str]  # the SHA-256 of the files that were read, by name


def pools(data: Path, *, own: int, near: int, far: int, seed: int = 0) -> Pools:
    """Return the training pools.

    The negatives of a question are up to ``own`` sentences of the section that its positive is from, and positives of
    other questions: ``near`` of the fifth that shares most words with it, and ``far`` of all. Each positive is drawn
    equally often. Raise FileNotFoundError if a file is missing.
    """
    learned, dev = trainable("selqa", home=data)
    examples = _distinct(list(_examples(learned, own, np.random.default_rng(seed))))
    groups = list(_groups(examples, near, far, seed))
    train = Questions(NAME, "train", shelve(groups, NAME, "train", seed))
    return Pools(train, dev, {SELQA: sha256(data / SELQA)})


def _examples(questions: Questions, own: int, rng: np.random.Generator) -> Iterator[Example]:
    for question in questions:
        right = [c.text for c in question.candidates if questions.is_relevant(c)]
        other = [c.text for c in question.candidates if not questions.is_relevant(c)]
        if right:
            yield Example(question.text, right[0], tuple(other[i] for i in rng.permutation(len(other))[:own]))


def _distinct(examples: Sequence[Example]) -> list[Example]:
    """Return the examples whose positive, and question, is no positive before them."""
    seen: set[str] = set()
    kept = []
    for example in examples:
        positive = normalize(example.positive)
        if not {positive, normalize(example.question)} & seen:
            seen.add(positive)
            kept.append(example)
    return kept


def _groups(examples: Sequence[Example], near: int, far: int, seed: int = 0) -> Iterator[Group]:
    near = min(near, len(examples) - 1)
    drawn = negatives([e.question for e in examples], [e.positive for e in examples], near)
    drawn = np.concatenate([drawn, anywhere(len(examples), far, seed)], axis=1)
    for example, places in zip(examples, drawn.tolist(), strict=True):
        texts = dict.fromkeys([*example.own, *(examples[place].positive for place in places)])
        wrong = [text for text in texts if normalize(text) != normalize(example.positive)]
        yield Group(example.question, (Answer(example.positive, 1), *(Answer(text, 0) for text in wrong)))


def anywhere(n: int, far: int, seed: int) -> NDArray[np.int64]:
    """Return ``far`` places of other examples for each of ``n``, (n, min(far, n - 1)); each place occurs equally often.

    The examples stand in a random circle, and each gets those that follow it.
    """
    circle = np.random.default_rng([seed, 2]).permutation(n)
    steps = np.arange(1, min(far, n - 1) + 1)
    places = np.empty((n, len(steps)), dtype=np.int64)
    places[circle] = circle[(np.arange(n)[:, None] + steps) % n]
    return places
