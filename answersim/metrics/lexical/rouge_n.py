"""ROUGE-1 and ROUGE-2: the words, or pairs of neighboring words, that gold and prediction share, as an F-measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from answersim.metrics.definitions import definition
from answersim.metrics.lexical.f1 import f1
from answersim.metrics.lexical.rouge_l import rouge_words
from answersim.metrics.lexical.token_metric import TokenMetric
from answersim.types import Metric

REVISION = 1  # raise it when a number changes; it is signed


def rouge_n(gold: Sequence[str], pred: Sequence[str], n: int) -> float:
    """Return the harmonic mean of precision and recall of the n-grams, as multisets, between 0 and 1.

    An answer of fewer than ``n`` words has no n-gram and scores 0.0, also against itself.

    >>> rouge_n(["the", "dukes"], ["dukes"], 1), rouge_n(["the", "old", "dukes"], ["old", "dukes"], 2)
    (0.6666666666666666, 0.6666666666666666)

    Source: Lin 2004, section 2; equal to the F-measure ``rouge1`` or ``rouge2`` of ``rouge_score``.
    """
    theirs, ours = ([*zip(*(tokens[i:] for i in range(n)), strict=False)] for tokens in (gold, pred))
    return f1(theirs, ours) if theirs and ours else 0.0


def of_order(n: int) -> Callable[..., Metric]:
    """Return the factory of ROUGE of n-grams of this order. Its words are those of ROUGE-L."""

    def build(*, lang: str, profile: str | None) -> Metric:
        return TokenMetric(f"rouge-{n}", rouge_words(lang, profile), partial(rouge_n, n=n), revision=REVISION)

    return build


ROUGE_1 = definition("rouge-1", of_order(1))
ROUGE_2 = definition("rouge-2", of_order(2))
