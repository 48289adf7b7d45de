"""Ranking measures, question by question: MAP, MRR, P@1, nDCG@5 and all others of ir_measures.

ir_measures computes them (with pytrec_eval, and MS MARCO's script for MRR@k). It gets distinct ranks instead of scores,
so that ``rankers.evaluation.ties`` decides the order of equal scores for all of its backends.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rankers.evaluation import ties
from rankers.evaluation.qrels import Counts, Gain, Qrels, check_known, count
from rankers.evaluation.ties import NAMES, tie_averaged
from rankers.types import FloatArray, Run

if TYPE_CHECKING:
    from ir_measures import Measure

WithoutPositives: TypeAlias = Literal["skip", "zero"]

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
    without_positives: WithoutPositives = "skip",
    strict: bool = False,
    ties_seed: int = 0,
) -> Measured:
    """Return these measures of this run, for each question.

    Args:
        run: The scores. A question that is missing counts as 0. A document that is missing was not found.
        qrels: The grades.
        measures: Names such as "MAP", "MRR", "MRR@10", "P@1", "nDCG@5", "Recall@50", or any other expression of
            ir_measures ("AP(rel=2)@100"). If an expression does not set the level of relevance or the gains of nDCG,
            those of the qrels apply. ``dcg='exp-log2'`` is the exponential gain of nDCG.
        gain: How nDCG counts gains: "linear" as trec_eval, or "exponential".
        without_positives: What to do with questions for which a measure has no positive document: "skip" leaves them
            out (nan), "zero" counts them as 0, as trec_eval does.
        strict: Whether a question or a document of the run that is not in the qrels is an error. Otherwise, such a
            question is ignored, and such a document is not relevant, as in trec_eval.
        ties_seed: The seed of the order of equal scores.

    The average over all orders of equal scores is exact for AP, RR, P, R, nDCG and Success, with cutoffs or without
    (McSherry & Najork 2008); for other measures it is the mean of 20 seeded orders.

    Raises:
        LookupError: If no measure has this name; or, if strict, the run has an id that is not in the qrels.
        ValueError: If an expression cannot be parsed or computed.
        MissingExtraError: If ir_measures is not installed.

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
    values = _values(scores, qrels, definitions.values(), ties_seed)
    average = values | _over_orders(scores, qrels, definitions.values())
    return Measured(
        tuple(qrels.grades),
        {name: _column(values, definition, qrels, without_positives) for name, definition in definitions.items()},
        {name: _column(average, definition, qrels, without_positives) for name, definition in definitions.items()},
        count(scores, qrels, sum(question not in qrels.grades for question in run.scores)),
    )


def parse(name: str | Measure) -> Measure:
    """Check and return the measure of a name or an expression of ir_measures.

    Raises:
        LookupError: If no measure has this name.
        ValueError: If it is not an expression, lacks a cutoff, or has an invalid cutoff or setting.
        MissingExtraError: If ir_measures is not installed.
    """
    from answersim._base.errors import unknown

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


_Values: TypeAlias = dict[tuple[Any, str], float]  # by measure and question


def _ir_measures() -> Any:
    from answersim._base.errors import MissingExtraError

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
        grades = {grade for documents in qrels.grades.values() for grade in documents.values()}
        # pytrec_eval takes whole numbers of Python only.
        return measure(dcg="log2", gains={int(grade): qrels.gain(grade, kind) for grade in grades})
    if "rel" in supported and "rel" not in measure.params and isinstance(supported["rel"].default, int):
        return measure(rel=qrels.relevant)
    return measure  # NumRet and RBP without a level count all documents, as their owner does


def _values(
    scores: Mapping[str, Mapping[str, float]], qrels: Qrels, measures: Collection[Measure], seed: int
) -> _Values:
    """Return the values of ir_measures, by measure and question."""
    run = {}
    for question, question_scores in scores.items():
        ranked = ties.order(question, question_scores, seed)
        run[question] = {document: len(ranked) - i for i, document in enumerate(ranked)}
    grades = {
        question: {document: int(grade) for document, grade in qrels.grades[question].items()} for question in scores
    }
    try:
        results = list(_ir_measures().iter_calc(measures, grades, run)) if run and measures else []
    except Exception as error:  # the libraries behind it raise different exceptions
        names = ", ".join(map(str, measures))
        raise ValueError(f"ir_measures cannot compute one of {names} here: {error}") from error
    return {(result.measure, result.query_id): float(result.value) for result in results}


def _over_orders(scores: Mapping[str, Mapping[str, float]], qrels: Qrels, measures: Collection[Measure]) -> _Values:
    """Return the averages over all orders of equal scores, by measure and question with equal scores."""
    tied = {
        question: question_scores
        for question, question_scores in scores.items()
        if len(set(question_scores.values())) < len(question_scores)
    }
    exact = [
        definition for definition in measures if definition.NAME in NAMES and not definition.params.get("judged_only")
    ]
    averages: _Values = {}
    for question, question_scores in tied.items():
        documents, sizes = ties.order(question, question_scores), ties.group_sizes(question_scores)
        for definition in exact:
            averages[definition, question] = tie_averaged(definition, documents, sizes, qrels.grades[question])
    others = [definition for definition in measures if definition not in exact]
    if others and tied:
        drawn = [_values(tied, qrels, others, seed) for seed in range(_ORDERS)]
        averages |= {key: float(np.mean([draw[key] for draw in drawn])) for key in drawn[0]}
    return averages


def _column(values: _Values, measure: Measure, qrels: Qrels, policy: WithoutPositives) -> FloatArray:
    """Return one number per question, (questions,): 0 if it is not in the run, nan if it is to be left out."""
    column = np.array([values.get((measure, question), 0.0) for question in qrels.grades])
    if policy == "skip":
        column[[not _positive(measure, qrels, documents.values()) for documents in qrels.grades.values()]] = np.nan
    return column


def _positive(measure: Measure, qrels: Qrels, grades: Collection[int]) -> bool:
    """Return whether any of these grades is positive for this measure."""
    if measure.NAME == "nDCG":
        return any(measure["gains"][grade] > 0 for grade in grades)
    if measure.NAME in _COUNTS:
        return True
    level = measure.params.get("rel", qrels.relevant)
    return any(grade >= level for grade in grades)
