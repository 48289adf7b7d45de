"""True shares from few labels: the public function, its methods, and every input that it refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import answersim
from answersim.evaluation.correction import MeanEstimate, estimate_mean
from tests.cases import every


def made(n: int = 100, rows: int = 1000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Verdicts of which one in ten is wrong, and n labels; 80 % of the answers are correct."""
    rng = np.random.default_rng(seed)
    right = rng.random(rows) < 0.8
    return np.where(rng.random(rows) < 0.9, right, ~right).astype(float), np.where(np.arange(rows) < n, right, np.nan)


def test_the_result_is_of_the_names_that_the_package_promises() -> None:
    found = answersim.estimate_mean(*made())
    assert isinstance(found, MeanEstimate)
    assert found.low < found.value < found.high
    assert found.labels_worth > 150
    assert (found.n, found.n_labeled, found.method, found.notes) == (1000, 100, "ppi", ())
    assert found.labels_alone.high - found.labels_alone.low > found.high - found.low


def test_a_metric_that_is_far_too_high_is_corrected() -> None:
    verdicts, labels = made(300, seed=1)
    found = estimate_mean(np.where(np.arange(1000) % 4, 1.0, verdicts), labels)
    assert found.uncorrected > 0.9
    assert found.low < 0.8 < found.high < found.uncorrected


def test_both_methods_agree_on_verdicts() -> None:
    verdicts, labels = made(400)
    ppi, rogan_gladen = estimate_mean(verdicts, labels), estimate_mean(verdicts, labels, method="rogan-gladen")
    assert rogan_gladen.value == pytest.approx(ppi.value, abs=0.03)
    assert rogan_gladen.low < 0.8 < rogan_gladen.high
    assert rogan_gladen.labels_worth > 0
    assert np.isnan(rogan_gladen.explained)


def test_none_and_booleans_and_series_are_labels_too() -> None:
    verdicts, labels = made()
    expected = estimate_mean(verdicts, labels)
    objects = [None if np.isnan(label) else bool(label) for label in labels]
    assert estimate_mean(verdicts.astype(bool), objects) == expected
    assert estimate_mean(pd.Series(verdicts), pd.Series(labels)) == expected


def test_series_of_other_rows_are_refused() -> None:
    verdicts, labels = made()
    with pytest.raises(ValueError, match="different indexes"):
        estimate_mean(pd.Series(verdicts), pd.Series(labels, index=np.arange(1000) + 1))


def test_equal_probabilities_change_nothing_and_others_do() -> None:
    verdicts, labels = made()
    plain = estimate_mean(verdicts, labels)
    same = estimate_mean(verdicts, labels, inclusion=np.where(np.isnan(labels), np.nan, 0.1))
    assert (same.value, same.low, same.high) == pytest.approx((plain.value, plain.low, plain.high))
    rare = estimate_mean(np.zeros(1000), labels, inclusion=np.where(labels == 0, 0.9, 0.1))
    assert rare.value > np.nanmean(labels) + 0.1  # each 0 stands for fewer rows


def test_clusters_of_copies_count_once() -> None:
    verdicts, labels = made()
    once = estimate_mean(verdicts, labels)
    copies = estimate_mean(np.repeat(verdicts, 3), np.repeat(labels, 3), groups=np.repeat(np.arange(1000), 3).tolist())
    assert copies.high - copies.low == pytest.approx(once.high - once.low, rel=0.05)
    rogan_gladen = [
        estimate_mean(np.repeat(verdicts, k), np.repeat(labels, k), method="rogan-gladen", groups=groups)
        for k, groups in ((1, None), (3, np.repeat(np.arange(1000), 3).tolist()), (3, None))
    ]
    widths = [found.high - found.low for found in rogan_gladen]
    assert widths[1] == pytest.approx(widths[0], rel=0.05)
    assert widths[2] < 0.75 * widths[0]


def test_these_rows_have_a_narrower_interval() -> None:
    verdicts, labels = made(500)
    wide, narrow = estimate_mean(verdicts, labels), estimate_mean(verdicts, labels, finite_population=True)
    assert narrow.value == wide.value
    assert narrow.high - narrow.low < 0.9 * (wide.high - wide.low)


def test_grades_beyond_1_are_estimated_without_a_limit() -> None:
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 5, 400).astype(float)
    found = estimate_mean(grades + rng.normal(0, 1, 400), np.where(np.arange(400) < 80, grades, np.nan))
    assert found.value == pytest.approx(2, abs=0.4)
    assert found.high > 1


def test_what_limits_a_result_is_stated() -> None:
    verdicts, labels = made()
    one_class = estimate_mean(verdicts, np.where(np.isnan(labels), np.nan, 1.0))
    assert one_class.value == 1
    assert 0.9 < one_class.low < 0.98
    assert "all 100 labels are 1" in one_class.notes[0]
    ties = estimate_mean(np.full(1000, 0.4), labels)
    assert "all scores are 0.4" in ties.notes[0]
    assert ties.labels_worth == pytest.approx(100)


@every(
    ("change", "error", "message"),
    [
        ({"labels": np.where(np.arange(1000) < 9, 1.0, np.nan)}, ValueError, "9 of 1000 rows have a label.*answersim"),
        ({"labels": np.full(1000, np.nan)}, ValueError, "0 of 1000 rows have a label"),
        ({"labels": np.ones(999)}, ValueError, "the lengths differ: 1000 scores, 999 labels"),
        ({"labels": np.full(1000, np.inf)}, ValueError, "the label of row 1 is inf"),
        ({"labels": ["yes"] * 1000}, TypeError, "labels is"),
        ({"scores": np.where(np.arange(1000) == 6, np.nan, 0.5)}, ValueError, "the score of row 7 is nan"),
        ({"scores": np.ones((1000, 1))}, ValueError, r"scores have the shape \(1000, 1\)"),
        ({"groups": ["q"] * 1000}, ValueError, "the labels are of 1 clusters, but an interval needs at least 5"),
        ({"groups": ["q"] * 7}, ValueError, "1000 labels, 7 groups"),
        ({"inclusion": np.zeros(1000)}, ValueError, "the inclusion probability of row 1 is 0.0"),
        ({"inclusion": np.full(1000, 1.5)}, ValueError, "the inclusion probability of row 1 is 1.5"),
        ({"bootstrap": 0.9}, TypeError, r"bootstrap is 0\.9 \(float\), but it must be"),
        ({"method": "ppi++"}, LookupError, "no method is called 'ppi[+][+]'; did you mean 'ppi'"),
        ({"method": "rogan-gladen", "scores": np.full(1000, 0.5)}, ValueError, "a score is 0.5, but method='rogan-gl"),
        ({"method": "rogan-gladen", "labels": np.ones(1000)}, ValueError, "no labeled row is negative"),
    ],
)
def test_bad_input_is_refused_by_name(change: dict[str, object], error: type[Exception], message: str) -> None:
    verdicts, labels = made()
    given = {"scores": verdicts, "labels": labels} | change
    with pytest.raises(error, match=message):
        estimate_mean(**given)


def test_strata_of_rows_without_a_label_may_be_missing() -> None:
    verdicts, labels = made()
    strata = np.arange(1000) % 4
    only = np.where(np.isnan(labels), np.nan, strata)
    assert estimate_mean(verdicts, labels, strata=only) == estimate_mean(verdicts, labels, strata=strata)
    assert estimate_mean(verdicts, labels, strata=strata) != estimate_mean(verdicts, labels)


def test_a_label_without_a_stratum_is_refused() -> None:
    verdicts, labels = made()
    strata = np.where(np.arange(1000) == 2, np.nan, 0.0)
    with pytest.raises(ValueError, match="the stratum of row 3 is nan, but a labeled row needs a finite number"):
        estimate_mean(verdicts, labels, strata=strata)
    with pytest.raises(ValueError, match="lengths differ"):
        estimate_mean(verdicts, labels, strata=[0.0] * 7)
