"""Committees and fusions of rankers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankers.models.combinations import Committee, reciprocal_rank_fusion
from rankers.types import FloatArray, Ranker
from tests.cases import every


@every(
    ("scores", "k", "expected"),
    [
        ([[3.0, 2.0, 1.0]], 60.0, [1 / 61, 1 / 62, 1 / 63]),
        ([[3.0, 2.0], [0.1, 0.9]], 60.0, [1 / 61 + 1 / 62] * 2),
        ([[5.0, 5.0, 1.0]], 1.0, [1 / 2.5, 1 / 2.5, 1 / 4]),  # the equal ones share the mean of ranks 1 and 2
        ([[-1e9, 0.0], [0.0, 1.0]], 60.0, [2 / 62, 2 / 61]),  # the size of a difference does not count
        ([[]], 60.0, []),
    ],
)
def test_the_sum_of_reciprocal_ranks(scores, k, expected):
    fused = reciprocal_rank_fusion([np.array(values) for values in scores], k)
    assert fused.dtype == np.float64
    assert fused.tolist() == pytest.approx(expected, abs=1e-15)


def test_the_order_of_the_candidates_changes_nothing():
    rng = np.random.default_rng(0)
    scores = [rng.integers(0, 4, 20).astype(float) for _ in range(3)]
    order = rng.permutation(20)
    assert (reciprocal_rank_fusion([s[order] for s in scores]) == reciprocal_rank_fusion(scores)[order]).all()


@every(
    ("scores", "k", "message"),
    [
        ([], 60.0, "there are no scores to fuse"),
        ([np.zeros(2), np.zeros(3)], 60.0, "the same candidates"),
        ([np.zeros(2)], 0.0, "k is 0.0, but it must be above 0"),
        ([np.zeros(2)], float("nan"), "k is nan"),
    ],
)
def test_bad_input_is_refused(scores, k, message):
    with pytest.raises(ValueError, match=message):
        reciprocal_rank_fusion(scores, k)


unhurried = settings(deadline=None)  # the machine may be busy

QUESTIONS, POOLS = ["first?", "second?", "third?"], [["a", "b", "c"], ["b"], ["c", "a", "d", "b"]]


@dataclass(frozen=True)
class Recorded:
    """A ranker that returns recorded scores, answer by answer."""

    signature: str
    scores: dict[str, float] = field(compare=False)

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]], /) -> list[FloatArray]:
        return [np.array([self.scores[entry] for entry in pool], dtype=np.float64) for pool in candidates]


ONE = Recorded("one", {"a": 1.0, "b": 2.0, "c": 4.0, "d": 8.0})

TWO = Recorded("two", {"a": 3.0, "b": -1.0, "c": 0.0, "d": 1.0})

LOUD = Recorded("loud", {name: 1000 * score for name, score in TWO.scores.items()})


def test_scores_are_the_weighted_sum_of_the_members():
    scores = Committee((ONE, TWO), (3.0, 1.0)).score(QUESTIONS, POOLS)
    assert [score.tolist() for score in scores] == [[1.5, 1.25, 3.0], [1.25], [3.0, 1.5, 6.25, 1.25]]
    assert all(score.dtype == np.float64 for score in scores)
    assert isinstance(Committee((ONE,), (1.0,)), Ranker)


@pytest.mark.parametrize("calibration", ["none", "question"])
def test_a_committee_of_one_is_the_member_up_to_scale(calibration):
    scores = Committee((ONE,), (0.3,), calibration).score(QUESTIONS, POOLS)
    for ours, theirs in zip(scores, ONE.score(QUESTIONS, POOLS), strict=True):
        assert np.argsort(ours).tolist() == np.argsort(theirs).tolist()
        if calibration == "none":
            assert np.array_equal(ours, theirs)
        elif len(theirs) > 1:
            assert np.corrcoef(ours, theirs)[0, 1] == pytest.approx(1)


def test_calibrated_members_have_mean_0_and_deviation_1_in_every_question():
    scores = Committee((ONE, TWO), (0.25, 0.75), "question").score(QUESTIONS, POOLS)
    for ours, pool in zip(scores, POOLS, strict=True):
        output = [np.array([entry.scores[name] for name in pool]) for entry in (ONE, TWO)]
        if len(pool) == 1:
            assert ours.tolist() == [0.0]
            continue
        by_hand = sum(w * (entry - entry.mean()) / entry.std() for w, entry in zip((0.25, 0.75), output, strict=True))
        np.testing.assert_allclose(ours, by_hand)


def test_calibration_keeps_a_loud_member_from_deciding_alone():
    together = [entry.score(QUESTIONS, POOLS) for entry in (Committee((ONE, TWO), (1, 1), "question"),)]
    loud = Committee((ONE, LOUD), (1, 1), "question").score(QUESTIONS, POOLS)
    for first, second in zip(together[0], loud, strict=True):
        np.testing.assert_allclose(first, second)
    raw = Committee((ONE, LOUD), (1, 1)).score(QUESTIONS, POOLS)[0]
    assert np.argsort(raw).tolist() == np.argsort(LOUD.score(QUESTIONS, POOLS)[0]).tolist()
    assert np.argsort(raw).tolist() != np.argsort(loud[0]).tolist()


@pytest.mark.parametrize("calibration", ["none", "question"])
@unhurried
@given(order=st.permutations(range(4)), cut=st.integers(0, 2))
def test_the_order_of_candidates_and_the_other_questions_change_nothing(calibration, order, cut):
    committee = Committee((ONE, TWO), (1.0, 2.0), calibration)
    together = committee.score(QUESTIONS, POOLS)
    turned = committee.score(["third?"], [[POOLS[2][i] for i in order]])[0]
    np.testing.assert_allclose(turned, together[2][order], atol=1e-12)
    np.testing.assert_array_equal(committee.score([QUESTIONS[cut]], [POOLS[cut]])[0], together[cut])


@every(("weights", "shares"), [((1.0, 3.0), (0.25, 0.75)), ((0.0, 2.0), (0.0, 1.0)), ((5, 5), (0.5, 0.5))])
def test_weights_are_brought_to_the_sum_1(weights, shares):
    assert Committee((ONE, TWO), weights).weights == shares


@every(
    ("members", "weights", "said"),
    [
        ((), (), "0 members came with 0 weights"),
        ((ONE, TWO), (1.0,), "2 members came with 1 weights; give one each"),
        ((ONE, TWO), (1.0, -0.5), r"the weights are \(1\.0, -0\.5\)"),
        ((ONE, TWO), (0.0, 0.0), "one must be above 0"),
        ((ONE, TWO), (math.nan, 1.0), "the weights are"),
        ((ONE, TWO), (math.inf, 1.0), "the weights are"),
    ],
)
def test_an_impossible_committee_is_an_error(members, weights, said):
    with pytest.raises(ValueError, match=said):
        Committee(members, weights)
    with pytest.raises(LookupError, match="no calibration is called 'softmax'"):
        Committee((ONE,), (1.0,), "softmax")


def test_a_signature_names_members_weights_and_calibration():
    results = [
        Committee((ONE, TWO), (1.0, 1.0)),
        Committee((TWO, ONE), (1.0, 1.0)),
        Committee((ONE, TWO), (1.0, 2.0)),
        Committee((ONE, TWO), (1.0, 1.0), "question"),
        Committee((ONE, LOUD), (1.0, 1.0)),
        Committee((ONE,), (1.0,)),
    ]
    assert len({metric.signature for metric in results}) == len(results)
    assert Committee((ONE, TWO), (2.0, 2.0)) == results[0]
    assert hash(Committee((ONE, TWO), (2.0, 2.0))) == hash(results[0])
