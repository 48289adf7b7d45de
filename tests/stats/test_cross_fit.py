"""Cross-fitted thresholds: by hand, no row helps to choose its own threshold, and no optimism on noise."""

import numpy as np
import pytest

from answersim.stats.cross_fit import cross_fitted, folds_of
from tests.cases import every


def test_folds_have_whole_groups_and_nearly_equal_numbers_of_them():
    groups = [f"q{i}" for i in range(23) for _ in range(1 + i % 3)]
    folds = folds_of(groups, 5, np.random.default_rng(0))
    by_group = {group: {fold for other, fold in zip(groups, folds, strict=True) if other == group} for group in groups}
    assert all(len(fold) == 1 for fold in by_group.values())
    sizes = np.bincount([fold for (fold,) in by_group.values()])
    assert sorted(sizes) == [4, 4, 5, 5, 5]


def test_each_fold_is_called_by_the_threshold_of_the_others():
    scores, labels = [0.1, 0.3, 0.8, 0.2, 0.6, 0.7], [0, 0, 1, 0, 0, 1]
    # Without fold 0: .2 and .6 are negative and .7 is positive, so .65. Without fold 1: .3 and .8, so .55.
    called, thresholds = cross_fitted(scores, labels, [0, 0, 0, 1, 1, 1])
    assert thresholds == pytest.approx([0.65, 0.55])
    assert called.tolist() == [False, False, True, False, True, True]


def test_labels_of_one_kind_call_all_or_nothing():
    called, thresholds = cross_fitted([0.2, 0.5, 0.9], [0, 0, 0], [0, 1, 2])
    assert not called.any()
    assert np.isinf(thresholds).all()
    assert cross_fitted([0.2, 0.5, 0.9], [1, 1, 1], [2, 1, 0]).called.tolist() == [False, True, True]


@every("folds", [1, 4])
def test_too_few_or_too_many_folds_are_an_error(folds):
    with pytest.raises(ValueError, match=f"3 groups cannot be split into {folds} folds"):
        folds_of(["a", "b", "c", "a"], folds, np.random.default_rng(0))
