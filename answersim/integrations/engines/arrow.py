"""Record batches of Arrow with one more column per metric: the one function that Ray, Spark, DuckDB and others call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from answersim._base import arguments
from answersim._base.arguments import is_missing, shown
from answersim._base.device import Device
from answersim._base.errors import TruncationWarning, deferred_warnings, unknown, warn_user
from answersim._base.runtime.concurrency import wait_passively
from answersim._base.signature import Stored
from answersim.calibration.scores import Scores
from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.integrations.shared.base import Missing, gold_texts
from answersim.metrics.catalog import lookup
from answersim.metrics.composite.extracted import finals
from answersim.scoring.cache import CacheLike, cache_of
from answersim.scoring.metrics import options_of_each, signed
from answersim.scoring.pairs import check
from answersim.scoring.score import build, score_pairs
from answersim.types import Metric, capabilities, reads_questions

if TYPE_CHECKING:
    import pyarrow

wait_passively()  # here, because pickle may import torch with a metric, and imports this module before

Metrics = str | Sequence[str] | Mapping[str, str | Metric]
Rows = TypeVar("Rows", "pyarrow.RecordBatch", "pyarrow.Table")
Type = Literal["float64", "string"]  # of a new column: the function of pyarrow that makes it

METADATA = b"answersim"  # the key in the metadata of a schema


def scorer(
    metric: Metrics = lookup.DEFAULT_METRIC,
    *,
    gold: str = "gold",
    pred: str = "pred",
    question: str | None = None,
    prefix: str = "",
    verdicts: bool = False,
    missing: Missing = "refuse",
    lang: str | None = None,
    profile: str | None = None,
    cache: CacheLike | None = None,
    device: str | Device | None = None,
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
        verdicts: Whether each metric has one more column, ``NAME_verdict``, by the rule of ``evaluate``, and
            ``NAME_probability`` if the rule has probabilities.
        missing: What happens to a prediction that is None or nan: "refuse" raises an error with the row, "zero" scores
            it 0, with the verdict "different". A missing gold answer is an error.
        lang: The language of the answers, as ``answersim.score_pairs``, like all that follow.
        profile: The profile of metrics given by name.
        cache: A folder for scores of metrics that run a network.
        device: Where networks run.

    Raises:
        TypeError, ValueError, LookupError: What ``answersim.score_pairs`` refuses of metrics and settings; a question
            that no metric reads; verdicts of a metric without any.
    """
    if missing not in ("zero", "refuse"):
        raise unknown("missing", missing, ("zero", "refuse"))
    cache_of(cache)  # raises if it is none
    metrics = {f"{prefix}{column}": named for column, named in _metrics_by_column(metric).items()}
    options = dict(zip(metrics, options_of_each([*metrics.values()], device), strict=True))
    here = {
        column: build(named, lang, profile, {name: replace(of, name="cpu") for name, of in options[column].items()})
        for column, named in metrics.items()
    }
    if question is not None and not any(map(reads_questions, here.values())):
        raise ValueError(f"question is {question!r}, but {', '.join(metrics)} reads no question; leave it out")
    signatures = {column: signed(built, question is not None) for column, built in here.items()}
    types: dict[str, Type] = {}
    for column, built in here.items():
        types[column] = "float64"
        if verdicts:
            none = _rule(built, signatures[column]).probabilities(Scores(np.empty(0), signatures[column]))
            types |= {} if none is None else {f"{column}_probability": "float64"}
            types[f"{column}_verdict"] = "string"
    columns = (gold, pred, question)
    return ArrowScorer(metrics, options, (lang, profile), columns, verdicts, missing, cache, types, signatures)


@dataclass(frozen=True, eq=False)
class ArrowScorer(Stored):
    """What ``scorer`` returns. Pickle stores its settings only, so each process builds the metrics once, by itself.

    Attributes:
        metrics: The name or the metric of each new column of scores.
        options: The options of the networks of those that were requested by name.
        texts: Language and profile.
        columns: The columns of gold answers, predictions and questions.
        verdicts: Whether there are columns of verdicts.
        missing: What happens to a missing prediction.
        cache: Where scores of networks are stored.
        types: The types of all new columns, in order.
        signatures: The signature of each column of scores, which lists all settings that decide its numbers.
    """

    metrics: Mapping[str, str | Metric]
    options: Mapping[str, Mapping[str, Any]]
    texts: tuple[str | None, str | None]
    columns: tuple[str, str, str | None]
    verdicts: bool
    missing: Missing
    cache: CacheLike | None
    types: Mapping[str, Type]
    signatures: Mapping[str, str]

    @cached_property
    def loaded(self) -> dict[str, Metric]:
        """The metrics of this process. ValueError if they are not those of the caller."""
        metrics = {column: build(metric, *self.texts, self.options[column]) for column, metric in self.metrics.items()}
        for column, metric in metrics.items():
            here, expected = signed(metric, self.columns[2] is not None), self.signatures[column]
            if here != expected:
                raise ValueError(
                    f"{column}: the caller's metric is {expected}, but here it is {here}; install the same version and "
                    "the same weights on every machine"
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
                added = self._scored(*answers)
            except (TypeError, ValueError) as error:
                raise self._with_row(error, rows, answers) from None
        counts: Counter[str] = Counter()
        for warning in collected:
            if isinstance(warning, TruncationWarning):
                counts[warning.signature] += warning.count
            warn_user(warning)
        schema, columns = rows.schema, list(rows.columns)
        for name, kind in self.types.items():
            columns.append(pyarrow.array(added[name], getattr(pyarrow, kind)()))
            schema = schema.append(pyarrow.field(name, columns[-1].type))
        before = dict(schema.metadata or {})
        signatures = json.loads(before.get(METADATA, b"{}")).get("signatures", {}) | dict(self.signatures)
        metadata = {METADATA: json.dumps({"signatures": signatures, "truncated": counts}).encode()}
        return type(rows).from_arrays(columns, schema=schema.with_metadata(before | metadata))

    def _scored(
        self, golds: Sequence[Any], preds: Sequence[Any], questions: Sequence[Any] | None = None
    ) -> dict[str, Any]:
        """Return the new columns of these answers, each of shape (n,)."""
        pairs, present_questions, absent = self._answers(golds, preds, questions)
        metrics = self.loaded
        unique = list({metric.signature: metric for metric in metrics.values()}.values())
        by_signature = score_pairs(pairs, unique, question=present_questions, progress=False, cache=self.cache)
        columns: dict[str, Any] = {}
        for name, metric in metrics.items():
            scores = by_signature[metric.signature]
            columns[name] = _filled(scores.values, absent, 0.0)
            if self.verdicts:
                rule = _rule(metric, scores.signature)
                texts = finals(metric, [pred for _, pred in pairs])
                columns[f"{name}_probability"] = _filled(rule.probabilities(scores, texts), absent, 0.0)
                columns[f"{name}_verdict"] = _filled(rule.verdicts(scores, texts), absent, "different")
        return columns

    def _answers(
        self, golds: Sequence[Any], preds: Sequence[Any], questions: Sequence[Any] | None = None
    ) -> tuple[list[tuple[list[str], Any]], list[Any] | None, NDArray[np.bool_]]:
        """Return the pairs and questions of the rows that have a prediction, and which rows have none, shape (n,).

        Raise ValueError if a row has no gold answer, or no prediction and ``missing`` is "refuse".
        """
        absent = np.array([is_missing(pred) for pred in preds], dtype=bool)
        if self.missing == "refuse" and absent.any():
            raise ValueError(
                f"the prediction of row {int(absent.argmax())} is missing; leave it out, give the empty string, or "
                "score missing predictions 0 with missing='zero'"
            )
        present = np.flatnonzero(~absent).tolist()
        pairs = [(list(gold_texts(golds[i])), preds[i]) for i in present]
        if empty := [i for i, (listed, _) in zip(present, pairs, strict=True) if not listed]:
            problem = f"row {empty[0]} has no gold answer"
            raise ValueError(f"{problem}; leave it out, or give the empty string for 'no answer'")
        texts = None if questions is None else ["" if is_missing(questions[i]) else questions[i] for i in present]
        return pairs, texts, absent

    def _with_row(self, error: Exception, rows: Any, answers: list[list[Any]]) -> Exception:
        """Return the error with the first row that causes it, or the error itself if no single row does."""
        for i, row in enumerate(zip(*answers, strict=True)):
            try:
                pairs, questions, _ = self._answers(*([cell] for cell in row))
                check([golds for golds, _ in pairs], [pred for _, pred in pairs], questions)
            except (TypeError, ValueError) as problem:
                content = ", ".join(f"{name}: {shown(cell)}" for name, cell in rows.slice(i, 1).to_pylist()[0].items())
                message = str(problem).replace("[0]", "", 1).replace("row 0", "a row", 1)
                return type(problem)(f"{message}; this is the row {{{content}}}")
        return error


def _metrics_by_column(metrics: Any) -> dict[str, str | Metric]:
    """Return the metric of each new column."""
    if not isinstance(metrics, Mapping):
        listed = arguments.one_or_several("metric", metrics, "names")
        if built := [metric for metric in listed if not isinstance(metric, str)]:
            raise TypeError(
                f"metric contains {shown(built[0])}, which has no name for its column; give a mapping, such as "
                "{'my-column': metric}"
            )
        metrics = {name: name for name in listed}
    if not metrics:
        raise ValueError("metric is empty; name at least one metric")
    return dict(metrics)


def _rule(metric: Metric, signature: str) -> VerdictRule:
    """Return the rule of the verdicts of a metric. Raise ValueError if it has none."""
    rule = verdict_rule(signature, scale=capabilities(metric).scale)
    if not rule.counts:
        raise ValueError(f"verdicts is True, but {rule.sentence}")
    return rule


def _filled(values: Any, absent: NDArray[np.bool_], of_missing: Any) -> Any:
    """Return one value per row, with a fixed one for missing predictions; None for None."""
    if values is None or not absent.any():
        return values
    filled = np.full(len(absent), of_missing, dtype=np.float64 if of_missing == 0 else object)
    filled[~absent] = values.tolist()
    return filled
