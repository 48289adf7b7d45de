"""The share of right answers from few labels: the verdicts of a metric on all answers, corrected by human labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from answersim.evaluation.correction import Corrected, corrected
from answersim.evaluation.given_labels import SystemLabels
from answersim.evaluation.rows import CALLS
from answersim.evaluation.tally import Tally


class LabeledShare(NamedTuple):
    """The share of the answers of one system that annotators would call right.

    Attributes:
        system: The name of the system.
        ppi: By prediction-powered inference on the probabilities, or on the scores without a calibration.
        rogan_gladen: From the verdicts and their true positive and negative rates among the labels; "unsure" counts as
            not right. None without a calibration, or if the labels cannot give the rates.
    """

    system: str
    ppi: Corrected
    rogan_gladen: Corrected | None

    def __str__(self) -> str:
        found = self.ppi
        return (
            f"{100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}] right by {found.n_labeled:,} "
            f"labels, which are worth {found.labels_worth:,.0f} with the scores"
        )


def labeled_shares(
    labels: Mapping[str, SystemLabels], tally: Tally, level: float
) -> tuple[tuple[LabeledShare, ...], list[str]]:
    """Return the share of each labeled system, clustered like all intervals of the evaluation, and notes.

    Args:
        labels: By system.
        tally: The numbers of all answers.
        level: The coverage of the intervals.

    Raises:
        ValueError: If a system has too few labels, or labels of too few clusters. See ``correction.corrected``.
    """
    shares, notes = [], []
    clusters = None if tally.over == "answers" else tally.clusters().tolist()
    for system, (given, inclusion, strata) in labels.items():
        numbers = tally.judged(system)
        scores = numbers.scores if numbers.probabilities is None else numbers.probabilities
        try:
            ppi = corrected(scores, given, clusters=clusters, inclusion=inclusion, strata=strata, level=level)
        except ValueError as error:
            raise ValueError(f"labels of {system}: {error}") from error
        notes += [f"{system}: {note}" for note in ppi.notes]
        rogan_gladen = None
        if numbers.calls is not None:
            right = numbers.calls == CALLS.index("right")
            try:
                rogan_gladen = corrected(
                    right, given, method="rogan-gladen", clusters=clusters, inclusion=inclusion, level=level
                )
            except ValueError as error:
                notes.append(f"{system}: no estimate of Rogan-Gladen: {error}")
        if inclusion is None and not np.isnan(given).all():
            notes.append(
                f"{system}: the labels have no inclusion probabilities, so they count as a sample with equal "
                f"probabilities"
            )
        shares.append(LabeledShare(system, ppi, rogan_gladen))
    return tuple(shares), notes
