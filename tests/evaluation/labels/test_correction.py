"""True shares from few labels: the public function, its methods, and every input that it refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import answersim
from answersim.evaluation.labels.correction import MeanEstimate, estimate_mean
from answersim.stats.prediction_powered import prediction_powered
from answersim.stats.rogan_gladen import rogan_gladen_of_rows
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


VERDICTS, LABELS = made(200)
LABELED = ~np.isnan(LABELS)
INCLUSION = np.where(VERDICTS == 0, 0.5, 0.1)
STRATA = np.arange(1000) % 4.0
QUESTIONS = [f"q{i // 2}" for i in range(1000)]


@every(
    ("labels", "given", "how"),
    [
        (LABELS, {}, {}),
        (LABELS, {"groups": QUESTIONS}, {"groups": np.arange(1000) // 2}),
        (LABELS, {"inclusion": INCLUSION}, {"weights": 1 / INCLUSION}),
        (LABELS, {"inclusion": np.where(LABELED, INCLUSION, np.nan)}, {"weights": 1 / INCLUSION}),
        (LABELS, {"strata": np.where(LABELED, STRATA, np.nan)}, {"strata": STRATA}),
        (LABELS, {"finite_population": True}, {"finite": True}),
        (LABELS, {"bootstrap": answersim.Bootstrap(0.8)}, {"level": 0.8}),
    ],
)
def test_the_estimate_is_that_of_prediction_powered_inference(labels, given, how) -> None:
    found, expected = estimate_mean(VERDICTS, labels, **given), prediction_powered(VERDICTS, labels, **how)
    assert (found.value, found.low, found.high, found.explained) == (*expected[:3], expected.explained)
    assert tuple(found.labels_alone) == (expected.plain, expected.plain_low, expected.plain_high)
    assert (found.labels_worth, found.uncorrected) == (expected.labels_worth, VERDICTS.mean())


def test_verdicts_can_be_corrected_by_their_rates() -> None:
    how = {"groups": QUESTIONS, "inclusion": INCLUSION}
    found = estimate_mean(VERDICTS, LABELS, method="rogan-gladen", **how)
    expected = rogan_gladen_of_rows(VERDICTS, LABELS, weights=1 / INCLUSION, groups=np.arange(1000) // 2)
    assert (found.value, found.low, found.high) == pytest.approx(expected[:3])
    alone = found.labels_alone.high - found.labels_alone.low
    assert found.labels_worth == pytest.approx(200 * (alone / (found.high - found.low)) ** 2)
    assert np.isnan(found.explained)


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
        (
            {"labels": np.where(np.arange(1000) == 3, 2.0, 1.0)},
            ValueError,
            "the label of row 4 is 2, but a label is from",
        ),
        ({"inclusion": np.full(1000, 9e-7)}, ValueError, "the inclusion probability of row 1 is 9e-07"),
        ({"labels": ["yes"] * 1000}, TypeError, "labels is"),
        ({"scores": np.where(np.arange(1000) == 6, np.nan, 0.5)}, ValueError, "the score of row 7 is nan"),
        ({"scores": np.ones((1000, 1))}, ValueError, r"scores have the shape \(1000, 1\)"),
        ({"groups": ["q"] * 1000}, ValueError, "the labels are of 1 clusters, but an interval needs at least 5"),
        ({"groups": ["q"] * 7}, ValueError, "1000 labels, 7 groups"),
        ({"inclusion": np.zeros(1000)}, ValueError, "the inclusion probability of row 1 is 0.0"),
        ({"strata": np.where(np.arange(1000) == 2, np.nan, 0.0)}, ValueError, "the stratum of row 3 is nan"),
        ({"strata": [0.0] * 7}, ValueError, "lengths differ"),
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
