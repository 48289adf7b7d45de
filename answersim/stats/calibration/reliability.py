"""The calibration of probabilities: the reliability diagram, the expected calibration error, the Brier score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.stats.intervals.resampling import Estimate, estimated


class Bin(NamedTuple):
    """A point of the reliability diagram: rows of about one probability, and the share of them with the label 1."""

    n: int  # the number of rows
    probability: float  # the mean of their probabilities
    share: Estimate  # the share of them with the label 1, with its interval


class Reliability(NamedTuple):
    """The calibration of probabilities."""

    bins: tuple[Bin, ...]  # from the lowest probability to the highest, about as many rows in each
    # the expected calibration error: mean distance of ``probability`` and ``share`` over the rows, with its interval.
    # Chance alone makes it larger than 0, and even larger in a resample.
    error: Estimate
    by_chance: float  # the mean error if the probabilities were correct, which is above 0 by chance alone
    brier: Estimate  # the mean squared distance of probability and label, with its interval


def reliability(
    probabilities: Any,
    labels: Any,
    samples: Iterable[NDArray[np.int32]],
    *,
    bins: int = 10,
    level: float = 0.95,
    draws: int = 200,
    rng: np.random.Generator,
) -> Reliability:
    """Return the reliability of these probabilities, which were fitted without these rows.

    ``probabilities``: from 0 to 1, shape (n,), n >= 1. ``labels``: 0 or 1 each, shape (n,). ``samples``: blocks of
    resamples: how often each contains each row, shape (n_samples, n). ``bins``: the number of bins of equal mass. There
    are fewer if many rows have one probability, because those are not separated. ``draws``: how often labels are drawn
    for ``by_chance``.

    >>> result = reliability([0.2, 0.2, 0.9, 0.9], [0, 1, 1, 1], [], bins=2, rng=np.random.default_rng(0))
    >>> [(row.n, round(row.probability, 2), row.share.value) for row in result.bins], round(result.error.value, 2)
    ([(2, 0.2, 0.5), (2, 0.9, 1.0)], 0.2)

    Source: Murphy & Winkler 1977 (diagram); Naeini et al. 2015 (error); Nguyen & O'Connor 2015 (bins of equal mass).
    """
    predicted, truth = np.asarray(probabilities, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    ends = np.quantile(predicted, np.arange(1, bins) / bins, method="inverted_cdf")
    places = np.unique(np.searchsorted(ends, predicted, side="left"), return_inverse=True)[1]  # the bins, without a gap
    member = np.eye(int(places.max()) + 1)[places]  # (n, bins)
    whole = np.ones((1, len(predicted)))
    value, shares = _errors(whole, predicted, truth, member)
    squares = np.square(predicted - truth)
    sampled = [(*_errors(block, predicted, truth, member), block @ squares / block.sum(axis=1)) for block in samples]
    columns = [np.concatenate(blocks) for blocks in zip(*sampled, strict=True)] if sampled else None
    errors, by_bin, briers = columns or (np.empty(0), np.empty((0, member.shape[1])), np.empty(0))
    drawn = (rng.random((draws, len(predicted))) < predicted).astype(np.float64)
    chance_errors = [_errors(whole, predicted, outcomes, member)[0][0] for outcomes in drawn]
    return Reliability(
        tuple(
            Bin(
                int(member[:, i].sum()),
                float(predicted @ member[:, i] / member[:, i].sum()),
                estimated(shares[0, i], by_bin[:, i], level),
            )
            for i in range(member.shape[1])
        ),
        estimated(value[0], errors, level),
        float(np.mean(chance_errors)),
        estimated(squares.mean(), briers, level),
    )


def _errors(held: Any, predicted: FloatArray, truth: FloatArray, member: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the calibration error of each sample, (samples,), and its shares, (samples, bins), nan for empty bins."""
    sizes, gaps, hits = held @ member, held @ (member * (predicted - truth)[:, None]), held @ (member * truth[:, None])
    shares = np.divide(hits, sizes, out=np.full(sizes.shape, np.nan), where=sizes > 0)
    return np.abs(gaps).sum(axis=1) / sizes.sum(axis=1), shares
