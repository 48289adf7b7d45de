"""From which value on a metric says that two answers mean the same: chosen on dev, so that few wrong ones reach it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import answersim
from answersim.types import Metric
from rankers.types import Questions

MOST = 1000  # wrong answers of dev that are looked at


def thresholds(dev: Questions, metrics: Mapping[str, Metric], share: float, seed: int = 0) -> dict[str, float]:
    """By metric, the lowest value that at most this share of dev's wrong candidates reach.

    A wrong candidate is compared with its question's gold answers, else its relevant candidates, and the closest
    counts; of more than 1,000 wrong candidates so many are drawn. Labels of dev alone decide, so the limit is right as
    far as they are: where wrong labels are common, it lies too high.

    Args:
        dev: Never the test split.
        metrics: By name.
        share: Between 0 and 1, such as .01.
        seed: Of the draw.

    Raises:
        ValueError: A share that is none, or no wrong candidate with a gold answer beside it.
    """
    if not 0 < share < 1:
        raise ValueError(f"the share is {share}, but it lies between 0 and 1, such as 0.01")
    pairs = []
    for question in dev:
        golds = question.golds or tuple(
            candidate.text for candidate in question.candidates if dev.is_relevant(candidate)
        )
        if golds:
            pairs += [(golds, candidate.text) for candidate in question.candidates if not dev.is_relevant(candidate)]
    if not pairs:
        raise ValueError(f"{dev.corpus} {dev.split} has no wrong candidate beside a gold answer; state thresholds")
    chosen = np.sort(np.random.default_rng(seed).permutation(len(pairs))[:MOST])
    scored = answersim.score_pairs([pairs[i] for i in chosen], list(metrics.values()))
    return {name: _limit(np.asarray(scored[metric.signature].values), share) for name, metric in metrics.items()}


def _limit(values: np.ndarray, share: float) -> float:
    """The lowest number that at most this share of the values reach.

    >>> bool(_limit(np.array([0.1, 0.2, 0.9, 0.3]), 0.25) == np.nextafter(0.3, 1))
    True
    """
    falling = np.sort(values)[::-1]
    return float(np.nextafter(falling[int(share * len(falling))], np.inf))
