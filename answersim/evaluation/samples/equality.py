"""Do two answers mean the same? The rules of rewards, or one metric, for all pairs of all questions in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.signature import signature
from answersim.answers.extraction.abstention import attempted
from answersim.answers.extraction.frames import peeled
from answersim.answers.typed.api import signed_rules
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import ANSWER_VERDICTS, verdict_rule
from answersim.metrics.composite.extracted import finals
from answersim.scoring import score as scoring
from answersim.scoring.metrics import named_metric, signed
from answersim.scoring.reward.reading import Answer
from answersim.scoring.reward.rules import REVISION, decide, unanswered
from answersim.types import OneNamed, capabilities, reads_questions

EQUAL, OPEN, DIFFERENT = 1, 0, -1
"""1 for equal, -1 for different, 0 if this is open; shape (n,)."""


class AnswerPair(NamedTuple):
    """What is compared: gold answers, one of which suffices, and an answer, to a question ("" for none)."""

    golds: tuple[str, ...]
    answer: Answer
    question: str


class Equality(NamedTuple):
    """What decides, and its name for the reader."""

    compare: Callable[[Sequence[AnswerPair]], NDArray[np.int8]]  # returns the outcomes of comparisons, in order
    signature: str  # what decides the outcomes, in one line
    sentence: str  # how outcomes are decided


def abstains(answer: Answer, question: str) -> bool:
    """Return whether an answer is none: nothing can be read, it repeats the question, or it is a refusal.

    >>> abstains(Answer("I don't know.", ""), ""), abstains(Answer("Unknown Pleasures", ""), "")
    (True, False)
    """
    return bool(unanswered(answer, question)) or not attempted(answer.text)


def by_rules(lang: str) -> Equality:
    """Return the equality of the rules of ``answersim.Reward``, which load no model."""

    def outcome(row: AnswerPair) -> int:
        if unanswered(row.answer, row.question):
            return DIFFERENT
        golds = dict.fromkeys((*row.golds, *(peeled(gold, lang)[-1] for gold in row.golds)))  # a sample may be framed
        outcomes = {decide(gold, row.answer, row.question, lang).outcome for gold in golds}
        return EQUAL if "right" in outcomes else OPEN if outcomes & {"open", "undecided"} else DIFFERENT

    def compare(rows: Sequence[AnswerPair]) -> NDArray[np.int8]:
        return np.array([outcome(row) for row in rows], dtype=np.int8)

    rules = signed_rules(lang)
    signed = signature("groups", revision=REVISION, stages="rules+recall", rules=rules, lang=lang)
    return Equality(compare, signed, "the rules of answersim.Reward decide, without an encoder")


def by_metric(
    metric: OneNamed,
    *,
    lang: str = "en",
    calibration: CalibrationLike | None = ANY,
    threshold: float | None = None,
    has_questions: bool = False,
    cache: Any = None,
) -> Equality:
    """Return the equality of one metric: the verdicts of its scores.

    ``threshold``: the score from which answers are equal.
    """
    _, built = named_metric(metric, calibration, lang)
    of_scores = signed(built, has_questions)
    rule = verdict_rule(of_scores, scale=capabilities(built).scale, calibration=calibration, threshold=threshold)
    if not rule.counts:
        raise ValueError(rule.sentence)
    of_verdict = np.array([{"right": EQUAL, "wrong": DIFFERENT}.get(name, OPEN) for name in ANSWER_VERDICTS])

    def compare(rows: Sequence[AnswerPair]) -> NDArray[np.int8]:
        if not rows:
            return np.zeros(0, dtype=np.int8)
        questions = [row.question for row in rows] if has_questions and reads_questions(built) else None
        texts = [list(row.golds) for row in rows], [row.answer.text for row in rows]
        scores = scoring.score(*texts, built, question=questions, cache=cache)
        codes = rule.decide(scores.values, finals(built, texts[1])).verdicts
        return np.asarray(of_verdict[codes], dtype=np.int8)

    return Equality(compare, of_scores, rule.sentence)
