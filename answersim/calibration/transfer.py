"""How far the mean probability of a calibration is from the share of right answers on sets that it does not contain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from answersim._base.text_tables import Result
from answersim.calibration.model.model import Calibration
from answersim.stats.intervals.proportion import t_quantile
from answersim.stats.intervals.resampling import Estimate

KEY = "transfer"  # of the metadata of a calibration


@dataclass(frozen=True)
class Transfer(Result):
    """The differences of the mean probability and the labeled share on other systems and sets."""

    error: float  # their root mean square, without the part that is due to the number of answers
    populations: int  # how many systems and sets there are
    least: float  # the lowest difference: the probability minus the share
    most: float  # the highest difference
    basis: str  # the names of the sets

    def summary(self) -> list[str]:
        """Return the error in points, with its range and the number of systems and sets."""
        return [
            f"{100 * self.error:.1f} points (root mean square, from {100 * self.least:+.0f} to {100 * self.most:+.0f}) "
            f"on {self.populations} other systems and sets"
        ]

    def widened(self, share: Estimate, level: float) -> Estimate:
        """Return an expected share with an interval that contains the error of transfer.

        Source: Zou & Donner 2008, "Construction of confidence limits about effect measures" (MOVER).
        """
        half = t_quantile(level, self.populations) * self.error
        low, high = (
            share.value - math.hypot(share.value - share.low, half),
            share.value + math.hypot(share.high - share.value, half),
        )
        return Estimate(share.value, max(0.0, low), min(1.0, high))


def transfer(differences: Mapping[str, tuple[float, float]], basis: str) -> Transfer:
    """Return the transfer by the difference of probability and share of each set, with its standard error."""
    if len(differences) < 2:
        raise ValueError(f"{len(differences)} system or set is given, but a spread needs at least 2; give more")
    values, errors = np.array(list(differences.values())).T
    square = float(np.square(values).mean() - np.square(errors).mean())
    return Transfer(math.sqrt(max(0.0, square)), len(values), float(values.min()), float(values.max()), basis)


def transfer_of(calibration: Calibration) -> Transfer | None:
    """Return the transfer that the metadata of a calibration state; None if it is unknown, as for a single set."""
    stated: Any = calibration.metadata.get(KEY)
    return None if stated is None else Transfer(**stated)


def condition(known: Transfer | None) -> str:
    """Return under which condition an expected share holds, in one sentence."""
    if known is None:
        return (
            "expected right holds only if these answers are like those of the calibration: how far it is off on other "
            "answers is unknown, and its interval leaves it out"
        )
    return (
        "expected right is the share that annotators would call right, if these answers are like those of the "
        f"calibration. Its interval includes the error on other answers, which was {known}"
    )
