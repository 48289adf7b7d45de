"""The agreement of columns of scores with verdicts: measures with intervals, differences, and the order of systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.stats.calibration.cross_fit import cross_fitted, folds_of
from answersim.stats.coefficients import confusion
from answersim.stats.coefficients.auc import auc
from answersim.stats.coefficients.soft_pairwise import exchanges, soft_pairwise_accuracy
from answersim.stats.intervals.cluster_bootstrap import Resamples, draw, numbered, sums
from answersim.stats.intervals.resampling import difference_of, generator, holm, percentile
from benchmarks.judged_scores import ScoredColumn
from benchmarks.system_answers import SystemAnswer

RESAMPLES, SEED, FOLDS, PERMUTATIONS = 2000, 0, 10, 1000
ORDER_RESAMPLES = 1000  # resamples of the order of systems, with new permutations for each
HALF = 0.5
SHORT_WORDS = 5
ALL, SHORT, LONG = "all", f"up to {SHORT_WORDS} words", f"more than {SHORT_WORDS} words"
AUC, AT_HALF = "auc", "accuracy_at_half"
MEASURES = (AUC, AT_HALF, *confusion.MEASURES)
COMPARED = (AUC, "accuracy")  # the measures whose differences are tested

Mask = NDArray[np.bool_]


class Quality(NamedTuple):
    """The agreement of one column with the verdicts on a subset of a set, with 95 % intervals."""

    dataset: str  # the name of the set
    subset: str  # "all", the answers of a length, or the name of a system
    metric: str  # the name of the column
    kind: str  # "metric", "recorded" or "sentinel"
    n: int  # the number of answers, and ``questions`` that of their questions
    questions: int
    base_rate: float  # the share of correct answers
    # the probability that a correct answer scores above an incorrect one, where ties count half; nan if there are
    # answers of one kind only
    auc: float
    auc_low: float
    auc_high: float
    # the share of answers for which "score >= .5" agrees with the verdict; nan if .5 has no meaning for the scores
    accuracy_at_half: float
    accuracy_at_half_low: float
    accuracy_at_half_high: float
    # the share of answers for which a cross-fitted threshold agrees with the verdict; ``kappa``, ``mcc``,
    # ``true_positive_rate`` and ``true_negative_rate`` are those of the same threshold
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    kappa: float
    kappa_low: float
    kappa_high: float
    mcc: float
    mcc_low: float
    mcc_high: float
    true_positive_rate: float
    true_positive_rate_low: float
    true_positive_rate_high: float
    true_negative_rate: float
    true_negative_rate_low: float
    true_negative_rate_high: float
    threshold: float  # the median of the thresholds of the folds
    signature: str  # the signature of the scores


class Gap(NamedTuple):
    """The difference of a measure of a column from that of another on the same answers, with interval and p-values."""

    dataset: str
    metric: str
    against: str
    measure: str
    n: int
    difference: float
    low: float
    high: float
    p: float
    p_holm: float


class SystemOrder(NamedTuple):
    """The soft pairwise accuracy of the order of systems by a column, with 95 % intervals."""

    dataset: str  # the name of the set
    metric: str  # the name of the column
    systems: int  # the number of systems, and ``questions`` that of the questions
    questions: int
    by_mean: float  # the accuracy if the score of a system is the mean score of its answers
    by_mean_low: float
    by_mean_high: float
    by_threshold: float  # the accuracy if it is the share of its answers that the cross-fitted threshold calls correct
    by_threshold_low: float
    by_threshold_high: float


class Judged(NamedTuple):
    """A set of judged answers as arrays, with its folds and resamples, which all columns share."""

    name: str  # the name of the set
    verdicts: Mask  # whether each answer is correct, shape (n,)
    question: NDArray[np.int64]  # the number of the question of each answer, shape (n,)
    systems: NDArray[np.str_]  # the system of each answer
    n_words: NDArray[np.int64]  # the number of words of each answer, shape (n,)
    folds: NDArray[np.int64]  # the fold of each answer; a question is in one fold, shape (n,)
    resamples: Resamples  # resamples of the questions
    counts: NDArray[np.int32]  # the number of times that each resample contains each answer, shape (resamples, n)


def judged(name: str, answers: Sequence[SystemAnswer], resamples: int = RESAMPLES) -> Judged:
    """Return a set as arrays. Folds and resamples depend on its name and its questions alone.

    Raise ValueError if there are fewer questions than folds.
    """
    questions = [answer.question for answer in answers]
    drawn = draw(questions, resamples, generator(SEED, name, "resamples"))
    return Judged(
        name,
        np.array([answer.verdict for answer in answers], dtype=bool),
        numbered(questions),
        np.array([answer.system for answer in answers]),
        np.array([len(answer.answer.split()) for answer in answers]),
        folds_of(questions, FOLDS, generator(SEED, name, "folds")),
        drawn,
        drawn.counts,
    )


def subsets(judged_set: Judged) -> dict[str, Mask]:
    """Return the subsets that have answers: all, those of each length, and those of each system if there are several.

    Answers without a word count as short ones.
    """
    short = judged_set.n_words <= SHORT_WORDS
    parts = {ALL: np.ones(len(short), dtype=bool), SHORT: short, LONG: ~short}
    systems = list(dict.fromkeys(judged_set.systems.tolist()))
    if len(systems) > 1:
        parts |= {system: judged_set.systems == system for system in systems}
    return {name: mask for name, mask in parts.items() if mask.any()}


def called(judged_set: Judged, column: ScoredColumn) -> tuple[Mask, float]:
    """Return which answers the cross-fitted threshold of this column calls correct, and the median threshold.

    The threshold with the best accuracy is chosen on the questions of all other folds.
    """
    called, thresholds = cross_fitted(column.values, judged_set.verdicts, judged_set.folds)
    return called, float(np.median(thresholds))


def qualities(judged_set: Judged, columns: Sequence[ScoredColumn]) -> Iterator[Quality]:
    """Yield the quality of each column on each subset. The threshold is the same in all subsets of a set."""
    for column in columns:
        verdicts, threshold = called(judged_set, column)
        for subset, rows in subsets(judged_set).items():
            drawn = resampled(judged_set, column, verdicts, rows)
            numbers = [end for value, samples in drawn.values() for end in (value, *percentile(samples))]
            yield Quality._make(
                (
                    *(judged_set.name, subset, column.name, column.kind),
                    *(int(rows.sum()), len(np.unique(judged_set.question[rows]))),
                    *(float(judged_set.verdicts[rows].mean()), *numbers, threshold, column.signature),
                )
            )


def resampled(
    judged_set: Judged, column: ScoredColumn, verdicts: Mask, rows: Mask
) -> dict[str, tuple[float, FloatArray]]:
    """Return each measure of a column on these rows, and its value in each resample of the questions.

    ``verdicts``: the verdicts of the cross-fitted threshold, shape (n,). ``rows``: the answers that are measured, as a
    mask of shape (n,).
    """
    whole = Resamples(judged_set.question, np.ones((1, judged_set.resamples.times.shape[1]), dtype=np.int32))
    truth = judged_set.verdicts
    areas = [
        area(column.values[rows], truth[rows], counts)
        for counts in (np.ones((1, int(rows.sum())), dtype=np.int32), judged_set.counts[:, rows])
    ]
    at_half = column.values >= HALF
    by_half, by_threshold = (
        [
            confusion.Confusion(*sums(confusion.cells(calls, truth) * rows, drawn))
            for drawn in (whole, judged_set.resamples)
        ]
        for calls in (at_half, verdicts)
    )
    found = {AUC: areas, AT_HALF: [confusion.accuracy(sample) for sample in by_half]}
    if not column.half:
        found[AT_HALF] = [np.full_like(sample, np.nan) for sample in found[AT_HALF]]
    found |= {name: [measure(sample) for sample in by_threshold] for name, measure in confusion.MEASURES.items()}
    return {name: (float(value[0]), samples) for name, (value, samples) in found.items()}


def area(scores: FloatArray, verdicts: Mask, counts: NDArray[np.int32]) -> FloatArray:
    """Return the AUC in each resample: .5 for a constant column, and nan if a resample has verdicts of one kind only.

    >>> area(np.array([0.9, 0.9, 0.1]), np.array([True, False, False]), np.array([[1, 1, 1], [1, 1, 0], [0, 1, 1]]))
    array([0.75, 0.5 ,  nan])
    """
    values = auc(scores, verdicts, 1, counts)
    both = (counts @ verdicts.astype(np.int32) > 0) & (counts @ (~verdicts).astype(np.int32) > 0)
    return np.where(np.isnan(values) & both, 0.5, values)


def gaps(judged_set: Judged, columns: Sequence[ScoredColumn], against: str) -> list[Gap]:
    """Return the difference of each other metric from this one, measured on the same resamples.

    p is corrected by the method of Holm over the metrics of a set, for each measure. Sentinels are not compared. The
    list is empty if this metric has no column.
    """
    base = next((column for column in columns if column.name == against), None)
    others = [column for column in columns if column.kind != "sentinel" and column is not base]
    if base is None or not others:
        return []
    whole = subsets(judged_set)[ALL]
    base_drawn = resampled(judged_set, base, called(judged_set, base)[0], whole)
    found: list[Gap] = []
    for column in others:
        drawn = resampled(judged_set, column, called(judged_set, column)[0], whole)
        for measure in COMPARED:
            (value, samples), (base_value, base_samples) = drawn[measure], base_drawn[measure]
            difference = difference_of(value - base_value, samples - base_samples)
            where = (judged_set.name, column.name, against, measure, len(whole))
            found.append(Gap(*where, *difference, p_holm=math.nan))
    corrected = {measure: iter(holm([gap.p for gap in found if gap.measure == measure])) for measure in COMPARED}
    return [gap._replace(p_holm=float(next(corrected[gap.measure]))) for gap in found]


def system_orders(judged_set: Judged, columns: Sequence[ScoredColumn]) -> list[SystemOrder]:
    """Return the soft pairwise accuracy of each column; [] for a set of one system.

    The labels are the verdicts. Raise ValueError if a system lacks an answer to a question, or has two.
    """
    systems = list(dict.fromkeys(judged_set.systems.tolist()))
    if len(systems) < 2 or not columns:
        return []
    places = _places(judged_set, systems)
    n_questions = places.shape[1]
    signs = exchanges(PERMUTATIONS, n_questions, generator(SEED, judged_set.name, "permutations"))
    rows = [values for column in columns for values in (column.values, called(judged_set, column)[0])]
    scores = np.stack([np.asarray(values, dtype=np.float64)[places] for values in rows])  # (2 m, systems, questions)
    verdicts = judged_set.verdicts[places]
    values = soft_pairwise_accuracy(verdicts, scores, signs)
    items = Resamples(np.arange(n_questions), judged_set.resamples.times[:ORDER_RESAMPLES])
    samples = resampled_accuracy(verdicts, scores, signs, items)
    numbers = [(float(value), *percentile(drawn)) for value, drawn in zip(values, samples, strict=True)]
    return [
        SystemOrder(judged_set.name, column.name, len(systems), n_questions, *numbers[2 * i], *numbers[2 * i + 1])
        for i, column in enumerate(columns)
    ]


def _places(judged_set: Judged, systems: Sequence[str]) -> NDArray[np.int64]:
    """Return the row of the answer of each system to each question, shape (systems, questions)."""
    number: Mapping[str, int] = {system: i for i, system in enumerate(systems)}
    places = np.full((len(systems), int(judged_set.question.max()) + 1), -1)
    for row, (system, question) in enumerate(zip(judged_set.systems.tolist(), judged_set.question, strict=True)):
        if places[number[system], question] >= 0:
            raise ValueError(f"{judged_set.name}: {system} has two answers to question {question + 1}")
        places[number[system], question] = row
    if (places < 0).any():
        system, question = np.argwhere(places < 0)[0]
        raise ValueError(f"{judged_set.name}: {systems[system]} has no answer to question {question + 1}")
    return places


def resampled_accuracy(human: Any, metrics: Any, signs: FloatArray, resamples: Resamples) -> FloatArray:
    """Return the soft pairwise accuracy in each resample of the items, shape (m, resamples).

    An item that a resample contains twice counts as two items with separate exchanges. ``human``: the labels, shape
    (systems, items). ``metrics``: shape (m, systems, items). ``signs``: shape (permutations, items).
    """
    labels, columns = np.asarray(human, dtype=np.float64), np.asarray(metrics, dtype=np.float64)
    values = np.empty((len(columns), len(resamples.times)))
    for i, times in enumerate(resamples.times):
        items = np.repeat(np.arange(len(times)), times.astype(np.intp, copy=False))
        values[:, i] = soft_pairwise_accuracy(labels[:, items], columns[:, :, items], signs)
    return values
