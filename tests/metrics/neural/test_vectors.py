"""Cosines of vectors, row by row."""

import numpy as np
import pytest

from answersim.metrics.neural.vectors import cosine
from tests.cases import every

pytest.importorskip("torch")
pytest.importorskip("peft")


@every("value", [float("nan"), float("inf"), -float("inf")])
def test_the_cosine_of_what_is_not_finite_is_not_0_but_that_of_zeros_is(value):
    one = np.array([[value, 1.0], [value, 0.0], [value, 0.0], [0.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    other = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0], [value, 1.0]])
    for found in (cosine(one, other), cosine(other, one)):
        assert np.isnan(found[[0, 1, 2, 5]]).all()
        np.testing.assert_allclose(found[3:5], [0.0, 1.0])
