"""The warning that gold answers are not in the form of a benchmark whose official rule scores them."""

from __future__ import annotations

from collections.abc import Iterable

from answersim import metrics as rooms
from answersim._base.errors import warn_user
from answersim.metrics.composite.extracted import ExtractedMetric
from answersim.types import OFFICIAL, Metric, Pair


def warn_of_forms(metrics: Iterable[Metric], pairs: Iterable[Pair]) -> None:
    """Warn once per official metric if the owner of its rule never meets such gold answers."""
    for metric in metrics:
        base = metric.base if isinstance(metric, ExtractedMetric) else metric
        if not base.signature.startswith(OFFICIAL) or not isinstance(base, rooms.official.metric.OfficialMetric):
            continue
        golds = [metric.of_gold(gold) if isinstance(metric, ExtractedMetric) else gold for gold, _ in pairs]
        if (warning := rooms.official.forms.unmet(base, golds)) is not None:
            warn_user(warning)
