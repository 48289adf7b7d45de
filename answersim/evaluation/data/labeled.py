"""Pairs of answers with human labels, and how they are read from a CSV file without losing an answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from answersim._base.arrays import DataFrame, FloatArray
from answersim._base.io import files
from answersim._base.text_tables import frame
from answersim.types import Pair

Pairs = TypeVar("Pairs", bound="LabeledPairs")


@dataclass(frozen=True, eq=False)
class LabeledPairs:
    """Pairs of answers with their human labels.

    Attributes:
        name: The name of the set.
        lang: The ISO 639-1 code of its language.
        pairs: Gold and predicted answer, in the order of the file.
        labels: float64, shape (n,): in the sets of the paper, 0 is different, 1 similar and 2 the same; nan if there is
            none.
        questions: One per pair, "" if it is unknown; None if the set has none.
        categories: One per pair, "" if it has none; None if the set has none.
        recorded: Published scores by the name of the metric in the catalog; float64, shape (n,) each.

    The arrays are read-only.
    """

    name: str
    lang: str
    pairs: tuple[Pair, ...]
    labels: FloatArray
    questions: tuple[str, ...] | None = field(default=None, kw_only=True)
    categories: tuple[str, ...] | None = field(default=None, kw_only=True)
    recorded: Mapping[str, FloatArray] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple(Pair(*pair) for pair in self.pairs))
        object.__setattr__(self, "labels", _fixed(self.labels))
        columns = {name: _fixed(values) for name, values in self.recorded.items()}
        object.__setattr__(self, "recorded", MappingProxyType(columns))
        for name in ("questions", "categories"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, tuple(values))
        for name, values in self._columns().items():
            if len(values) != len(self.pairs):
                raise ValueError(f"{self.name} has {len(self.pairs)} pairs but {len(values)} {name}; give one per pair")

    def _columns(self) -> dict[str, Sized]:
        """Return all fields with one value per pair, by their names in errors."""
        columns: dict[str, Sized] = {"labels": self.labels, **self.recorded}
        for name in ("questions", "categories"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name)
        return columns

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"LabeledPairs({self.name!r}, lang={self.lang!r}, n={len(self)})"

    def where(self: Pairs, mask: Any) -> Pairs:
        """Return the pairs for which this mask is true, in the same order, with all their fields.

        Args:
            mask: Booleans, shape (n,).

        >>> pairs = (Pair("a", "b"), Pair("c", "c"))
        >>> both = LabeledPairs("two", "en", pairs, np.array([0.0, 2.0]))
        >>> both.where(both.labels == 2).pairs
        (Pair(gold='c', pred='c'),)
        """
        mask = np.asarray(mask)
        if mask.dtype != np.bool_ or mask.shape != (len(self),):
            raise ValueError(f"a mask for {len(self)} pairs is {len(self)} booleans, not {mask.dtype} of {mask.shape}")
        return self.take(np.flatnonzero(mask))

    def take(self: Pairs, positions: Iterable[int]) -> Pairs:
        """Return the pairs at these positions, in this order, with all their fields."""
        return replace(self, **self._taken([int(i) for i in positions]))

    def _taken(self, at: list[int]) -> dict[str, Any]:
        """Return the fields that have one value per pair, at these positions."""
        return {
            "pairs": tuple(self.pairs[i] for i in at),
            "labels": self.labels[at],
            "questions": None if self.questions is None else tuple(self.questions[i] for i in at),
            "categories": None if self.categories is None else tuple(self.categories[i] for i in at),
            "recorded": {name: values[at] for name, values in self.recorded.items()},
        }

    def to_pandas(self) -> DataFrame:
        """Return a table with one row per pair: question and category if present, gold, pred, label, recorded data."""
        columns: dict[str, Any] = {}
        if self.questions is not None:
            columns["question"] = self.questions
        if self.categories is not None:
            columns["category"] = self.categories
        columns["gold"] = [pair.gold for pair in self.pairs]
        columns["pred"] = [pair.pred for pair in self.pairs]
        columns["label"] = self.labels.copy()
        columns |= {name: values.copy() for name, values in self.recorded.items()}
        return frame(columns, "LabeledPairs.to_pandas()")


def _fixed(values: Any) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def read_csv(path: str | Path, needed: Sequence[str] = (), encoding: str = "utf-8-sig") -> list[dict[str, str]]:
    """Read the rows of this CSV file by column name, with every cell as text.

    "None", "NA" and "null" are answers, not gaps; a cell may contain line breaks; a leading byte order mark is dropped.
    ``path``: the file. Its first row names the columns. ``needed``: columns that must exist.
    """
    table = files.read_csv(Path(path), encoding=encoding)
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise ValueError(f"{path} has no column {missing[0]!r}; its first line names: {', '.join(table.columns)}")
    return table.rows


def read_pairs(
    path: str | Path,
    *,
    name: str | None = None,
    lang: str = "en",
    gold: str = "gold",
    pred: str = "pred",
    label: str = "label",
    question: str | None = None,
    category: str | None = None,
    recorded: Mapping[str, str] | None = None,
) -> LabeledPairs:
    """Read the labeled pairs of this CSV file. An empty label is nan.

    Args:
        path: The file.
        name: The name of the set. By default, the file name without its suffix.
        lang: The language of its answers.
        gold: The column of the gold answers.
        pred: The column of the predicted answers.
        label: The column of the labels.
        question: The column of the questions, if there is one.
        category: The column of the categories, if there is one.
        recorded: Names of metrics and the columns of their scores.

    Raises:
        ValueError: As ``read_csv``, and for a label or a score that is not a number.
    """
    recorded = {} if recorded is None else recorded
    optional = [column for column in (question, category) if column is not None]
    rows = read_csv(path, [gold, pred, label, *optional, *recorded.values()])
    return LabeledPairs(
        name=Path(path).stem if name is None else name,
        lang=lang,
        pairs=tuple(Pair(row[gold], row[pred]) for row in rows),
        labels=numbers(path, rows, label, empty_is_nan=True),
        questions=None if question is None else tuple(row[question] for row in rows),
        categories=None if category is None else tuple(row[category].strip() for row in rows),
        recorded={metric: numbers(path, rows, column) for metric, column in recorded.items()},
    )


def numbers(
    path: str | Path, rows: Sequence[Mapping[str, str]], column: str, *, empty_is_nan: bool = False
) -> FloatArray:
    """Return this column as float64, shape (n,). Raise ValueError with the row of a value that is not a number."""
    values = np.empty(len(rows))
    for i, row in enumerate(rows):
        cell = row[column].strip()
        try:
            values[i] = np.nan if empty_is_nan and not cell else float(cell)
        except ValueError:
            raise ValueError(f"{path}, row {i + 1}: {column} is {row[column]!r}, but it must be a number") from None
    return values
