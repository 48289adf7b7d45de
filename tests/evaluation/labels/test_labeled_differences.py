"""The difference of two systems by few human labels: how the labeled questions were drawn is undone and credited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from answersim.evaluation.labels.human_labels import SystemLabels
from answersim.stats.prediction_powered import prediction_powered
from tests.cases import every
from tests.evaluation.pairs import compare, compare_all

N = 900


def judged() -> tuple[np.ndarray, np.ndarray]:
    """Labels of two systems, .75 and .83 right, and scores that are wrong for one answer in ten."""
    rng = np.random.default_rng(1)
    right = rng.random((2, N)) < [[0.75], [0.83]]
    return right.astype(float), np.where(rng.random((2, N)) < 0.9, right, ~right).astype(float)


RIGHT, SCORES = judged()
DRAWN = np.where(np.random.default_rng(2).random(N) < 0.3, RIGHT, np.nan)
LOW, HIGH = np.where(SCORES[0] == 0, 0.8, 0.15), np.where(SCORES[1] == 0, 0.8, 0.15)
LAYERS = np.arange(N) % 3.0


def found(first: tuple[Any, ...] = (), second: tuple[Any, ...] = (), labels: np.ndarray = DRAWN) -> Any:
    """The difference of the labels; of each system, the probabilities and the strata of its rows, if they are known."""
    given = (SystemLabels(labels[0], *first), SystemLabels(labels[1], *second))
    return compare(*SCORES, labels=given, groups=np.arange(N) // 2).labeled


@every(
    ("first", "second", "how"),
    [
        ((), (), {}),
        ((LOW,), (), {"weights": 1 / LOW}),  # one system may have the probabilities of both
        ((LOW,), (LOW,), {"weights": 1 / LOW}),  # drawn once for both
        ((LOW,), (HIGH,), {"weights": 1 / (LOW * HIGH)}),  # two independent samples
        ((None, LAYERS), (), {"strata": LAYERS}),
        ((None, LAYERS), (None, LAYERS), {"strata": LAYERS}),
        ((None, LAYERS), (None, LAYERS[::-1]), {}),
        ((LOW, LAYERS), (HIGH, LAYERS), {"weights": 1 / (LOW * HIGH)}),
    ],
)
def test_the_difference_is_that_of_prediction_powered_inference(
    first: tuple[Any, ...], second: tuple[Any, ...], how: dict[str, Any]
) -> None:
    gaps, groups = DRAWN[1] - DRAWN[0], np.arange(N) // 2
    expected = prediction_powered(SCORES[1] - SCORES[0], gaps, groups=groups, share=False, reach=1.0, **how)
    result = found(first, second)
    assert (result.value, result.low, result.high) == pytest.approx(expected[:3])
    assert tuple(result.labels_alone) == pytest.approx((expected.plain, expected.plain_low, expected.plain_high))
    assert result.labels_worth == pytest.approx(expected.labels_worth)
    assert (result.n, result.n_labeled) == (N, int((~np.isnan(gaps)).sum()))


def test_samples_that_seldom_share_a_question_are_two_even_with_equal_probabilities() -> None:
    apart = np.where(np.arange(N) % 3 == np.array([[0], [1]]), np.nan, RIGHT)  # a third of the questions has both
    gaps, groups = apart[1] - apart[0], np.arange(N) // 2
    expected = prediction_powered(
        SCORES[1] - SCORES[0], gaps, weights=1 / LOW**2, groups=groups, share=False, reach=1.0
    )
    assert found((LOW,), (LOW,), apart).value == pytest.approx(expected.value)


def test_labels_without_a_difference_leave_a_width() -> None:
    labels = np.where(np.arange(N) < 50, 1.0, np.nan)
    result = found(labels=np.stack([labels, labels]))
    assert result.value == 0
    assert result.low < -0.02 < 0.02 < result.high
    assert "the same difference of labels" in result.notes[0]


@every(
    ("first", "message"),
    [
        ((np.full(N, np.nan),), "question 1 has both labels, but no inclusion probability for A or B"),
    ],
)
def test_bad_probabilities_and_strata_are_refused(first: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        found(first)


def test_labels_of_one_system_alone_have_no_difference() -> None:
    found = compare_all({"A": SCORES[0], "B": SCORES[1]}, labels={"A": DRAWN[0]})
    assert found.pair.labeled is None
