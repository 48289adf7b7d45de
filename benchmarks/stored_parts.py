"""Parts of composite metrics whose scores are stored, so that a changed rule runs no network again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from answersim._base.arrays import FloatArray
from answersim.scoring import cache
from answersim.scoring.cache import ScoreCache
from answersim.types import Capabilities, CompositeMetric, Metric, Pair, capabilities


@dataclass(frozen=True)
class StoredPart:
    """A metric with the numbers and the signature of another, which it stores in a cache."""

    metric: Metric  # the metric
    cache: ScoreCache  # the cache

    @property
    def signature(self) -> str:
        """The signature of the metric."""
        return self.metric.signature

    @property
    def capabilities(self) -> Capabilities:
        """Those of the metric, without its encoder, which only the metric itself runs."""
        return capabilities(self.metric)._replace(encoder=None, batches_all=True)

    @property
    def reads_questions(self) -> bool:
        """Whether the metric reads questions."""
        return self.capabilities.reads_questions

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        return cache.score_all([self.metric], pairs, questions, self.cache)[0]


def with_stored_parts(metric: Metric, stored: ScoreCache) -> Metric:
    """Return a metric with the same numbers and signature whose networks store their scores in this cache.

    A composite is computed again from its parts. So its own scores are never looked up, and its rules always run.
    """
    if not isinstance(metric, CompositeMetric):
        return StoredPart(metric, stored) if cache.costs(metric) else metric
    parts = tuple(with_stored_parts(part, stored) for part in metric.parts)
    composite = cast(Any, metric)
    has_parts = any(field.name == "parts" for field in fields(composite))  # else they follow from the base
    changes: dict[str, Any] = {"parts": parts} if has_parts else {"base": parts[0]}
    return cast(Metric, replace(composite, **changes))
