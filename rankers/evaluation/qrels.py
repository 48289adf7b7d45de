"""The grades of documents (qrels): relevance, gains and counts."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rankers.evaluation import ties
from rankers.types import Questions, Run

Gain: TypeAlias = Literal["linear", "exponential"]


@dataclass(frozen=True)
class Qrels:
    """The grades of documents by annotators, and their interpretation."""

    # by question, in the order in which questions are reported, then by document. Higher is better.
    grades: Mapping[str, Mapping[str, int]]
    relevant: int = 1  # the lowest grade that counts as relevant for a measure without grades; at least 1
    # the gain of a grade in nDCG. The default is the grade. A negative gain counts as 0.
    gains: Mapping[int, int] = field(default_factory=dict)
    # the documents to be ranked, by question. By default, those with a grade.
    pools: Mapping[str, Collection[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.relevant < 1:
            raise ValueError(
                f"relevant is {self.relevant}, but 0 is the grade of documents without a judgment; give 1 or more"
            )

    def gain(self, grade: int, kind: Gain = "linear") -> int:
        """Return the gain of this grade in nDCG, at least 0. The exponential gain is 2**gain - 1 (Burges et al. 2005).

        >>> [Qrels({}, gains={1: 0, 2: 1, 3: 2, 4: 3}).gain(grade, "exponential") for grade in (1, 2, 3, 4)]
        [0, 1, 3, 7]
        """
        worth = max(int(self.gains.get(grade, grade)), 0)
        return 2**worth - 1 if kind == "exponential" else worth


class Counts(NamedTuple):
    """The counts of questions and documents behind a mean."""

    questions: int  # all questions
    without_positives: int  # the questions without a relevant document
    all_positive: int  # the questions whose documents are all relevant, so that each ranking is perfect
    missing: int  # the questions that are not in the run. They count as 0.
    tied_at_top: int  # the questions whose best score several documents share
    tied: int  # the questions in which any two documents share a score
    unknown: int = 0  # other questions of the run, which are left out
    ranked: int = 0  # the documents that the run ranks for these questions
    unjudged: int = 0  # the ranked documents without a grade, which count as not relevant


def qrels_of(questions: Questions) -> Qrels:
    """Return the grades of these questions: those of their candidates, and known grades outside the pool."""
    pools = {
        question.id: {candidate.id: candidate.grade for candidate in question.candidates} for question in questions
    }
    grades = {id_: {**questions.judged.get(id_, {}), **pool} for id_, pool in pools.items()}
    return Qrels(grades, questions.relevant, questions.gains, pools)


def count(
    scores: Mapping[str, Mapping[str, float]],
    tied: Mapping[str, Mapping[str, float]],
    qrels: Qrels,
    unknown: int = 0,
) -> Counts:
    """Count the questions and documents behind a mean. ``tied`` are the scores of questions in which two are equal."""
    pools = {
        question: qrels.pools.get(question, documents) if qrels.pools else documents
        for question, documents in qrels.grades.items()
    }
    return Counts(
        questions=len(qrels.grades),
        without_positives=sum(
            max(documents.values(), default=-math.inf) < qrels.relevant for documents in qrels.grades.values()
        ),
        all_positive=sum(
            bool(pool) and all(qrels.grades[question].get(document, 0) >= qrels.relevant for document in pool)
            for question, pool in pools.items()
        ),
        missing=len(qrels.grades) - len(scores),
        tied_at_top=sum(int(ties.group_sizes(of)[0]) > 1 for of in tied.values()),
        tied=len(tied),
        unknown=unknown,
        ranked=sum(map(len, scores.values())),
        unjudged=sum(len(of.keys() - qrels.grades[question].keys()) for question, of in scores.items()),
    )


def check_run(run: Run, qrels: Qrels, *, documents: bool = True) -> None:
    """Check that a run can be measured by these qrels; ``documents``: whether a document in common is needed."""
    for question, question_scores in run.scores.items():
        if _are_plain(question_scores.values(), (float, int)):
            continue
        for document, score in question_scores.items():
            if not _is_number(score) or not math.isfinite(score):
                raise ValueError(
                    f"the run {run.name!r} has the score {score!r} for {document!r} under the question {question!r}, "
                    "but it must be a finite number; remove that line, or rank again"
                )
    if not run.scores or not qrels.grades:
        return
    common = [question for question in run.scores if question in qrels.grades]
    if not common:
        raise LookupError(
            f"the run {run.name!r} and the grades have no question in common: the run has {_few(run.scores)}, the "
            f"grades have {_few(qrels.grades)}; use the same ids in both"
        )
    ranked = {question: run.scores[question] for question in common if run.scores[question]}
    have_common = any(scores.keys() & qrels.grades[question].keys() for question, scores in ranked.items())
    if not documents or not ranked or have_common:
        return
    question = next(iter(ranked))
    raise LookupError(
        f"the run {run.name!r} and the grades have questions in common, but no document of them: for {question!r} the "
        f"run has {_few(ranked[question])}, the grades have {_few(qrels.grades[question])}; use the same ids in both, "
        f"or ignore this as trec_eval does: strict=False (--no-strict)"
    )


def check_grades(grades: Mapping[str, Mapping[str, int]]) -> None:
    """Check that these are grades by question and document.

    Raise TypeError if they are not a mapping of mappings. Raise ValueError if a grade is not a whole number. The
    message names the question and the document.
    """
    if not isinstance(grades, Mapping):
        raise TypeError(f"grades are {grades!r:.60}, but they must be a mapping of questions to documents to grades")
    for question, documents in grades.items():
        if not isinstance(documents, Mapping):
            raise TypeError(f"the grades of {question!r} are {documents!r:.60}, but they must be a mapping by document")
        if _are_plain(documents.values(), (int,)):
            continue
        for document, grade in documents.items():
            if not _is_number(grade) or not math.isfinite(grade) or int(grade) != grade:
                raise ValueError(
                    f"the grade of {document!r} for the question {question!r} is {grade!r}, but it must be a whole "
                    "number"
                )


def _are_plain(values: Collection[Any], kinds: tuple[type, ...]) -> bool:
    """Return whether these are surely finite numbers of Python of these kinds, from their sum alone."""
    try:
        total = sum(values)
    except TypeError:
        return False
    return type(total) in kinds and math.isfinite(total)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)


def _few(ids: Collection[str]) -> str:
    """Return the first three of these ids, and how many there are."""
    listed = ", ".join(map(repr, islice(ids, 3)))
    return listed if len(ids) <= 3 else f"{listed} and {len(ids) - 3:,} more"


def check_known(run: Run, qrels: Qrels) -> None:
    """Check that every question and document of the run is in the qrels. Raise LookupError for the first other one."""
    way_out = (
        "check that run and questions are of one split, or ignore it as trec_eval does: strict=False (--no-strict)"
    )
    for question, scores in run.scores.items():
        if question not in qrels.grades:
            raise LookupError(f"the run {run.name!r} ranks documents for the unknown question {question!r}; {way_out}")
        if unknown := [document for document in scores if document not in qrels.grades[question]]:
            raise LookupError(
                f"the run {run.name!r} ranks {unknown[0]!r} for the question {question!r}, but it is neither among its "
                f"candidates nor judged; {way_out}"
            )
