"""The score from which on an answer counts as right: counts at every cut, rules that choose a cut, and bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from answersim.errors import unknown
from answersim.runtime.concurrency import importing
from answersim.stats.resampling import bootstrap_counts
from answersim.types import FloatArray

Rule: TypeAlias = Literal["accuracy", "f1", "precision"]

RULES: tuple[Rule, ...] = get_args(Rule)
_MOST_TIMES = 10_000  # beyond this, the number of labels that a target needs cannot be estimated
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

    >>> found = count([0.2, 0.6, 0.6, 0.8], [0, 1, 0, 1])
    >>> found.cuts.tolist(), found.right.tolist(), found.wrong.tolist()
    ([0.2, 0.4, 0.7, inf], [[2, 2, 1, 0]], [[2, 1, 0, 0]])
    """
    values, group = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
    order, truth = np.argsort(group, kind="stable"), np.asarray(labels).astype(bool)
    held = np.ones((1, len(group)), dtype=np.int64) if samples is None else np.asarray(samples)
    starts = np.searchsorted(group[order], np.arange(len(values)))
    right, wrong = (_at_or_above(held[:, order] * kind[order], starts) for kind in (truth, ~truth))
    middles = values[:-1] + np.diff(values) / 2
    middles = np.where(middles > values[:-1], middles, values[1:])  # no number is between some neighbors
    return Counts(np.concatenate([values[:1], middles, [np.inf]]), right, wrong)


def choose(counts: Counts, rule: Rule, target: float = 0.95, recall: float = 0.0) -> NDArray[np.int64]:
    """Return the position of the cut that this rule chooses in each sample, shape (samples,). Ties select the lowest.

    ``rule``: "accuracy" and "f1": the highest. "precision": the lowest cut at which the precision reaches ``target``,
    so that the recall is as high as possible. The result: for "precision", the last position (infinity) in samples in
    which no cut reaches both. Raise LookupError if no rule has this name.

    >>> found = count([0.2, 0.6, 0.6, 0.8], [0, 1, 0, 1])
    >>> [float(found.cuts[choose(found, rule)[0]]) for rule in RULES]
    [0.4, 0.4, 0.7]
    """
    right, wrong = counts.right, counts.wrong
    if rule == "accuracy":
        return np.argmax(right - wrong, axis=1)  # true positives and true negatives, up to a constant
    if rule == "f1":
        return np.argmax(2 * right / np.maximum(right + wrong + right[:, :1], 1), axis=1)
    if rule != "precision":
        raise unknown("rule", rule, RULES)
    selected = right + wrong
    # Compared as products, since a share such as 19/20 is not an exact float.
    reached = (selected > 0) & (right >= target * selected - 1e-9) & (right >= recall * right[:, :1] - 1e-9)
    return np.where(reached.any(axis=1), np.argmax(reached, axis=1), right.shape[1] - 1)


def precision_bound(scores: Any, labels: Any, groups: Any, confidence: float = 0.95) -> FloatArray:
    """Return a lower confidence bound of the precision at each cut; shape (m,), 0 if there is no bound.

    Rows of one group (the answers to one question) are alike, and count as the smaller number of independent rows with
    the same variance. If all are right, this cannot be estimated, and a group counts as one row. ``scores``: finite
    numbers, shape (n,). ``labels``: 0 or 1 each, shape (n,). ``groups``: the number of the group of each row from 0,
    shape (n,); ``np.arange(n)`` if each is its own. ``confidence``: one-sided, and for one cut. The choice of a cut
    among many is not corrected for.

    >>> bound = precision_bound(np.arange(60.0), np.ones(60), np.arange(60))
    >>> round(float(bound[0]), 4), float(bound[-1])
    (0.9513, 0.0)

    Source: Clopper & Pearson 1934; with Korn & Graubard 1998, "Confidence intervals for proportions with small
    expected number of positive counts estimated from survey data", for the groups.
    """
    return _lower_bound(*_effective(scores, labels, groups), confidence)


def largest_target(scores: Any, labels: Any, groups: Any, confidence: float = 0.95) -> float:
    """Return the largest share for which ``precision_bound`` finds a cut, 0 if the labels contain no 1.

    The value is the largest bound of all cuts. So a target that is chosen because of it fails more often than 1 -
    ``confidence`` (simulated: in 3 to 15 % of the samples, at 95 %). ``confidence``: one-sided, for one cut. The other
    arguments are those of ``precision_bound``.

    >>> round(largest_target(np.arange(60.0), np.ones(60), np.arange(60)), 4)
    0.9513
    """
    return float(precision_bound(scores, labels, groups, confidence).max())


def labels_needed(scores: Any, labels: Any, groups: Any, target: float, confidence: float = 0.95) -> float:
    """Estimate how many rows such as these are needed until ``precision_bound`` reaches a target at some cut.

    The estimate assumes further rows in the same shares. Each observed share of h in n counts as (h + 1/2) / (n + 1),
    because the best of many small samples looks too good (Jeffreys' prior). The estimate is still rough. The arguments
    are those of ``precision_bound``, with the target that the bound must reach. The result is a number of rows of at
    least n; nan if the share is nowhere above the target, or so little above it that even ten thousand times as many
    rows do not suffice.

    >>> labels_needed(np.arange(40.0), np.arange(40) >= 10, np.arange(40), 0.95)
    165.0
    >>> labels_needed([0.1, 0.2], [0, 1], [0, 1], 0.95)
    nan
    """
    hits, rows = _effective(scores, labels, groups)
    share = (hits + 0.5) / (rows + 1)
    share, rows = share[share > target], rows[share > target]
    if not len(share):
        return float("nan")

    def enough(times: float) -> bool:
        return bool((_lower_bound(share * rows * times, rows * times, confidence) >= target).any())

    most = 1.0
    while not enough(most):
        most *= 2
        if most > _MOST_TIMES:
            return float("nan")
    least = most / 2
    while most - least > 1e-3 * most and most > 1:
        middle = (least + most) / 2
        least, most = (least, middle) if enough(middle) else (middle, most)
    return float(np.ceil(most * len(np.asarray(labels))))


def _effective(scores: Any, labels: Any, groups: Any) -> tuple[FloatArray, FloatArray]:
    """Return at each cut how many independent positives, and rows of any label, have the same variance."""
    counts = count(scores, labels)
    right = counts.right[0].astype(np.float64)
    selected = right + counts.wrong[0]
    share = np.divide(right, selected, out=np.zeros_like(right), where=selected > 0)
    squared, crossed, sizes = _within_groups(scores, labels, np.asarray(groups))
    # The variance of a ratio of sums over groups, divided by that of the same number of independent rows; never below
    # 1.
    spread = squared - 2 * share * crossed + share**2 * sizes
    alone = selected * share * (1 - share)
    likeness = np.divide(
        spread, alone, out=np.divide(sizes, selected, out=np.ones_like(selected), where=selected > 0), where=alone > 0
    )
    rows = selected / np.maximum(likeness, 1.0)
    return share * rows, rows


def _lower_bound(hits: FloatArray, rows: FloatArray, confidence: float) -> FloatArray:
    """Return the lower bound of each share of hits among rows, or 0 if there are no hits."""
    with importing("scipy.special"):
        from scipy.special import betaincinv

    return np.where(hits > 0, betaincinv(np.maximum(hits, 1e-300), rows - hits + 1, 1 - confidence), 0.0)


def resampled(groups: Any, resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """Yield how often each resample contains each row, in blocks (resamples, n). Groups are drawn with all their rows.

    ``groups``: the number of the group of each row from 0, shape (n,).

    >>> [block.tolist() for block in resampled([0, 0, 1], 2, np.random.default_rng(1))]
    [[[1, 1, 1], [0, 0, 2]]]
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


def _within_groups(scores: Any, labels: Any, groups: NDArray[np.int64]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return at each cut the sums over groups of right², right x selected and selected², by increments per row."""
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    falling = np.lexsort((-x, groups))  # group by group, the highest score first
    starts = np.concatenate([[True], np.diff(groups[falling]) != 0])
    first = np.maximum.accumulate(np.where(starts, np.arange(len(x)), 0))
    selected = np.arange(len(x)) - first + 1.0
    total = np.cumsum(y[falling])
    right = total - (total - y[falling])[first]
    added = (
        right**2 - (right - y[falling]) ** 2,
        right * selected - (right - y[falling]) * (selected - 1),
        selected**2 - (selected - 1) ** 2,
    )
    values, where = np.unique(x[falling], return_inverse=True)
    squared, crossed, sizes = (
        np.append(np.cumsum(np.bincount(where, weights=change, minlength=len(values))[::-1])[::-1], 0.0)
        for change in added
    )
    return squared, crossed, sizes
