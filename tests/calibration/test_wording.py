"""A calibration in sentences."""

from dataclasses import replace

import numpy as np

from answersim.calibration import calibrate
from answersim.calibration.decision import cuts
from answersim.calibration.wording import decision
from answersim.stats.monotone import Isotonic
from answersim.stats.resampling import Bootstrap


def fitted(n: int, noise: float):
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=n)
    return calibrate(2 * labels + noise * rng.normal(size=n), labels, bootstrap=Bootstrap(resamples=100))


def test_scores_that_do_not_separate_the_labels_give_no_verdict():
    rng = np.random.default_rng(1)
    calibration = calibrate(rng.normal(size=300), rng.integers(2, size=300), bootstrap=Bootstrap(resamples=100))
    assert "these scores do not separate the labels (AUC " in decision(calibration)


def test_the_rule_states_probabilities_scores_and_accuracy():
    calibration = fitted(2000, 1.0)
    low, high = cuts(calibration.curve)
    rule = decision(calibration)
    assert f"equivalent from p 0.7 (score {high:.4f}), different up to p 0.3 (score {low:.4f}), unsure between" in rule
    assert f"{100 * calibration.threshold('accuracy').accuracy.value:.1f} [" in rule
    assert decision(calibration, 0.5, 0.5).startswith("equivalent from p 0.5 (score ")
    assert "unsure between" not in decision(calibration, 0.5, 0.5)
    level = replace(calibration, curve=Isotonic((0.0, 1.0), (0.4, 0.6)))
    assert decision(level).startswith("equivalent from p 0.7 (no score), different up to p 0.3 (no score)")
