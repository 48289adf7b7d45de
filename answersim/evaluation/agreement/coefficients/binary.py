"""Agreement on yes and no: verdicts of metrics, baselines and raters against binary labels, with clustered intervals.

A metric calls a row positive from a threshold that was chosen without the question of the row (cross-fitting).
Therefore its measures are those of a threshold for new questions, not of the threshold that fits these rows best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.evaluation.agreement.judgments import Judgments
from answersim.stats.calibration.cross_fit import cross_fitted, folds_of
from answersim.stats.coefficients import confusion
from answersim.stats.coefficients.confusion import Confusion
from answersim.stats.intervals.cluster_bootstrap import draw, numbered, sums
from answersim.stats.intervals.resampling import Estimate, estimated, generator

LABEL = "label"  # the column with the label of all raters
FOLDS, FEWEST = 10, 10  # folds of questions; the fewest rows and questions that are measured
MEASURES: Mapping[str, Callable[[Confusion], FloatArray]] = MappingProxyType(
    {**confusion.MEASURES, "f1": confusion.f1, "called": confusion.called}
)
_TOGETHER = 5_000_000  # counts of resamples that are in memory at a time


class BinaryRow(NamedTuple):
    """The agreement of one column with the labels of one rater, or of all, over a subset."""

    subset: str  # the name of the subset
    against: str  # the labels: "label", or the name of a rater
    column: str  # the metric, the baseline or the rater that is compared with them
    kind: str  # "metric", "baseline" (a column that ignores the gold answers) or "rater"
    n: int  # the rows that both have
    clusters: int  # the number of questions of these rows. Without questions, each row is a cluster.
    prevalence: Estimate  # the share of positive labels, with its interval
    threshold: float  # the median of the cross-fitted thresholds; nan for raters and constant scores
    # by name: accuracy, kappa, mcc, true_positive_rate, true_negative_rate, f1, and called (the share that is called
    # positive), each with an interval over clusters; nan where it is not defined
    measures: Mapping[str, Estimate]


def binary_rows(judgments: Judgments, subset: str, *, level: float, resamples: int, seed: int) -> Iterator[BinaryRow]:
    """Yield the agreement on yes and no over a subset. Yield nothing if labels are not yes and no.

    Labels are yes and no if they have two values, of which the larger one is positive. With several raters, the labels
    of each are compared, and the mean of all only if it has two values too. The baselines are "length" (few words are
    positive) and "constant". ``seed``: the random seed of resamples and folds. The results of a subset do not depend on
    other subsets.

    Source: the measures of ``answersim.stats.coefficients.confusion``; Varma & Simon 2006 (cross-fitting).
    """
    truths = {LABEL: judgments.labels, **judgments.raters}
    values = np.unique(np.concatenate([*judgments.raters.values()] or [judgments.labels]))
    values = values[~np.isnan(values)]
    if len(values) != 2:
        return
    scored, clusters = scored_columns(judgments), grouped(judgments)
    for against, labels in truths.items():
        if not np.isin(labels[~np.isnan(labels)], values).all():
            continue  # the mean of raters who disagree
        labeled = np.flatnonzero(~np.isnan(labels))
        truth = labels[labeled] == values[1]
        groups = numbered(clusters[labeled].tolist())
        n_groups = int(groups.max(initial=-1)) + 1
        if min(len(labeled), n_groups) < FEWEST or truth.all() or not truth.any():
            continue
        rng = generator(seed, subset, "yes and no", against)
        folds = folds_of(groups.tolist(), min(FOLDS, n_groups), rng)
        compared: list[_Called] = []
        for name, kind, scores in scored:
            called, thresholds = cross_fitted(scores[labeled], truth, folds)
            threshold = float(np.median(thresholds)) if np.ptp(scores[labeled]) > 0 else float("nan")
            compared.append(_Called(name, kind, called, np.ones(len(labeled), bool), threshold))
        for name, ratings in judgments.raters.items():
            both = ~np.isnan(ratings[labeled])
            if name != against and both.sum() >= FEWEST:
                compared.append(_Called(name, "rater", ratings[labeled] == values[1], both, float("nan")))
        yield from _measured((subset, against), compared, truth, groups, level, resamples, rng)


def baselines(judgments: Judgments) -> dict[str, FloatArray]:
    """Return the columns that ignore the gold answers: "length" (few words score high) and "constant"."""
    return {
        "length": np.array([-float(len(pair.pred.split())) for pair in judgments.pairs]),
        "constant": np.zeros(len(judgments)),
    }


def scored_columns(judgments: Judgments) -> list[tuple[str, str, FloatArray]]:
    """Return the scores of all metrics, then those of the baselines."""
    metrics: list[tuple[str, str, FloatArray]] = [
        (name, "metric", held.values) for name, held in judgments.scores.items()
    ]
    return [*metrics, *((name, "baseline", scores) for name, scores in baselines(judgments).items())]


def grouped(judgments: Judgments) -> NDArray[np.int64]:
    """Return the number of the question of each row. A row without a question is alone."""
    return numbered([question or i for i, question in enumerate(judgments.questions or [""] * len(judgments))])


class _Called(NamedTuple):
    """The verdict of a column on each row, and the rows that have a verdict, both of shape (n,)."""

    column: str
    kind: str
    called: NDArray[np.bool_]
    rows: NDArray[np.bool_]
    threshold: float


def _measured(
    where: tuple[str, str],
    compared: list[_Called],
    truth: NDArray[np.bool_],
    groups: NDArray[np.int64],
    level: float,
    resamples: int,
    rng: np.random.Generator,
) -> Iterator[BinaryRow]:
    """Yield the measures of all columns on the same resamples, which are drawn in blocks that fit into memory."""
    cells = np.concatenate([confusion.cells(column.called, truth) * column.rows for column in compared])  # (4 k, n)
    step = max(1, _TOGETHER // (int(groups.max()) + 1))
    sizes = [min(step, resamples - start) for start in range(0, resamples, step)]
    drawn = np.concatenate(
        [sums(cells, draw(groups.tolist(), size, rng)) for size in sizes], axis=1
    )  # (4 k, resamples)
    for i, column in enumerate(compared):
        mine = slice(4 * i, 4 * i + 4)
        whole, samples = Confusion(*cells[mine].sum(axis=1)), Confusion(*drawn[mine])
        yield BinaryRow(
            *where,
            column.column,
            column.kind,
            int(column.rows.sum()),
            len(np.unique(groups[column.rows])),
            estimated(confusion.prevalence(whole), confusion.prevalence(samples), level),
            column.threshold,
            MappingProxyType({name: estimated(of(whole), of(samples), level) for name, of in MEASURES.items()}),
        )
