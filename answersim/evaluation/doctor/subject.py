"""What the doctor can examine: a metric by name, a built metric, a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from answersim._base.arguments import shown
from answersim._base.arrays import FloatArray
from answersim.evaluation.labels.verifiers import imported
from answersim.metrics import planning
from answersim.metrics.catalog import lookup
from answersim.scoring import score as scoring
from answersim.scoring.metrics import checked_metric
from answersim.types import Metric, Pair, reads_questions

# A name, a metric, or a function that takes the gold answers, the predictions and the questions (None if there are
# none), one entry per pair, and returns one number per pair. A gold answer may be a list of strings if the metric
# accepts several.
MetricLike: TypeAlias = "str | Metric | Callable[[list[Any], list[str], list[str] | None], Any]"

_QUESTION = ("question", "questions")  # the parameter of a function that reads questions


@dataclass(frozen=True)
class Subject:
    """A metric to be examined.

    Attributes:
        name: The name in tables.
        signature: The settings that determine its scores, as far as they are known.
        function: Takes gold answers, predictions, and questions or None; returns one number per pair.
        reads_questions: Whether questions may be given.
        references: Whether a gold answer may be a list of strings; None if it must be tried.
        metric: The metric, if it is one of answersim.
    """

    name: str
    signature: str
    function: Callable[[list[Any], list[str], list[str] | None], Any]
    reads_questions: bool = False
    references: bool | None = None
    metric: Metric | None = field(default=None, compare=False)

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return one number per pair, shape (n,). A metric that reads no questions ignores them."""
        return self.scores([gold for gold, _ in pairs], [pred for _, pred in pairs], questions)

    def scores(self, golds: list[Any], preds: list[str], questions: Sequence[str] | None = None) -> FloatArray:
        """Return one number per prediction, shape (n,). With several references, an entry of golds is a list."""
        read_questions = list(questions) if questions is not None and self.reads_questions else None
        numbers = self.function(golds, preds, read_questions)
        if not isinstance(numbers, (np.ndarray, list, tuple)) and hasattr(numbers, "detach"):
            numbers = numbers.detach().cpu().numpy()
        return np.array([float(number) for number in numbers], dtype=np.float64)


def as_subject(
    subject: MetricLike, name: str | None = None, *, lang: str | None = None, profile: str | None = None
) -> Subject:
    """Return the metric to be examined.

    Args:
        subject: One of:

            - a name of ``answersim.names()`` or of a plug-in;
            - a metric that was already built;
            - a function ``(gold list, pred list) -> numbers``; if it has a parameter ``question`` or ``questions``, it
              also gets the list of questions by this name (None if there are none);
            - "module:function" for such a function. The module may be in the working folder.

            A metric of another library is such a function: docs/choosing.md shows two.
        name: The name in tables; the name of the metric or function if None.
        lang: The language of a named metric.
        profile: The profile of a named metric.

    Raises:
        LookupError: If there is no metric, module or function of this name.
        TypeError: If the subject is of another type, or the function of "module:function" cannot be called.
    """
    if isinstance(subject, str):
        if ":" not in subject:
            return _of_metric(lookup.metric(subject, lang=lang, profile=profile), name or subject)
        function = imported(subject)
        if isinstance(function, Metric) and not isinstance(function, type):
            return _of_metric(function, name or subject)
        return _of_function(function, name or subject, subject)
    if isinstance(subject, Metric) and not isinstance(subject, type):
        return _of_metric(checked_metric(subject), name or subject.signature.partition("|")[0])
    if callable(subject):
        return _of_function(subject, name or str(getattr(subject, "__name__", type(subject).__name__)))
    raise TypeError(
        f"a metric to examine is {shown(subject)}, but it must be a name, 'module:function', a metric, or a function "
        "(gold list, pred list) -> numbers"
    )


def _of_metric(metric: Metric, name: str) -> Subject:
    def function(golds: list[Any], preds: list[str], questions: list[str] | None) -> FloatArray:
        if all(isinstance(gold, str) for gold in golds):
            return planning.score_all([metric], [Pair(*pair) for pair in zip(golds, preds, strict=True)], questions)[0]
        return scoring.score(golds, preds, metric, question=questions, progress=False).values

    return Subject(name, metric.signature, function, reads_questions(metric), True, metric)


def _of_function(function: Callable[..., Any], name: str, signature: str = "") -> Subject:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a builtin without a signature
        parameters = {}  # type: ignore[assignment]
    keyword = next((parameter for parameter in _QUESTION if parameter in parameters), None)

    def call(golds: list[Any], preds: list[str], questions: list[str] | None) -> Any:
        return function(golds, preds) if keyword is None else function(golds, preds, **{keyword: questions})

    return Subject(name, signature or name, call, keyword is not None)
