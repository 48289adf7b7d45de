"""The rows of an evaluation: the results of a system on a subset, and of one answer."""

from __future__ import annotations

from typing import Any, NamedTuple

from answersim.calibration.verdicts import AnswerVerdict
from answersim.stats.resampling import Estimate


class SystemRow(NamedTuple):
    """The results of one system on one subset.

    Attributes:
        subset: The name of the subset, such as "all" or "question=who".
        system: The name of the system.
        n: The number of answers.
        clusters: The number of questions (or other clusters) that they belong to.
        mean: The mean score, with its interval over clusters.
        right: How many answers are right by the rule of the evaluation; None if the rule counts none.
        wrong: How many are wrong; None likewise.
        unsure: How many are neither; None likewise.
        share: The share of right answers, with its interval over clusters; nan likewise.
        probability: The mean probability that an answer is right, with its interval: the expected share that annotators
            call right, if these answers are like those of the calibration; nan if the rule has no probabilities. The
            interval includes the error of transfer to other answers if the calibration states it.
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
        verdict: "right", "wrong" or "unsure".
        score: The score.
        probability: The probability that the answer is right; None if the rule has no probabilities.
        question: The question, or None if there are none.
        gold: The gold answer, or all gold answers.
        pred: The prediction.
        answer: The final answer that was read out of the prediction; None if no rule was given.
        rule: The rule that found it; None if none did, or no rule was given.
    """

    row: str
    system: str
    verdict: AnswerVerdict
    score: float
    probability: float | None
    question: str | None
    gold: Any
    pred: str
    answer: str | None = None
    rule: str | None = None
