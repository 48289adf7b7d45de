"""The order of equal scores, which applies wherever documents are ranked.

This module alone decides the order. trec_eval sorts equal scores by descending ids, the script of MS MARCO by ascending
ids, and other tools keep the order of the file, so each returns a different number for the same run. Ids and files
often reveal the labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]


def order(question: str, scores: Mapping[str, float], seed: int = 0) -> list[str]:
    """Return the documents of one question, best first; equal scores by a hash of seed, question and document.

    The order depends on nothing else, neither on the order of the mapping nor on the order of ids.

    Args:
        question: The id of the question.
        scores: The scores by document.
        seed: Another seed gives another order of equal scores.

    >>> order("q1", {"a": 0.5, "b": 0.9, "c": 0.1})
    ['b', 'a', 'c']
    >>> order("q1", {"a": 0.5, "b": 0.5}) == order("q1", {"b": 0.5, "a": 0.5})
    True
    """
    if len(set(scores.values())) == len(scores):
        return sorted(scores, key=scores.__getitem__, reverse=True)
    return sorted(scores, key=lambda document: (-scores[document], _hash(seed, question, document)))


def group_sizes(scores: Mapping[str, float]) -> IntArray:
    """Return how many documents share each score, from the best score down: shape (groups,).

    >>> group_sizes({"a": 0.5, "b": 0.9, "c": 0.5}).tolist()
    [1, 2]
    """
    counts = Counter(scores.values())
    return np.array([counts[score] for score in sorted(counts, reverse=True)], dtype=np.int64)


def _hash(seed: int, question: str, document: str) -> bytes:
    return blake2b(f"{seed}\0{question}\0{document}".encode(), digest_size=8).digest()
