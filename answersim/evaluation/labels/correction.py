"""The true share of correct answers from a metric on all rows and human labels on few."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import flag, listed, numbers
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.text_tables import Result, with_interval
from answersim.evaluation.labels.human_labels import FEWEST_LABELS
from answersim.scoring.pairs import common_index
from answersim.stats.few_labels.prediction_powered import prediction_powered
from answersim.stats.few_labels.rogan_gladen import rogan_gladen_of_rows
from answersim.stats.few_labels.stratified import LEAST_INCLUSION
from answersim.stats.intervals.cluster_bootstrap import numbered
from answersim.stats.intervals.resampling import Bootstrap, Estimate, bootstrap_settings

METHODS = ("ppi", "rogan-gladen")
FEWEST_CLUSTERS = 5


@dataclass(frozen=True)
class MeanEstimate(Result):
    """The mean label of all rows, estimated from few labels.

    Attributes:
        value: The estimate: the share of correct answers if labels are 0 and 1.
        low: The lower end of its interval.
        high: The upper end.
        labels_worth: How many labels, without the scores, would give an estimate of the same variance. Below the
            number of labels if the scores do not help.
        n: How many rows there are.
        n_labeled: How many have a label.
        labels_alone: The mean of the labels without the scores, with its interval.
        uncorrected: The mean of the scores of all rows: what is reported if nobody labels.
        explained: The share of the variance of the labels that the scores explain; nan for "rogan-gladen".
        method: "ppi" or "rogan-gladen".
        level: The coverage of the intervals.
        notes: What limits the result, such as labels of one class; one sentence each.
    """

    value: float
    low: float
    high: float
    labels_worth: float
    n: int
    n_labeled: int
    labels_alone: Estimate
    uncorrected: float
    explained: float
    method: Literal["ppi", "rogan-gladen"]
    level: float
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (
            f"{with_interval(self, '.3f')} from {self.n_labeled} labels of {self.n} rows, which are worth "
            f"{self.labels_worth:.0f} labels without scores"
        )

    @property
    def estimate(self) -> Estimate:
        """The estimate with its interval."""
        return Estimate(self.value, self.low, self.high)

    def summary(self) -> list[str]:
        """Return the estimate, and what limits it."""
        return [str(self), *self.notes]


def estimate_mean(
    scores: Any,
    labels: Any,
    *,
    method: Literal["ppi", "rogan-gladen"] = "ppi",
    groups: Sequence[Hashable] | None = None,
    inclusion: Any = None,
    strata: Any = None,
    finite_population: bool = False,
    bootstrap: Bootstrap = Bootstrap(),
) -> MeanEstimate:
    """Estimate the share of correct answers from scores of all rows and labels of a random sample of them.

    The estimate is asymptotically unbiased however poor the metric is. With few labels it has a bias that is small
    beside the interval: about .01 of a share at 10 labels in our simulations. A metric that agrees with the labels
    makes the interval narrower: ``labels_worth`` states by how much. In simulations on judged sets, 95 % intervals of
    "ppi" covered 93.6 to 97.2 % from 50 labels on with lexical metrics (``benchmarks/results/coverage.md``).

    Args:
        scores: The scores or verdicts of a metric, one per row, on any scale; booleans count as 0 and 1. If a few
            extreme scores would decide the estimate, their ranks are used instead, or none of them.
        labels: One per row: 1 for a correct answer, 0 for another one, nan (or None) if nobody labeled it. Grades
            between 0 and 1 are labels too: then the mean label is estimated.
        method: "ppi" (prediction-powered inference with power tuning) or "rogan-gladen", which corrects the share of
            positive verdicts by their true positive and negative rates and needs scores that are 0 or 1.
        groups: What each row belongs to, such as its question if several systems answer it. Rows of one cluster are
            taken to be alike.
        inclusion: The probability of each row to be labeled, from 1e-6 to 1, if it was not the same for all;
            ``answersim label`` draws with it. Rows without a label may be nan.
        strata: The stratum of each row, a number, if the labeled rows were drawn by strata; ``answersim label`` draws
            so. Rows without a label may be nan. The interval of "ppi" becomes narrower; "rogan-gladen" and the labels
            alone do not use it.
        finite_population: Whether the mean of exactly these rows is of interest. By default, it is that of the
            population the rows are a sample of, such as all questions of this kind, so that the interval is wider.
        bootstrap: The coverage of the interval. Nothing is resampled.

    Raises:
        ValueError: If fewer than 10 rows, or fewer than 5 clusters, have a label; lengths differ; a score is nan or
            infinite; a label or a probability is outside its range; or, for "rogan-gladen", labels or scores are other
            numbers than 0 and 1, labels are of one class, or verdicts are no better than chance.
        LookupError: If no method has this name.
        TypeError: If scores or labels are not numbers.

    >>> rng = np.random.default_rng(0)
    >>> right = rng.random(1000) < 0.8
    >>> is_wrong = rng.random(1000) >= 0.9  # one verdict in ten
    >>> verdicts = np.where(is_wrong, ~right, right)
    >>> labels = np.where(np.arange(1000) < 100, right, np.nan)
    >>> print(str(estimate_mean(verdicts, labels)).partition(", which")[0])
    0.769 [0.724, 0.819] from 100 labels of 1000 rows

    Source: ``answersim.stats.few_labels.prediction_powered``, ``answersim.stats.few_labels.rogan_gladen``.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    columns, of_rows = _checked(scores, labels, groups, inclusion, strata)
    column, labeled = columns["scores"], ~np.isnan(columns["labels"])
    weights = None if inclusion is None else 1 / columns["inclusion"]
    layers = columns.get("strata")
    settings: dict[str, Any] = {"weights": weights, "groups": of_rows, "level": bootstrap_settings(bootstrap).level}
    finite = flag("finite_population", finite_population)
    values = columns["labels"][labeled]
    notes = _notes(column, values)
    estimate = powered_estimate(column, columns["labels"], notes, strata=layers, finite=finite, **settings)
    if method == "rogan-gladen":
        _check_binary(column, values)
        value, low, high = rogan_gladen_of_rows(column, columns["labels"], **settings)
        alone = estimate.labels_alone.high - estimate.labels_alone.low
        worth = len(values) * (alone / (high - low)) ** 2 if high > low else float("nan")
        of_rates: dict[str, Any] = {"low": low, "high": high, "labels_worth": worth, "explained": float("nan")}
        estimate = replace(estimate, value=value, method=method, **of_rates)
    return replace(estimate, value=min(max(estimate.value, 0.0), 1.0))


def powered_estimate(
    scores: FloatArray, labels: FloatArray, notes: Sequence[str], *, level: float, **settings: Any
) -> MeanEstimate:
    """Return the estimate of prediction-powered inference. The columns are checked."""
    powered = prediction_powered(scores, labels, level=level, **settings)
    alone = Estimate(powered.plain, powered.plain_low, powered.plain_high)
    return MeanEstimate(
        powered.value, powered.low, powered.high, powered.labels_worth, len(scores), int((~np.isnan(labels)).sum()),
        alone, float(scores.mean()), powered.explained, "ppi", level, tuple(notes),
    )  # fmt: skip


def _checked(
    scores: Any, labels: Any, groups: Sequence[Hashable] | None, inclusion: Any, strata: Any
) -> tuple[dict[str, FloatArray], NDArray[np.int64] | None]:
    """Return the columns that are given, and the number of the cluster of each row; see ``estimate_mean``."""
    optional = {"inclusion": inclusion, "strata": strata}
    stated_columns = {"scores": scores, "labels": labels} | {
        n: values for n, values in optional.items() if values is not None
    }
    common_index(stated_columns)
    columns = {name: _column(name, values) for name, values in stated_columns.items()}
    labeled = ~np.isnan(columns["labels"])
    groups = None if groups is None else listed("groups", groups, "one question or other name per row")
    lengths = {name: len(values) for name, values in columns.items()}
    if groups is not None:
        lengths["groups"] = len(groups)
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"the lengths differ: {', '.join(f'{n} {name}' for name, n in lengths.items())}; give one of each per row, "
            "and nan as the label of a row that nobody labeled"
        )
    scores, labels = columns["scores"], columns["labels"]
    left_out = "every row needs a finite score; score it, or leave the row out together with its label"
    _check(scores, np.isfinite(scores), f"the score of row {{row}} is {{value}}, but {left_out}")
    allowed = "from 0 (not correct) to 1 (correct), or nan for no label; divide grades by the highest one"
    is_label = ~labeled | ((labels >= 0) & (labels <= 1))
    _check(labels, is_label, f"the label of row {{row}} is {{value:g}}, but a label is {allowed}")
    if (n := int(labeled.sum())) < FEWEST_LABELS:
        raise ValueError(
            f"{n} of {len(labels)} rows have a label, but no interval can be trusted with fewer than {FEWEST_LABELS}; "
            "label more rows ('answersim label' chooses them, and with --plan 0.1 states how many)"
        )
    of_rows = None if groups is None else numbered(groups)
    if of_rows is not None and (n_groups := len(np.unique(of_rows[labeled]))) < FEWEST_CLUSTERS:
        raise ValueError(
            f"the labels are of {n_groups} clusters, but an interval needs at least {FEWEST_CLUSTERS}; label rows of "
            "others"
        )
    if inclusion is not None:
        shares = columns["inclusion"] = np.where(labeled, columns["inclusion"], 1.0)  # a row without a label needs none
        rule = f"a labeled row needs one from {LEAST_INCLUSION:g} to 1"
        is_share = (shares >= LEAST_INCLUSION) & (shares <= 1)
        _check(shares, is_share, f"the inclusion probability of row {{row}} is {{value}}, but {rule}")
    if strata is not None:
        layers = columns["strata"]
        rule = "a labeled row needs a finite number; give that of each labeled row, or leave strata out"
        _check(layers, ~labeled | np.isfinite(layers), f"the stratum of row {{row}} is {{value}}, but {rule}")
    return columns, of_rows


def _column(name: str, values: Any) -> FloatArray:
    column = numbers(name, values, "one number per row")
    if column.ndim != 1:
        raise ValueError(f"{name} have the shape {column.shape}, but they must have the shape (n,), one number per row")
    return column


def _check(values: FloatArray, is_valid: Any, sentence: str) -> None:
    """Raise ValueError with this sentence for the first row whose value is not valid."""
    if len(wrong := np.flatnonzero(~is_valid)):
        raise ValueError(sentence.format(row=wrong[0] + 1, value=values[wrong[0]]))


def _check_binary(scores: FloatArray, labels: FloatArray) -> None:
    for name, values in (("score", scores), ("label", labels)):
        rule = (
            f"a {name} is {{value:g}}, but method='rogan-gladen' needs verdicts and labels that are 0 or 1; compare "
            "the scores with a threshold first, or use method='ppi'"
        )
        _check(values, np.isin(values, (0, 1)), rule)


def _notes(scores: FloatArray, labels: FloatArray) -> list[str]:
    notes = []
    if np.ptp(labels) == 0:
        notes.append(
            f"all {len(labels)} labels are {labels[0]:g}, so that the scores cannot help and the interval is that of "
            "the labels alone"
        )
    if np.ptp(scores) == 0:
        notes.append(f"all scores are {scores[0]:g}, so that the estimate is that of the labels alone")
    return notes
