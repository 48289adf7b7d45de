"""Verdicts from probabilities: literal cases, and cuts that agree with the curve."""

import math

import numpy as np
import pytest

from answersim.calibration.decision import cuts, decided, first_score, last_score
from answersim.stats.monotone import Isotonic, Logistic
from tests.cases import every

STEPS = Isotonic((0.0, 0.2, 0.4, 0.6, 1.0), (0.1, 0.1, 0.6, 0.6, 0.9))


@every(
    ("probability", "low", "high", "verdict"),
    [
        (0.5, 0.5, 0.5, "equivalent"),
        (0.4999, 0.5, 0.5, "different"),
        (0.7, 0.3, 0.7, "equivalent"),
        (0.6999, 0.3, 0.7, "unsure"),
        (0.3001, 0.3, 0.7, "unsure"),
        (0.3, 0.3, 0.7, "different"),
        (1.0, 0.01, 0.99, "equivalent"),
        (0.0, 0.01, 0.99, "different"),
        (0.6, 0.3, 0.6, "equivalent"),
        (0.5, 0.5, 0.7, "unsure"),
    ],
)
def test_a_verdict_begins_at_the_end_of_the_band(probability, low, high, verdict):
    assert decided([probability], low, high).tolist() == [verdict]


@every(
    ("curve", "probability", "score"),
    [
        (STEPS, 0.5, 0.36),
        (STEPS, 0.6, 0.4),
        (STEPS, 0.9, 1.0),
        (STEPS, 0.1, -math.inf),
        (STEPS, 0.95, math.inf),
        (Logistic(4.0, -2.0), 0.5, 0.5),
        (Logistic(0.0, 1.0), 0.5, -math.inf),
        (Logistic(0.0, -1.0), 0.5, math.inf),
    ],
)
def test_the_first_score_of_a_probability(curve, probability, score):
    assert first_score(curve, probability) == pytest.approx(score)


@every("curve", [STEPS, Logistic(5.0, -2.5)])
@every("band", [(0.45, 0.55), (0.3, 0.7), (0.15, 0.85), (0.2, 0.6)])
def test_the_cuts_are_where_the_verdicts_change(curve, band):
    low, high = cuts(curve, *band)
    at = np.linspace(-0.5, 1.5, 4001)
    verdicts = decided(curve(at), *band)
    assert (verdicts[at > high + 1e-9] == "equivalent").all()
    assert (verdicts[at < low - 1e-9] == "different").all()
    assert (verdicts[(at > low + 1e-9) & (at < high - 1e-9)] == "unsure").all()


def test_a_level_stretch_at_the_end_of_the_band_is_different():
    curve = Isotonic((0.0, 0.4, 0.6, 1.0), (0.3, 0.3, 0.7, 0.7))
    assert cuts(curve, 0.3, 0.7) == (0.4, 0.6)
    assert (last_score(curve, 0.7), last_score(curve, 0.2)) == (math.inf, -math.inf)
    assert (last_score(Logistic(0.0, 1.0), 0.5), last_score(Logistic(0.0, -1.0), 0.5)) == (-math.inf, math.inf)
