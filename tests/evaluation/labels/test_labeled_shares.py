"""The share by labels: the estimates of the verdicts and probabilities, and what cannot be estimated."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.calibration.verdicts import Decided
from answersim.evaluation.labels.correction import estimate_mean
from answersim.evaluation.labels.human_labels import SystemLabels
from answersim.evaluation.labels.labeled_shares import labeled_shares
from answersim.evaluation.labels.labeling import choose
from answersim.stats.resampling import Bootstrap

N = 800
RNG = np.random.default_rng(3)
RIGHT = RNG.random(N) < 0.8
P = np.where(RNG.random(N) < 0.9, RIGHT, ~RIGHT) * 0.8 + 0.1
DECIDED = Decided(P / 2, P, np.where(P >= 0.7, 0, np.where(P <= 0.3, 1, 2)).astype(np.int8))
QUESTIONS = [f"q{i // 2}" for i in range(N)]


def test_the_estimates_use_the_probabilities_the_verdicts_and_how_rows_were_drawn() -> None:
    drawn = choose(P, 100, allocation="equal", strata=2)
    labels, inclusion, strata = (np.full(N, np.nan) for _ in range(3))
    labels[drawn.rows], inclusion[drawn.rows] = RIGHT[drawn.rows], drawn.inclusion[drawn.rows]
    strata[drawn.rows] = drawn.strata[drawn.rows]
    given = {"s": SystemLabels(labels, inclusion, strata)}
    ((share,), notes) = labeled_shares(given, {"s": DECIDED}, QUESTIONS, 0.9)
    how = {"groups": QUESTIONS, "inclusion": inclusion, "bootstrap": Bootstrap(0.9)}
    assert share.ppi == estimate_mean(P, labels, strata=strata, **how)
    assert repr(share.rogan_gladen) == repr(estimate_mean(P >= 0.7, labels, method="rogan-gladen", **how))
    assert (share.system, notes) == ("s", [])
    ((of_scores,), _) = labeled_shares(given, {"s": Decided(P / 2, None, None)}, QUESTIONS, 0.9)
    assert of_scores.rogan_gladen is None
    assert of_scores.ppi.uncorrected == pytest.approx(P.mean() / 2)


def test_what_cannot_be_estimated_is_stated() -> None:
    labels = np.where(np.arange(N) < 40, RIGHT, np.nan)
    ((share,), notes) = labeled_shares({"s": SystemLabels(labels)}, {"s": DECIDED}, QUESTIONS, 0.95)
    assert notes == [
        "s: the labels have no inclusion probabilities, so they count as a sample with equal probabilities"
    ]
    assert str(share).endswith(f"right by 40 labels, which are worth {share.ppi.labels_worth:,.0f} with the scores")
    few = {"s": Decided(np.arange(40.0), None, None)}
    with pytest.raises(ValueError, match="labels of s: the labels are of 4 clusters"):
        labeled_shares({"s": SystemLabels(labels[:40])}, few, [f"q{i // 10}" for i in range(40)], 0.95)
