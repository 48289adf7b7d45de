"""Sheets for labels that were drawn from a table of made answers."""

import numpy as np

from answersim.evaluation import labeling
from answersim.evaluation.labeling import Columns, Sheet
from answersim.io import files

COLUMNS = Columns("gold", "pred", "question")


def made(n: int = 200) -> tuple[files.Table, np.ndarray]:
    """The answers of one system, and a score of each."""
    rows = [{"gold": f"gold {i}", "pred": f"pred {i}", "question": f"q {i}?", "system": "s"} for i in range(n)]
    return files.Table(("gold", "pred", "question", "system"), rows), np.random.default_rng(0).random(n)


def drawn(n: int = 20, **how) -> Sheet:
    """A sheet of so many of them, drawn as ``labeling.choose`` does."""
    table, scores = made()
    return labeling.sheet_of(table, labeling.choose(scores, n, **how), COLUMNS, 0)
