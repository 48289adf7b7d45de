"""Limits of metrics that are chosen on dev."""

from __future__ import annotations

import pytest

import answersim
from benchmarks.ranking_thresholds import thresholds
from rankers.types import Candidate, Question, Questions
from tests.benchmarks.made_results import questions


def test_a_limit_on_dev_is_reached_by_no_more_than_the_share() -> None:
    metric = answersim.metric("f1")
    result = thresholds(questions(50), {"f1": metric}, 0.25)
    near = answersim.score("red apple pie", "red apple cake", metric="f1")
    assert near < result["f1"] < near + 1e-9  # half of the wrong ones have this value, which is more than a quarter
    assert thresholds(questions(50), {"f1": metric}, 0.5)["f1"] < 1e-9  # then as many as have it are allowed


@pytest.mark.parametrize(("share", "says"), [(0.0, "share is 0"), (1.0, "share is 1")])
def test_a_share_that_is_none_is_refused(share: float, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        thresholds(questions(2), {"f1": answersim.metric("f1")}, share)


def test_a_dev_split_without_wrong_candidates_is_refused() -> None:
    right = Questions("made", "dev", (Question("q", "what?", (Candidate("r", "red", 1),)),))
    with pytest.raises(ValueError, match="no wrong candidate"):
        thresholds(right, {"f1": answersim.metric("f1")}, 0.1)
