"""Measures of two yes-or-no columns: by hand, scikit-learn's values as literals, and where they are not defined."""

import numpy as np
import pytest

from answersim.stats.confusion import MEASURES, Confusion, accuracy, cells, confusion, kappa, mcc

LABELS = [1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
CALLED = [1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0]
SKEWED_LABELS = [1] * 85 + [0] * 15
SKEWED_CALLED = [1] * 80 + [0] * 5 + [1] * 9 + [0] * 6


@pytest.mark.parametrize(
    ("called", "labels", "expected"),
    [
        # The values of scikit-learn 1.9.1: accuracy, cohen_kappa_score, matthews_corrcoef, recall of 1 and of 0.
        pytest.param(CALLED, LABELS, (2 / 3, 0.32432432432432434, 0.32732683535398854, 2 / 3, 2 / 3), id="mixed"),
        pytest.param(
            *(SKEWED_CALLED, SKEWED_LABELS, (0.86, 0.3832599118942731, 0.38935236647116056, 0.9411764705882353, 0.4)),
            id="skewed",
        ),
        pytest.param([0, 0, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0], (0, -0.8, -1, 0, 0), id="opposite"),
        pytest.param([1, 0, 1], [1, 0, 1], (1, 1, 1, 1, 1), id="the same"),
        # A constant column has no kappa (scikit-learn returns 0) and no MCC, which divides by 0.
        pytest.param([1, 1, 1, 1], [1, 1, 0, 0], (0.5, np.nan, np.nan, 1, 0), id="one verdict"),
        pytest.param([1, 0, 0, 0], [1, 1, 1, 1], (0.25, np.nan, np.nan, 0.25, np.nan), id="one label"),
        pytest.param([1, 1], [1, 1], (1, np.nan, np.nan, 1, np.nan), id="both constant"),
        pytest.param([], [], (np.nan,) * 5, id="no rows"),
    ],
)
def test_the_measures_have_their_known_values(called, labels, expected):
    counted = confusion(called, labels)
    np.testing.assert_allclose([measure(counted) for measure in MEASURES.values()], expected, atol=1e-12)


def test_the_cells_are_in_the_order_of_the_confusion():
    assert cells([1, 1, 0, 0], [1, 0, 1, 0]).tolist() == np.eye(4).tolist()
    assert confusion(CALLED, LABELS) == Confusion(6, 2, 3, 4)


def test_arrays_of_samples_give_one_value_per_sample():
    samples = Confusion(*np.array([[6, 80, 0], [2, 9, 0], [3, 5, 0], [4, 6, 0]], dtype=float))
    np.testing.assert_allclose(kappa(samples), [0.32432432432432434, 0.3832599118942731, np.nan])
    np.testing.assert_allclose(mcc(samples), [0.32732683535398854, 0.38935236647116056, np.nan])
    np.testing.assert_allclose(accuracy(samples), [2 / 3, 0.86, np.nan])
