"""Questions: how they are counted, and what their fingerprint covers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankers.types import Candidate, Question, Questions
from tests.cases import every

ONE = Question("q1", "who?", (Candidate("a", "Ann", 2), Candidate("b", "Bob", 1), Candidate("c", "Cid", 0)))
TWO = Question("q2", "where?", ())
QUESTIONS = Questions("made", "test", (ONE, TWO))


def test_questions_are_counted_and_listed_in_order():
    assert len(QUESTIONS) == 2
    assert [question.id for question in QUESTIONS] == ["q1", "q2"]


@pytest.mark.parametrize(("relevant", "expected"), [(1, [True, True, False]), (2, [True, False, False])])
def test_a_candidate_is_relevant_from_the_lowest_relevant_grade(relevant, expected):
    questions = replace(QUESTIONS, relevant=relevant)
    assert [questions.is_relevant(candidate) for candidate in ONE.candidates] == expected


@every(
    "other",
    [
        replace(QUESTIONS, corpus="other"),
        replace(QUESTIONS, split="dev"),
        replace(QUESTIONS, relevant=2),
        replace(QUESTIONS, gains={2: 3}),
        replace(QUESTIONS, judged={"q1": {"z": 1}}),
        replace(QUESTIONS, items=(TWO, ONE)),
        replace(QUESTIONS, items=(ONE._replace(text="who"), TWO)),
        replace(QUESTIONS, items=(ONE._replace(candidates=ONE.candidates[::-1]), TWO)),
        replace(QUESTIONS, items=(ONE._replace(candidates=(Candidate("a", "Ann", 1), *ONE.candidates[1:])), TWO)),
    ],
)
def test_the_fingerprint_changes_with_what_can_change_a_measure(other):
    assert other.fingerprint != QUESTIONS.fingerprint


@every(
    "same",
    [
        replace(QUESTIONS, source="elsewhere"),
        replace(QUESTIONS, notes=("a note",)),
        replace(QUESTIONS, items=(ONE._replace(id="other"), TWO)),
    ],
)
def test_the_fingerprint_does_not_change_with_ids_and_notes(same):
    assert same.fingerprint == QUESTIONS.fingerprint
    assert len(same.fingerprint) == 12
