"""How well scores agree with labels."""

import numpy as np
import pytest

from answersim.training.data.held_out import label_agreement


def test_agreement_is_pearson_and_spearman():
    scores, labels = np.array([0.1, 0.2, 0.4, 0.3]), np.array([0.0, 1.0, 5.0, 5.0])
    stats = pytest.importorskip("scipy.stats")
    expected = (stats.pearsonr(scores, labels)[0], stats.spearmanr(scores, labels)[0])
    assert label_agreement(scores, labels) == pytest.approx(expected)
    assert label_agreement(np.ones(4), labels) == (-1, -1)
