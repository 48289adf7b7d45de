"""Ranking measures, question by question: MAP, MRR, P@1, nDCG@5 and all others of ir_measures.

ir_measures computes them (with pytrec_eval, and MS MARCO's script for MRR@k). It gets distinct ranks instead of scores,
so that ``rankers.evaluation.ties`` decides the order of equal scores for all of its backends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from answersim._base.errors import MissingExtraError, unknown
from rankers.evaluation import ties
from rankers.evaluation.qrels import Counts, Gain, Qrels, check_known, count
from rankers.evaluation.ties import NAMES, tie_averaged
from rankers.types import FloatArray, Run

if TYPE_CHECKING:
    from ir_measures import Measure

USUAL = ("MAP", "MRR", "P@1", "nDCG@5")
_COUNTS = frozenset({"NumRet", "NumRel", "Judged"})  # measures that are defined without a relevant document
_ORDERS = 20  # orders over which a measure without a closed form is averaged if scores are equal


@dataclass(frozen=True, eq=False)
class Measured:
    """Measures of one run, question by question."""

    questions: tuple[str, ...]  # the ids, in order
    # by measure; float64, shape (questions,): nan if the measure leaves the question out
    values: Mapping[str, FloatArray]
    tie_averaged: Mapping[str, FloatArray]  # the same, on average over all orders of equal scores
    counts: Counts  # the counts of questions and documents


def measure(
    run: Run,
    qrels: Qrels,
    measures: Sequence[str | Measure] = USUAL,
    *,
    gain: Gain = "linear",
    without_positives: Literal["skip", "zero"] = "skip",
    strict: bool = False,
    ties_seed: int = 0,
) -> Measured:
    """Return these measures of this run, for each question.

    A question that is missing in the run counts as 0. A document that is missing was not found. Measures are names such
    as "MAP", "MRR", "MRR@10", "P@1", "nDCG@5", "Recall@50", or any other expression of ir_measures ("AP(rel=2)@100").
    If an expression does not set the level of relevance or the gains of nDCG, those of the qrels apply. ``gain`` is
    "linear" as in trec_eval, or "exponential", as is ``dcg='exp-log2'``. ``without_positives``: "skip" leaves questions
    without a positive document out (nan), "zero" counts them as 0, as trec_eval does. ``strict``: whether a question or
    a document of the run that is not in the qrels is an error. Otherwise, such a question is ignored, and such a
    document is not relevant.

    The average over all orders of equal scores is exact for AP, RR, P, R, nDCG and Success, with cutoffs or without
    (McSherry & Najork 2008); for other measures it is the mean of 20 seeded orders.

    Raise LookupError if no measure has this name; or, if strict, the run has an id that is not in the qrels. Raise
    ValueError if an expression cannot be parsed or computed.

    >>> qrels = Qrels({"q1": {"a": 0, "b": 1}, "q2": {"a": 1, "b": 0}})
    >>> found = measure(Run("r", {"q1": {"a": 0.9, "b": 0.1}, "q2": {"a": 0.5, "b": 0.5}}), qrels, ["MRR", "P@1"])
    >>> found.values["MRR"].tolist(), found.tie_averaged["P@1"].tolist(), found.counts.tied_at_top
    ([0.5, 1.0], [0.0, 0.5], 1)
    """
    if without_positives not in ("skip", "zero"):
        raise ValueError(f"without_positives is {without_positives!r}, but it is 'skip' or 'zero'")
    definitions = {str(name): _filled(parse(name), qrels, gain) for name in measures}
    if strict:
        check_known(run, qrels)
    scores = {question: run.scores[question] for question in qrels.grades if run.scores.get(question)}
    close = ties.close(scores)
    tied = {question: of for question, of in close.items() if len(set(of.values())) < len(of)}
    values = _values(scores, close, qrels, definitions, ties_seed)
    average = _over_orders(tied, qrels, definitions)
    is_skipped = without_positives == "skip"
    highest = np.array([max(of.values(), default=-np.inf) for of in qrels.grades.values()], dtype=np.float64)
    left_out = {name: _without_positives(of, qrels, highest) for name, of in definitions.items() if is_skipped}
    return Measured(
        tuple(qrels.grades),
        {name: _column(values[name], qrels, left_out.get(name)) for name in definitions},
        {name: _column(values[name] | average[name], qrels, left_out.get(name)) for name in definitions},
        count(scores, tied, qrels, sum(question not in qrels.grades for question in run.scores)),
    )


def parse(name: str | Measure) -> Measure:
    """Check and return the measure of a name or an expression of ir_measures.

    Raise LookupError if no measure has this name. Raise ValueError if it is not an expression, lacks a cutoff, or has
    an invalid cutoff or setting.
    """
    ir_measures = _ir_measures()
    try:
        definition = ir_measures.parse_measure(name)
        definition.validate_params()
    except NameError:
        word = str(name).partition("@")[0].partition("(")[0]
        raise unknown("measure", word, ir_measures.measures.registry) from None
    except (ValueError, AssertionError) as error:
        raise ValueError(
            f"{name!r} is not a measure that can be computed ({error}); write, for example, MAP, P@1 or AP(rel=2)@100"
        ) from None
    cutoff = definition.params.get("cutoff", 1)
    if cutoff < 1:  # trec_eval's library ends the whole process on these
        raise ValueError(f"{name!r} has the cutoff {cutoff}, but a cutoff must be 1 or more")
    return definition


def mean(values: FloatArray) -> float:
    """Return the mean over the questions that count, those that are not nan; nan if there are none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _ir_measures() -> Any:
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtraError("measuring rankings", "rankers", "ir_measures") from error
    return ir_measures


def _filled(measure: Measure, qrels: Qrels, gain: Gain) -> Measure:
    """Return the measure with the level of relevance and the gains of these qrels, if it does not name its own."""
    supported = measure.SUPPORTED_PARAMS
    if measure.NAME == "nDCG":
        kind: Gain = "exponential" if measure["dcg"] == "exp-log2" else gain
        if "gains" in measure.params:
            qrels = Qrels(qrels.grades, gains=measure.params["gains"])
        grades = set(chain.from_iterable(documents.values() for documents in qrels.grades.values()))
        # pytrec_eval takes whole numbers of Python only.
        return measure(dcg="log2", gains={int(grade): qrels.gain(grade, kind) for grade in grades})
    if "rel" in supported and "rel" not in measure.params and isinstance(supported["rel"].default, int):
        return measure(rel=qrels.relevant)
    return measure  # NumRet and RBP without a level count all documents, as their owner does


def _values(
    scores: Mapping[str, Mapping[str, float]],
    close: Mapping[str, Mapping[str, float]],
    qrels: Qrels,
    measures: Mapping[str, Measure],
    seed: int,
) -> dict[str, dict[str, float]]:
    """Return the values of ir_measures by measure and question. It gets ranks for scores that are close or equal."""
    run = {question: of if isinstance(of, dict) else dict(of) for question, of in scores.items()}
    for question, of in close.items():
        ranked = ties.order(question, of, seed)
        run[question] = dict(zip(ranked, range(len(ranked), 0, -1), strict=True))
    grades = {question: _whole(qrels.grades[question]) for question in scores}
    published = {name: _as_published(definition) for name, definition in measures.items()}
    try:
        results = list(_ir_measures().iter_calc(set(published.values()), grades, run)) if run and published else []
    except Exception as error:  # the libraries behind it raise different exceptions
        raise ValueError(
            f"ir_measures cannot compute one of {', '.join(map(str, published.values()))} here: {error}"
        ) from error
    # By object: the hash of a measure takes as long as its value. The results keep the objects.
    by_object: dict[int, dict[str, float]] = defaultdict(dict)
    for result in results:
        by_object[id(result.measure)][result.query_id] = result.value
    by_measure: dict[Measure, dict[str, float]] = defaultdict(dict)
    for number, definition in {id(result.measure): result.measure for result in results}.items():
        by_measure[definition] |= by_object[number]
    return {name: by_measure.get(definition, {}) for name, definition in published.items()}


def _as_published(measure: Measure) -> Measure:
    """Return nDCG without gains if they are the grades, which trec_eval computes in the pass of other measures."""
    gains = measure.params.get("gains", {0: 1})
    if measure.NAME != "nDCG" or any(gain != max(grade, 0) for grade, gain in gains.items()):
        return measure
    return type(measure)(**{name: value for name, value in measure.params.items() if name != "gains"})


def _whole(grades: Mapping[str, int]) -> dict[str, int]:
    """Return grades as whole numbers of Python, without a copy if they are; 0 for each if all are negative.

    If no grade is at least 0, trec_eval reads beyond its table of grades for nDCG, and may count for hours.
    """
    if max(grades.values(), default=0) < 0:
        return dict.fromkeys(grades, 0)
    if isinstance(grades, dict) and type(sum(grades.values())) is int:
        return grades
    return {document: int(grade) for document, grade in grades.items()}


def _over_orders(
    tied: Mapping[str, Mapping[str, float]], qrels: Qrels, measures: Mapping[str, Measure]
) -> dict[str, dict[str, float]]:
    """Return the averages over all orders of equal scores, for questions with equal scores."""
    exact = {name: of for name, of in measures.items() if of.NAME in NAMES and not of.params.get("judged_only")}
    averages: dict[str, dict[str, float]] = {name: {} for name in measures}
    for question, question_scores in tied.items():
        documents, sizes = ties.order(question, question_scores), ties.group_sizes(question_scores)
        for name, definition in exact.items():
            averages[name][question] = tie_averaged(definition, documents, sizes, qrels.grades[question])
    others = {name: of for name, of in measures.items() if name not in exact}
    if others and tied:
        drawn = [_values(tied, tied, qrels, others, seed) for seed in range(_ORDERS)]
        for name in others:
            averages[name] = {key: float(np.mean([draw[name][key] for draw in drawn])) for key in drawn[0][name]}
    return averages


def _column(values: Mapping[str, float], qrels: Qrels, left_out: NDArray[np.bool_] | None) -> FloatArray:
    """Return one number per question, (questions,): 0 if it is not in the run, nan if it is to be left out."""
    column = np.array([values.get(question, 0.0) for question in qrels.grades])
    if left_out is not None:
        column[left_out] = np.nan
    return column


def _without_positives(measure: Measure, qrels: Qrels, highest: FloatArray) -> NDArray[np.bool_]:
    """Return whether no grade of a question is positive for this measure, (questions,), by the highest grades."""
    if measure.NAME in _COUNTS:
        return np.zeros(len(highest), dtype=np.bool_)
    if measure.NAME != "nDCG":
        return highest < measure.params.get("rel", qrels.relevant)
    gains = measure["gains"]
    if all(gain == max(grade, 0) for grade, gain in gains.items()):
        return highest <= 0
    return np.array([max(map(gains.__getitem__, of.values()), default=0) <= 0 for of in qrels.grades.values()])
