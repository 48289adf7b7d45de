"""The grades of documents (qrels): which are relevant, what they are worth, how many there are."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from rankers.evaluation import ties
from rankers.types import Questions, Run

Gain: TypeAlias = Literal["linear", "exponential"]


@dataclass(frozen=True)
class Qrels:
    """The grades of documents by annotators, and how they are to be read.

    Attributes:
        grades: By question, in the order in which questions are reported, then by document. Higher is better.
        relevant: The lowest grade that counts as relevant for a measure without grades; at least 1.
        gains: What a grade is worth to nDCG; the grade itself if it is not named. Below 0 counts as 0.
        pools: The documents that were to be ranked, by question; where not given, those with a grade.
    """

    grades: Mapping[str, Mapping[str, int]]
    relevant: int = 1
    gains: Mapping[int, int] = field(default_factory=dict)
    pools: Mapping[str, Collection[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.relevant < 1:
            raise ValueError(f"relevant is {self.relevant}, but grade 0 is what was not judged; give 1 or more")

    def gain(self, grade: int, kind: Gain = "linear") -> int:
        """Return what this grade is worth to nDCG, at least 0; exponential is 2**gain - 1 (as of Burges et al. 2005).

        >>> [Qrels({}, gains={1: 0, 2: 1, 3: 2, 4: 3}).gain(grade, "exponential") for grade in (1, 2, 3, 4)]
        [0, 1, 3, 7]
        """
        worth = max(int(self.gains.get(grade, grade)), 0)
        return 2**worth - 1 if kind == "exponential" else worth


class Counts(NamedTuple):
    """The counts of questions and documents behind a mean.

    Attributes:
        questions: All of them.
        without_positives: Those without a relevant document.
        all_positive: Those whose every document is relevant: each ranking of them is perfect.
        missing: Those that are not in the run; they count 0.
        tied_at_top: Those whose best score several documents share.
        tied: Those in which any two documents share a score.
        unknown: Questions of the run that are none of them; they are left out.
        ranked: Documents that the run ranks for them.
        unjudged: Those of the ranked documents that have no grade; they count as not relevant.
    """

    questions: int
    without_positives: int
    all_positive: int
    missing: int
    tied_at_top: int
    tied: int
    unknown: int = 0
    ranked: int = 0
    unjudged: int = 0


def qrels_of(questions: Questions) -> Qrels:
    """Return the grades of these questions: those of their candidates, and those that are known beyond the pool."""
    pools = {
        question.id: {candidate.id: candidate.grade for candidate in question.candidates} for question in questions
    }
    grades = {id_: {**questions.judged.get(id_, {}), **pool} for id_, pool in pools.items()}
    return Qrels(grades, questions.relevant, questions.gains, pools)


def count(scores: Mapping[str, Mapping[str, float]], qrels: Qrels, unknown: int = 0) -> Counts:
    """Count the questions and documents behind a mean.

    Args:
        scores: Those of the run.
        qrels: The questions and their grades.
        unknown: How many other questions the run has.
    """
    positives = {
        question: [grade >= qrels.relevant for grade in documents.values()]
        for question, documents in qrels.grades.items()
    }
    pools = {question: qrels.pools.get(question, documents) for question, documents in qrels.grades.items()}
    return Counts(
        questions=len(qrels.grades),
        without_positives=sum(not any(labels) for labels in positives.values()),
        all_positive=sum(
            bool(pool) and all(qrels.grades[question].get(document, 0) >= qrels.relevant for document in pool)
            for question, pool in pools.items()
        ),
        missing=len(qrels.grades) - len(scores),
        tied_at_top=sum(int(ties.group_sizes(question_scores)[0]) > 1 for question_scores in scores.values()),
        tied=sum(len(set(question_scores.values())) < len(question_scores) for question_scores in scores.values()),
        unknown=unknown,
        ranked=sum(map(len, scores.values())),
        unjudged=sum(
            document not in qrels.grades[question]
            for question, question_scores in scores.items()
            for document in question_scores
        ),
    )


def check_run(run: Run, qrels: Qrels, *, documents: bool = True) -> None:
    """Check that a run can be measured by these qrels at all.

    Args:
        run: What is to be measured.
        qrels: The grades.
        documents: Whether a document in common is needed, besides a question in common.

    Raises:
        LookupError: If run and qrels have no question in common, or no document of the questions in common. Names
            examples of both: their ids are most likely of two different makes.
        ValueError: If a score is not a finite number; names question and document.
    """
    for question, question_scores in run.scores.items():
        for document, score in question_scores.items():
            if not _is_number(score) or not math.isfinite(score):
                raise ValueError(
                    f"the run {run.name!r} has the score {score!r} for {document!r} under the question {question!r}, "
                    "but a score is a finite number; remove that line, or rank again"
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
    if (
        not documents
        or not ranked
        or any(question_scores.keys() & qrels.grades[question].keys() for question, question_scores in ranked.items())
    ):
        return
    question = next(iter(ranked))
    raise LookupError(
        f"the run {run.name!r} and the grades have questions in common, but no document of them: for {question!r} the "
        f"run has {_few(ranked[question])}, the grades have {_few(qrels.grades[question])}; use the same ids in both, "
        "or pass over it as trec_eval does: strict=False (--no-strict)"
    )


def check_grades(grades: Mapping[str, Mapping[str, int]]) -> None:
    """Check that these are grades by question and document.

    Raises:
        TypeError: If they are not a mapping of mappings.
        ValueError: If a grade is not a whole number; names question and document.
    """
    if not isinstance(grades, Mapping):
        raise TypeError(f"grades are {grades!r:.60}, but a mapping of questions to documents to grades is needed")
    for question, documents in grades.items():
        if not isinstance(documents, Mapping):
            raise TypeError(f"the grades of {question!r} are {documents!r:.60}, but a mapping by document is needed")
        for document, grade in documents.items():
            if not _is_number(grade) or not math.isfinite(grade) or int(grade) != grade:
                raise ValueError(
                    f"the grade of {document!r} for the question {question!r} is {grade!r}, but it must be a whole "
                    "number"
                )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)


def _few(ids: Collection[str]) -> str:
    """Return the first three of these ids, and how many there are."""
    shown = ", ".join(map(repr, islice(ids, 3)))
    return shown if len(ids) <= 3 else f"{shown} and {len(ids) - 3:,} more"


def check_known(run: Run, qrels: Qrels) -> None:
    """Check that every question and document of the run is in the qrels; a LookupError names the first that is not."""
    way_out = (
        "check that run and questions are of one split, or pass over it as trec_eval does: strict=False (--no-strict)"
    )
    for question, scores in run.scores.items():
        if question not in qrels.grades:
            raise LookupError(f"the run {run.name!r} ranks for the question {question!r}, which is unknown; {way_out}")
        if unknown := [document for document in scores if document not in qrels.grades[question]]:
            raise LookupError(
                f"the run {run.name!r} ranks {unknown[0]!r} for the question {question!r}, but it is neither among its "
                f"candidates nor judged; {way_out}"
            )
