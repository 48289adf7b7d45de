"""The one shape behind all host libraries: question, gold answers and prediction in; value, verdict and reason out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from answersim._base import arguments
from answersim._base.arguments import shown
from answersim._base.errors import MissingExtraError, unknown
from answersim._base.signature import Stored
from answersim.answers.extraction import extractor
from answersim.calibration.model.decision import Verdict
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.metrics.catalog import lookup
from answersim.metrics.composite.extracted import finals
from answersim.scoring.batching import Best, Row, batcher
from answersim.scoring.metrics import checked_metric, default_for, signed
from answersim.scoring.pairs import checked_text
from answersim.scoring.score import build
from answersim.types import Metric, capabilities, reads_questions

Limits: TypeAlias = Literal["any", "clip", "refuse"]
Missing: TypeAlias = Literal["zero", "refuse"]

_SHOWN = 200  # characters of a gold answer in a reason


@contextmanager
def host(module: str, extra: str | None = None) -> Iterator[None]:
    """Import a host library, named as the integration, in this block. ``extra``: its extra if that has another name."""
    try:
        yield
    except ImportError as error:
        library = module.rpartition(".")[2]
        raise MissingExtraError(module, extra or library.replace("_", "-"), error.name or library) from error


class Scored(NamedTuple):
    """The result for one prediction.

    Attributes:
        value: The score, within the limits of the host.
        verdict: "equivalent", "unsure" or "different"; None if the rule counts no answers. See ``Scorer.rule``.
        reason: Score, verdict, gold answer and signature in one line of words.
        gold: The gold answer with the highest score; of equal ones the first.
        signature: The line with every setting that decides the score.
        reference: The position of that gold answer, from 0.
        probability: The probability that the answers are equivalent; None if the rule has none.
        raw: The number of the metric before any clipping.
    """

    value: float
    verdict: Verdict | None
    reason: str
    gold: str
    signature: str
    reference: int
    probability: float | None
    raw: float

    @property
    def passed(self) -> bool | None:
        """Whether the verdict is "equivalent"; None if there is no verdict."""
        return None if self.verdict is None else self.verdict == "equivalent"

    def metadata(self) -> dict[str, Any]:
        """Return everything but value and reason as JSON values, for the metadata of a host."""
        names = ("signature", "verdict", "probability", "gold", "reference", "raw")
        return {name: getattr(self, name) for name in names}


class Summary(NamedTuple):
    """The result for many predictions, for hosts that report one.

    Attributes:
        mean: The mean score.
        equivalent: The share of predictions with the verdict "equivalent"; None if a row has no verdict.
        counting: The rule of the verdicts, or how to get them, in words.
        signature: The signature of the scores; of rows with a question if there is one.
    """

    mean: float
    equivalent: float | None
    counting: str
    signature: str


@dataclass(frozen=True, eq=False)
class Scorer(Stored):
    """A metric with the rules for host libraries. It is immutable, can be pickled, and loads nothing before it is used.

    A plain loop, batches, threads, event loops and forked processes get the same scores. Calls that run at the same
    time are scored together, and a score is computed once per content.

    Attributes:
        metric: A name, a metric that was already built, or None for the default metric.
        threshold: The score from which on the verdict is "equivalent", below it "different": the cut of ``evaluate``.
            If None, verdicts are those of ``evaluate`` too: of ``calibration``, or the scores themselves of a metric of
            0 and 1, such as "em".
        calibration: A calibration, its file or name; "shipped" for the one of the signature of a score, if there is
            one; None for none.
        limits: What happens to a score outside 0 to 1: "any" passes it on, "clip" replaces it by the nearer end,
            "refuse" raises a ValueError.
        missing: What happens to a prediction that is None, nan or missing: "zero" scores it 0 and gives the reason,
            "refuse" raises a ValueError. The empty string is an answer: its score is that of the metric.
        lang: The language of the answers, for a metric given by name.
        profile: The profile, for a metric given by name.
        options: Settings of a metric given by name.
        extract: The rule that reads the final answer out of a prediction, for a metric given by name. See
            ``answersim.answers.extraction``.
        extract_gold: The same for gold answers.
    """

    metric: str | Metric | None = None
    threshold: float | None = None
    calibration: CalibrationLike | None = ANY
    limits: Limits = "any"
    missing: Missing = "zero"
    lang: str | None = None
    profile: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    extract: Any = None
    extract_gold: Any = None

    def __post_init__(self) -> None:
        """Check what can be checked without loading anything.

        Raise LookupError if no metric has this name. Raise TypeError or ValueError if a setting has another type or
        value, or threshold and calibration are both given.
        """
        if isinstance(self.metric, str):
            if self.metric not in lookup.names() and self.metric not in lookup.plug_ins():
                lookup.entry(self.metric)
        elif self.metric is not None:
            checked_metric(self.metric)
        if self.threshold is not None:
            arguments.finite("threshold", self.threshold)
            if self.calibration is not None and self.calibration != ANY:
                raise ValueError(
                    f"threshold is {self.threshold:g} and calibration is {shown(self.calibration)}, but a verdict "
                    "has one rule; give one of them"
                )
        for rule in (self.extract, self.extract_gold):
            extractor(rule)
        for name, value, known in (("limits", self.limits, Limits), ("missing", self.missing, Missing)):
            if value not in get_args(known):
                raise unknown(name, value, get_args(known))

    def __deepcopy__(self, memo: Any) -> Scorer:
        """Return the scorer itself, as it is immutable. Hosts copy their metrics for each row."""
        return self

    @cached_property
    def name(self) -> str:
        """The name of the metric: the beginning of its signature, or the name by which it is requested."""
        if self.metric is None:
            return default_for(self.calibration)
        return self.metric if isinstance(self.metric, str) else self.metric.signature.split("|", 1)[0]

    @cached_property
    def built(self) -> Metric:
        """The metric, built on first use. No network is loaded before the first score."""
        metric = self.name if self.metric is None else self.metric
        rules = {"extract": self.extract, "extract_gold": self.extract_gold}
        stated = {option: rule for option, rule in rules.items() if rule is not None}
        return build(metric, self.lang, self.profile, {**self.options, **stated})

    @property
    def signature(self) -> str:
        """The signature of scores without a question."""
        return self.built.signature

    def score(self, question: Any, golds: Any, prediction: Any) -> Scored:
        """Score one prediction. Calls of several threads at the same time are scored together.

        Args:
            question: A string, or None.
            golds: A string or a number, a list of them that are all correct, or a list of such lists.
            prediction: A string or a number; see ``missing`` for None.

        Raises:
            TypeError: If a text is of another type.
            ValueError: If there is no gold answer, or the score or a missing prediction is refused.
            Exception: What the metric raises for this row.
        """
        begun = self._begun(question, golds, prediction, wait=False)
        return begun if isinstance(begun, Scored) else self._scored(begun[0], begun[1].result())

    async def score_async(self, question: Any, golds: Any, prediction: Any) -> Scored:
        """Score one prediction without blocking the event loop. Awaits at the same time become one batch.

        A cancelled await does not affect others, and an error reaches only the await of its row. Arguments and errors
        are those of ``score``.
        """
        if "built" not in self.__dict__:
            await _awaited(lambda: self.built)
        begun = self._begun(question, golds, prediction, wait=True)
        return begun if isinstance(begun, Scored) else self._scored(begun[0], await _awaited(begun[1].result, begun[1]))

    def score_batch(self, rows: Iterable[Sequence[Any]]) -> list[Scored]:
        """Score rows of (question, golds, prediction) in one call, in order.

        Raise TypeError, ValueError or Exception as ``score``, of the first row with an error.
        """
        results: list[Any] = [_tried(self._row, *texts) for texts in rows]
        checked = [(i, row) for i, row in enumerate(results) if isinstance(row, Row)]
        bests = batcher(self.built).score([row for _, row in checked]) if checked else []
        for (i, row), best in zip(checked, bests, strict=True):
            results[i] = best if isinstance(best, Exception) else _tried(self._scored, row, best)
        for result in results:
            if isinstance(result, Exception):
                raise result
        return results

    def score_columns(
        self, golds: Sequence[Any], predictions: Sequence[Any], questions: Sequence[Any] | None = None
    ) -> list[Scored]:
        """Score columns in one call, in order. There is no question if ``questions`` is None.

        Raise TypeError, ValueError or Exception as ``score_batch``. Also a ValueError if the lengths differ.
        """
        questions_or_none = [None] * len(predictions) if questions is None else questions
        if not len(golds) == len(predictions) == len(questions_or_none):
            raise ValueError(
                f"there are {len(golds)} gold answers, {len(predictions)} predictions and {len(questions_or_none)} "
                "questions; give one of each per row"
            )
        return self.score_batch(zip(questions_or_none, golds, predictions, strict=True))

    def summary(self, rows: Sequence[Scored]) -> Summary:
        """Return the mean of scored rows, and the share of equivalent ones. Raise ValueError if there are no rows."""
        if not rows:
            raise ValueError("there are no predictions, so there is no mean; give at least one row")
        passed = [row.passed for row in rows]
        signature = max((row.signature for row in rows), key=len)  # one with a question is longer
        equivalent = None if None in passed else sum(map(bool, passed)) / len(rows)
        mean = sum(row.value for row in rows) / len(rows)
        return Summary(mean, equivalent, self.rule(signature).sentence, signature)

    def _begun(self, question: Any, golds: Any, prediction: Any, *, wait: bool) -> Scored | tuple[Row, Future[Best]]:
        """Return the result, or the checked texts and the future of their score if the metric runs a network."""
        row = self._row(question, golds, prediction)
        if isinstance(row, Scored):
            return row
        batches = batcher(self.built)
        if not batches.is_light:
            return row, batches.submit(row, wait=wait)
        (best,) = batches.score([row])
        if isinstance(best, Exception):
            raise best
        return self._scored(row, best)

    def _row(self, question: Any, golds: Any, prediction: Any) -> Row | Scored:
        """Return the checked texts; the result itself if the prediction is missing."""
        texts = gold_texts(golds)
        if not texts:
            raise ValueError(
                f"the gold answer is {shown(golds)}, so there is nothing to compare with; give at least one gold "
                "answer, or the empty string for 'no answer'"
            )
        question = "" if arguments.is_missing(question) else arguments.text("question", question)
        question = question if reads_questions(self.built) else ""
        if arguments.is_missing(prediction):
            if self.missing == "refuse":
                raise ValueError(f"the prediction is {shown(prediction)}, but it must be a string; leave the row out")
            signature = signed(self.built, bool(question))
            reason = f"there is no prediction ({prediction!r}), which counts as 0; signature: {signature}"
            return Scored(0.0, "different", reason, texts[0], signature, 0, None, 0.0)
        return Row(  # half a surrogate pair is an error of this row
            tuple(checked_text(gold, "gold", 0) for gold in texts),
            checked_text(_text("prediction", prediction), "pred", 0),
            checked_text(question, "question", 0),
        )

    def _scored(self, row: Row, best: Best) -> Scored:
        """Return the result of a row with its verdict, and its value within the limits."""
        signature = signed(self.built, bool(row.question))
        verdict, probability, why = self._verdict(best.value, signature, row.prediction)
        value, note = self._limited(best.value)
        gold = row.golds[best.reference]
        short = gold if len(gold) <= _SHOWN else f"{gold[:_SHOWN]}..."
        decided = "no verdict" if verdict is None else verdict
        nearest = "gold answer" if len(row.golds) == 1 else f"nearest of {len(row.golds)} gold answers"
        reason = f"{self.name} {value:.4f}{note}: {decided} ({why}); {nearest}: {short!r}; signature: {signature}"
        return Scored(value, verdict, reason, gold, signature, best.reference, probability, best.value)

    def _limited(self, value: float) -> tuple[float, str]:
        if self.limits == "any" or 0 <= value <= 1:
            return value, ""
        if self.limits == "clip":
            return min(1.0, max(0.0, value)), f" (clipped from {value:.4f})"
        raise ValueError(
            f"{self.name} is {value:.4f}, but this host accepts scores from 0 to 1 only; choose limits='clip', or a "
            "metric from 0 to 1"
        )

    def _verdict(self, value: float, signature: str, pred: str) -> tuple[Verdict | None, float | None, str]:
        """Return the verdict of a score, its probability, and the rule in words."""
        rule = self.rule(signature)
        preds = finals(self.built, [pred]) if rule.least_words else None
        verdicts, probabilities = rule.verdicts([value], preds), rule.probabilities([value], preds)
        if verdicts is None:
            return None, None, rule.why
        verdict: Any = str(verdicts[0])
        if probabilities is not None and np.isnan(probabilities[0]):
            return verdict, None, f"fewer than {rule.least_words} words"
        if probabilities is not None:
            return verdict, float(probabilities[0]), f"probability {probabilities[0]:.2f}"
        return verdict, None, "a score of 0 or 1" if rule.stated is None else f"threshold {rule.stated:g}"

    def rule(self, signature: str) -> VerdictRule:
        """Return the rule of the verdicts of scores with this signature, which is also that of ``evaluate``.

        Raise LookupError or ValueError if a calibration is given that does not exist, or is for other scores.
        """
        if signature not in self._rules:
            self._rules[signature] = verdict_rule(
                signature,
                scale=capabilities(self.built).scale,
                name=self.name,
                calibration=ANY if self.threshold is not None else self.calibration,
                threshold=self.threshold,
            )
        return self._rules[signature]

    @cached_property
    def _rules(self) -> dict[str, VerdictRule]:
        return {}


def gold_texts(golds: Any) -> tuple[str, ...]:
    """Return the gold answers of one row, in order: of a text, of a list, or of lists in a list.

    Missing values are left out. Raise TypeError if an entry is neither text, number nor list.

    >>> gold_texts("Rome"), gold_texts(["Rome", None, "Roma"]), gold_texts([["1", 1.5], [1]]), gold_texts(None)
    (('Rome',), ('Rome', 'Roma'), ('1', '1.5', '1'), ())
    """
    if arguments.is_missing(golds):
        return ()
    if isinstance(golds, (list, tuple)) or type(golds).__name__ == "ndarray":
        return tuple(text for gold in golds for text in gold_texts(gold))
    return (_text("gold", golds),)


def _text(name: str, value: Any) -> str:
    """Return a text. A number is its shortest form; TypeError for anything else."""
    if isinstance(value, str):
        return arguments.text(name, value)
    if isinstance(value, Real) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"the {name} is {shown(value)}, but an answer is a string (or a number)")


def _tried(work: Callable[..., Any], *arguments: Any) -> Any:
    """Return what this function returns, or the exception that it raises."""
    try:
        return work(*arguments)
    except Exception as error:  # it belongs to one row
        return error


async def _awaited(work: Callable[[], Any], future: Future[Any] | None = None) -> Any:
    """Return the result of a function in a thread; in asyncio without a thread if it is that of this future."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # trio
        import anyio.to_thread

        return await anyio.to_thread.run_sync(work, abandon_on_cancel=future is not None)
    return await (loop.run_in_executor(None, work) if future is None else asyncio.wrap_future(future, loop=loop))
