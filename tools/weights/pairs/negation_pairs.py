"""Pairs of statements about one of two opposite states: the same in other words, by a denial or not, or the opposite.

The states are antonyms of WordNet without those of the minimal pairs. No form of a statement and no couple of opposites
is in two splits. A text alone says nothing about the label, because every state is true as often as its opposite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.dictionary import Synset, opposites
from tools.tables import table
from tools.weights.pairs.draws import capital, draw_one, split_of

TEXTS = table(__file__, "negation_pairs.json")
# The states and forms of the kind "negation" of the minimal pairs in English, which training pairs leave out.
MINIMAL = table(__file__, "negation_minimal_pairs.json")
ASKED = 0.3  # the share of pairs with the question "Is it so?"


def antonyms(dictionary: Mapping[str, Synset], split: str) -> list[tuple[str, str]]:
    """Return the adjectives of one word that are opposites, each couple once, without those of the minimal pairs.

    A tenth of the couples, by the SHA-256 of both words, is in the split "dev", the others in "train".
    """
    known = {word for _, *words in MINIMAL["states"] for word in words}
    couples = {
        (min(couple), max(couple))
        for part, *couple in opposites(dictionary)
        if part == "a" and all(word.isalpha() and word.islower() for word in couple) and not known.intersection(couple)
    }
    return [(first, second) for first, second in sorted(couples) if split_of(f"{first} {second}") == split]


def negation_pairs(
    dictionary: Mapping[str, Synset], size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of statements of this split: half say the same (label 1), half the opposite (0)."""
    if not (couples := antonyms(dictionary, split)):
        raise ValueError(f"the dictionary has no opposite adjectives of the split {split!r}; read all files of WordNet")
    return [_pair(couples, split, rng) for _ in range(size)]


def _pair(couples: Sequence[tuple[str, str]], split: str, rng: np.random.Generator) -> TrainingPair:
    forms, subject, couple = TEXTS[split], draw_one(TEXTS["subjects"], rng), draw_one(couples, rng)
    label = float(rng.integers(2))
    a, b = couple if rng.integers(2) else couple[::-1]
    slots = {"s": subject, "S": capital(subject), "a": a, "b": b}
    if rng.random() < ASKED:
        sides = [forms["affirmed"], forms["denied"]][:: 1 if rng.integers(2) else -1]
        seconds, others = sides[0 if label else 1], slots
        kind, question = "asked", f"Is {subject} {a}?"
    else:
        sides, seconds, others = [forms["stated"]], forms["stated"], slots if label else slots | {"a": b, "b": a}
        kind, question = "stated", ""
    first = draw_one(sides[0], rng)
    second = draw_one([form for form in seconds if form != first], rng).format(**others)
    return TrainingPair(first.format(**slots), second, label, split, f"negation:{kind}", question)
