"""Sheets for labels that were drawn from a table of made answers."""

from typing import Any

import numpy as np

from answersim.evaluation.labels import labeling
from answersim.evaluation.labels.human_labels import LABEL
from answersim.evaluation.labels.sheets import KEY, Drawing, Sheet, ShownColumns

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
