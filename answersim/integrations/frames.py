"""Data frames of pandas and polars, and datasets of Hugging Face: one column per metric.

Importing this module registers ``df.answersim.score([...])`` with pandas and with polars, as far as they are installed.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeVar

from answersim.arguments import shown
from answersim.catalog import lookup
from answersim.errors import unknown
from answersim.integrations.base import Missing
from answersim.integrations.columns import ColumnScorer, Metrics
from answersim.scoring.cache import CacheLike

Frame = TypeVar("Frame")

SIGNATURES = "signatures"  # the key in the attrs of a pandas frame


def score(
    frame: Frame,
    metric: Metrics = lookup.DEFAULT_METRIC,
    *,
    gold: str = "gold",
    pred: str = "pred",
    question: str | None = None,
    verdicts: bool = False,
    missing: Missing = "refuse",
    lang: str | None = None,
    profile: str | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    device: str | None = None,
    precision: str | None = None,
    batch_tokens: int | None = None,
    extract: Any = None,
) -> Frame:
    """Return a frame of the same library with one float64 column per metric, and the rows (and the index) of ``frame``.

    The numbers are those of ``answersim.score_pairs``, which runs each encoder once. The signatures by column are in
    ``.attrs["signatures"]`` of a pandas frame and, as JSON, in ``.info.description`` of a dataset. Polars has no place
    for them; ``answersim.metric(name).signature`` is the same line.

    Args:
        frame: A DataFrame of pandas or polars, or a ``datasets.Dataset``.
        metric: Names, which are also those of the columns; or a mapping from columns to names or to metrics that were
            already built.
        gold: The column of gold answers: texts, or lists of texts of which the best counts.
        pred: The column of predictions.
        question: The column of questions, for metrics that read them.
        verdicts: Whether each metric has one more column, ``NAME_verdict``, by the rule of ``evaluate``, and
            ``NAME_probability`` if the rule has probabilities.
        missing: What happens to a prediction that is None or nan: "refuse" raises an error with the row, "zero" scores
            it 0, with the verdict "different". A missing gold answer is an error.
        lang: As ``answersim.score_pairs``, like all that follow.
        profile: The profile of metrics given by name.
        progress: Whether long work may show a bar; only on a terminal.
        cache: A folder for scores of metrics that run a network.
        device: Where networks run.
        precision: The number type of networks.
        batch_tokens: The most tokens that go through a network at a time.
        extract: The rule that reads the final answer out of a prediction, for metrics given by name.

    Raises:
        LookupError: If the frame lacks a column, or no metric has this name.
        TypeError: If ``frame`` is of another library, or a text is of another type.
        ValueError: If an answer is missing, verdicts are wanted of a metric without any, or as
            ``answersim.score_pairs``.
    """
    kind = _kind(frame)
    needed = [gold, pred, *([] if question is None else [question])]
    columns = [_column(frame, kind, name) for name in needed]
    how = ColumnScorer(verdicts, missing, lang, profile, progress, cache, device, precision, batch_tokens, extract)
    scored, signatures = how.columns(metric, *columns)
    return _framed(frame, kind, scored, signatures)


class Accessor:
    """``df.answersim`` of pandas and polars."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def score(self, metric: Metrics = lookup.DEFAULT_METRIC, **settings: Any) -> Any:
        """Return one column per metric; see ``answersim.integrations.frames.score`` for the settings."""
        return score(self._frame, metric, **settings)


class _Kind(NamedTuple):
    library: str
    name: str


_KINDS = (_Kind("pandas", "DataFrame"), _Kind("polars", "DataFrame"), _Kind("datasets", "Dataset"))


def _kind(frame: Any) -> _Kind:
    """Return the library of a frame. A library that was never imported has made none."""
    for kind in _KINDS:
        module = sys.modules.get(kind.library)
        if module is not None and isinstance(frame, getattr(module, kind.name)):
            return kind
    raise TypeError(
        f"frame is {shown(frame)}, but it must be a DataFrame of pandas or polars, or a datasets.Dataset; collect a "
        "lazy frame, and choose a split of a DatasetDict"
    )


def _column(frame: Any, kind: _Kind, name: str) -> list[Any]:
    """Return a column as a list. LookupError if there is none of this name."""
    known = frame.column_names if kind.library == "datasets" else list(frame.columns)
    if name not in known:
        raise unknown("column", name, map(str, known))
    column = frame[name]
    if kind.library == "pandas" and getattr(column, "ndim", 1) != 1:
        raise ValueError(f"the frame has several columns {name!r}; rename all but one")
    return list(column[:]) if kind.library == "datasets" else column.to_list()


def _framed(frame: Any, kind: _Kind, columns: dict[str, Any], signatures: dict[str, str]) -> Any:
    """Return a new frame of the same library."""
    library: Any = sys.modules[kind.library]
    if kind.library == "pandas":
        result = library.DataFrame(columns, index=frame.index)
        result.attrs[SIGNATURES] = signatures
        return result
    listed = {name: column.tolist() for name, column in columns.items()}
    if kind.library == "polars":
        floats = {name for name, column in columns.items() if column.dtype.kind == "f"}
        types = {name: library.Float64 if name in floats else library.String for name in columns}
        return library.DataFrame(listed, schema_overrides=types)
    info = library.DatasetInfo(description=json.dumps({SIGNATURES: signatures}))
    return library.Dataset.from_dict(listed, info=info)


def register() -> None:
    """Register ``df.answersim`` with pandas and with polars, as far as they are installed."""
    if find_spec("pandas"):
        import pandas as pd

        pd.api.extensions.register_dataframe_accessor("answersim")(Accessor)
    if find_spec("polars"):
        import polars as pl

        pl.api.register_dataframe_namespace("answersim")(Accessor)


register()
