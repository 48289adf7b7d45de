"""Verifiers as metrics: a function, a reward, a server, or verdicts that a column records."""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature as parameters_of
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from answersim import scoring
from answersim._base.arguments import shown
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.signature import signature
from answersim.answers.tables import system_columns
from answersim.answers.tables.table import Answers
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import MAJORITY, Verdicts, verdict_settings
from answersim.metrics import judge
from answersim.scoring.languages.by_language import by_language
from answersim.scoring.languages.table_language import languages_of
from answersim.scoring.metrics import named_metric
from answersim.types import OFFICIAL, Capabilities, Metric, Pair

COLUMN = "column:"  # before the name of a column of recorded verdicts
REWARDS = {"reward": None, "rules": "rules"}  # by name, the metric of a Reward
KEY_VARIABLE = "ANSWERSIM_VERIFIER_KEY"
BATCH = 256  # rows of a request


@dataclass(frozen=True)
class VerifierMetric:
    """A verifier as a metric: 1 if it accepts an answer, 0 if it rejects it, .5 if it has no verdict."""

    name: str
    # the numbers of golds, predictions and questions; None if they are recorded
    decide: Callable[[list[str], list[str], list[str]], Sequence[Any]] | None = field(compare=False, repr=False)
    signature: str  # what is known to decide them
    threshold: float | None = None  # the number from which an answer is accepted; None for a number above .5
    columns: tuple[str, ...] = ()  # of recorded verdicts: one that each table has, or one per system of one table
    capabilities: Capabilities = field(
        default=Capabilities(batches_all=True, reads_questions=True, cost="remote", scale="binary", reads_choices=True),
        compare=False,
        repr=False,
    )

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return the verdict on each pair, shape (n,)."""
        if self.decide is None:
            raise ValueError(
                f"{self.name} has verdicts for the rows of a table, and for no other answers; evaluate these"
            )
        asked_questions = [""] * len(pairs) if questions is None else list(questions)
        numbers = self.decide([gold for gold, _ in pairs], [pred for _, pred in pairs], asked_questions)
        return self._accepted(numbers, len(pairs))

    def recorded(self, answers: Answers) -> dict[str, FloatArray]:
        """Return the recorded verdicts of each system: numbers, words such as "correct", or replies in words.

        Raise LookupError if a system has no such column, ValueError if there is not one column per system.
        """
        verdicts = {}
        for system, column in system_columns.by_system(answers, "verdict", self.columns).items():
            values = system_columns.own_column(answers, system, column, "recorded verdicts")
            golds = ([gold] if isinstance(gold, str) else list(gold) for gold in answers.golds)
            numbers = [
                value if isinstance(value, float) else judge.recorded.read_verdict(value, pred, listed).score
                for value, pred, listed in zip(values, answers.predictions[system], golds, strict=True)
            ]
            verdicts[system] = self._accepted(numbers, len(values))
        return verdicts

    def _accepted(self, numbers: Sequence[Any], n: int) -> FloatArray:
        if len(numbers) != n:
            raise ValueError(
                f"the verifier {self.name} returns {len(numbers)} numbers for {n} answers; return one each"
            )
        values = np.array([math.nan if number is None else float(number) for number in numbers])
        accepted = values > MAJORITY if self.threshold is None else values >= self.threshold
        verdicts: FloatArray = np.where(np.isnan(values), 0.5, accepted.astype(np.float64))
        return verdicts


class Resolved(NamedTuple):
    """The metric of an analysis, its name, and what decides which answers are right."""

    name: str
    metric: Metric
    verdicts: Verdicts


def resolved(
    metric: Any, calibration: CalibrationLike | Verdicts | None = ANY, lang: str = "en", extract: Any = None
) -> Resolved:
    """Return the one metric of an analysis.

    Args:
        metric: What ``named_metric`` accepts; or a verifier: a function of golds, predictions and, if it takes them,
            questions, which returns one number, bool or None per prediction, or a result with ``scores``;
            "module:function"; "reward" or "rules" for ``answersim.Reward``, or a Reward; the address of a server, which
            gets ``{"golds": [...], "preds": [...], "question": [...]}`` by POST and returns ``{"scores": [...]}``; or
            "column:NAME" for a column of recorded verdicts. A verifier accepts an answer by a number above .5, or from
            the threshold of ``calibration`` on.
        calibration: As of ``answersim.evaluate``.
        lang: The language of a named metric.
        extract: The rule of final answers, for a metric that is given by name.
    """
    settings = verdict_settings(calibration)
    verifier = _verifier(metric, lang)
    if verifier is None:
        return Resolved(*named_metric(metric, calibration, lang, extract), settings)
    if extract is not None:
        raise TypeError("extract is given, but a verifier reads the predictions itself; leave it out")
    if settings.threshold is not None:
        verifier = replace(verifier, threshold=settings.threshold)
    return Resolved(verifier.name, verifier, replace(settings, threshold=None))


def resolved_in(
    answers: Answers, metric: Any, calibration: CalibrationLike | Verdicts | None, lang: str, extract: Any
) -> tuple[str, Resolved]:
    """Return the language of a table, the most frequent one of several, and the one metric of its analysis.

    A metric that is given by name is built for the language of each row. Errors are those of ``table_language`` and
    ``resolved``.
    """
    codes = languages_of(lang, answers)
    first = resolved(metric, calibration, codes[0], extract)
    if len(codes) == 1 or isinstance(first.metric, VerifierMetric) or not isinstance(metric, (str, NoneType)):
        return codes[0], first
    built = by_language(first.name, codes, lambda code: resolved(metric, calibration, code, extract).metric)
    return codes[0], Resolved(first.name, built, first.verdicts)


def _verifier(candidate: Any, lang: str) -> VerifierMetric | None:
    """Return the verifier, or None if this is a metric."""
    if isinstance(candidate, VerifierMetric):
        return candidate
    if isinstance(candidate, str):
        return _named_verifier(candidate, lang)
    if candidate is None or isinstance(candidate, (Mapping, type)) or not callable(candidate):
        return None
    if isinstance(candidate, scoring.reward.reward.Reward):  # it has the form of a metric, too
        return _of_function(candidate, "reward")
    if isinstance(candidate, Metric):
        return None
    return _of_function(candidate, str(getattr(candidate, "__name__", type(candidate).__name__)))


def _named_verifier(name: str, lang: str) -> VerifierMetric | None:
    """Return the verifier with a name; None if it is one of a metric."""
    if name in REWARDS:
        return _of_function(scoring.reward.reward.Reward(REWARDS[name], lang=lang), name)
    if name.startswith(COLUMN):
        columns = tuple(name.removeprefix(COLUMN).split(","))
        reads = Capabilities(scale="binary")
        return VerifierMetric(name, None, signature("verifier", column=",".join(columns)), None, columns, reads)
    if name.startswith(("http://", "https://")):
        return _of_server(name)
    return _of_function(imported(name), name) if ":" in name and not name.startswith(OFFICIAL) else None


def imported(path: str) -> Any:
    """Return the function of "module:function". The module may be in the working folder."""
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise LookupError(f"{path!r} is no function; write module:function, such as my_metrics:overlap")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        target: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name not in (module_name, module_name.partition(".")[0]):
            raise
        raise LookupError(
            f"{path!r} names no module that can be imported; install the module, or put it into the working folder"
        ) from error
    for attribute_name in attribute.split("."):
        if not hasattr(target, attribute_name):
            raise unknown(f"function of {module_name}", attribute, [name for name in dir(target) if name[0] != "_"])
        target = getattr(target, attribute_name)
    if not callable(target):
        raise TypeError(f"{path} is {shown(target)}, but it must be a function (golds, predictions) -> numbers")
    return target


def _of_function(function: Callable[..., Any], name: str) -> VerifierMetric:
    places = list(parameters_of(function).parameters.values())
    keyword = next((place.name for place in places if place.name in ("question", "questions")), None)
    takes_three = sum(place.kind in (place.POSITIONAL_ONLY, place.POSITIONAL_OR_KEYWORD) for place in places) > 2

    def decide(golds: list[str], preds: list[str], questions: list[str]) -> list[Any]:
        if keyword is not None:
            result = function(golds, preds, **{keyword: questions})
        else:
            result = function(golds, preds, questions) if takes_three else function(golds, preds)
        return list(getattr(result, "scores", result))

    details = getattr(function, "signature", "")
    signed = details if isinstance(details, str) and details else signature("verifier", of=name.replace(":", "."))
    return VerifierMetric(name, decide, signed)


def _of_server(url: str) -> VerifierMetric:
    http = judge.client
    url = http.checked_url(url, KEY_VARIABLE)
    is_private = url.startswith("https://") or http.is_loopback(url)
    client = http.Client(url, path="", check=_scores_of, key_variable=KEY_VARIABLE if is_private else None)
    client.schema.accepted = False

    def decide(golds: list[str], preds: list[str], questions: list[str]) -> list[Any]:
        parts = [slice(i, i + BATCH) for i in range(0, len(preds), BATCH)]
        requests = [
            http.Request({"golds": golds[rows], "preds": preds[rows], "question": questions[rows]}, {})
            for rows in parts
        ]
        replies: dict[int, Any] = {}
        failures, _ = client.ask_all(requests, lambda answered: replies.update({answered.position: answered}))
        if failures:
            raise http.JudgeError(
                f"{url} did not answer {len(failures)} of {len(parts)} requests: {failures[0].reason}"
            )
        return [number for i in range(len(parts)) for number in _scores_of(replies[i].raw)]

    return VerifierMetric(url, decide, signature("verifier", of="server"))


def _scores_of(raw: str) -> list[Any]:
    """Return the scores in the reply of a server. Raise ValueError if there are none."""
    content = json.loads(raw)
    scores = content.get("scores") if isinstance(content, Mapping) else None
    if not isinstance(scores, list) or not all(number is None or isinstance(number, (int, float)) for number in scores):
        raise ValueError("the reply has no list 'scores' of numbers or null")
    return scores
