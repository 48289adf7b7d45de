"""The transfer of a calibration: its root mean square, the widened interval, and what is known about it."""

from dataclasses import replace

import numpy as np
import pytest

import answersim
from answersim._base.text_tables import content
from answersim.calibration.transfer import Transfer, condition, transfer, transfer_of
from answersim.stats.resampling import Estimate


def test_the_error_is_the_root_mean_square_without_sampling():
    found = transfer({"a": (0.06, 0.0), "b": (-0.08, 0.0)}, "two sets")
    assert found.error == pytest.approx(np.sqrt((0.06**2 + 0.08**2) / 2))
    assert (found.populations, found.least, found.most) == (2, -0.08, 0.06)
    assert transfer({"a": (0.06, 0.08), "b": (-0.08, 0.07)}, "").error == 0


def test_one_set_shows_no_spread():
    with pytest.raises(ValueError, match="1 system or set is given"):
        transfer({"a": (0.1, 0.0)}, "")


def test_the_interval_covers_new_sets_as_often_as_it_promises():
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(3000):
        off, sampling = rng.normal(0, 0.06, 13), 0.02
        known = transfer({str(i): (gap + rng.normal(0, sampling), sampling) for i, gap in enumerate(off[:12])}, "")
        value = 0.6 + off[12] + rng.normal(0, sampling)
        found = known.widened(Estimate(value, value - 1.96 * sampling, value + 1.96 * sampling), 0.95)
        covered.append(found.low <= 0.6 <= found.high)
    assert 0.935 < np.mean(covered) < 0.965


def test_a_widened_interval_stays_between_0_and_1():
    found = Transfer(0.3, 5, -0.3, 0.3, "").widened(Estimate(0.9, 0.8, 0.95), 0.95)
    assert found.low < 0.8
    assert found.high == 1


def test_the_condition_of_a_calibration_of_one_set_is_stated():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=100)
    mine = answersim.calibrate(
        labels + rng.normal(size=100), labels, signature="mine|v:1", bootstrap=answersim.Bootstrap(resamples=5)
    )
    assert transfer_of(mine) is None
    known = Transfer(0.06, 12, -0.1, 0.05, "EVOUNA")
    assert transfer_of(replace(mine, metadata={"transfer": content(known)})) == known
    for words in (condition(None), condition(known)):
        assert "if these answers are like those of the calibration" in words
    assert "is unknown" in condition(None)
    assert "6.0 points (root mean square, from -10 to +5) on 12" in condition(known)
