"""The thresholds of metrics for equivalent answers, selected on dev so that few negatives reach them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import answersim
from answersim.types import Metric
from rankers.types import Questions

MOST = 1000  # the maximum number of negatives of dev that are scored


def thresholds(dev: Questions, metrics: Mapping[str, Metric], share: float, seed: int = 0) -> dict[str, float]:
    """Return the lowest value of each metric that at most this share of the negatives of dev reach.

    A negative is compared with the gold answers of its question, or else with its relevant candidates, and the closest
    one counts. At most 1,000 negatives are drawn. The threshold depends only on the labels of dev. If false negatives
    are common, it is too high. ``dev``: the dev questions, never the test split. Raise ValueError if the share is not
    between 0 and 1, or no negative has a gold answer beside it.
    """
    if not 0 < share < 1:
        raise ValueError(f"the share is {share}, but it must be between 0 and 1, such as 0.01")
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
    """Return the lowest number that at most this share of the values reach.

    >>> bool(_limit(np.array([0.1, 0.2, 0.9, 0.3]), 0.25) == np.nextafter(0.3, 1))
    True
    """
    falling = np.sort(values)[::-1]
    return float(np.nextafter(falling[int(share * len(falling))], np.inf))
