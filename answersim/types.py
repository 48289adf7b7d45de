"""The basic types: Pair, Score, Scores, Metric, and the optional capabilities of a metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeGuard,
    get_args,
    overload,
    runtime_checkable,
)

import numpy as np
from numpy.typing import NDArray

from answersim.arguments import between, numbers, shown, text
from answersim.errors import NonFiniteScoreError
from answersim.text_tables import TextTable, html_result

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

FloatArray: TypeAlias = NDArray[np.float64]

_LISTED = 10  # scores in a notebook


class Pair(NamedTuple):
    """A gold answer and the predicted answer that is compared with it. Gold comes first everywhere."""

    gold: str
    pred: str


class Interval(NamedTuple):
    """Lower and upper end of a confidence interval."""

    low: float
    high: float


@runtime_checkable
class Metric(Protocol):
    """The role of a metric: it has a signature, and returns one number per pair.

    The number of a pair depends on that pair alone: never on other pairs in the batch, the batch size, a global seed,
    the environment or earlier calls. ``answersim.testing.check_metric`` tests this.
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

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], /) -> FloatArray:
        """Return one number per pair from the numbers of each part, each of shape (n,)."""
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

Rng: TypeAlias = "int | np.random.Generator"
"""A seed, or a generator of random numbers."""

Cost: TypeAlias = Literal["light", "model", "remote"]
Scale: TypeAlias = Literal["any", "binary", "probability"]
_COSTS: tuple[Cost, ...] = get_args(Cost)


class Capabilities(NamedTuple):
    """The requirements and abilities of a metric, in its optional attribute ``capabilities``.

    A metric without the attribute counts as one with the defaults.
    """

    # the text encoder that it can share with other metrics, or None. A metric with an encoder is an
    # ``answersim.neural.encoders.EncoderMetric``.
    encoder: Any = None
    # whether it must get all pairs in one call, because it makes its own batches and shows its own bar
    batches_all: bool = False
    reads_questions: bool = False  # whether questions may be given beside the pairs. See ``ReadsQuestions``.
    # "light" if a score is computed faster than it is looked up in a cache, "model" if the metric runs a network here,
    # "remote" if it calls a service. Scores of a service do not follow from a signature alone, so the score cache
    # stores none of them. Such a metric keeps a record instead.
    cost: Cost = "light"
    # whether a composite metric and its parts get the answers without markup. See ``markup.visible``.
    visible_text: bool = False
    # "binary" if each score is a verdict, 0 or 1, or a mean of several verdicts, so that answers are counted without a
    # calibration; "probability" if it is the probability that the answer is right; else "any"
    scale: Scale = "any"
    structured_golds: bool = False  # whether a gold answer may be a ``StructuredGold`` with spans, aliases or a scale
    # whether all gold answers of a row are passed at once, as a ``StructuredGold``. Otherwise the best one counts.
    joint_golds: bool = False


def capabilities(metric: Metric) -> Capabilities:
    """Return the capabilities of this metric.

    >>> from answersim.catalog.lookup import metric
    >>> capabilities(metric("f1")).cost
    'light'
    """
    stated = getattr(metric, "capabilities", None)
    return stated if isinstance(stated, Capabilities) else _inferred(metric)


def of_parts(parts: Sequence[Metric]) -> Capabilities:
    """Return the capabilities of a metric with these parts. Its cost is that of the most expensive part."""
    cost: Cost = max((capabilities(part).cost for part in parts), key=_COSTS.index, default="light")
    return Capabilities(reads_questions=any(map(reads_questions, parts)), cost=cost)


def _inferred(metric: Metric) -> Capabilities:
    """Return the capabilities of a metric that states none, by its other attributes."""
    encoder, parts = getattr(metric, "encoder", None), getattr(metric, "parts", ())
    runs = encoder is not None or getattr(metric, "scorer", None) is not None
    shares = all(hasattr(metric, name) for name in ("request", "score_encoding"))
    return Capabilities(
        encoder=encoder if shares else None,
        batches_all=getattr(metric, "scorer", None) is not None,
        reads_questions=bool(getattr(metric, "reads_questions", False)),
        cost="model" if runs else of_parts(parts).cost if parts else "light",
    )


def reads_questions(metric: Metric) -> TypeGuard[ReadsQuestions]:
    """Return whether questions may be given to this metric beside the pairs.

    >>> from answersim.catalog.lookup import metric
    >>> reads_questions(metric("f1"))
    False
    """
    return capabilities(metric).reads_questions or bool(getattr(metric, "reads_questions", False))


def check_finite(numbers: FloatArray, pairs: Sequence[Pair], signature: str) -> FloatArray:
    """Return the numbers if all are finite.

    Raise NonFiniteScoreError if a number is nan or infinite. The error names the first such pair.

    >>> check_finite(np.array([0.5]), [Pair("a", "b")], "mine|v:1")
    array([0.5])
    """
    finite = np.isfinite(numbers)
    if not finite.all():
        at = int(np.argmin(finite))
        raise NonFiniteScoreError(at, float(numbers[at]), signature, *pairs[at])
    return numbers


class Score(float):
    """A float with the signature of its metric, and a verdict if there is a calibration.

    It prints, rounds, compares and serializes as a float.

    Attributes:
        signature: The line with the settings that decide the number.
        reference: The position of the gold answer with the highest score, 0 if there was only one.
        probability: The probability that the two answers are equivalent. None without a calibration, nan if the scores
            are verdicts of 0 and 1.
        verdict: "equivalent", "unsure" or "different"; None without a calibration.
        truncated: Whether the metric read only a part of the texts, because they are too long; None likewise.

    >>> Score(0.5, "f1|text:en|rev:1")
    0.5
    """

    __slots__ = ("probability", "reference", "signature", "truncated", "verdict")

    signature: str
    reference: int
    probability: float | Any  # None without a calibration, which a caller that gave one need not check
    verdict: str | Any
    truncated: bool | Any

    def __new__(
        cls,
        value: float,
        signature: str = "",
        reference: int = 0,
        probability: float | None = None,
        verdict: str | None = None,
        truncated: bool | None = None,
    ) -> Score:
        """Create a score of this value."""
        score = super().__new__(cls, value)
        score.signature, score.reference = signature, reference
        score.probability, score.verdict, score.truncated = probability, verdict, truncated
        return score

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the arguments with which pickle and copy build the same score."""
        return float(self), self.signature, self.reference, self.probability, self.verdict, self.truncated

    def _repr_html_(self) -> str:
        sentence = repr(self)
        if self.verdict is not None:
            part = "; the texts are too long and were only read in part" if self.truncated else ""
            sentence = f"{self.verdict}: {sentence}, probability {self.probability:.2f}{part}"
        return html_result([sentence], closing=[self.signature] if self.signature else [])


class Scores(Sequence[float]):
    """One number per pair, in order: a sequence and an array. With a calibration, also verdicts.

    Attributes:
        values: float64, shape (n,).
        signature: The line with the settings that decide the numbers.
        references: int64, shape (n,): the position of the gold answer with the highest score, per pair; 0 if there was
            only one.
        probabilities: float64, shape (n,): the probability that the answers of each pair are equivalent. None without a
            calibration, nan if the scores are verdicts of 0 and 1.
        verdicts: Strings, shape (n,): "equivalent", "unsure" or "different"; None without a calibration.
        truncated: Booleans, shape (n,): whether the metric read only a part of the texts, because they are too long;
            None likewise.
    """

    __slots__ = ("_index", "probabilities", "references", "signature", "truncated", "values", "verdicts")

    def __init__(self, values: Any, signature: str = "", references: Any = None) -> None:
        self._index: Any = None
        self.probabilities: FloatArray | Any = None  # as the attributes of ``Score``
        self.verdicts: NDArray[np.str_] | Any = None
        self.truncated: NDArray[np.bool_] | Any = None
        given = values.values if isinstance(values, Scores) else numbers("values", values)
        self.values: FloatArray = np.array(given, dtype=np.float64)
        if self.values.ndim != 1:
            raise ValueError(
                f"scores have the shape {self.values.shape}, but they must have the shape (n,), one number per pair"
            )
        self.signature = text("signature", signature)
        self.references: NDArray[np.int64] = np.zeros(len(self.values), dtype=np.int64)
        if references is not None:
            self.references = np.array(numbers("references", references, "one position per pair"), dtype=np.int64)
        if self.references.shape != self.values.shape:
            raise ValueError(
                f"there are {len(self.values)} scores and {self.references.size} winning references; give one per score"
            )

    def with_verdicts(
        self, probabilities: FloatArray, verdicts: NDArray[np.str_], truncated: NDArray[np.bool_]
    ) -> Self:
        """Return the same scores with the verdicts of a calibration, each of shape (n,)."""
        result = copy(self)
        result.probabilities, result.verdicts, result.truncated = probabilities, verdicts, truncated
        return result

    @property
    def mean(self) -> float:
        """The arithmetic mean; nan for no scores at all."""
        return float(self.values.mean()) if len(self.values) else float("nan")

    def ci(self, level: float = 0.95) -> Interval:
        """Return the interval of the mean; nan, nan for no scores, or for a single one outside 0 to 1.

        Of scores from 0 to 1 it is that of a bounded mean, as for all shares; of any others it is that of Student's t.

        Args:
            level: Coverage, between 0 and 1.

        Source: Gaffke 2005, see ``stats.bounded_mean``.
        """
        from answersim.stats.score_mean import mean_interval

        between("level", level, 0, 1)
        return mean_interval(self.values, level)

    def indexed(self, index: Any) -> Self:
        """Return the same scores with the rows of a ``pandas.Index``, which ``to_pandas`` gives its series.

        Raises:
            ValueError: If the index does not have one entry per score.
        """
        if index is not None and (not hasattr(index, "equals") or getattr(index, "ndim", 0) != 1):
            raise TypeError(f"index is {shown(index)}, but it must be a pandas.Index, such as the .index of a Series")
        if index is not None and len(index) != len(self):
            raise ValueError(f"there are {len(self)} scores and {len(index)} entries of the index; give one per score")
        result = copy(self)
        result._index = index
        return result

    def to_pandas(self) -> pd.Series[float]:
        """Return a ``pandas.Series`` of the values; its ``attrs["signature"]`` is the signature.

        If the answers were given as a ``pandas.Series``, the result has its index.
        """
        try:
            import pandas as pd
        except ImportError as error:
            from answersim.errors import MissingExtraError

            raise MissingExtraError("Scores.to_pandas()", "tables", "pandas") from error
        series = pd.Series(self.values.copy(), index=self._index, name=self.signature.split("|", 1)[0] or None)
        series.attrs["signature"] = self.signature
        return series

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy:
            return self.values.astype(dtype or np.float64, copy=True)
        return np.asarray(self.values, dtype=dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Run a function of numpy on the values. Otherwise, ``np.mean`` would try to call the property ``mean``."""
        return function(*_as_arrays(args), **_as_arrays(kwargs))

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> Score: ...
    @overload
    def __getitem__(self, index: slice) -> Scores: ...
    def __getitem__(self, index: Any) -> Any:
        """Return a ``Score`` for an integer; ``Scores`` for a slice, a mask or an array of positions."""
        more = self.probabilities, self.verdicts, self.truncated
        if isinstance(index, (int, np.integer)):
            details = (None if column is None else column[index].item() for column in more)
            return Score(float(self.values[index]), self.signature, int(self.references[index]), *details)
        selected = Scores(self.values[index], self.signature, self.references[index])
        if self.verdicts is not None:
            selected = selected.with_verdicts(*(column[index] for column in more if column is not None))
        return selected if self._index is None else selected.indexed(self._index[np.arange(len(self))[index]])

    def __iter__(self) -> Iterator[Score]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return (
            self.signature == other.signature
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.references, other.references)
        )

    __hash__ = None  # type: ignore[assignment] # the values are an array, which is mutable

    def __repr__(self) -> str:
        values = np.array2string(self.values, precision=4, threshold=8, separator=", ")
        return f"Scores({values}, mean={self.mean:.4f}, signature={self.signature!r})"

    def _repr_html_(self) -> str:
        """Return the mean with its interval of 95 %, the first scores and the signature."""
        low, high = self.ci()
        mean = f"mean {self.mean:.3f} [{low:.3f}, {high:.3f}] of {len(self):,} scores" if len(self) else "no scores"
        left = len(self) - _LISTED
        notes = (f"... and {left:,} more",) if left > 0 else ()
        table = TextTable("", ("row", *self._columns()), tuple(map(self._cells, range(min(len(self), _LISTED)))), notes)
        return html_result([mean], [table] if len(self) else [], [self.signature] if self.signature else [])

    def _columns(self) -> tuple[str, ...]:
        """Return the names of the columns in a notebook."""
        reference = ("reference",) if self.references.any() else ()
        return ("score", *reference, *(() if self.verdicts is None else ("probability", "verdict")))

    def _cells(self, i: int) -> tuple[str, ...]:
        """Return the row of this score in a notebook. Rows count from 1, references from 0 as in ``references``."""
        score = self[i]
        reference = (str(score.reference),) if self.references.any() else ()
        verdict = () if score.verdict is None else (f"{score.probability:.2f}", score.verdict)
        return (str(i + 1), f"{self.values[i]:.3f}", *reference, *verdict)


def _as_arrays(arguments: Any) -> Any:
    if isinstance(arguments, Scores):
        return arguments.values
    if isinstance(arguments, (list, tuple)):
        return type(arguments)(_as_arrays(argument) for argument in arguments)
    if isinstance(arguments, dict):
        return {key: _as_arrays(value) for key, value in arguments.items()}
    return arguments
