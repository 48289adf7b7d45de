"""Pairs made of two meanings that share their words: each text is one of several forms of one of both meanings.

Both texts of a pair are drawn from the four combinations of meanings with equal chance, so that one text alone predicts
nothing: a model that ignores one side is right half the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs import amounts, details, near_names, roles
from tools.weights.pairs.draws import draw_one
from tools.weights.pairs.lexicon import Lexicon
from tools.weights.pairs.meanings import Meanings

WRONG = 0.25  # the share of texts of neither meaning, if there are such
_TRIES = 50


class Kind(NamedTuple):
    """A kind of pairs: a function that draws two meanings, and its share of the source."""

    draw: Callable[[str, np.random.Generator, Lexicon], Meanings | None]
    share: float


KINDS: Mapping[str, Mapping[str, Kind]] = {
    "roles": {
        "listed": Kind(roles.listed, 0.55),
        "asked": Kind(roles.asked, 0.2),
        "verbs": Kind(roles.of_verbs, 0.25),
    },
    "amounts": {
        "money": Kind(amounts.money, 0.3),
        "ratio": Kind(amounts.ratio, 0.2),
        "count": Kind(amounts.count, 0.2),
        "measure": Kind(amounts.measure, 0.2),
        "power": Kind(amounts.power, 0.1),
    },
    "near": {
        "family": Kind(near_names.family, 0.25),
        "team": Kind(near_names.team, 0.1),
        "field": Kind(near_names.field, 0.3),
        "name": Kind(near_names.named, 0.15),
        "list": Kind(near_names.listed, 0.2),
    },
}


def drawn_pairs(
    source: str, lexicon: Lexicon, size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of a source of ``KINDS``, half of them with label 1 and half with 0."""
    kinds = KINDS[source]
    names = list(kinds)
    shares = np.array([kinds[name].share for name in names])
    pairs: list[TrainingPair] = []
    while len(pairs) < size:
        name = names[int(rng.choice(len(names), p=shares / shares.sum()))]
        meanings = kinds[name].draw(split, rng, lexicon)
        if meanings is not None and (pair := _pair(meanings, f"{source}:{name}", split, rng)) is not None:
            pairs.append(pair)
    return pairs


def detail_pairs(
    sentences: Sequence[TrainingPair], lexicon: Lexicon, size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of paraphrases with one detail of both or of one text exchanged (``details``)."""
    close = [pair for pair in sentences if (pair.label or 0.0) >= details.LEAST]
    pairs: list[TrainingPair] = []
    for _ in range(_TRIES * size):
        if len(pairs) == size:
            break
        meanings = details.exchanged(draw_one(close, rng), lexicon, rng)
        if meanings is not None and (pair := _pair(meanings, "details", split, rng)) is not None:
            pairs.append(pair)
    return pairs


def _pair(meanings: Meanings, source: str, split: str, rng: np.random.Generator) -> TrainingPair | None:
    """Draw one of the four combinations, and different forms; None if there are none. Texts of neither are wrong."""
    at, to = int(rng.integers(2)), int(rng.integers(2))
    golds, texts = meanings.golds[at] or meanings.forms[at], meanings.forms[to]
    if meanings.wrong and rng.random() < WRONG:
        to, texts = -1, meanings.wrong
    for _ in range(_TRIES):
        first, second = draw_one(golds, rng), draw_one(texts, rng)
        if first.casefold() != second.casefold():
            return TrainingPair(first, second, float(at == to), split, source, meanings.question)
    return None
