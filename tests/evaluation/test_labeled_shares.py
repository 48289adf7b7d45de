"""The share by labels: the interval covers the truth when rows are drawn by strata, and questions have several rows."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.calibration.verdicts import Decided
from answersim.evaluation.human_labels import SystemLabels
from answersim.evaluation.labeled_shares import labeled_shares
from answersim.evaluation.labeling import choose

QUESTIONS, ROWS = 400, 2


CLUSTERS = [f"q{i // ROWS}" for i in range(QUESTIONS * ROWS)]


def made(rng: np.random.Generator) -> tuple[Decided, np.ndarray]:
    """Two answers to each question that are alike; 80 % are right, and the probability is wrong for some."""
    easy = rng.random(QUESTIONS) < 0.8
    right = np.where(rng.random((QUESTIONS, ROWS)) < 0.6, easy[:, None], rng.random((QUESTIONS, ROWS)) < 0.8).ravel()
    n = QUESTIONS * ROWS
    p = np.where(rng.random(n) < 0.9, right, ~right) * 0.8 + 0.1  # two values, and so two strata of different sizes
    verdicts = np.where(p >= 0.7, 0, np.where(p <= 0.3, 1, 2)).astype(np.int8)
    return Decided(p, p, verdicts), right.astype(float)


@pytest.mark.parametrize("allocation", ["proportional", "equal"])
def test_the_interval_covers_the_share_of_a_stratified_sample(allocation: str) -> None:
    rng = np.random.default_rng(3)
    covered, by_rates, values, naive = 0, 0, [], []
    for seed in range(200):
        decided, right = made(rng)
        drawn = choose(decided.scores, 100, allocation=allocation, rng=seed)  # type: ignore[arg-type]
        labels, inclusion = np.full(len(right), np.nan), np.full(len(right), np.nan)
        labels[drawn.rows], inclusion[drawn.rows] = right[drawn.rows], drawn.inclusion[drawn.rows]
        ((share,), _) = labeled_shares({"s": SystemLabels(labels, inclusion)}, {"s": decided}, CLUSTERS, 0.95)
        covered += share.ppi.low <= 0.8 <= share.ppi.high
        assert share.rogan_gladen is not None
        by_rates += share.rogan_gladen.low <= 0.8 <= share.rogan_gladen.high
        values.append((share.ppi.value, share.ppi.labels_alone.value))
        naive.append(np.nanmean(labels))
    assert 0.91 <= covered / 200 <= 0.99
    assert by_rates / 200 >= 0.93
    assert np.mean(values, axis=0) == pytest.approx([0.8, 0.8], abs=0.01)
    if allocation == "equal":
        assert abs(np.mean(naive) - 0.8) > 0.05  # without the probabilities, the rare scores count too much


def test_what_cannot_be_estimated_is_said() -> None:
    decided, right = made(np.random.default_rng(0))
    labels = np.where(np.arange(len(right)) < 40, right, np.nan)
    ((share,), notes) = labeled_shares({"s": SystemLabels(labels, None)}, {"s": decided}, CLUSTERS, 0.95)
    assert share.rogan_gladen is not None
    assert notes == [
        "s: the labels have no inclusion probabilities, so they count as a sample with equal probabilities"
    ]
    assert str(share).endswith(f"right by 40 labels, which are worth {share.ppi.labels_worth:,.0f} with the scores")
    few = {"s": Decided(np.arange(40.0), None, None)}
    with pytest.raises(ValueError, match="labels of s: the labels are of 4 clusters"):
        labeled_shares({"s": SystemLabels(labels[:40], None)}, few, [f"q{i // 10}" for i in range(40)], 0.95)
