"""Equal scores: one seeded order for all measures, and the exact average of a measure over all orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankers.types import FloatArray

if TYPE_CHECKING:
    from ir_measures import Measure


def order(question: str, scores: Mapping[str, float], seed: int = 0) -> list[str]:
    """Return the documents of one question, best first; equal scores by a hash of seed, question and document.

    The order depends on nothing else, neither on the order of the mapping nor on the order of ids.

    >>> order("q1", {"a": 0.5, "b": 0.9, "c": 0.1})
    ['b', 'a', 'c']
    >>> order("q1", {"a": 0.5, "b": 0.5}) == order("q1", {"b": 0.5, "a": 0.5})
    True
    """
    if len(set(scores.values())) == len(scores):
        return sorted(scores, key=scores.__getitem__, reverse=True)
    return sorted(scores, key=lambda document: (-scores[document], order_key(question, document, seed)))


def close(scores: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    """Return the scores of the questions in which any two are equal in single precision, in which trec_eval reads."""
    alike = {}
    for question, of in scores.items():
        with np.errstate(over="ignore"):
            values = np.fromiter(of.values(), dtype=np.float32, count=len(of))
        values.sort()
        if (values[1:] == values[:-1]).any():
            alike[question] = of
    return alike


def group_sizes(scores: Mapping[str, float]) -> NDArray[np.int64]:
    """Return how many documents share each score, from the best score down: shape (groups,).

    >>> group_sizes({"a": 0.5, "b": 0.9, "c": 0.5}).tolist()
    [1, 2]
    """
    counts = Counter(scores.values())
    return np.array([counts[score] for score in sorted(counts, reverse=True)], dtype=np.int64)


def order_key(question: str, document: str, seed: int = 0) -> bytes:
    """Return a hash of seed, question and document, to draw documents in an order that depends on nothing else."""
    return blake2b(f"{seed}\0{question}\0{document}".encode(), digest_size=8).digest()


NAMES = frozenset({"AP", "RR", "P", "R", "nDCG", "Success"})


def tie_averaged(
    measure: Measure, documents: Sequence[str], sizes: NDArray[np.int64], grades: Mapping[str, int]
) -> float:
    """Return one of the measures ``NAMES`` of the ranking of one question, averaged over all orders of equal scores.

    The documents are in order, ``sizes`` says how many of them share each score, (groups,), and ``grades`` has all
    judged documents, including those that were not ranked.
    """
    cutoff = measure.params.get("cutoff", len(documents) + len(grades))  # the ideal ranking may be longer
    if measure.NAME == "nDCG":
        gains: Mapping[int, int] = measure["gains"]
        worth = np.array(
            [gains[grades[document]] if document in grades else 0 for document in documents], dtype=np.float64
        )
        ideal = np.array(sorted((gains[grade] for grade in grades.values()), reverse=True), dtype=np.float64)
        best = _dcg(ideal, cutoff)
        return _dcg(mean_over_ties(worth, sizes), cutoff) / best if best else 0.0
    relevant = np.array([grades.get(document, 0) >= measure["rel"] for document in documents], dtype=np.float64)
    ranks = np.arange(1, len(documents) + 1)
    if measure.NAME == "Success":
        return float(first_relevant(relevant, sizes)[:cutoff].sum())
    if measure.NAME == "RR":
        return float((first_relevant(relevant, sizes) / ranks)[:cutoff].sum())
    if measure.NAME == "P":
        return float(mean_over_ties(relevant, sizes)[:cutoff].sum()) / cutoff
    parts = precisions(relevant, sizes) if measure.NAME == "AP" else mean_over_ties(relevant, sizes)
    total = sum(grade >= measure["rel"] for grade in grades.values())
    return float(parts[:cutoff].sum()) / total if total else 0.0


def mean_over_ties(values: FloatArray, sizes: NDArray[np.int64]) -> FloatArray:
    """Return the average value at each rank over all orders of equal scores: the mean of each group, (n,), (groups,).

    Every measure that is a sum over ranks (precision, recall, DCG) needs no more than this.

    >>> mean_over_ties(np.array([1.0, 0.0, 1.0]), np.array([1, 2])).tolist()
    [1.0, 0.5, 0.5]
    """
    if not len(values):
        return values
    return np.repeat(np.add.reduceat(values, _starts(sizes)) / sizes, sizes)


def first_relevant(relevant: FloatArray, sizes: NDArray[np.int64]) -> FloatArray:
    """Return the probability that the first relevant document is at each rank, over all orders of equal scores, (n,).

    The sum is 1, or 0 if nothing is relevant.

    >>> first_relevant(np.array([1.0, 0.0, 1.0]), np.array([3])).round(3).tolist()
    [0.667, 0.333, 0.0]
    """
    chances = np.zeros(len(relevant))
    for start, size in zip(_starts(sizes), sizes, strict=True):
        good = int(relevant[start : start + size].sum())
        if good:
            left = 1.0  # the probability that no relevant document came before
            for j in range(int(size) - good + 1):
                chances[start + j] = left * good / (size - j)
                left -= chances[start + j]
            break
    return chances


def precisions(relevant: FloatArray, sizes: NDArray[np.int64]) -> FloatArray:
    """Return what each rank contributes to average precision, (n,), averaged over all orders of equal scores.

    At the rank of a relevant document, this is the precision at that rank. With ties, it is the probability of a
    relevant document at that rank, times the expected number of relevant documents up to it, divided by the rank.

    >>> precisions(np.array([1.0, 0.0, 1.0]), np.array([1, 1, 1])).round(3).tolist()
    [1.0, 0.0, 0.667]
    """
    n = len(relevant)
    if not n:
        return relevant
    starts = _starts(sizes)
    good = np.add.reduceat(relevant, starts)  # (groups,)
    before = np.repeat(np.cumsum(good) - good, sizes)  # (n,) relevant ones in better groups
    within = np.arange(n) - np.repeat(starts, sizes)  # (n,) place in the group
    # Given a relevant document at this rank, each earlier place of the group contains one of the others with equal
    # probability.
    others = np.repeat((good - 1) / np.maximum(sizes - 1, 1), sizes) * within
    return mean_over_ties(relevant, sizes) * (before + others + 1) / np.arange(1, n + 1)


def _dcg(gains: FloatArray, cutoff: int) -> float:
    """Return the discounted cumulative gain up to the cutoff (Jarvelin & Kekalainen 2002, log2)."""
    return float((gains / np.log2(np.arange(2, len(gains) + 2)))[:cutoff].sum())


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.cumsum(sizes) - sizes
