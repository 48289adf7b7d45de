"""The difference of two systems by human labels of few questions, and the checks of those labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.arguments import numbers
from answersim.evaluation.correction import FEWEST_LABELS, MeanEstimate
from answersim.stats.prediction_powered import prediction_powered
from answersim.stats.resampling import Estimate
from answersim.types import FloatArray

_SHARED = 0.5  # of the questions with a label have both, if the questions were drawn once


class LabeledQuestions(NamedTuple):
    """The human labels of several systems, one number per question."""

    labels: dict[str, FloatArray]  # by system; nan for no label
    inclusion: dict[str, FloatArray]  # the probability of each question to be labeled, by system, where it is known
    strata: dict[str, FloatArray]  # the stratum of each question, by system, where it is known


def checked(
    labels: Mapping[str, Any] | None, inclusion: Mapping[str, Any] | None, strata: Mapping[str, Any] | None, n: int
) -> LabeledQuestions:
    """Return the labels of n questions as columns of numbers.

    Raise ValueError if lengths differ, a number is infinite, or a probability is not above 0 and at most 1.
    """
    return LabeledQuestions(
        _finite("labels", labels, n),
        {name: _probabilities(name, values, n) for name, values in (inclusion or {}).items()},
        _finite("strata", strata, n),
    )


def difference_of_labels(
    apart: FloatArray, labeled: LabeledQuestions, pair: tuple[str, str], groups: Any, level: float
) -> MeanEstimate | None:
    """Estimate the mean difference of the labels of two systems from the questions whose two answers are labeled.

    ``apart``: the scores of the second system less those of the first, shape (n,). ``labeled``: the labels of both; no
    label at all gives None. Raise ValueError if one system has labels and the other has none, fewer than 10 questions
    have both, or one of these has no probability although others have.
    """
    if not labeled.labels:
        return None
    if missing := [name for name in pair if name not in labeled.labels]:
        raise ValueError(
            f"{missing[0]} has no labels, but the other system has labels; give the labels of both systems, or none"
        )
    gaps = labeled.labels[pair[1]] - labeled.labels[pair[0]]
    both = ~np.isnan(gaps)
    n = int(both.sum())
    if n < FEWEST_LABELS:
        raise ValueError(
            f"{n} questions have a label for both {pair[0]} and {pair[1]}, but an interval needs at least "
            f"{FEWEST_LABELS}; label both answers to the same questions, or give no labels"
        )
    once = _drawn_once(both, labeled, pair)
    weights = _weights(both, once, labeled.inclusion, pair)
    layers = _shared_strata(both, labeled.strata, pair) if once else None
    found = prediction_powered(
        apart, gaps, weights=weights, groups=groups, strata=layers, share=False, reach=1.0, level=level
    )
    alone = Estimate(found.plain, found.plain_low, found.plain_high)
    notes = (
        ()
        if np.ptp(gaps[both])
        else ("all labeled questions have the same difference of labels, so that the scores cannot help",)
    )
    return MeanEstimate(
        found.value, found.low, found.high, found.labels_worth, len(gaps), n, alone, float(apart.mean()),
        found.explained, "ppi", level, notes,
    )  # fmt: skip


def _drawn_once(both: NDArray[np.bool_], labeled: LabeledQuestions, pair: tuple[str, str]) -> bool:
    """Return whether the labeled questions were drawn once for both systems.

    If each system has probabilities, they are then equal, and few labeled questions lack one of the two labels. In two
    independent samples that leave out a third of the questions or more, most labeled questions lack one.
    """
    given = [labeled.inclusion[name] for name in pair if name in labeled.inclusion]
    if len(given) < 2:
        return True
    either = np.logical_or(*(~np.isnan(labeled.labels[name]) for name in pair))
    return bool((given[0][both] == given[1][both]).all() and both.sum() >= _SHARED * either.sum())


def _weights(
    both: NDArray[np.bool_], once: bool, inclusion: Mapping[str, FloatArray], pair: tuple[str, str]
) -> FloatArray | None:
    """Return 1 / probability that both answers to a question are labeled; None if no probability is known."""
    given = [inclusion[name] for name in pair if name in inclusion]
    if not given:
        return None
    probabilities = given[0] if once else given[0] * given[1]
    if np.isnan(probabilities[both]).any():
        row = int(np.flatnonzero(both & np.isnan(probabilities))[0])
        raise ValueError(
            f"question {row + 1} has both labels, but no inclusion probability for {' or '.join(pair)}; give that of "
            "every labeled question, or of none"
        )
    weights: FloatArray = 1 / np.where(both, probabilities, 1.0)
    return weights


def _shared_strata(
    both: NDArray[np.bool_], strata: Mapping[str, FloatArray], pair: tuple[str, str]
) -> FloatArray | None:
    """Return the strata by which the questions were drawn once for both systems; None if this is not known."""
    given = [strata[name] for name in pair if name in strata]
    if not given or any(np.isnan(values[both]).any() for values in given):
        return None
    return given[0] if all((values[both] == given[0][both]).all() for values in given) else None


def _finite(what: str, given: Mapping[str, Any] | None, n: int) -> dict[str, FloatArray]:
    """Return the labels, or the strata, of each system."""
    columns = {}
    for name, values in (given or {}).items():
        column = numbers(f"{what} of {name}", values, "one number per question, nan for a question without label")
        if column.shape != (n,) or np.isinf(column).any():
            raise ValueError(
                f"the {what} of {name} have the shape {column.shape} or contain infinity; give one finite number per "
                f"question ({n}), and nan for a question without label"
            )
        columns[name] = column
    return columns


def _probabilities(name: str, values: Any, n: int) -> FloatArray:
    column = numbers(f"inclusion of {name}", values, "one probability per question, nan for a question without label")
    given = column[~np.isnan(column)]
    if column.shape != (n,) or not ((given > 0) & (given <= 1)).all():
        raise ValueError(
            f"the inclusion of {name} has the shape {column.shape} or a probability that is not above 0 and at most 1; "
            f"give one per question ({n}), and nan for a question without label"
        )
    return column
