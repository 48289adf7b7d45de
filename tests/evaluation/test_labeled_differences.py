"""The difference of two systems by few human labels: how the labeled questions were drawn is undone and credited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.evaluation.pairs import compare


def test_few_labels_give_the_difference_of_the_labels() -> None:
    rng = np.random.default_rng(4)
    covered, worth = 0, []
    for _ in range(200):
        right = rng.random((2, 800)) < [[0.75], [0.85]]
        scores = np.where(rng.random((2, 800)) < 0.9, right, ~right) + 0.3 * (np.arange(2) == 1)[:, None]  # biased
        labels = np.where(np.arange(800) < 150, right.astype(float), np.nan)
        found = compare(scores[0], scores[1], labels=(labels[0], labels[1])).labeled
        covered += found.low <= 0.1 <= found.high
        worth.append(found.labels_worth)
        assert found.n_labeled == 150
    assert 0.92 <= covered / 200 <= 0.99
    assert np.median(worth) > 190


def test_labels_without_a_difference_leave_a_width() -> None:
    labels = np.where(np.arange(400) < 50, 1.0, np.nan)
    scores = np.random.default_rng(0).random((2, 400))
    found = compare(scores[0], scores[1], labels=(labels, labels)).labeled
    assert found.value == 0
    assert found.low < -0.02 < 0.02 < found.high


def judged(rng: np.random.Generator, n: int = 900) -> tuple[np.ndarray, np.ndarray]:
    """Labels of two systems, .75 and .83 right, and scores that are wrong for one answer in ten."""
    right = rng.random((2, n)) < [[0.75], [0.83]]
    return right.astype(float), np.where(rng.random((2, n)) < 0.9, right, ~right).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["one sample", "two samples"])
def test_the_probabilities_of_the_labels_undo_how_they_were_drawn(rule: str) -> None:
    rng = np.random.default_rng(8)
    covered, unweighted, values = 0, [], []
    for _ in range(250):
        right, scores = judged(rng)
        inclusion = np.where(scores == 0, 0.8, 0.15)  # the wrong answers are read more often
        if rule == "one sample":
            drawn = np.tile(rng.random(900) < inclusion[0], (2, 1))
            given: Any = inclusion[0]
        else:
            drawn = rng.random((2, 900)) < inclusion
            given = tuple(np.where(drawn, inclusion, np.nan))
        labels = np.where(drawn, right, np.nan)
        pair = (labels[0], labels[1])
        found = compare(scores[0], scores[1], labels=pair, inclusion=given).labeled
        assert found is not None
        covered += found.low <= 0.08 <= found.high
        values.append(found.labels_alone.value)
        naive = compare(scores[0], scores[1], labels=pair).labeled
        assert naive is not None
        unweighted.append(naive.labels_alone.value)
    assert np.mean(values) == pytest.approx(0.08, abs=0.015)
    assert abs(np.mean(unweighted) - 0.08) > 0.025
    assert 0.92 < covered / 250 < 0.99


@pytest.mark.slow
def test_two_samples_with_equal_probabilities_are_not_one() -> None:
    rng = np.random.default_rng(9)
    values, as_one = [], []
    for _ in range(150):
        right, scores = judged(rng)
        easy = rng.random(900) < 0.5
        right[1] = np.where(easy, right[0], right[1])  # the systems differ on hard questions only
        inclusion = np.where(easy, 0.6, 0.25)
        drawn = rng.random((2, 900)) < inclusion
        labels = np.where(drawn, right, np.nan)
        found = compare(scores[0], scores[1], labels=(labels[0], labels[1]), inclusion=(inclusion, inclusion)).labeled
        once = compare(scores[0], scores[1], labels=(labels[0], labels[1]), inclusion=inclusion).labeled
        assert found is not None
        assert once is not None
        values.append(found.labels_alone.value)
        as_one.append(once.labels_alone.value)
    assert np.mean(values) == pytest.approx(0.04, abs=0.008)
    assert abs(np.mean(as_one) - 0.04) > 0.01


def test_one_system_may_have_the_probabilities_for_both() -> None:
    rng = np.random.default_rng(1)
    right, scores = judged(rng)
    inclusion = np.where(scores[0] == 0, 0.8, 0.15)
    labels = np.where(rng.random(900) < inclusion, right, np.nan)
    pair = (labels[0], labels[1])
    both = compare(scores[0], scores[1], labels=pair, inclusion=inclusion).labeled
    assert compare(scores[0], scores[1], labels=pair, inclusion=(inclusion, None)).labeled == both
    assert compare(scores[0], scores[1], labels=pair, inclusion=(inclusion, inclusion)).labeled == both
    assert compare(scores[0], scores[1], labels=pair, inclusion=(inclusion, 1 - inclusion)).labeled != both


@pytest.mark.parametrize(
    ("inclusion", "message"),
    [
        (np.zeros(900), "a probability that is not above 0"),
        (np.full(899, 0.5), r"has the shape \(899,\)"),
        (np.full(900, np.nan), "question 1 has both labels, but no inclusion probability for A or B"),
    ],
)
def test_bad_probabilities_are_refused(inclusion: np.ndarray, message: str) -> None:
    right, scores = judged(np.random.default_rng(1))
    with pytest.raises(ValueError, match=message):
        compare(scores[0], scores[1], labels=(right[0], right[1]), inclusion=inclusion)


def test_strata_of_questions_that_were_drawn_once_are_credited() -> None:
    rng = np.random.default_rng(3)
    strata = np.arange(1000) % 4
    gains = np.array([1.0, 0.0, 0.0, 1.0])[strata]
    labeled = np.where(np.arange(1000) < 100, 1.0, np.nan)
    one, other = labeled * (1 - gains), labeled * (rng.random(1000) < 0.95)
    scores = rng.random((2, 1000))

    def width(**how: object) -> float:
        found = compare(*scores, labels=(one, other), **how).labeled
        assert found is not None
        return found.high - found.low

    assert width(strata=strata) < 0.6 * width()
    assert (
        width(strata=(strata, None))
        == width(strata=np.where(np.isnan(labeled), np.nan, strata))
        == width(strata=strata)
    )
    assert width(strata=(strata, strata[::-1])) == width()
    half, quarter = np.full(1000, 0.5), np.full(1000, 0.25)
    apart = {"inclusion": (half, quarter)}  # two independent samples
    assert width(strata=strata, **apart) == width(**apart)
    with pytest.raises(ValueError, match="the strata of A have the shape"):
        compare(*scores, labels=(one, other), strata=[1.0] * 5)
