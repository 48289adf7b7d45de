"""Columns of answers in, one column per metric out: what data frames and record batches share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim import arguments
from answersim.arguments import is_missing, shown
from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.errors import unknown
from answersim.integrations.base import Missing, gold_texts
from answersim.scoring import score as scoring
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import options_of_each, signed
from answersim.scoring.pairs import Checked, check
from answersim.scoring.score import build
from answersim.types import Metric, Scores, capabilities

Metrics = str | Sequence[str] | Mapping[str, str | Metric]


@dataclass(frozen=True)
class ColumnScorer:
    """How columns of answers are scored. Its fields are the arguments of ``frames.score`` of these names."""

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
        by_column = metrics_by_column(metric)
        if self.extract is not None:
            read = {column: self._on_answers(one) for column, one in by_column.items()}
            how = replace(self, extract=None, lang=None, profile=None, device=None, precision=None, batch_tokens=None)
            return how.columns(read, golds, preds, questions)
        pairs, asked, absent = self.answers(golds, preds, questions)
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
        (network,) = options_of_each([metric], self.device, self.precision, self.batch_tokens)
        return build(metric, self.lang, self.profile, {**network, "extract": self.extract})

    def answers(
        self, golds: Sequence[Any], preds: Sequence[Any], questions: Sequence[Any] | None = None
    ) -> tuple[list[tuple[list[str], Any]], list[Any] | None, NDArray[np.bool_]]:
        """Return the pairs and questions of the rows that have a prediction, and which rows have none, shape (n,).

        Raises:
            ValueError: If a row has no gold answer, or no prediction and ``missing`` is "refuse".
        """
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
        return pairs, asked, absent

    def checked(self, *columns: Sequence[Any]) -> tuple[Checked, NDArray[np.bool_]]:
        """Return the answers of golds, preds and perhaps questions, all checked, and which rows have no prediction."""
        pairs, questions, absent = self.answers(*columns)
        return check([golds for golds, _ in pairs], [pred for _, pred in pairs], questions), absent

    def _rule(self, metric: str | Metric, with_questions: bool) -> VerdictRule | None:
        """Return the rule of the verdicts of a metric; None if no verdicts are wanted."""
        if not self.verdicts:
            return None
        built = build(metric, *((self.lang, self.profile) if isinstance(metric, str) else (None, None)), {})
        scale = capabilities(built).scale
        rule = verdict_rule(signed(built, with_questions), scale=scale)
        if not rule.counts:
            raise ValueError(f"verdicts is True, but {rule.sentence}")
        return rule


def metrics_by_column(metrics: Any) -> dict[str, str | Metric]:
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
