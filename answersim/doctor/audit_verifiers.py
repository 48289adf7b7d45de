"""What can be audited: a function, a metric, a reward, a judge, a server, or verdicts that were recorded."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature as parameters_of
from typing import Any, TypeAlias

import numpy as np

from answersim.arguments import shown
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import ANSWER_VERDICTS, verdict_rule
from answersim.doctor.rewards import ACCEPTED
from answersim.doctor.subject import imported
from answersim.judge.client import Answered, Client, JudgeError, Request, checked_url
from answersim.judge.recorded import read_verdict
from answersim.reward.reward import Reward
from answersim.scoring import score as scoring
from answersim.scoring.metrics import named_metric, signed
from answersim.signature import signature
from answersim.types import Capabilities, FloatArray, Metric, OneNamed, Pair, capabilities, reads_questions

COLUMN = "column:"  # before the name of a column that is also the name of a metric
REWARDS = {"reward": None, "rules": "rules"}  # by name, the metric of a Reward
YES, NO, UNDECIDED = 1.0, 0.0, 0.5
BATCH = 256  # rows of a request

Decide: TypeAlias = Callable[[list[str], list[str], list[str]], FloatArray]
"""Golds, predictions and questions in; 1, 0 or .5 for each prediction out."""


@dataclass(frozen=True)
class VerifierMetric:
    """A verifier as a metric: 1 if it accepts an answer, 0 if it rejects it, .5 if it has no verdict.

    Attributes:
        name: What the verifier is called.
        decide: The verdicts.
        details: What is known to decide them: a signature.
        sentence: Which answers are accepted.
        repeats: Whether a second call computes the verdicts again.
    """

    name: str
    decide: Decide = field(compare=False, repr=False)
    details: str = ""
    sentence: str = ""
    repeats: bool = True
    capabilities: Capabilities = field(
        default=Capabilities(batches_all=True, reads_questions=True, cost="remote"), compare=False, repr=False
    )

    @property
    def signature(self) -> str:
        """For example ``verifier|of:mine.verify|rev:1``."""
        return self.details or signature("verifier", of=self.name.replace(":", "."))

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return the verdict on each pair, shape (n,)."""
        asked = [""] * len(pairs) if questions is None else list(questions)
        return self.decide([gold for gold, _ in pairs], [pred for _, pred in pairs], asked)

    def rewards(self, golds: list[str], preds: list[str], questions: list[str]) -> list[float | None]:
        """Return 1, 0, or None without a verdict, as ``examine_reward`` needs them."""
        return [None if value == UNDECIDED else value for value in self.decide(golds, preds, questions).tolist()]


def verifier_of(
    verifier: Any,
    *,
    lang: str = "en",
    calibration: CalibrationLike | None = ANY,
    threshold: float | None = None,
    asked: bool = False,
) -> VerifierMetric:
    """Return the verifier as a metric.

    Args:
        verifier: "module:function" or a function of golds, predictions and, if it takes them, questions, which returns
            numbers, None, or a result with ``scores``; "reward" or "rules" for ``answersim.Reward``; the name of a
            metric, or a metric, such as a judge with its record, also by its name; or the address of a server. A server
            gets ``{"golds": [...], "preds": [...], "question": [...]}`` by POST and returns ``{"scores": [...]}``.
        lang: The language of a named metric.
        calibration: The calibration of a metric, as in ``answersim.evaluate``.
        threshold: The number from which an answer is accepted; by default, a number above .5, or the verdict of a
            metric.
        asked: Whether there are questions.

    Raises:
        LookupError: If there is no such function, metric or calibration.
        ValueError: If a metric has no verdicts, or the address cannot be used.
        TypeError: If the verifier is of another type.
    """
    if isinstance(verifier, VerifierMetric):
        return verifier
    if isinstance(verifier, str) and verifier in REWARDS:
        return _of_function(Reward(REWARDS[verifier], lang=lang), verifier, threshold)
    if isinstance(verifier, Reward):  # it has the form of a metric, too
        return _of_function(verifier, "reward", threshold)
    if isinstance(verifier, str) and verifier.startswith(("http://", "https://")):
        return _of_server(verifier, threshold)
    if isinstance(verifier, str) and ":" in verifier:
        return _of_function(imported(verifier), verifier, threshold)
    if isinstance(verifier, (str, Mapping)) or (isinstance(verifier, Metric) and not isinstance(verifier, type)):
        return _of_metric(verifier, lang, calibration, threshold, asked)
    if callable(verifier):
        return _of_function(verifier, str(getattr(verifier, "__name__", type(verifier).__name__)), threshold)
    raise TypeError(
        f"the verifier is {shown(verifier)}, but it must be a function, module:function, the name of a metric or a "
        "column, or the address of a server"
    )


def accepted(numbers: Sequence[Any], n: int, name: str, threshold: float | None) -> FloatArray:
    """Return the verdicts of numbers, with .5 for None and nan.

    >>> accepted([True, 0.2, None], 3, "mine", None).tolist()
    [1.0, 0.0, 0.5]

    Raises:
        ValueError: If there are not n numbers.
    """
    if len(numbers) != n:
        raise ValueError(f"the verifier {name} returns {len(numbers)} numbers for {n} answers; return one each")
    values = np.array([math.nan if number is None else float(number) for number in numbers])
    found = np.where(values > ACCEPTED if threshold is None else values >= threshold, YES, NO)
    return np.where(np.isnan(values), UNDECIDED, found)


def recorded(values: Sequence[Any], preds: Sequence[str], golds: Sequence[Any], threshold: float | None) -> FloatArray:
    """Return the verdicts that a column records: numbers, words such as "correct", or replies in words.

    >>> recorded(["correct", "no", 0.9, ""], ["a"] * 4, ["b"] * 4, None).tolist()
    [1.0, 0.0, 1.0, 0.5]
    """
    numbers = []
    for value, pred, gold in zip(values, preds, golds, strict=True):
        others = [gold] if isinstance(gold, str) else list(gold)
        numbers.append(value if isinstance(value, float) else read_verdict(value, pred, others).score)
    return accepted(numbers, len(numbers), "of the column", threshold)


def _of_function(function: Callable[..., Any], name: str, threshold: float | None) -> VerifierMetric:
    places = list(parameters_of(function).parameters.values())
    keyword = next((place.name for place in places if place.name in ("question", "questions")), None)
    takes_three = sum(place.kind in (place.POSITIONAL_ONLY, place.POSITIONAL_OR_KEYWORD) for place in places) > 2

    def decide(golds: list[str], preds: list[str], questions: list[str]) -> FloatArray:
        if keyword is not None:
            result = function(golds, preds, **{keyword: questions})
        else:
            result = function(golds, preds, questions) if takes_three else function(golds, preds)
        return accepted(list(getattr(result, "scores", result)), len(preds), name, threshold)

    details = str(getattr(function, "signature", ""))
    return VerifierMetric(name, decide, details, f"an answer is accepted {_from(threshold)}")


def _of_metric(
    metric: OneNamed, lang: str, calibration: CalibrationLike | None, threshold: float | None, asked: bool
) -> VerifierMetric:
    name, built = named_metric(metric, calibration, lang)
    reads = asked and reads_questions(built)
    details, of = signed(built, reads), capabilities(built)
    rule = verdict_rule(details, scale=of.scale, calibration=calibration, threshold=threshold)
    if not rule.counts:
        raise ValueError(rule.sentence)

    of_verdict = np.array([{"right": YES, "wrong": NO}.get(verdict, UNDECIDED) for verdict in ANSWER_VERDICTS])

    def decide(golds: list[str], preds: list[str], questions: list[str]) -> FloatArray:
        scores = scoring.score(golds, preds, built, question=questions if reads else None, progress=False)
        verdicts = rule.decide(scores.values)
        return of_verdict[verdicts.verdicts]

    return VerifierMetric(name, decide, details, rule.sentence, repeats=of.cost != "remote")


def _of_server(url: str, threshold: float | None) -> VerifierMetric:
    client = Client(checked_url(url), path="", check=_scores_of)
    client.schema.accepted = False

    def decide(golds: list[str], preds: list[str], questions: list[str]) -> FloatArray:
        parts = [slice(i, i + BATCH) for i in range(0, len(preds), BATCH)]
        requests = [
            Request({"golds": golds[part], "preds": preds[part], "question": questions[part]}, {}) for part in parts
        ]
        replies: dict[int, Answered] = {}
        failures, _ = client.ask_all(requests, lambda answered: replies.update({answered.position: answered}))
        if failures:
            raise JudgeError(f"{url} did not answer {len(failures)} of {len(parts)} requests: {failures[0].reason}")
        numbers = [number for i in range(len(parts)) for number in _scores_of(replies[i].raw)]
        return accepted(numbers, len(preds), url, threshold)

    return VerifierMetric(url, decide, signature("verifier", of="server"), f"an answer is accepted {_from(threshold)}")


def _scores_of(raw: str) -> list[Any]:
    """Return the scores in the reply of a server. Raise ValueError if there are none."""
    content = json.loads(raw)
    scores = content.get("scores") if isinstance(content, Mapping) else None
    if not isinstance(scores, list) or not all(number is None or isinstance(number, (int, float)) for number in scores):
        raise ValueError("the reply has no list 'scores' of numbers or null")
    return scores


def _from(threshold: float | None) -> str:
    return f"above {ACCEPTED}" if threshold is None else f"from {threshold:g} on"
