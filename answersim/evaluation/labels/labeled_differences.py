"""The difference of two systems by human labels of few questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.evaluation.labels.correction import MeanEstimate
from answersim.evaluation.labels.human_labels import FEWEST_LABELS, SystemLabels
from answersim.stats.prediction_powered import prediction_powered
from answersim.stats.resampling import Estimate

_SHARED = 0.5  # of the questions with a label have both, if the questions were drawn once


def difference_of_labels(
    apart: FloatArray, labeled: Mapping[str, SystemLabels], pair: tuple[str, str], groups: Any, level: float
) -> MeanEstimate | None:
    """Estimate the mean difference of the labels of two systems from the questions whose two answers are labeled.

    If the probabilities of two systems are equal for all questions with both labels, and at least half of the questions
    with a label have both, the questions were drawn once for both. Otherwise the answers of each system were drawn
    independently, and the products count. They are not known for a system whose answers were labeled where those of the
    other one were drawn. Strata are used if two systems have equal ones for all questions with both labels.

    ``apart``: the scores of the second system less those of the first, shape (n,). ``labeled``: the labels by system;
    None is returned unless both have some. ``groups``: the number of the cluster of each question. Raise ValueError if
    fewer than 10 questions have both labels, or one of these has no probability although others have.
    """
    if not set(pair) <= set(labeled):
        return None
    first, second = (labeled[name] for name in pair)
    gaps = second.labels - first.labels
    both = ~np.isnan(gaps)
    n = int(both.sum())
    if n < FEWEST_LABELS:
        raise ValueError(
            f"{n} questions have a label for both {pair[0]} and {pair[1]}, but an interval needs at least "
            f"{FEWEST_LABELS}; label both answers to the same questions, or give no labels"
        )
    once = _drawn_once(both, first, second)
    weights = _weights(
        both,
        once,
        [labels_of_system.inclusion for labels_of_system in (first, second) if labels_of_system.inclusion is not None],
        pair,
    )
    layers = _shared_strata(both, first, second) if once else None
    powered = prediction_powered(
        apart, gaps, weights=weights, groups=groups, strata=layers, share=False, reach=1.0, level=level
    )
    alone = Estimate(powered.plain, powered.plain_low, powered.plain_high)
    notes = (
        ()
        if np.ptp(gaps[both])
        else ("all labeled questions have the same difference of labels, so that the scores cannot help",)
    )
    return MeanEstimate(
        powered.value, powered.low, powered.high, powered.labels_worth, len(gaps), n, alone, float(apart.mean()),
        powered.explained, "ppi", level, notes,
    )  # fmt: skip


def _drawn_once(both: NDArray[np.bool_], first: SystemLabels, second: SystemLabels) -> bool:
    """Return whether the labeled questions were drawn once for both systems.

    If each system has probabilities, they are then equal, and few labeled questions lack one of the two labels. In two
    independent samples that leave out a third of the questions or more, most labeled questions lack one.
    """
    if first.inclusion is None or second.inclusion is None:
        return True
    either = ~np.isnan(first.labels) | ~np.isnan(second.labels)
    return bool((first.inclusion[both] == second.inclusion[both]).all() and both.sum() >= _SHARED * either.sum())


def _weights(
    both: NDArray[np.bool_], once: bool, inclusions: list[FloatArray], pair: tuple[str, str]
) -> FloatArray | None:
    """Return 1 / probability that both answers to a question are labeled; None if no probability is known."""
    if not inclusions:
        return None
    probabilities = inclusions[0] if once else inclusions[0] * inclusions[1]
    if np.isnan(probabilities[both]).any():
        row = int(np.flatnonzero(both & np.isnan(probabilities))[0])
        raise ValueError(
            f"question {row + 1} has both labels, but no inclusion probability for {' or '.join(pair)}; give that of "
            "every labeled question, or of none"
        )
    weights: FloatArray = 1 / np.where(both, probabilities, 1.0)
    return weights


def _shared_strata(both: NDArray[np.bool_], first: SystemLabels, second: SystemLabels) -> FloatArray | None:
    """Return the strata by which the questions were drawn once for both systems; None if this is not known."""
    strata = [labels_of_system.strata for labels_of_system in (first, second) if labels_of_system.strata is not None]
    if not strata or any(np.isnan(values[both]).any() for values in strata):
        return None
    return strata[0] if all((values[both] == strata[0][both]).all() for values in strata) else None
