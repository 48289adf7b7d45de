"""Data frames of pandas and polars, and datasets of Hugging Face: one column per metric.

Importing this module registers ``df.answersim.score([...])`` with pandas and with polars, as far as they are installed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeVar

import numpy as np

from answersim import arguments
from answersim.arguments import shown
from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.catalog import lookup
from answersim.errors import unknown
from answersim.integrations.base import Missing, gold_texts, is_missing
from answersim.scoring import score as scoring
from answersim.scoring.cache import CacheLike
from answersim.types import Metric, Scores, capabilities

Frame = TypeVar("Frame")
Metrics = str | Sequence[str] | Mapping[str, str | Metric]

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
    how = Settings(verdicts, missing, lang, profile, progress, cache, device, precision, batch_tokens, extract)
    scored, signatures = how.columns(metric, *columns)
    return _framed(frame, kind, scored, signatures)


@dataclass(frozen=True)
class Settings:
    """How rows are scored; see ``score``."""

    verdicts: bool = False
    missing: Missing = "refuse"
    lang: str | None = None
    profile: str | None = None
    progress: bool = True
    cache: CacheLike | None = None
    device: str | None = None
    precision: str | None = None
    batch_tokens: int | None = None
    extract: Any = None

    def columns(
        self, metric: Metrics, golds: Sequence[Any], preds: Sequence[Any], questions: Sequence[Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the new columns, and the signatures by the column of each metric."""
        by_column = _by_column(metric)
        if self.extract is not None:
            read = {column: self._on_answers(one) for column, one in by_column.items()}
            how = replace(self, extract=None, lang=None, profile=None, device=None, precision=None, batch_tokens=None)
            return how.columns(read, golds, preds, questions)
        if self.missing not in ("zero", "refuse"):
            raise unknown("missing", self.missing, ("zero", "refuse"))
        absent = np.array([is_missing(pred) for pred in preds], dtype=bool)
        if self.missing == "refuse" and absent.any():
            raise ValueError(
                f"the prediction of row {int(absent.argmax())} is missing; leave it out, give the empty string, or "
                "score missing predictions 0 with missing='zero'"
            )
        kept = [i for i in range(len(preds)) if not absent[i]]
        pairs = [(_golds(golds[i], i), preds[i]) for i in kept]
        asked = None if questions is None else ["" if is_missing(questions[i]) else questions[i] for i in kept]
        unique = list({id(one): one for one in by_column.values()}.values())
        rules = {column: self._rule(one, any(asked or ())) for column, one in by_column.items()}
        found = scoring.score_pairs(
            pairs,
            unique,
            question=asked,
            lang=self.lang,
            profile=self.profile,
            progress=self.progress,
            cache=self.cache,
            device=self.device,
            precision=self.precision,
            batch_tokens=self.batch_tokens,
        )
        columns: dict[str, Any] = {}
        signatures = {}
        for column, one in by_column.items():
            scores = found[one if isinstance(one, str) else one.signature]
            columns |= _filled(column, scores, rules[column], absent)
            signatures[column] = scores.signature
        return columns, signatures

    def _on_answers(self, metric: str | Metric) -> Metric:
        """Return the metric on final answers."""
        (network,) = scoring.options_of_each([metric], self.device, self.precision, self.batch_tokens)
        return scoring.build(metric, self.lang, self.profile, {**network, "extract": self.extract})

    def _rule(self, metric: str | Metric, with_questions: bool) -> VerdictRule | None:
        """Return the rule of the verdicts of a metric; None if no verdicts are wanted."""
        if not self.verdicts:
            return None
        built = scoring.build(metric, *((self.lang, self.profile) if isinstance(metric, str) else (None, None)), {})
        scale = capabilities(built).scale
        rule = verdict_rule(scoring.signed(built, with_questions), scale=scale)
        if not rule.counts:
            raise ValueError(f"verdicts is True, but {rule.sentence}")
        return rule


@dataclass(frozen=True)
class MapBatch:
    """A function for ``Dataset.map(..., batched=True)`` that adds one column per metric. It can be pickled.

    >>> MapBatch(["em"])({"gold": ["Rome", ["a", "b"]], "pred": ["rome", "c"]})
    {'em': [1.0, 0.0]}

    Attributes:
        metrics: As ``score``.
        gold: The column of gold answers.
        pred: The column of predictions.
        question: The column of questions, for metrics that read them, or None.
        settings: The other settings of ``score``.
    """

    metrics: Metrics
    gold: str = "gold"
    pred: str = "pred"
    question: str | None = None
    settings: Settings = Settings(progress=False)

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return the new columns of a batch, given as columns."""
        needed = [self.gold, self.pred, *([] if self.question is None else [self.question])]
        if absent := [name for name in needed if name not in batch]:
            raise unknown("column", absent[0], map(str, batch))
        columns, _ = self.settings.columns(self.metrics, *(batch[name] for name in needed))
        return {name: np.asarray(column).tolist() for name, column in columns.items()}


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
    if kind.library == "polars":
        return library.DataFrame(
            {name: column.tolist() for name, column in columns.items()},
            schema_overrides={
                name: library.Float64 if column.dtype.kind == "f" else library.String
                for name, column in columns.items()
            },
        )
    import json

    info = library.DatasetInfo(description=json.dumps({SIGNATURES: signatures}))
    return library.Dataset.from_dict({name: column.tolist() for name, column in columns.items()}, info=info)


def _by_column(metrics: Any) -> dict[str, str | Metric]:
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


def _golds(golds: Any, row: int) -> list[str]:
    texts = gold_texts(golds)
    if not texts:
        raise ValueError(f"row {row} has no gold answer; leave it out, or give the empty string for 'no answer'")
    return list(texts)


def _filled(column: str, scores: Scores, rule: VerdictRule | None, absent: Any) -> dict[str, Any]:
    """Return the columns of a metric, with 0 and "different" for missing predictions."""
    values = np.zeros(len(absent))
    values[~absent] = scores.values
    columns = {column: values}
    if rule is not None:
        found = {"probability": (rule.probabilities(scores), 0.0), "verdict": (rule.verdicts(scores), "different")}
        for name, (of_rule, of_missing) in found.items():
            if of_rule is not None:
                filled = np.full(len(absent), of_missing, dtype=np.float64 if name == "probability" else object)
                filled[~absent] = of_rule.tolist()
                columns[f"{column}_{name}"] = filled
    return columns


def register() -> None:
    """Register ``df.answersim`` with pandas and with polars, as far as they are installed."""
    if find_spec("pandas"):
        import pandas as pd

        pd.api.extensions.register_dataframe_accessor("answersim")(Accessor)
    if find_spec("polars"):
        import polars as pl

        pl.api.register_dataframe_namespace("answersim")(Accessor)


register()
