"""The promises of a calibration in sentences."""

from dataclasses import replace

import numpy as np

from answersim.calibration import calibrate
from answersim.calibration.decision import cuts
from answersim.calibration.wording import _floored, _percent, _rounded, decision, kind_of, promises
from answersim.stats.monotone import Isotonic
from answersim.stats.resampling import Bootstrap
from tests.cases import every


def fitted(n: int, noise: float):
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=n)
    return calibrate(2 * labels + noise * rng.normal(size=n), labels, bootstrap=Bootstrap(resamples=100))


def test_few_labels_promise_nothing_and_the_number_that_would_is_stated():
    calibration = fitted(100, 1.0)
    rule, first, equivalent, different = promises(calibration)
    assert rule == decision(calibration)
    assert first.startswith('NO PROMISE: 100 labels cannot promise 95 % for "equivalent" or 95 % for "different", so')
    for verdict, line in (("equivalent", equivalent), ("different", different)):
        assert line.startswith(f"{verdict}: 95 % cannot be promised; these labels could promise up to ")
    assert kind_of(calibration.equivalent) == kind_of(calibration.different) == "not promised"


def test_scores_that_separate_many_labels_are_promised():
    calibration = fitted(2000, 0.1)
    assert [line.split(";")[0] for line in promises(calibration)[1:]] == [
        "equivalent: 95 % is promised",
        "different: 95 % is promised",
    ]
    assert kind_of(calibration.equivalent) == "promised"


def test_scores_that_do_not_separate_the_labels_give_no_verdict():
    rng = np.random.default_rng(1)
    calibration = calibrate(rng.normal(size=300), rng.integers(2, size=300), bootstrap=Bootstrap(resamples=100))
    assert "these scores do not separate the labels (AUC " in promises(calibration)[0]
    assert kind_of(calibration.equivalent) == "never given"


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


@every(("share", "shown"), [(0.95, "95 %"), (0.995, "99.5 %"), (1.0, "100 %")])
def test_a_target_is_shown_without_trailing_zeros(share, shown):
    assert _percent(share) == shown


def test_what_could_be_promised_is_never_rounded_up_and_labels_have_two_digits():
    assert _floored(0.9499) == "94 %"
    assert [_rounded(labels) for labels in (12293.0, 642.0, 7.0)] == ["12,000", "640", "7"]
