"""The rows of an evaluation: the results of a system on a subset, and of one answer."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from answersim.calibration.decision import Verdict
from answersim.stats.resampling import Estimate

Call: TypeAlias = Literal["right", "wrong", "unsure"]

CALLS: tuple[Call, ...] = get_args(Call)
CALL_OF: dict[Verdict, Call] = {"equivalent": "right", "different": "wrong", "unsure": "unsure"}


class SystemRow(NamedTuple):
    """The results of one system on one subset.

    Attributes:
        subset: The name of the subset, such as "all" or "question=who".
        system: The name of the system.
        n: The number of answers.
        clusters: The number of questions (or other clusters) that they belong to.
        mean: The mean score, with its interval over clusters.
        right: How many answers are called right; None without a calibration.
        wrong: How many are called wrong; None without a calibration.
        unsure: How many are neither; None without a calibration.
        share: The share called right, with its interval over clusters; nan without a calibration.
        probability: The mean probability that an answer is right, likewise: the expected share that annotators call
            right, if these answers are like those of the calibration. The interval includes the error of transfer to
            other answers if the calibration states it.
    """

    subset: str
    system: str
    n: int
    clusters: int
    mean: Estimate
    right: int | None
    wrong: int | None
    unsure: int | None
    share: Estimate
    probability: Estimate


class AnswerRow(NamedTuple):
    """One answer of one system.

    Attributes:
        row: The id of the row, or its number from 1 as text.
        system: The name of the system.
        call: "right", "wrong" or "unsure".
        score: The score.
        probability: The probability that the answer is right.
        question: The question, or None if there are none.
        gold: The gold answer, or all gold answers.
        pred: The prediction.
    """

    row: str
    system: str
    call: Call
    score: float
    probability: float
    question: str | None
    gold: Any
    pred: str
