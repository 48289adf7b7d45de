"""Prediction-powered inference: a mean of labels from few labels, with the help of a score that all rows have.

The estimate is the mean of the labels, moved by how far the scores of the labeled rows are from those of all rows. It
is asymptotically unbiased however poor the score is, because the labels alone decide its level. With few labels it is
biased, because the same labels decide the weight of the score. A score that follows the labels makes the interval
narrower. With the best weight of the score (power tuning), the estimate of PPI++ is the regression
estimator of survey sampling.

The published interval assumes many labels: with 50 labels, a 95 % interval covered 85 to 94 % in our simulations
(``python -m benchmarks.coverage``). The intervals here differ from it, and the difference vanishes as labels are added.

- Two virtual rows are added whose labels have nothing to do with their scores (``PSEUDO``). They lower the weight of
  the score by n / (n + 2).
- Scores are replaced by their ranks if a few extreme ones decide their weight, and left out if the ranks do not help
  (``_bounded``). A heavy tail would otherwise bias the estimate: with the scores exp(3 z + 2 y) for the label y and a
  normal z, intervals from 10 labels covered .69 instead of .95.
- Each residual is divided by 1 - leverage, or by its root, as if the row had no part in fitting the weight of the score
  (HC3 and HC2).
- **Shares**: the errors of a good score are few and often have one direction, so that a sample may miss them all. No
  variance that is estimated from the sample shows them then. The interval is therefore made of the intervals of
  Jeffreys for the share of correct answers in two bins, above and below the middle between the mean scores of both
  classes. In a bin without errors, the interval of Jeffreys states how many there may be. The interval of a bin is
  narrowed by what the score explains within the bin. Without scores, the interval is that of Wilson.
- **Differences**: the errors have both directions. The interval is symmetric with quantiles of Student's t, and its
  variance is at least that of the two rows, so that no interval has no width.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray, Interval
from answersim.stats.coefficients.weighted import mid_ranks
from answersim.stats.few_labels.stratified import pooled
from answersim.stats.intervals.proportion import jeffreys, t_quantile, wilson

PSEUDO = 2.0  # virtual rows; chosen by coverage on EVOUNA TriviaQA, and checked on other sets
_MOST_LEVERAGE = 0.9
_RANKED, _LEFT_OUT = 0.5, 1.0  # concentration: above, fewer than about two, or one, labeled rows decide the weight


class PredictionPowered(NamedTuple):
    """The estimated mean label of all rows."""

    value: float  # the estimate. For shares it may be outside 0 to 1 by chance if labels are few.
    low: float  # the lower end of its interval
    high: float  # the upper end
    # how much of the score, or of its rank, is used: the slope of the labels on it; 0 if the scores are constant or
    # left out
    weight: float
    explained: float  # the share of the variance of the labels that the score explains, from 0 to 1
    labels_worth: float  # how many labels, without a score, would give an estimate of the same variance
    plain: float  # the mean of the labels alone, and ``plain_low`` and ``plain_high`` the ends of its interval
    plain_low: float
    plain_high: float


class _Sample(NamedTuple):
    """The rows with weights and clusters: ``scores`` (N,) of all; the others of the labeled rows, (n,), or clusters.

    ``strata`` are those of the labeled rows, at least two rows in each; None if they were not drawn by strata.
    """

    scores: FloatArray
    labeled: NDArray[np.intp]
    labels: FloatArray
    weights: FloatArray
    clusters: NDArray[np.int64]
    finite: bool
    share: bool
    reach: float
    strata: NDArray[np.intp] | None


def prediction_powered(
    scores: Any,
    labels: Any,
    *,
    weights: Any = None,
    groups: Any = None,
    strata: Any = None,
    finite: bool = False,
    share: bool = True,
    reach: float = 0.0,
    level: float = 0.95,
) -> PredictionPowered:
    """Estimate the mean label of all rows from those that have one.

    Args:
        scores: One finite number per row, shape (N,). The scale does not matter.
        labels: One number per row, nan if nobody labeled it, shape (N,); at least 4 are numbers. The labeled rows are a
            random sample.
        weights: One number above 0 per row, such as 1 / probability to be labeled; shape (N,). All equal if not given.
        groups: The number of the cluster of each row from 0, shape (N,), such as its question; each row is its own
            cluster if not given. Variances add up over clusters, and clusters with labels give the degrees of freedom.
        strata: The stratum of each row, numbers in the order of the strata, if the labeled rows were drawn by strata;
            shape (N,). Rows without a label may be nan. What differs between strata is then no error of the estimate.
            A stratum with one label is joined with a neighbor. ``plain`` is of the labels without strata.
        finite: Whether the mean of exactly these rows is estimated. By default it is the mean of the population that
            the rows, or clusters, were drawn from, so that the interval also covers the choice of the rows.
        share: Whether labels are between 0 and 1, so that the interval is too.
        reach: If labels are not shares, the largest size of a label, such as 1 for the differences of verdicts. If all
            labels are equal, those of the virtual rows have this size, so that the interval has a
            width.
        level: The coverage.

    >>> rng = np.random.default_rng(0)
    >>> right = rng.random(2000) < 0.8
    >>> scores = np.where(rng.random(2000) < 0.9, right, ~right)  # the score is wrong for one row in ten
    >>> labels = np.where(np.arange(2000) < 100, right, np.nan)
    >>> estimate = prediction_powered(scores, labels)
    >>> [round(number, 3) for number in estimate[:3]], round(estimate.labels_worth)
    ([0.795, 0.751, 0.839], 266)

    Source: Angelopoulos, Duchi & Zrnic 2023, "PPI++: efficient prediction-powered inference", equation 4 and section 6
    (power tuning); Cochran 1977, "Sampling techniques", chapter 7 (regression estimator); MacKinnon & White 1985
    (HC3); Cochran 1977, chapter 5 (strata); Korn & Graubard 1998 (intervals of shares with an effective number of
    rows); Zou & Donner 2008 (MOVER, the interval of a sum from those of its parts). The virtual rows and the two bins
    are our own.
    """
    column, known = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    at = np.flatnonzero(~np.isnan(known))
    whole = np.ones(len(at)) if weights is None else np.asarray(weights, dtype=np.float64)[at]
    numbers = np.arange(len(column)) if groups is None else np.asarray(groups, dtype=np.int64)
    layers = None if strata is None else pooled(np.asarray(strata)[at])
    weights_of_labels = whole / whole.mean()
    sample = _Sample(
        _bounded(column, at, weights_of_labels), at, known[at], weights_of_labels, numbers, finite, share, reach, layers
    )
    slope = _slope(sample)
    value, low, high, variance, explained = _estimate(sample, slope, level)
    plain, plain_low, plain_high, plain_variance, _ = _estimate(sample._replace(strata=None), 0.0, level)
    n, n_rows = len(at), len(column)
    ratio = variance / plain_variance if plain_variance > 0 else 1.0
    worth = 1 / (1 / n_rows + (1 / n - 1 / n_rows) * ratio) if finite else n / ratio
    return PredictionPowered(value, low, high, slope, explained, worth, plain, plain_low, plain_high)


def _bounded(scores: FloatArray, at: NDArray[np.intp], weights: FloatArray) -> FloatArray:
    """Return the scores, or their ranks, or zeros: the first of them whose weight is not decided by single rows.

    Labels have no part in this choice, so that it causes no bias. If n labels show fewer than about one row with the
    rarer of two verdicts, the labels alone are the estimate.
    """
    for column, most in ((scores, _RANKED), (mid_ranks(scores), _LEFT_OUT)):
        if _concentration(column, at, weights) <= most:
            return column
    return np.zeros_like(scores)


def _concentration(scores: FloatArray, at: NDArray[np.intp], weights: FloatArray) -> float:
    """Return the expected sum of the squared leverages of the labeled rows: their kurtosis / n in a uniform sample."""
    squares = np.square(scores - scores.mean())
    variance = float(squares.mean())
    if not variance > 0:
        return 0.0
    leverages = squares / variance
    if np.ptp(weights) == 0:
        return float(np.square(leverages).mean()) / len(at)
    return float(np.square(weights * leverages[at]).sum()) / len(at) ** 2


def _slope(sample: _Sample) -> float:
    """Return the slope of the labels on the scores, lowered as if pseudo-rows without any relation were added."""
    n, scores = len(sample.labels), sample.scores[sample.labeled]
    off_scores, off_labels = _centered(scores, sample.weights), _centered(sample.labels, sample.weights)
    spread = float(sample.weights @ off_scores**2)
    if spread <= 1e-24 * float(np.square(scores).sum()):
        return 0.0
    return float(sample.weights @ (off_scores * off_labels)) / spread * n / (n + PSEUDO)


def _estimate(sample: _Sample, slope: float, level: float) -> tuple[float, float, float, float, float]:
    """Return the value, the ends of its interval, the variance of a file of any size, and the explained share."""
    n, n_rows = len(sample.labels), len(sample.scores)
    scores = sample.scores[sample.labeled]
    off_file = sample.scores - sample.scores.mean()
    off_scores, off_labels = _centered(scores, sample.weights), _centered(sample.labels, sample.weights)
    value = float((sample.weights @ sample.labels) / n - slope * (sample.weights @ scores / n - sample.scores.mean()))

    spread = float(sample.weights @ off_scores**2) if slope else 0.0
    of_mean = 1.0 if sample.strata is None else 0.0  # strata have a mean each, see ``_within``
    leverage = sample.weights / n * (of_mean + (n * off_scores**2 / spread if spread > 0 else 0.0))
    left_of_row = 1 - np.minimum(leverage, _MOST_LEVERAGE)
    # What each labeled row contributes to the error of the estimate.
    of_rows = sample.weights * (off_labels - slope * off_scores) / n
    by_row, by_cluster = _squares(sample, of_rows / left_of_row)
    design_effect = max(1.0, by_cluster / by_row) if by_row > 0 else 1.0  # of the rows of a cluster: the design effect
    center = (n * min(max(value, 0.0), 1.0) + PSEUDO / 2) / (n + PSEUDO)
    squares = float(sample.weights @ off_labels**2)
    pseudo = center * (1 - center) if sample.share else squares / (n - 1) or sample.reach**2
    explained_variance = slope**2 * float(off_file @ off_file) / n_rows
    kish = float(sample.weights @ sample.weights) / n  # unequal weights: above 1
    # With strata, the virtual rows are drawn as the rows of the file are, and not as the labeled ones.
    added = (
        PSEUDO
        * design_effect
        * (kish if sample.strata is None else 1.0)
        * (pseudo + explained_variance)
        / (n * (n + PSEUDO))
    )
    variance = by_cluster * n / (n + PSEUDO) + added if sample.share else max(by_cluster, added)
    uncorrected = _squares(sample, of_rows / np.sqrt(left_of_row))[1]
    rest = 1.0
    if sample.finite:
        rest = max(0.0, 1 - n / n_rows)
    else:
        variance += _of_file(sample, of_rows / left_of_row, slope * off_file / n_rows)
        uncorrected += _of_file(sample, of_rows / np.sqrt(left_of_row), slope * off_file / n_rows)

    label_variance = (squares + PSEUDO * pseudo) / (n + PSEUDO)
    explained = min(1.0, explained_variance / label_variance) if label_variance > 0 else 0.0
    freedom = len(np.unique(sample.clusters[sample.labeled])) - 2
    t, z = t_quantile(level, freedom), t_quantile(level, np.inf)
    if not sample.share:
        half = t * float(np.sqrt(max(variance * rest, 0.0)))
        return value, value - half, value + half, variance, explained
    low, high = Interval(0.0, 1.0)
    if slope and squares > 0 and (bins := _bins(sample)) is not None:
        of_file = 0.0 if sample.finite else _of_file(sample, of_rows / np.sqrt(left_of_row), slope * off_file / n_rows)
        residuals = (off_labels - slope * off_scores) / np.sqrt(left_of_row)
        below, above = _of_bins(sample, bins, residuals, design_effect, level)
        between = t**2 * _between_bins(sample, bins[0], residuals, design_effect)
        low = value - float(np.sqrt((below + between) * rest + t**2 * max(of_file, 0.0)))
        high = value + float(np.sqrt((above + between) * rest + t**2 * max(of_file, 0.0)))
    else:
        if squares > 0:
            effective = squares / (n - 1) / (uncorrected * rest) if uncorrected * rest > 0 else np.inf
        else:
            effective = n / (kish * design_effect * rest) if rest > 0 else np.inf
        low, high = wilson(min(max(value, 0.0), 1.0), effective, z)
    return value, max(0.0, low), min(1.0, high), variance, explained


def _bins(sample: _Sample) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Return which labeled rows, and rows of the file, are above the middle of the classes; None if one is empty."""
    scores = sample.scores[sample.labeled]
    right, wrong = sample.weights * sample.labels, sample.weights * (1 - sample.labels)
    if not (right.sum() > 0 and wrong.sum() > 0):
        return None
    middle = (float(right @ scores) / right.sum() + float(wrong @ scores) / wrong.sum()) / 2
    above = scores >= middle
    return None if above.all() or not above.any() else (above, sample.scores >= middle)


def _of_bins(
    sample: _Sample,
    bins: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    residuals: FloatArray,
    design_effect: float,
    level: float,
) -> tuple[float, float]:
    """Return the squared distances from the estimate to the ends of its interval, as far as they lie within bins."""
    below = above = 0.0
    for inside, of_file in (bins, (~bins[0], ~bins[1])):
        weights = np.where(inside, sample.weights, 0.0)
        total = float(weights.sum())
        share = float(weights @ sample.labels) / total
        rest = _within(sample, weights * (residuals - float(weights @ residuals) / total))
        off = weights * (sample.labels - share)
        is_mixed = np.ptp(sample.labels[inside]) > 0  # else ``off`` is made of rounding errors
        unexplained = float(rest @ rest) / float(off @ off) if is_mixed else 1.0
        low, high = jeffreys(min(share, 1.0), total**2 / float(weights @ weights) / design_effect, level)
        scale = float(of_file.mean()) ** 2 * unexplained
        below += scale * max(0.0, share - low) ** 2
        above += scale * max(0.0, high - share) ** 2
    return below, above


def _between_bins(sample: _Sample, above: NDArray[np.bool_], residuals: FloatArray, design_effect: float) -> float:
    """Return the variance of the estimate that the mean residuals of the two bins leave."""
    means = np.empty(len(residuals))
    for inside in (above, ~above):
        means[inside] = np.average(residuals[inside], weights=sample.weights[inside])
    off = _within(sample, sample.weights * means / len(residuals))
    return design_effect * float(off @ off)


def _squares(sample: _Sample, of_rows: FloatArray) -> tuple[float, float]:
    """Return the sum of the squared contributions of rows, and that of their sums by cluster."""
    of_rows = _within(sample, of_rows)
    sampled = np.bincount(sample.clusters[sample.labeled], weights=of_rows)
    return float(of_rows @ of_rows), float(sampled @ sampled)


def _of_file(sample: _Sample, of_rows: FloatArray, of_file: FloatArray) -> float:
    """Return the variance that the choice of the file adds, whose scores are correlated with those of labeled rows."""
    size = int(sample.clusters.max()) + 1
    sampled = np.bincount(sample.clusters[sample.labeled], weights=of_rows, minlength=size)
    drawn = np.bincount(sample.clusters, weights=of_file, minlength=size)
    variance = float(drawn @ drawn) + 2 * float(sampled @ drawn)
    if sample.strata is None:
        return variance
    # the differences of strata, which the labeled rows do not show
    totals = np.bincount(sample.strata, weights=of_rows)
    sizes = np.bincount(sample.strata, weights=sample.weights) / len(sample.weights)  # shares of the file
    return variance + float(totals @ (totals / sizes)) / len(sample.scores)


def _within(sample: _Sample, of_rows: FloatArray) -> FloatArray:
    """Return the contributions of rows less the mean of their stratum, for the variance within strata."""
    if sample.strata is None:
        return of_rows
    counts = np.bincount(sample.strata)
    means = np.bincount(sample.strata, weights=of_rows) / counts
    scale = np.sqrt(counts / np.maximum(counts - 1, 1))
    return (of_rows - means[sample.strata]) * scale[sample.strata]


def _centered(values: FloatArray, weights: FloatArray) -> FloatArray:
    return values - float(weights @ values) / len(values)
