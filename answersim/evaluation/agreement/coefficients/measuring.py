"""The coefficients, intervals, ceilings and resamples of each metric over one subset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.evaluation.agreement.coefficients.rows import PAIRWISE, Measured, Row, Subset
from answersim.evaluation.agreement.judgments import Judgments
from answersim.stats.coefficients.auc import auc, cuts
from answersim.stats.coefficients.ceiling import ceiling, share, tied_share
from answersim.stats.coefficients.kendall import tau_c
from answersim.stats.coefficients.raters import DISTANCES, against_the_others, krippendorff_alpha
from answersim.stats.coefficients.ties import calibrated, pairwise_accuracy
from answersim.stats.intervals.resampling import (
    COEFFICIENTS,
    bca,
    bootstrap_counts,
    generator,
    leave_one_out,
    percentile,
)

Coefficient = Callable[..., FloatArray]

CORRELATIONS: Mapping[str, Coefficient] = MappingProxyType(
    {**{"tau-b" if name == "kendall" else name: function for name, function in COEFFICIENTS.items()}, "tau-c": tau_c}
)
_MOST_CUTS = 5  # the number of label cuts above which labels are a scale, and no AUC is computed for each cut
_TOGETHER = 5_000_000  # counts of resamples that are in memory at a time


class Column(NamedTuple):
    """A metric over one subset: its scores, its row, and its resamples by coefficient."""

    scores: FloatArray
    row: Row
    samples: Mapping[str, FloatArray]


class Settings(NamedTuple):
    """The checked settings of a study. See ``correlate``."""

    level: float
    resamples: int
    test_resamples: int | None
    method: str
    compare: tuple[str, ...]
    against: str | None
    tests: tuple[str, ...]
    seed: int


def label_cuts(labels: FloatArray) -> tuple[float, ...]:
    """Return the cuts for which an AUC is computed. There are none if the labels have many values."""
    thresholds = cuts(labels)
    return thresholds if len(thresholds) <= _MOST_CUTS else ()


def measures_of(labels: FloatArray) -> dict[str, Coefficient]:
    """Return all coefficients except the pairwise accuracy, which needs an epsilon for each metric."""
    return {**CORRELATIONS, **{f"auc>={cut:g}": _bound(auc, cut) for cut in label_cuts(labels)}}


def _bound(coefficient: Coefficient, setting: float) -> Coefficient:
    """Return the coefficient of two columns and counts with this cut or epsilon."""
    return lambda x, y, counts=None: coefficient(x, y, setting, counts)


def subset_of(judgments: Judgments, name: str) -> Subset:
    """Describe a subset without any metric: labels, ties, ceilings and raters."""
    values, held = np.unique(judgments.labels, return_counts=True)
    perfect = np.arange(len(judgments), dtype=np.float64)
    highest = {key: ceiling(of, perfect, judgments.labels) for key, of in CORRELATIONS.items()}
    counted = tuple((float(value), int(times)) for value, times in zip(values, held, strict=True))
    subset = Subset(name, len(judgments), counted, tied_share(judgments.labels), highest)
    if len(judgments.raters) < 2:
        return subset
    ratings = np.stack(list(judgments.raters.values()))
    between = {key: against_the_others(ratings, of) for key, of in CORRELATIONS.items()}
    return subset._replace(
        alpha={name: krippendorff_alpha(ratings, name) for name in DISTANCES}, between_raters=between
    )


def columns_of(judgments: Judgments, subset: str, settings: Settings) -> dict[str, Column]:
    """Measure every metric on this subset, with the same resamples."""
    scores = np.stack([metric_scores.values for metric_scores in judgments.scores.values()])
    epsilons = [calibrated(column, judgments.labels)[1] for column in scores]
    measures = {name: [of] * len(scores) for name, of in measures_of(judgments.labels).items()}
    measures[PAIRWISE] = [_bound(pairwise_accuracy, epsilon) for epsilon in epsilons]
    samples = _samples(measures, scores, judgments.labels, subset, settings)
    left_out = leave_one_out(len(judgments)) if settings.method == "bca" else None
    columns = {}
    for i, (metric, column) in enumerate(judgments.scores.items()):
        measured = {
            name: _measured(name, functions[i], (scores[i], judgments.labels), samples[name][i], left_out, settings)
            for name, functions in measures.items()
        }
        counted = (len(judgments), len(np.unique(scores[i])), tied_share(scores[i]))
        row = Row(subset, metric, *counted, measured, epsilons[i], column.signature)
        columns[metric] = Column(scores[i], row, {name: values[i] for name, values in samples.items()})
    return columns


def _samples(
    measures: Mapping[str, Sequence[Coefficient]],
    scores: FloatArray,
    labels: FloatArray,
    subset: str,
    settings: Settings,
) -> dict[str, FloatArray]:
    """Return the values of each coefficient on the resamples, shape (m, resamples); compared ones have more."""
    rng = generator(settings.seed, subset)
    compared = max(settings.resamples, settings.test_resamples or 0)  # suffices for intervals and tests
    draws = {name: compared if name in settings.compare else settings.resamples for name in measures}
    samples: dict[str, list[FloatArray]] = {name: [] for name in measures}
    step = max(1, _TOGETHER // len(labels))
    most = max(draws.values())
    for start in range(0, most, step):
        counts = bootstrap_counts(len(labels), min(step, most - start), rng)
        for name, functions in measures.items():
            if start < draws[name]:
                drawn = counts[: draws[name] - start]
                samples[name].append(np.stack([of(x, labels, drawn) for of, x in zip(functions, scores, strict=True)]))
    return {name: np.concatenate(blocks, axis=1) for name, blocks in samples.items()}


def _measured(
    name: str,
    of: Coefficient,
    columns: tuple[FloatArray, FloatArray],
    samples: FloatArray,
    left_out: Any,
    settings: Settings,
) -> Measured:
    """Return the coefficient of scores with labels, its interval and its ceiling."""
    x, y = columns
    value, drawn = float(of(x, y, None)[0]), samples[: settings.resamples]
    if np.isnan(value) or x.min() == x.max():
        return Measured(np.nan)
    low, high = (
        percentile(drawn, settings.level) if left_out is None else bca(value, drawn, of(x, y, left_out), settings.level)
    )
    # One score per label contains all information in the labels, so the ceiling of the accuracy is 1.
    highest = 1.0 if name == PAIRWISE else ceiling(of, x, y)
    chance = 0.5 if name.startswith("auc") else 0.0
    return Measured(value, low, high, highest, share(value, highest, chance))
