"""Score and Scores: numbers with the signature of their metric, and with verdicts if there is a calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from answersim import _base, stats
from answersim._base.arguments import between, numbers, shown, text
from answersim._base.arrays import FloatArray, Interval
from answersim._base.errors import MissingExtraError
from answersim._base.runtime.concurrency import imported

if TYPE_CHECKING:
    from typing_extensions import Self

_LISTED = 10  # scores in a notebook


class Score(float):
    """A float with the signature of its metric, and a verdict if there is a calibration.

    It prints, rounds, compares and serializes as a float.

    Attributes:
        signature: The line with the settings that decide the number.
        reference: The position of the gold answer with the highest score, 0 if there was only one.
        probability: The probability that the two answers are equivalent. None without a calibration, nan if the scores
            are verdicts of 0 and 1, or the prediction is too short for the calibration (``Calibration.least_words``).
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
            reading = "; the texts are too long and were only read in part" if self.truncated else ""
            sentence = f"{self.verdict}: {sentence}, probability {self.probability:.2f}{reading}"
        return _base.text_tables.html_result([sentence], closing=[self.signature] if self.signature else [])


class Scores(Sequence[float]):
    """One number per pair, in order: a sequence and an array. With a calibration, also verdicts.

    Attributes:
        values: float64, shape (n,).
        signature: The line with the settings that decide the numbers.
        references: int64, shape (n,): the position of the gold answer with the highest score, per pair; 0 if there was
            only one.
        probabilities: float64, shape (n,): the probability that the answers of each pair are equivalent. None without a
            calibration, nan if the scores are verdicts of 0 and 1, or a prediction is too short for the calibration.
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
        column = values.values if isinstance(values, Scores) else numbers("values", values)
        self.values: FloatArray = np.array(column, dtype=np.float64)
        if self.values.ndim != 1:
            raise ValueError(
                f"scores have the shape {self.values.shape}, but they must have the shape (n,), one number per pair"
            )
        self.signature: str = text("signature", signature)
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

        Source: Gaffke 2005, see ``stats.intervals.bounded_mean``.
        """
        between("level", level, 0, 1)
        return stats.intervals.score_mean.mean_interval(self.values, level)

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

    def to_pandas(self) -> Any:
        """Return a ``pandas.Series`` of the values; its ``attrs["signature"]`` is the signature.

        If the answers were given as a ``pandas.Series``, the result has its index.
        """
        try:
            pandas = imported("pandas")
        except ImportError as error:
            raise MissingExtraError("Scores.to_pandas()", "tables", "pandas") from error
        series = pandas.Series(self.values.copy(), index=self._index, name=self.signature.split("|", 1)[0] or None)
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
            details = [None if column is None else column[index].item() for column in more]
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

    __hash__: ClassVar[None]  # type: ignore[assignment] # the values are an array, which is mutable

    def __repr__(self) -> str:
        values = np.array2string(self.values, precision=4, threshold=8, separator=", ")
        return f"Scores({values}, mean={self.mean:.4f}, signature={self.signature!r})"

    def _repr_html_(self) -> str:
        """Return the mean with its interval of 95 %, the first scores and the signature."""
        low, high = self.ci()
        mean = f"mean {self.mean:.3f} [{low:.3f}, {high:.3f}] of {len(self):,} scores" if len(self) else "no scores"
        left = len(self) - _LISTED
        notes = (f"... and {left:,} more",) if left > 0 else ()
        listed = range(min(len(self), _LISTED))
        columns = {"row": [str(i + 1) for i in listed], "score": [f"{self.values[i]:.3f}" for i in listed]}
        if self.references.any():
            columns["reference"] = [str(self.references[i]) for i in listed]
        if self.verdicts is not None:
            columns["probability"] = [f"{self.probabilities[i]:.2f}" for i in listed]
            columns["verdict"] = [str(self.verdicts[i]) for i in listed]
        table = _base.text_tables.TextTable("", tuple(columns), tuple(zip(*columns.values(), strict=True)), notes)
        return _base.text_tables.html_result(
            [mean], [table] if len(self) else [], [self.signature] if self.signature else []
        )


def _as_arrays(arguments: Any) -> Any:
    if isinstance(arguments, Scores):
        return arguments.values
    if isinstance(arguments, (list, tuple)):
        return type(arguments)(_as_arrays(argument) for argument in arguments)
    if isinstance(arguments, dict):
        return {key: _as_arrays(value) for key, value in arguments.items()}
    return arguments
