"""The value of a coefficient for random scores, and the two names that all studies share."""

from __future__ import annotations

import math

ALL = "all"  # the name of the subset that leaves nothing out
PAIRWISE = "pairwise"  # the name of pairwise accuracy with calibrated ties


def chance(coefficient: str) -> float:
    """Return the average of a coefficient for scores that are drawn at random; nan if it is unknown.

    >>> chance("tau-b"), chance("auc>=1"), chance("pairwise")
    (0.0, 0.5, nan)
    """
    if coefficient == PAIRWISE:
        return math.nan  # it depends on the ties of the labels and of the scores
    return 0.5 if coefficient.startswith("auc") else 0.0
