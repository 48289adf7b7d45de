"""The score from which on an answer counts as right: counts at every cut, and rules that choose a cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.stats.intervals.resampling import bootstrap_counts

Rule: TypeAlias = Literal["accuracy", "f1", "precision"]

RULES: tuple[Rule, ...] = get_args(Rule)
_CELLS = 4_000_000  # numbers of a block of resamples: some tens of megabytes


class Counts(NamedTuple):
    """The counts at or above each cut, in one or several samples."""

    cuts: FloatArray  # (m,) rising: the lowest score, the middles between neighboring scores, and infinity, above all
    right: NDArray[np.int64]  # (samples, m) how many of those at or above the cut have the label 1
    wrong: NDArray[np.int64]  # (samples, m) how many have the label 0


def count(scores: Any, labels: Any, samples: Any = None) -> Counts:
    """Return the counts at every cut of these scores.

    ``scores``: finite numbers, shape (n,), n >= 1. ``labels``: 0 or 1 each, shape (n,). ``samples``: how often each
    sample contains each row, shape (samples, n); by default one with each row once.
    """
    values, group = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
    order, truth = np.argsort(group, kind="stable"), np.asarray(labels).astype(bool)
    held = np.ones((1, len(group)), dtype=np.int64) if samples is None else np.asarray(samples)
    starts = np.searchsorted(group[order], np.arange(len(values)))
    right, wrong = (_at_or_above(held[:, order] * kind[order], starts) for kind in (truth, ~truth))
    middles = values[:-1] + np.diff(values) / 2
    middles = np.where(middles > values[:-1], middles, values[1:])  # no number is between some neighbors
    return Counts(np.concatenate([values[:1], middles, [np.inf]]), right, wrong)


def choose(counts: Counts, rule: Rule, target: float = 0.95) -> NDArray[np.int64]:
    """Return the position of the cut that this rule chooses in each sample, shape (samples,). Ties select the lowest.

    ``rule``: "accuracy" and "f1": the highest. "precision": the lowest cut at which the precision reaches ``target``,
    so that the recall is as high as possible. The result: for "precision", the last position (infinity) in samples in
    which no cut reaches it.
    """
    right, wrong = counts.right, counts.wrong
    if rule == "accuracy":
        return np.argmax(right - wrong, axis=1)  # true positives and true negatives, up to a constant
    if rule == "f1":
        return np.argmax(2 * right / np.maximum(right + wrong + right[:, :1], 1), axis=1)
    selected = right + wrong
    # Compared as products, since a share such as 19/20 is not an exact float.
    reached = (selected > 0) & (right >= target * selected - 1e-9)
    return np.where(reached.any(axis=1), np.argmax(reached, axis=1), right.shape[1] - 1)


def resampled(groups: Any, resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """Yield how often each resample contains each row, in blocks (resamples, n). Groups are drawn with all their rows.

    ``groups``: the number of the group of each row from 0, shape (n,).
    """
    numbers = np.asarray(groups)
    size = max(1, _CELLS // len(numbers))
    for start in range(0, resamples, size):
        yield bootstrap_counts(int(numbers.max()) + 1, min(size, resamples - start), rng)[:, numbers]


def _at_or_above(held: Any, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what each sample contains at or above each score, from counts of the sorted rows, and 0 above all."""
    sums = np.add.reduceat(held, starts, axis=1, dtype=np.int64)
    above = np.cumsum(sums[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([above, np.zeros((len(held), 1), dtype=np.int64)], axis=1)
