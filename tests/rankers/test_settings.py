"""The checks of settings name the setting, its value and the rule; settings go into JSON and back."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace

import pytest

from answersim._base.io.records import from_json, to_json
from rankers.models.scan import ScanConfig
from rankers.modules.decorrelation import Reweighting
from rankers.settings import check_above_zero, check_below_one, check_choices, check_least
from rankers.types import Candidate, Question, Questions
from tests.cases import every


@dataclass(frozen=True)
class Settings:
    """Settings of a network that does not exist."""

    start_kind: str = "random"
    hops: float = 1
    rate: float = 0.5


def test_settings_within_settings_survive_json():
    settings = ScanConfig(tau=0.3, reweighting=Reweighting(lrbl=10.0, rff="paper"))
    assert from_json(ScanConfig, json.loads(json.dumps(to_json(settings)))) == settings


@every(
    ("check", "error", "message"),
    [
        (
            lambda: check_choices(Settings("rando"), start_kind=("random",)),
            LookupError,
            "no start kind .*mean 'random'",
        ),
        (lambda: check_least(Settings(hops=0), 1, "rate", "hops"), ValueError, "rate is 0.5, .* at least 1"),
        (lambda: check_least(Settings(hops=math.nan), 0, "hops"), ValueError, "hops is nan"),
        (lambda: check_above_zero(Settings(rate=0.0), "hops", "rate"), ValueError, "rate is 0.0, .* above 0"),
        (lambda: check_above_zero(Settings(rate=math.inf), "rate"), ValueError, "rate is inf"),
        (lambda: check_below_one(Settings(rate=1.0), "rate"), ValueError, "rate is 1.0, .* below 1"),
        (lambda: check_below_one(Settings(rate=-0.1), "rate"), ValueError, "rate is -0.1"),
    ],
)
def test_a_value_against_the_rule_is_refused(check, error, message):
    with pytest.raises(error, match=message):
        check()


def test_values_at_the_limits_are_accepted():
    settings = Settings("random", 1, 0.0)
    check_choices(settings, start_kind=("random", "aligned"))
    check_least(settings, 1, "hops")
    check_above_zero(settings, "hops")
    check_below_one(settings, "rate")


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
