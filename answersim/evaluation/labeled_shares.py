"""The share of right answers from few labels: the verdicts of a metric on all answers, corrected by human labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim.calibration.verdicts import Decided
from answersim.evaluation.correction import MeanEstimate, estimate_mean
from answersim.evaluation.human_labels import SystemLabels
from answersim.stats.resampling import Bootstrap
from answersim.text_tables import with_interval


class LabeledShare(NamedTuple):
    """The share of the answers of one system that annotators would call right."""

    system: str  # the name of the system
    ppi: MeanEstimate  # by prediction-powered inference on the probabilities, or on the scores if the rule has none
    # from the verdicts and their true positive and negative rates among the labels; "unsure" counts as not right. None
    # without verdicts, or if the labels cannot give the rates.
    rogan_gladen: MeanEstimate | None

    def __str__(self) -> str:
        found = self.ppi
        return (
            f"{with_interval(found, '.1f', 100, ' %')} right by {found.n_labeled:,} labels, which are worth "
            f"{found.labels_worth:,.0f} with the scores"
        )


def labeled_shares(
    labels: Mapping[str, SystemLabels],
    decided: Mapping[str, Decided],
    groups: Sequence[Hashable] | None,
    level: float,
) -> tuple[tuple[LabeledShare, ...], list[str]]:
    """Return the share of each labeled system, and notes. All commands that read labels print this estimate.

    ``groups``: what each row belongs to, such as its question; None if each row is its own. Raise ValueError if a
    system has too few labels, or labels of too few clusters. See ``correction.estimate_mean``.
    """
    shares, notes = [], []
    for system, (given, inclusion, strata) in labels.items():
        numbers = decided[system]
        scores = numbers.scores if numbers.probabilities is None else numbers.probabilities
        how: dict[str, Any] = {"groups": groups, "inclusion": inclusion, "bootstrap": Bootstrap(level)}
        try:
            ppi = estimate_mean(scores, given, strata=strata, **how)
        except ValueError as error:
            raise ValueError(f"labels of {system}: {error}") from error
        notes += [f"{system}: {note}" for note in ppi.notes]
        rogan_gladen = None
        if (right := numbers.right()) is not None:
            try:
                rogan_gladen = estimate_mean(right, given, method="rogan-gladen", **how)
            except ValueError as error:
                notes.append(f"{system}: no estimate of Rogan-Gladen: {error}")
        if inclusion is None and not np.isnan(given).all():
            notes.append(
                f"{system}: the labels have no inclusion probabilities, so they count as a sample with equal "
                f"probabilities"
            )
        shares.append(LabeledShare(system, ppi, rogan_gladen))
    return tuple(shares), notes
