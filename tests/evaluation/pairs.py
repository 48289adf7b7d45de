"""Columns of numbers as a comparison of systems, such as A and B."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from answersim.calibration.verdicts import scale_of, verdict_rule
from answersim.evaluation.comparison.compare import compare_decided
from answersim.evaluation.comparison.comparison import Comparison, Comparisons
from answersim.evaluation.labels.human_labels import SystemLabels


def compare_all(systems: Mapping[str, Any], *, labels: Mapping[str, Any] | None = None, **settings: Any) -> Comparisons:
    """Return the comparisons of all pairs of systems."""
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in systems.items()}
    rule = verdict_rule("", scale=scale_of(columns.values()))
    stated = {
        name: entry if isinstance(entry, SystemLabels) else SystemLabels(np.asarray(entry, dtype=np.float64))
        for name, entry in (labels or {}).items()
    }
    decided = {name: rule.decide(values) for name, values in columns.items()}
    return compare_decided(decided, rule, labels=stated, **settings)


def compare(
    a: Any, b: Any, *, labels: tuple[Any, Any] | None = None, names: tuple[str, str] = ("A", "B"), **settings: Any
) -> Comparison:
    """Return the comparison of two systems."""
    stated = None if labels is None else dict(zip(names, labels, strict=True))
    return compare_all({names[0]: a, names[1]: b}, labels=stated, **settings).pair
