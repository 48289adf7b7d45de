"""How many rows count as one: by hand, and for equal rows."""

import numpy as np
import pytest

from answersim.stats.design_effect import design_effect, rows_per_group
from tests.cases import every

GROUPS = np.repeat(np.arange(100), 5)


@every(
    ("errors", "groups", "effect"),
    [
        ([1, 1, -1, -1], [0, 0, 1, 1], 2),  # 8 / 4
        ([1, -1, 1, -1], [0, 0, 1, 1], 1),  # 0 / 4, and at least 1
        ([3, 3, -6], [0, 0, 2], 72 / 54),
    ],
)
def test_by_hand(errors, groups, effect):
    assert design_effect(np.array(errors, dtype=float), np.array(groups)) == effect


def test_a_correction_for_few_groups():
    errors = np.array([1.0, 1, -1, -1])
    assert design_effect(errors, [0, 0, 1, 1], few_groups=True) == 2 * 2 / (2 - 1)
    assert design_effect(errors, [0, 0, 0, 0], few_groups=True) == 4


def test_without_errors_the_similarity_is_unknown():
    assert design_effect(np.zeros(4), [0, 0, 1, 1]) == 1
    assert design_effect(np.zeros(4), [0, 0, 1, 1], 2.0) == 2


def test_equal_rows_count_as_one_per_group():
    errors = np.random.default_rng(0).normal(size=100)[GROUPS]
    assert rows_per_group(GROUPS) == 5
    assert design_effect(errors, GROUPS) == pytest.approx(5)
