"""The basic types: Pair, Metric, and the optional capabilities of a metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeGuard, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.errors import NonFiniteScoreError


class Pair(NamedTuple):
    """A gold answer and the predicted answer that is compared with it. Gold comes first everywhere."""

    gold: str
    pred: str


@runtime_checkable
class Metric(Protocol):
    """The role of a metric: it has a signature, and returns one number per pair.

    The number of a pair depends on that pair alone: never on other pairs in the batch, the batch size, a global seed,
    the environment or earlier calls. ``answersim.metrics.testing.check_metric`` tests this.
    """

    @property
    def signature(self) -> str:
        """The line with every setting that can change a number; equal metrics have equal signatures."""
        ...

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        """Return one finite number per pair, in order, shape (n,)."""
        ...


@runtime_checkable
class GradesAttempts(Metric, Protocol):
    """A metric that may also grade an answer as not attempted, such as a judge with the prompt ``grades``."""

    def not_attempted(
        self, rows: Sequence[tuple[Any, str]], questions: Sequence[str] | None = None, /
    ) -> NDArray[np.bool_] | None:
        """Return for each row of gold answers and a prediction whether it is; None if it has no such grade."""
        ...


@runtime_checkable
class ReadsQuestions(Metric, Protocol):
    """A metric that may also read the question to both answers.

    The number of a pair depends on that pair and its question alone. An empty question is none: it gives the same
    number as a call without questions.
    """

    @property
    def reads_questions(self) -> bool:
        """Whether questions may be given; False if the weights of the metric were not trained to read any."""
        ...

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None, /) -> FloatArray:
        """Return one finite number per pair, in order, shape (n,)."""
        ...


@runtime_checkable
class CompositeMetric(Metric, Protocol):
    """A metric that consists of others, so that each part can run once for all metrics that need it."""

    @property
    def parts(self) -> Sequence[Metric]:
        """The metrics whose numbers are combined, in order."""
        ...

    def combine(
        self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Sequence[str] | None = None, /
    ) -> FloatArray:
        """Return one number per pair from the numbers of each part, each of shape (n,).

        ``pairs``: as they were given, with markup. ``questions``: one per pair, or None.
        """
        ...


@runtime_checkable
class Truncates(Metric, Protocol):
    """A metric that can tell which pairs it does not read as a whole."""

    def truncated(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None, /) -> NDArray[np.bool_]:
        """Return whether a part of each pair, or of its question, is too long to be read, shape (n,)."""
        ...


OneOrSeveral: TypeAlias = "str | Metric | Sequence[str | Metric] | Mapping[str, Metric]"
"""One or several metrics: names, metrics that are already built, or such metrics by their names."""
OneNamed: TypeAlias = "str | Metric | Mapping[str, Metric] | None"
"""One metric: a name, a metric that is already built, or such a metric by its name; None for the default."""

Cost: TypeAlias = Literal["light", "model", "remote"]
Scale: TypeAlias = Literal["any", "cosine", "similarity", "binary", "probability"]
_COSTS: tuple[Cost, ...] = get_args(Cost)


class Capabilities(NamedTuple):
    """The requirements and abilities of a metric, in its optional attribute ``capabilities``.

    A metric without the attribute has the cost of its ``parts``, its ``reads_questions``, and the other defaults.
    """

    # the text encoder that it can share with other metrics, or None. A metric with an encoder is an
    # ``answersim.metrics.neural.encoders.EncoderMetric``.
    encoder: Any = None
    # whether it must get all pairs in one call, because it makes its own batches and shows its own bar
    batches_all: bool = False
    reads_questions: bool = False  # whether questions may be given beside the pairs. See ``ReadsQuestions``.
    # "light" if a score is computed faster than it is looked up in a cache, "model" if the metric runs a network here,
    # "remote" if it calls a service. Scores of a service do not follow from a signature alone, so the score cache
    # stores none of them. Such a metric keeps a record instead.
    cost: Cost = "light"
    # whether the parts of a composite metric get the answers without markup. See ``markup.visible``.
    visible_text: bool = False
    # "binary" if each score is a verdict, 0 or 1, or a mean of several verdicts, so that answers are counted without a
    # calibration; "probability" if it is the probability that the answer is right; "similarity" (from 0) or "cosine"
    # (from -1) if it is at most 1, the score of equal answers; else "any"
    scale: Scale = "any"
    structured_golds: bool = False  # whether a gold answer may be a ``StructuredGold`` with spans, aliases or a scale
    # whether all gold answers of a row are passed at once, as a ``StructuredGold``. Otherwise the best one counts.
    joint_golds: bool = False
    reads_choices: bool = False  # whether the options of a ``ChoiceGold`` count
    latin_only: bool = False  # whether its networks know no letters but Latin ones, so that they judge no others


TYPED = "typed+"  # the prefix of the name of a metric that is overruled by rules for values
OFFICIAL = "official:"  # the prefix of the name of the rule of a benchmark
EXTRACTION = ("extract", "extract_gold")  # the options of every metric


class Example(NamedTuple):
    """The score of one pair. A test computes it again."""

    gold: str
    pred: str
    score: float  # to three digits


@dataclass(frozen=True)
class Definition:
    """What a metric is, and its factory. It stands beside the formula, and everything else reads it there."""

    name: str
    # "lexical" if it compares words, "neural" if it runs a network, "composite" if it has parts that run networks,
    # "remote" if it calls a service
    kind: Literal["lexical", "neural", "composite", "remote", "plug-in"]
    summary: str  # one sentence without a stop
    source: str  # authors and year, or the library whose rule it is. It decides the papers in BibTeX.
    # Returns the metric for the keywords ``lang`` and ``profile``. Its other keywords are the options of the metric.
    # The factory of a composite gets the function that builds its parts first.
    build: Callable[..., Metric]
    parts: tuple[str, ...] = ()  # the names of the metrics in a composite
    formula: str = ""  # plain text, at most 76 characters per line
    range: Literal["0 to 1", "-1 to 1", "0 or 1"] = "0 to 1"  # of the scores
    symmetric: bool = False  # whether gold answer and prediction can be exchanged
    one_on_itself: bool = True  # whether each answer scores 1 against itself
    reads_questions: bool = False  # whether the default weights read the question beside the two answers
    equal_to: str = ""  # the implementation that it equals, and within which tolerance
    languages: str = "all, by `lang=`"
    examples: tuple[Example, ...] = ()


def capabilities(metric: Metric) -> Capabilities:
    """Return the capabilities of this metric."""
    stated = getattr(metric, "capabilities", None)
    if isinstance(stated, Capabilities):
        return stated
    reads, cost = bool(getattr(metric, "reads_questions", False)), of_parts(getattr(metric, "parts", ())).cost
    return Capabilities(reads_questions=reads, cost=cost)


def of_parts(parts: Sequence[Metric]) -> Capabilities:
    """Return the capabilities of a metric with these parts. Its cost is that of the most expensive part."""
    cost: Cost = max((capabilities(metric).cost for metric in parts), key=_COSTS.index, default="light")
    return Capabilities(reads_questions=any(map(reads_questions, parts)), cost=cost)


def reads_questions(metric: Metric) -> TypeGuard[ReadsQuestions]:
    """Return whether questions may be given to this metric beside the pairs."""
    return capabilities(metric).reads_questions or bool(getattr(metric, "reads_questions", False))


def check_finite(numbers: FloatArray, pairs: Sequence[Pair], signature: str) -> FloatArray:
    """Return the numbers if all are finite.

    Raise NonFiniteScoreError if a number is nan or infinite. The error names the first such pair.
    """
    finite = np.isfinite(numbers)
    if not finite.all():
        at = int(np.argmin(finite))
        raise NonFiniteScoreError(at, float(numbers[at]), signature, *pairs[at])
    return numbers
