"""Exact match: are the normalized answers the same?"""

from __future__ import annotations

from collections.abc import Sequence

from answersim.metrics.definitions import definition
from answersim.metrics.lexical.token_metric import answer_tokens

REVISION = 1  # raise it when a number changes; it is signed


def exact_match(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Return 1.0 if both answers have the same tokens in the same order, else 0.0. Two empty answers match.

    Warning: the tokens decide what is equal. The SQuAD rule, which the English default follows, removes all ASCII
    punctuation and the articles. Therefore "-5" matches "5", "1.5" matches "15", "C++" matches "C", "$5" matches "5",
    and "vitamin A" matches "vitamin". ``lang="de"`` and other languages keep "1.5", but not signs and symbols.

    >>> exact_match(["eiffel", "tower"], ["eiffel", "tower"]), exact_match([], ["tower"])
    (1.0, 0.0)
    >>> from answersim.answers.text.tokens import tokenizer
    >>> exact_match(tokenizer("en")("1.5"), tokenizer("en")("15"))
    1.0

    Source: ``compute_exact`` of the official SQuAD v2 evaluation script (Rajpurkar et al. 2018).
    """
    return float(gold == pred)


EM = definition("em", answer_tokens("em", exact_match, REVISION, "binary", reference=True))
