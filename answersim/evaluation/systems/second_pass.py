"""The second pass: a second metric decides the answers that the first one leaves unsure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from answersim._base.errors import renumbered
from answersim._base.text_tables import counted
from answersim.answers.extraction import Extraction
from answersim.answers.tables.table import Answers
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import ANSWER_VERDICTS, Decided, VerdictRule, Verdicts, verdict_settings
from answersim.evaluation.systems.abstentions import Abstentions
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import named_metric, signed
from answersim.scoring.score import score_pairs
from answersim.types import Metric, OneNamed, capabilities, reads_questions

_UNSURE = ANSWER_VERDICTS.index("unsure")
_OF_VERDICTS = np.array([{"right": 1.0, "unsure": 0.5}.get(name, 0.0) for name in ANSWER_VERDICTS])  # as probabilities


class SecondPass(NamedTuple):
    """What a second metric decided of the answers of one system that the first metric left unsure."""

    system: str  # the name of the system
    metric: str  # the name of the second metric
    n: int  # the number of answers that were unsure, which it scored
    right: int  # how many of them it calls right
    wrong: int  # how many it calls wrong
    unsure: int  # how many are still unsure
    not_attempted: int  # how many it grades as no attempt

    def __str__(self) -> str:
        counts = f"{self.right:,} right, {self.wrong:,} wrong, {self.unsure:,} still unsure"
        if self.not_attempted:
            counts += f", {self.not_attempted:,} not attempted"
        return f"{self.metric} scored the {counted(self.n, 'unsure answer')}: {counts}"


@dataclass(frozen=True)
class Second:
    """A second metric with the rule for its verdicts."""

    name: str  # its name in the result
    metric: Metric
    signature: str  # the signature of its scores
    rule: VerdictRule

    @property
    def settings(self) -> dict[str, Any]:
        """The settings for the result."""
        calibration = self.rule.calibration
        return {"metric": self.name, "signature": self.signature, "counted by": self.rule.basis,
                "low": self.rule.low, "high": self.rule.high, "threshold": self.rule.stated,
                "calibration": None if calibration is None else calibration.signature}  # fmt: skip

    def notes(self, first: VerdictRule) -> list[str]:
        """Return the signature, how the answers are counted, and what stands for their probabilities."""
        notes = [f"unsure answers, by {self.name}: {self.signature}", f"counted: {self.rule.sentence}"]
        if first.calibration is not None and self.rule.basis == "binary":
            notes.append(f"the probabilities of the answers that {self.name} decided are its verdicts: 1, 0 or .5")
        return notes


def second_metric(
    unsure: OneNamed | tuple[OneNamed, CalibrationLike | Verdicts],
    first: Metric,
    rule: VerdictRule,
    *,
    lang: str,
    extract: Any,
    has_questions: bool,
) -> Second:
    """Return the metric of the second pass with its rule, before any work.

    ``first``, ``rule``: the first metric and its rule. ``has_questions``: whether there is a non-empty question.
    """
    metric, calibration = unsure if isinstance(unsure, tuple) else (unsure, ANY)
    name, built = named_metric(metric, calibration, lang, extract if isinstance(metric, (str, type(None))) else None)
    if not rule.counts or rule.basis == "threshold":
        why = "a threshold leaves no answer unsure" if rule.counts else rule.sentence
        raise ValueError(f"unsure={name!r} is given (--unsure-by), but {why}")
    if built.signature == first.signature:
        raise ValueError(f"unsure={name!r} is given (--unsure-by), but it is the metric itself; give another one")
    signature = signed(built, has_questions)
    its_rule = verdict_settings(calibration).rule(signature, capabilities(built).scale, name)
    if not its_rule.counts:
        raise ValueError(f"unsure={name!r} is given (--unsure-by), but {its_rule.sentence}")
    return Second(name, built, signature, its_rule)


def decide_again(
    second: Second,
    answers: Answers,
    decided: Mapping[str, Decided],
    finals: Mapping[str, Sequence[Extraction]],
    *,
    cache: CacheLike | None,
    progress: bool,
) -> tuple[dict[str, Decided], tuple[SecondPass, ...]]:
    """Return the verdicts after the second pass, and what it decided.

    The scores are those of the first metric. The probability of an answer that the second metric decided is that of the
    second metric; 1, 0 or .5 if it has verdicts only. ``finals``: the final answers by system, empty without a rule.
    """
    rows = {system: np.flatnonzero(of_first.verdicts == _UNSURE).tolist() for system, of_first in decided.items()}
    places = [(system, i) for system in rows for i in rows[system]]
    if not places:
        return dict(decided), tuple(SecondPass(system, second.name, 0, 0, 0, 0, 0) for system in decided)
    questions = None
    if answers.questions is not None and reads_questions(second.metric):
        questions = [answers.questions[i] for _, i in places]
    pairs = [(answers.golds[i], answers.predictions[system][i]) for system, i in places]
    with renumbered([answers.numbers[i] - 1 for _, i in places]):
        (scores,) = score_pairs(pairs, [second.metric], question=questions, cache=cache, progress=progress).values()
    ends = np.cumsum([len(rows[system]) for system in decided])
    of_system = dict(zip(decided, np.split(scores.values, ends[:-1]), strict=True))
    decided_again, counts = {}, []
    for system, of_first in decided.items():
        at = rows[system]
        golds, preds = [answers.golds[i] for i in at], [answers.predictions[system][i] for i in at]
        texts = [finals[system][i].text for i in at] if finals else preds
        own_questions = None if answers.questions is None else [answers.questions[i] for i in at]
        of_rule = second.rule.decide(of_system[system], texts)
        of_second = Abstentions(second.metric).decide(of_rule, golds, preds, texts, own_questions)
        assert of_first.verdicts is not None  # both rules count answers
        assert of_second.verdicts is not None
        codes, probabilities = of_first.verdicts.copy(), of_first.probabilities
        codes[at] = of_second.verdicts
        if probabilities is not None:
            probabilities = probabilities.copy()
            new = of_second.probabilities
            probabilities[at] = _OF_VERDICTS[of_second.verdicts] if new is None else new
        decided_again[system] = Decided(of_first.scores, probabilities, codes)
        n = np.bincount(of_second.verdicts, minlength=len(ANSWER_VERDICTS)).tolist()
        counts.append(SecondPass(system, second.name, len(at), *n))
    return decided_again, tuple(counts)
