"""Made verdicts whose errors are known: for the coverage of intervals where the errors are rare or of one direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray

ROWS = 2000
SHARES = (0.5, 0.8, 0.9, 0.95, 0.98)
ERRORS = (0.02, 0.05, 0.1)
DIRECTIONS = {"accepts": 1.0, "both": 0.5, "refuses": 0.0}  # the share of the errors that accept a wrong answer


class MadeVerdicts(NamedTuple):
    """Verdicts of a share of correct answers with errors of a kind."""

    # the share of correct answers, the share of errors, and what they do: accept wrong answers, refuse correct ones, or
    # both
    name: str
    verdicts: FloatArray  # 0 or 1 each, shape (2000,)
    labels: FloatArray  # 0 or 1 each, shape (2000,)


def made_verdicts() -> Iterator[MadeVerdicts]:
    """Yield all combinations of share, errors and direction in which both kinds of answers suffice for the errors.

    >>> made = {one.name: one for one in made_verdicts()}
    >>> len(made)
    36
    >>> one = made[".95 correct, accepts .02"]
    >>> float(one.labels.mean()), float(one.verdicts.mean())
    (0.95, 0.97)
    """
    for share in SHARES:
        for errors in ERRORS:
            for direction, accepting in DIRECTIONS.items():
                correct = round(share * ROWS)
                accepted = round(errors * accepting * ROWS)
                refused = round(errors * ROWS) - accepted
                if accepted >= ROWS - correct or refused >= correct:  # a verdict that is the same for all is no score
                    continue
                labels = np.repeat([1.0, 0.0], [correct, ROWS - correct])
                verdicts = labels.copy()
                verdicts[:refused] = 0.0
                verdicts[ROWS - accepted :] = 1.0
                verb = "errs by" if direction == "both" else direction
                yield MadeVerdicts(f"{_short(share)} correct, {verb} {_short(errors)}", verdicts, labels)


def _short(share: float) -> str:
    return f"{share:g}".removeprefix("0")
