"""Exact match: are the normalised answers the same?"""

from __future__ import annotations

from collections.abc import Sequence


def exact_match(gold: Sequence[str], pred: Sequence[str]) -> float:
    """1.0 when both answers have the same tokens in the same order, else 0.0; two empty ones are the same.

    >>> exact_match(["eiffel", "tower"], ["eiffel", "tower"]), exact_match([], ["tower"])
    (1.0, 0.0)

    Source: ``compute_exact`` of the official SQuAD v2 evaluation script (Rajpurkar et al. 2018).
    """
    return float(gold == pred)
