"""One metric for a table in several languages: each row is scored by the metric of its language."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.signature import computed_once, signature
from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.scoring.metrics import signed
from answersim.types import Capabilities, Metric, Pair, capabilities, of_parts

REVISION = 1
_UNDECIDED = 0.5  # the probability of an answer that a calibration does not cover


@dataclass(frozen=True)
class ByLanguage:
    """The metrics of the languages of a table, in which the column "lang" has the language of each row.

    The scores are probabilities if the metric has a calibration in each language: others cannot be compared.
    """

    name: str  # the name of the metric
    metrics: tuple[tuple[str, Metric], ...]  # by language, in alphabetical order

    @computed_once
    def signature(self) -> str:
        """The name, the languages, and a hash of the signatures of their metrics."""
        joined = "\n".join(f"{code} {metric.signature}" for code, metric in self.metrics)
        return signature(
            self.name,
            revision=REVISION,
            languages="+".join(code for code, _ in self.metrics),
            metrics=hashlib.sha256(joined.encode()).hexdigest()[:12],
            scores="probability" if self.has_probabilities else "score",
        )

    @computed_once
    def has_probabilities(self) -> bool:
        """Whether each metric has a calibration, or probabilities as its scores."""
        bases = {self.rule(code, has_question=False).basis for code, _ in self.metrics}
        return bases <= {"calibration", "probability"}

    @computed_once
    def capabilities(self) -> Capabilities:
        """The combined capabilities of the metrics."""
        parts = [metric for _, metric in self.metrics]
        scale = "probability" if self.has_probabilities else capabilities(parts[0]).scale
        return of_parts(parts)._replace(
            scale=scale, reads_choices=any(capabilities(metric).reads_choices for metric in parts)
        )

    def rule(self, code: str, *, has_question: bool) -> VerdictRule:
        """Return the rule for verdicts in this language."""
        metric = dict(self.metrics)[code]
        return verdict_rule(signed(metric, has_question), scale=capabilities(metric).scale, name=self.name)

    def scored(self, code: str, scores: FloatArray, preds: Sequence[str], *, has_question: bool) -> FloatArray:
        """Return the scores of this metric from those of the metric of a language, shape (n,)."""
        if not self.has_probabilities:
            return scores
        probabilities = self.rule(code, has_question=has_question).probabilities(scores, preds)
        return scores if probabilities is None else np.where(np.isnan(probabilities), _UNDECIDED, probabilities)

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Raise ValueError: only a table has the language of each row."""
        raise ValueError(f"{self.name} is for a table with the column 'lang'; build it for one language")


def by_language(name: str, codes: Sequence[str], build: Callable[[str], Metric]) -> ByLanguage:
    """Return the metric of this name for rows in these languages."""
    built: Mapping[str, Metric] = {code: build(code) for code in sorted(set(codes))}
    return ByLanguage(name, tuple(built.items()))
