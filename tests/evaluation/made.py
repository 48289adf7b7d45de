"""Made comparisons and sheets of labels, for the tests of evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from answersim.calibration.verdicts import scale_of, verdict_rule
from answersim.evaluation.comparison.compare import compare_decided
from answersim.evaluation.comparison.comparison import Comparison, Comparisons
from answersim.evaluation.labels import labeling
from answersim.evaluation.labels.human_labels import LABEL, SystemLabels
from answersim.evaluation.labels.sheets import KEY, Drawing, Sheet, ShownColumns


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


COLUMNS = ShownColumns(None, "question", "gold", "pred")


def made(n: int = 200) -> tuple[dict[str, list[Any]], np.ndarray]:
    """The answers of one system, and a score of each."""
    columns = {name: [f"{name} {i}" for i in range(n)] for name in ("question", "gold", "pred")}
    return columns, np.random.default_rng(0).random(n)


def sheet_of(columns: dict[str, list[Any]], scores: Any, n: int, shown: ShownColumns = COLUMNS, **how: Any) -> Sheet:
    """A sheet of n rows of a table with these columns, drawn as ``labeling.choose`` does."""
    sample = labeling.choose(scores, n, **how)
    rows, drawn = [], []
    for i in sample.rows.tolist():
        texts = [str(columns[name][i]) for name in shown.names]
        rows.append(
            {KEY: labeling.key_of(str(i + 1), texts, 0), **dict(zip(shown.names, texts, strict=True)), LABEL: ""}
        )
        drawn.append((str(i + 1), float(sample.inclusion[i]), float(sample.strata[i])))
    return Sheet(rows, drawn, shown, Drawing(n, "proportional", 5, 0, len(scores)))


def drawn(n: int = 20, **how: Any) -> Sheet:
    """A sheet of so many made answers."""
    return sheet_of(*made(), n, **how)
