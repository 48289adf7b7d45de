"""The design effect: how many rows count as one, because the errors of one group are alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray


def design_effect(errors: FloatArray, groups: Any, unknown: float = 1.0) -> float:
    """Return the variance of a sum divided by its variance for independent rows, at least 1.

    ``errors``: what each row adds to the error of an estimate, with the mean 0, shape (n,). ``groups``: the number of
    the group of each row from 0, shape (n,). ``unknown``: the result if all errors are 0.

    Source: Kish 1965, section 8.2; the variance of a ratio of sums over groups, as Cochran 1977, equation 6.13.
    """
    by_row = float(errors @ errors)
    if by_row == 0:
        return unknown
    by_group = np.bincount(groups, weights=errors)
    return max(1.0, float(by_group @ by_group) / by_row)
