"""The shape that lexical metrics share: a number that is a pure function of the tokens of gold and prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from answersim.signature import signature
from answersim.text import Words
from answersim.types import FloatArray, Pair

# A block of pairs, whose tokens are held at the same time: so many short ones, or so many characters of long ones, as
# what was just written is read faster than what has left the processor's cache.
_PAIRS = 4096
_CHARACTERS = 1 << 14


@dataclass(frozen=True)
class TokenMetric:
    """A metric made of a way to tokens and a similarity of two token lists.

    Attributes:
        name: What the similarity is called; it opens the signature.
        text: From an answer to its tokens; signed by its name.
        similarity: From the tokens of gold and prediction to a number; decided by ``name``, so not compared. It
            must not write into the lists, which other metrics are given too.
    """

    name: str
    text: Words
    similarity: Callable[[Sequence[str], Sequence[str]], float] = field(compare=False, repr=False)

    @property
    def signature(self) -> str:
        """For example ``f1|text:en|v:0.1.0``."""
        return signature(self.name, text=self.text)

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """One number a pair, in order, shape (n,)."""
        return token_columns([self], pairs)[0]


class Tokens(NamedTuple):
    """The tokens of some pairs, side by side; equal answers have one list."""

    gold: list[list[str]]
    pred: list[list[str]]


def token_columns(metrics: Sequence[TokenMetric], pairs: Sequence[Pair]) -> list[FloatArray]:
    """For each metric, in order, one number a pair, shape (n,).

    An answer is parted into tokens once for all metrics that do it in the same way, and once for all pairs of a block
    that have it. What is held beside the numbers does not grow with the number of pairs.
    """
    columns = [np.empty(len(pairs), dtype=np.float64) for _ in metrics]
    # Not by the name of the words, which signs: "en" stands for one way in F1 and for another in ROUGE.
    splits = dict.fromkeys(each.text.split for each in metrics)
    for block in blocks(pairs):
        some = pairs[block]
        ways = {split: tokens(split, some) for split in splits}
        for metric, column in zip(metrics, columns, strict=True):
            gold, pred = ways[metric.text.split]
            column[block] = np.fromiter(map(metric.similarity, gold, pred), np.float64, len(some))
    return columns


def tokens(split: Callable[[str], list[str]], pairs: Sequence[Pair]) -> Tokens:
    """The tokens of both answers of every pair, in order; each distinct answer is parted once."""
    found = _Once(split)
    return Tokens([found[gold] for gold, _ in pairs], [found[pred] for _, pred in pairs])


def blocks(pairs: Sequence[Pair]) -> Iterator[slice]:
    """The pairs in blocks that need little memory, as slices: neighbours in order, at least one, each in one block."""
    start = characters = 0
    for i, (gold, pred) in enumerate(pairs):
        characters += len(gold) + len(pred)
        if characters >= _CHARACTERS or i + 1 - start >= _PAIRS:
            yield slice(start, i + 1)
            start, characters = i + 1, 0
    if start < len(pairs):
        yield slice(start, len(pairs))


class _Once(dict[str, list[str]]):
    """Answer -> its tokens, by one call a distinct answer."""

    def __init__(self, split: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, answer: str) -> list[str]:
        found = self[answer] = self._split(answer)
        return found
