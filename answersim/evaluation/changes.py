"""What changed between two systems: the changed rows, and the verdicts that numerical noise can change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from answersim import catalog
from answersim.arguments import between
from answersim.types import FloatArray, Metric, capabilities

Change: TypeAlias = Literal["went wrong", "became right", "lower", "higher"]

# The largest difference of a score in bf16 from the one in fp32, in benchmarks/results/precision.md. A verdict that
# depends on less depends on the machine. Other metrics that run a network get the largest of these.
NOISE: Mapping[str, float] = {
    "bi-encoder": 5.7e-3,
    "bertscore-vanilla": 2.7e-3,
    "bertscore-trained": 5.3e-3,
    "sas": 2.4e-2,
    "bi-encoder-names": 5.6e-3,
    "bertscore-names": 4.9e-3,
    "bi-encoder-answers": 2.5e-3,
    "bertscore-answers": 1.9e-3,
    "answersim": 6.9e-3,
}


class ChangedRow(NamedTuple):
    """A question whose score differs between two systems.

    Attributes:
        row: Its position, from 0.
        change: "went wrong" and "became right" if the score crosses the cut, else "lower" or "higher".
        first: The score of the first system.
        second: The score of the second system.
    """

    row: int
    change: Change
    first: float
    second: float


def changed(first: FloatArray, second: FloatArray, cut: float, noise: float) -> tuple[ChangedRow, ...]:
    """Return the rows whose scores differ by more than the noise, those that went wrong first.

    >>> [row.change for row in changed(np.array([0.9, 0.2, 0.8]), np.array([0.1, 0.9, 0.7]), 0.5, 0.0)]
    ['went wrong', 'became right', 'lower']
    """
    rows = []
    for i in np.flatnonzero(np.abs(second - first) > noise).tolist():
        before, after = bool(first[i] >= cut), bool(second[i] >= cut)
        change: Change = "lower" if second[i] < first[i] else "higher"
        if before != after:
            change = "became right" if after else "went wrong"
        rows.append(ChangedRow(i, change, float(first[i]), float(second[i])))
    order = ("went wrong", "became right", "lower", "higher")
    return tuple(sorted(rows, key=lambda row: (order.index(row.change), -abs(row.second - row.first))))


def flickering(first: FloatArray, second: FloatArray, cut: float, noise: float) -> NDArray[np.bool_]:
    """Return for each row whether a score of either system is nearer to the cut than the noise, shape (n,).

    If the noise is 0, all are False.

    >>> flickering(np.array([0.5, 0.9]), np.array([0.1, 0.9]), 0.502, 0.01).tolist()
    [True, False]
    """
    return (np.abs(first - cut) < noise) | (np.abs(second - cut) < noise)


def noise_of(metric: str | Metric, noise: float | None, *, is_computed: bool) -> float:
    """Return the given noise, or the noise of the metric that computed the scores.

    Args:
        metric: The metric.
        noise: The given noise, at least 0, or None.
        is_computed: Whether the metric computed the scores; numbers that were given have no noise.

    Raises:
        ValueError: If the given noise is below 0 or nan.
        LookupError: If there is no such metric.

    >>> noise_of("answersim", None, is_computed=True), noise_of("f1", None, is_computed=True)
    (0.0069, 0.0)
    """
    if noise is not None:
        return between("noise", noise, 0, np.inf, ends=True)
    if not is_computed:
        return 0.0
    if isinstance(metric, str):
        entry = catalog.entry(metric)
        return 0.0 if entry.kind in ("lexical", catalog.REMOTE) else NOISE.get(entry.name, max(NOISE.values()))
    return max(NOISE.values()) if capabilities(metric).cost == "model" else 0.0  # a record is replayed exactly
