"""Hugging Face evaluate: the folder that ``evaluate.load`` takes, and what its metric computes.

``python -m answersim.integrations.hf_evaluate`` prints the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from answersim.catalog import lookup
from answersim.integrations.base import Scorer
from answersim.scoring.metrics import signed


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
    threshold: float | None = None,
    lang: str | None = None,
    profile: str | None = None,
    extract: str | None = None,
) -> dict[str, Any]:
    """Return the mean, and lists with one entry per prediction.

    Args:
        predictions: Texts.
        references: One text, or a list of texts of which the best counts, per prediction.
        metric: A name; if None or "default", the default metric.
        questions: One per prediction, for metrics that read questions; others ignore them.
        threshold: The score from which on the verdict is "equivalent"; if None, as ``Scorer``.
        lang: The language of the answers.
        profile: The profile of the metric.
        extract: The rule that reads the final answer out of a prediction; see ``Scorer``.

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
    if not len(predictions):
        raise ValueError("there are no predictions, so there is no mean; add some before compute()")
    name = lookup.DEFAULT_METRIC if metric in (None, "default") else str(metric)
    scorer = Scorer(name, threshold, lang=lang, profile=profile, extract=extract)
    asked = [None] * len(predictions) if questions is None else questions
    rows = scorer.score_batch(zip(asked, references, predictions, strict=True))
    signature = signed(scorer.built, any(asked))
    verdicts = None if any(row.verdict is None for row in rows) else [row.verdict for row in rows]
    return {
        name: sum(row.value for row in rows) / len(rows),
        "scores": [row.value for row in rows],
        "verdicts": verdicts,
        "equivalent": None if verdicts is None else verdicts.count("equivalent") / len(rows),
        "counting": scorer.rule(signature).sentence,
        "signature": signature,
    }


if __name__ == "__main__":
    sys.stdout.write(f"{folder()}\n")
