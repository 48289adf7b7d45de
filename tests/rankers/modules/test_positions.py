"""Positions as sines and cosines, against the formula in Python's own mathematics."""

import math

import pytest

from rankers.modules.positions import sinusoids


@pytest.mark.parametrize(("length", "dim"), [(1, 2), (7, 6), (4, 5)])
def test_each_number_is_that_of_vaswani(length, dim):
    result = sinusoids(length, dim)
    assert result.shape == (length, dim)
    for i in range(length):
        for j in range(dim):
            angle = i / 10_000 ** (2 * (j // 2) / dim)
            assert float(result[i, j]) == pytest.approx(math.cos(angle) if j % 2 else math.sin(angle), abs=1e-6)


def test_a_longer_text_does_not_move_its_beginning():
    assert (sinusoids(9, 4)[:3] == sinusoids(3, 4)).all()
