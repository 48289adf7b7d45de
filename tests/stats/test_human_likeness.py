"""Human-likeness: z by hand, raters that agree equally, and kappas that are not defined."""

import numpy as np
import pytest

from answersim.stats.human_likeness import human_likeness, interpretation

BETWEEN = np.array([[np.nan, 0.8, 0.6], [0.8, np.nan, 0.7], [0.6, 0.7, np.nan]])[..., None]


def test_z_is_counted_in_deviations_of_the_raters():
    found = human_likeness(np.array([[0.9, 0.9, 0.9], [0.5, 0.5, np.nan]])[..., None], BETWEEN)
    assert found.rater[:, 0] == pytest.approx([0.7, 0.75, 0.65])  # mean .7, deviation .05
    assert found.judge[:, 0] == pytest.approx([0.9, 0.5])
    assert found.z[:, 0] == pytest.approx([4, -4])
    assert [interpretation(z) for z in found.z[:, 0]] == ["super-consistent", "below the raters"]


def test_raters_that_agree_equally_and_two_raters_have_no_z():
    equal = np.full((3, 3, 2), 0.7)
    assert np.isnan(human_likeness(np.full((1, 3, 2), 0.7), equal).z).all()
    assert np.isnan(human_likeness(np.full((1, 2, 1), 0.7), np.full((2, 2, 1), 0.6)).z).all()
    assert interpretation(float("nan")) == "-"
