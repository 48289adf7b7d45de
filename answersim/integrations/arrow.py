"""Record batches of Arrow with one more column per metric: the one function that Ray, Spark, DuckDB and others call."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from answersim import planning
from answersim.arguments import shown
from answersim.catalog import lookup
from answersim.errors import TruncationWarning, deferred_warnings, unknown, warn_user
from answersim.integrations.columns import ColumnScorer, Metrics, metrics_by_column
from answersim.runtime.concurrency import wait_passively
from answersim.scoring.metrics import options_of_each, signed
from answersim.scoring.score import build
from answersim.signature import Stored
from answersim.types import Metric, reads_questions

if TYPE_CHECKING:
    import pyarrow

wait_passively()  # here, because pickle may import torch with a metric, and imports this module before

Rows = TypeVar("Rows", "pyarrow.RecordBatch", "pyarrow.Table")
Type = Literal["float64", "string", "bool_"]  # of a new column: the function of pyarrow that makes it

METADATA = b"answersim"  # the key in the metadata of a schema
_DEVICES = ("auto", "cpu", "cuda", "mps")


def scorer(
    metric: Metrics = lookup.DEFAULT_METRIC,
    *,
    gold: str = "gold",
    pred: str = "pred",
    question: str | None = None,
    prefix: str = "",
    truncated: str | None = None,
    **settings: Any,
) -> ArrowScorer:
    """Return a function from a record batch, or a table, to the same rows in the same order with new columns.

    The numbers are those of ``answersim.score_pairs``. All settings are checked here, before any work. The metrics are
    built on the CPU of the caller to sign them; the process that scores may have other devices.

    Args:
        metric: Names, which are also those of the new columns; or a mapping from new columns to names or to metrics
            that were already built.
        gold: The column of gold answers: texts, or lists of texts of which the best counts.
        pred: The column of predictions.
        question: The column of questions, for metrics that read them. The signatures of these metrics then contain
            ``question:yes``, also if all questions turn out to be empty.
        prefix: Goes before the names of the columns of metrics.
        truncated: The name of a column of booleans: whether a metric read only the beginning of a text of the row. The
            texts are split into tokens once more. If None, there is no such column.
        settings: ``verdicts``, ``missing``, ``lang``, ``profile``, ``cache``, ``device``, ``precision`` and
            ``batch_tokens`` of ``frames.score``. No progress bar is shown.

    Raises:
        TypeError, ValueError, LookupError: What ``answersim.score_pairs`` refuses of metrics and settings; a question
            that no metric reads.
    """
    how = ColumnScorer(progress=False, **settings)
    if how.device is not None and how.device.partition(":")[0] not in _DEVICES:
        raise unknown("device", how.device, _DEVICES)
    metrics = {f"{prefix}{column}": one for column, one in metrics_by_column(metric).items()}
    each = options_of_each([*metrics.values()], how.device, how.precision, how.batch_tokens)
    options = dict(zip(metrics, each, strict=True))
    texts = (how.lang, how.profile)
    here = {
        column: build(one, *texts, {name: "cpu" if name == "device" else of for name, of in given.items()})
        for (column, one), given in zip(metrics.items(), each, strict=True)
    }
    if question is not None and not any(map(reads_questions, here.values())):
        raise ValueError(f"question is {question!r}, but {', '.join(metrics)} reads no question; leave it out")
    how = replace(how, lang=None, profile=None, device=None, precision=None, batch_tokens=None)  # they are built
    added, _ = how.columns(here, [], [])
    types: dict[str, Type] = {name: "float64" if of.dtype.kind == "f" else "string" for name, of in added.items()}
    types |= {} if truncated is None else {truncated: "bool_"}
    built = {column: one.signature for column, one in here.items()}
    signatures = {column: signed(one, question is not None) for column, one in here.items()}
    return ArrowScorer(metrics, options, texts, (gold, pred, question), how, truncated, types, built, signatures)


@dataclass(frozen=True, eq=False)
class ArrowScorer(Stored):
    """What ``scorer`` returns. Pickle stores its settings only, so each process builds the metrics once, by itself.

    Attributes:
        metrics: The name or the metric of each new column of scores.
        options: The options of the networks of those that were requested by name.
        texts: Language and profile.
        columns: The columns of gold answers, predictions and questions.
        how: The other settings.
        truncated: The name of the column that flags truncated rows, or None.
        types: The types of all new columns, in order.
        built: The signature of each metric on the caller.
        signatures: The signature of each column of scores, which lists all settings that decide its numbers.
    """

    metrics: Mapping[str, str | Metric]
    options: Mapping[str, Mapping[str, Any]]
    texts: tuple[str | None, str | None]
    columns: tuple[str, str, str | None]
    how: ColumnScorer
    truncated: str | None
    types: Mapping[str, Type]
    built: Mapping[str, str]
    signatures: Mapping[str, str]

    @cached_property
    def loaded(self) -> dict[str, Metric]:
        """The metrics of this process. ValueError if they are not those of the caller."""
        metrics = {column: build(metric, *self.texts, self.options[column]) for column, metric in self.metrics.items()}
        for column, metric in metrics.items():
            if metric.signature != self.built[column]:
                raise ValueError(
                    f"{column}: the caller's metric is {self.built[column]}, but here it is {metric.signature}; "
                    "install the same version and the same weights on every machine"
                )
        return metrics

    def check(self, columns: Collection[str]) -> None:
        """Raise LookupError if the rows lack a column, and ValueError if they have a new one already."""
        if missing := [name for name in self.columns if name is not None and name not in columns]:
            raise unknown("column", missing[0], columns)
        if taken := [name for name in self.types if name in columns]:
            raise ValueError(f"the rows have a column {taken[0]!r} already; choose a prefix= for the new ones")

    def __call__(self, rows: Rows) -> Rows:
        """Return the rows with the new columns. The metadata of the schema has, under "answersim", what is new as JSON.

        Raises:
            TypeError, ValueError: If an answer is missing or no text. The message shows the row.
        """
        import pyarrow

        self.check(rows.schema.names)
        answers = [rows.column(name).to_pylist() for name in self.columns if name is not None]
        with deferred_warnings() as collected:
            try:
                added, _ = self.how.columns(self.loaded, *answers)
            except (TypeError, ValueError) as error:
                raise self._with_row(error, rows, answers) from None
        counts: dict[str, int] = {}
        for warning in collected:
            if isinstance(warning, TruncationWarning):
                counts[warning.signature] = counts.get(warning.signature, 0) + warning.count
            warn_user(warning)
        if self.truncated is not None:
            added[self.truncated] = self._truncated(answers)
        schema, columns = rows.schema, list(rows.columns)
        for name, kind in self.types.items():
            columns.append(pyarrow.array(added[name], getattr(pyarrow, kind)()))
            schema = schema.append(pyarrow.field(name, columns[-1].type))
        before = dict(schema.metadata or {})
        signatures = json.loads(before.get(METADATA, b"{}")).get("signatures", {}) | dict(self.signatures)
        metadata = {METADATA: json.dumps({"signatures": signatures, "truncated": counts}).encode()}
        return type(rows).from_arrays(columns, schema=schema.with_metadata(before | metadata))

    def _truncated(self, answers: list[list[Any]]) -> Any:
        """Return whether a metric read only the beginning of a text of each row, shape (n,)."""
        checked, absent = self.how.checked(*answers)
        rows = np.zeros(len(absent), dtype=np.bool_)
        if checked.pairs:
            cut = [planning.truncated(one, checked.pairs, checked.questions) for one in self.loaded.values()]
            rows[~absent] = np.logical_or.reduceat(np.any(cut, axis=0), checked.first)
        return rows

    def _with_row(self, error: Exception, rows: Any, answers: list[list[Any]]) -> Exception:
        """Return the error with the first row that causes it, or the error itself if no single row does."""
        for i, row in enumerate(zip(*answers, strict=True)):
            try:
                self.how.checked(*([cell] for cell in row))
            except (TypeError, ValueError) as problem:
                content = ", ".join(f"{name}: {shown(cell)}" for name, cell in rows.slice(i, 1).to_pylist()[0].items())
                message = str(problem).replace("[0]", "", 1).replace("row 0", "a row", 1)
                return type(problem)(f"{message}; this is the row {{{content}}}")
        return error
