"""Synthetic pairs of answers for measurements that need many or long ones: English words, and edits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answersim.metrics.lexical.wordnet.reader import TABLE
from answersim.types import Pair

_COMMON = (
    "the of and to in a is that for it was on as with by he at from his an be were are which this had or not but their "
    "has its they have one been who all her can would there when more no will she said if into up out so what some"
).split()
_WORDS = 20_000  # in the vocabulary
_TYPESET = ((" the ", " “the” "), ("e ", "é "), (", ", " – "), ("s ", "’s "))  # characters outside ASCII


def made_pairs(n: int, least: int, most: int, *, rng: np.random.Generator) -> list[Pair]:
    """Return n pairs of a text and an edited copy, each text with about ``least`` to ``most`` words.

    The word frequencies follow Zipf's law: first the common English words, then those of WordNet. A punctuation mark
    follows one word in twelve. In the copy, a quarter of the words is replaced or missing, and two spans are swapped.
    One pair in four is typeset, with accents, quotation marks and dashes outside ASCII.
    """
    words = vocabulary(rng)
    weights = 1 / (np.arange(len(words)) + 2.7)
    weights /= weights.sum()
    pairs = []
    for _ in range(n):
        drawn = rng.choice(len(words), size=int(rng.integers(least, most + 1)), p=weights)
        gold = [words[i] + _mark(rng) for i in drawn]
        pred = _edited(gold, words, rng)
        texts = [_sentence(tokens) for tokens in (gold, pred)]
        if rng.random() < 0.25:
            texts = [_typeset(text) for text in texts]
        pairs.append(Pair(*texts))
    return pairs


def vocabulary(rng: np.random.Generator) -> list[str]:
    """Return 20,000 words, the frequent ones first: common English words, then those of WordNet."""
    names = sorted({word for line in TABLE.read_text(encoding="ascii").split("\n\n")[1:] for word in line.split()})
    plain = [word for word in names if word.isalpha()]
    chosen = [plain[i] for i in rng.choice(len(plain), size=_WORDS - len(_COMMON), replace=False)]
    return [*_COMMON, *sorted(chosen, key=lambda word: len(word) + rng.normal(0, 2))]  # frequent words are short


def _mark(rng: np.random.Generator) -> str:
    return str(rng.choice([",", ".", ",", ".", ";", "?", ")"])) if rng.random() < 1 / 12 else ""


def _edited(gold: Sequence[str], words: Sequence[str], rng: np.random.Generator) -> list[str]:
    kept: list[str] = []
    for word, fate in zip(gold, rng.random(len(gold)), strict=True):
        if fate < 0.15:
            kept.append(words[int(rng.integers(len(words)))])
        elif fate > 0.1 + 0.15:
            kept.append(word)
    a, b = sorted(int(i) for i in rng.integers(0, len(kept) + 1, size=2))
    return [*kept[:a], *kept[b:], *kept[a:b]] or list(gold)


def _sentence(words: Sequence[str]) -> str:
    joined = " ".join(words)
    return joined[:1].upper() + joined[1:] + "."


def _typeset(text: str) -> str:
    for plain, other in _TYPESET:
        text = text.replace(plain, other, 2)
    return text
