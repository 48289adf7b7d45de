"""Any metric on the final answers of predictions, which a named rule reads out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.errors import ExtractionWarning, warn_user
from answersim._base.golds import with_choices
from answersim._base.signature import computed_once, with_part
from answersim.answers.extraction import Extractor
from answersim.metrics import planning
from answersim.metrics.planning import Composite
from answersim.types import Capabilities, GradesAttempts, Metric, Pair, capabilities


def finals(metric: Metric, preds: Sequence[str]) -> list[str]:
    """Return the answers that a metric reads out of predictions: the predictions, if it has no rule for that."""
    return [metric.extractor(pred).text for pred in preds] if isinstance(metric, ExtractedMetric) else list(preds)


@dataclass(frozen=True)
class ExtractedMetric(Composite):
    """A metric that reads the final answer of each prediction, by a named rule.

    A prediction without such an answer is read as ``Extractor.missing`` states. Predictions that have none are counted
    in a warning.
    """

    base: Metric  # the metric of the answers
    extractor: Extractor  # the rule for predictions
    # the rule for gold answers, such as "hash" for solutions of GSM8K; None reads them as they are
    gold: Extractor | None = None

    @computed_once
    def signature(self) -> str:
        """The signature of the base metric with the rules, such as ``f1|text:en|extract:auto.5|rev:1``."""
        signed = with_part(self.base.signature, self.extractor.signed)
        return signed if self.gold is None else with_part(signed, f"extract_gold{self.gold.signed[len('extract') :]}")

    @computed_once
    def capabilities(self) -> Capabilities:
        """Those of the base metric. It runs its encoder itself, and reads markup as the base does."""
        return capabilities(self.base)._replace(encoder=None, visible_text=False)

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        return planning.score_all([self.base], self.answers(pairs), questions)[0]

    def not_attempted(
        self, rows: Sequence[tuple[Any, str]], questions: Sequence[str] | None = None
    ) -> NDArray[np.bool_] | None:
        """Return which rows the base metric grades as not attempted; None if it grades no attempts."""
        if not isinstance(self.base, GradesAttempts):
            return None
        answers = [(self.gold_answers(golds), self.extractor(pred).text) for golds, pred in rows]
        return self.base.not_attempted(answers, questions)

    def gold_answers(self, golds: Any) -> Any:
        """Return one or several gold answers, read by the rule for gold answers."""
        if self.gold is None:
            return golds
        return self.of_gold(golds) if isinstance(golds, str) else [self.of_gold(gold) for gold in golds]

    def truncated(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Return whether the base metric does not read the whole of each extracted answer, shape (n,)."""
        return planning.truncated(self.base, self.answers(pairs, warn=False), questions)

    def answers(self, pairs: Sequence[Pair], *, warn: bool = True) -> list[Pair]:
        """Return the pairs with the final answers. Each text is read once.

        Raise ValueError if a text has no final answer and the rule is strict about it.
        """
        extractions = {pred: self.extractor(pred) for pred in dict.fromkeys(pred for _, pred in pairs)}
        if warn and (without := sum(extraction.rule is None for extraction in extractions.values())):
            warn_user(ExtractionWarning(without, len(extractions), self.extractor.rule, self.extractor.missing))
        return [Pair(self.of_gold(gold), extractions[pred].text) for gold, pred in pairs]

    def of_gold(self, gold: str) -> str:
        """Return the final answer in a gold answer, with the options of that."""
        return gold if self.gold is None else with_choices(self.gold(gold).text, gold)
