"""chrF: the F-score of the character n-grams of gold and prediction, by sacrebleu."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from answersim._base.arguments import whole
from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import imported
from answersim._base.signature import Stored, computed_once, signature
from answersim.metrics.definitions import definition
from answersim.metrics.lexical.token_metric import check_profile
from answersim.types import Capabilities, Metric, Pair

REVISION = 1  # raise it when a number changes; it is signed


@dataclass(frozen=True)
class ChrF(Stored):
    """chrF of sacrebleu, between 0 and 1. White space does not count, upper and lower case differ.

    chrF is not symmetric: recall counts ``beta`` times as much as precision. Two blank answers score 1.0 (sacrebleu
    returns 0). A blank answer and any other answer score 0.0.

    >>> ChrF()([Pair("the Eiffel Tower", "the Eiffel Tower"), Pair("eleven", "11")])
    array([1., 0.])

    Source: Popović 2015; equal to ``sacrebleu.CHRF(...).sentence_score(pred, [gold]).score / 100``.
    """

    char_order: int = 6  # the longest n-gram of characters
    word_order: int = 0  # the longest n-gram of words; 2 is chrF++
    beta: int = 2  # how much recall counts

    capabilities: ClassVar[Capabilities] = Capabilities(scale="similarity")

    def __post_init__(self) -> None:
        """Check the settings."""
        for name, least in (("char_order", 1), ("word_order", 0), ("beta", 1)):
            whole(name, getattr(self, name), least)

    @computed_once
    def signature(self) -> str:
        """For example ``chrf|char_order:6|word_order:0|beta:2|rev:1``."""
        return signature("chrf", self, revision=REVISION)

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        score = _chrf(self.char_order, self.word_order, self.beta).sentence_score
        blank = [not gold.strip() and not pred.strip() for gold, pred in pairs]
        scores = (
            1.0 if both else score(pred, [gold]).score / 100 for both, (gold, pred) in zip(blank, pairs, strict=True)
        )
        return np.minimum(np.fromiter(scores, np.float64, len(pairs)), 1.0)  # sacrebleu returns 100.00000000000001


@cache
def _chrf(char_order: int, word_order: int, beta: int) -> Any:
    return imported("sacrebleu.metrics.chrf").CHRF(char_order, word_order, beta)


def build(*, lang: str, profile: str | None, char_order: int = 6, word_order: int = 0, beta: int = 2) -> Metric:
    """Build chrF. It has no words by language."""
    check_profile("chrf", profile, ("embedded", "paper", "squad"))
    return ChrF(char_order, word_order, beta)


CHRF = definition("chrf", build)
