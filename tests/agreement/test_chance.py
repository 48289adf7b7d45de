"""What random scores reach by each coefficient."""

from __future__ import annotations

import math

import pytest

from answersim.agreement.chance import PAIRWISE, chance


@pytest.mark.parametrize(("coefficient", "expected"), [("tau-b", 0), ("spearman", 0), ("auc>=1", 0.5), ("auc", 0.5)])
def test_chance_is_half_for_an_area_and_zero_for_a_correlation(coefficient, expected):
    assert chance(coefficient) == expected


def test_chance_is_unknown_for_pairwise_accuracy():
    assert math.isnan(chance(PAIRWISE))
