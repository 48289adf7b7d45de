from __future__ import annotations

import numpy as np

from rankers.models.random_order import RandomOrder
from rankers.types import Ranker


def test_a_score_follows_from_seed_question_and_candidate_alone() -> None:
    here = RandomOrder(1).score(["a", "b"], [["x", "y", "x"], ["y"]])
    assert here[0][0] == here[0][2] == RandomOrder(1).score(["a"], [["x"]])[0][0]
    assert here[0][1] != here[1][0]  # another question
    assert here[0][0] != RandomOrder(2).score(["a"], [["x"]])[0][0]  # another seed


def test_what_belongs_to_the_question_is_told_from_what_belongs_to_the_candidate() -> None:
    assert RandomOrder().score(["ab"], [["c"]])[0][0] != RandomOrder().score(["a"], [["bc"]])[0][0]


def test_scores_are_spread_evenly() -> None:
    result = RandomOrder(0).score(["q"], [[str(i) for i in range(10_000)]])[0]
    assert 0 <= result.min() < 0.001
    assert 0.999 < result.max() < 1
    assert abs(result.mean() - 0.5) < 0.01
    assert np.abs(np.histogram(result, bins=10, range=(0, 1))[0] - 1000).max() < 120  # four standard deviations
    assert len(np.unique(result)) == 10_000


def test_any_text_has_a_score() -> None:
    assert [len(each) for each in RandomOrder().score(["", "\ud800"], [[], ["", "\udfff"]])] == [0, 2]


def test_it_is_a_ranker_that_signs_with_its_seed() -> None:
    assert isinstance(RandomOrder(), Ranker)
    assert RandomOrder(3).signature == "random|seed:3"
