"""Hugging Face evaluate: the folder that ``evaluate.load`` takes, and what its metric computes.

``python -m answersim.integrations.evaluators.hf_evaluate`` prints the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from answersim.integrations.shared.base import Scorer
from answersim.metrics.catalog import lookup


def folder() -> str:
    """Return the path for ``evaluate.load``.

    >>> Path(folder()).name
    'answersim'
    """
    return str(Path(__file__).parent / "evaluate_folder" / "answersim")


def compute(
    predictions: Sequence[str],
    references: Sequence[str | Sequence[str]],
    *,
    metric: str | None = None,
    questions: Sequence[str] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return the mean, and lists with one entry per prediction.

    Args:
        predictions: Texts.
        references: One text, or a list of texts of which the best counts, per prediction.
        metric: A name; if None or "default", the default metric.
        questions: One per prediction, for metrics that read questions; others ignore them.
        settings: Further settings of ``Scorer``, such as ``threshold`` and ``lang``; see ``answersim.integrations``.

    Returns:
        Under the name of the metric the mean score; ``scores``; ``verdicts`` and ``equivalent``, the share of
        equivalent predictions, both None if answers are not counted; ``counting``, the rule of the verdicts, or how
        to get them; ``signature``.

    Raises:
        ValueError: If there are no predictions, or as ``answersim.score``.
        TypeError, LookupError: As ``answersim.score``.

    >>> compute(["in Rome"], [["Rome", "Roma"]], metric="recall")["recall"]
    1.0
    """
    name = lookup.DEFAULT_METRIC if metric in (None, "default") else str(metric)
    scorer = Scorer(name, **settings)
    rows = scorer.score_columns(references, predictions, questions)
    summary = scorer.summary(rows)
    return {
        name: summary.mean,
        "scores": [row.value for row in rows],
        "verdicts": None if summary.equivalent is None else [row.verdict for row in rows],
        "equivalent": summary.equivalent,
        "counting": summary.counting,
        "signature": summary.signature,
    }


if __name__ == "__main__":
    sys.stdout.write(f"{folder()}\n")
