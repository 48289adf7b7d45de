"""The scores of several systems on the same questions, computed from texts or checked as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from answersim.arguments import listed, numbers
from answersim.calibration.verdicts import scale_of
from answersim.errors import renumbered
from answersim.scores import Scores
from answersim.scoring.pairs import common_index
from answersim.scoring.score import score_pairs
from answersim.types import FloatArray, Metric, Scale, capabilities, reads_questions


class PairedScores(NamedTuple):
    """The scores of each system, shape (n,), their signature ("" for numbers of unknown origin) and their scale."""

    scores: dict[str, FloatArray]
    signature: str
    scale: Scale


def paired_scores(
    systems: Mapping[str, Any],
    metric: Metric | None,
    gold: Any,
    question: Any,
    **how: Any,
) -> PairedScores:
    """Return the scores of each system: computed from texts, or checked numbers.

    ``systems``: the predictions (texts) or scores (numbers) of each system, one per question in the same order.
    ``how``: cache and progress, as for ``score_pairs``.
    ``question``: the questions, one per answer. A metric that reads none does not get them. Raise ValueError if lengths
    differ, a score is not finite, or scores are of different metrics. Raise TypeError if texts are given without gold
    answers, or scores with them.
    """
    common_index(dict(systems) | ({} if gold is None else {"gold": gold}))
    columns: dict[str, Any] = {
        name: values if isinstance(values, Scores) else listed(name, values, "texts, or numbers")
        for name, values in systems.items()
    }
    lengths = {name: len(values) for name, values in columns.items()}
    if gold is not None:
        lengths["gold"] = len(gold := listed("gold", gold, "texts, or lists of texts"))
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"the lengths differ: {', '.join(f'{n} of {name}' for name, n in lengths.items())}; give the answers to "
            "the same questions in the same order"
        )
    texts = {name: any(isinstance(value, str) for value in values) for name, values in columns.items()}
    if any(texts.values()) and gold is None:
        raise TypeError(
            "predictions are given as texts, but gold answers are missing; give gold=, or scores as numbers"
        )
    if gold is not None:
        if not all(texts.values()) and lengths["gold"]:
            other = next(name for name, is_text in texts.items() if not is_text)
            raise TypeError(
                f"gold answers are given, but {other} is not a list of texts; give predictions, or leave gold= out"
            )
        assert metric is not None  # with gold answers, there is one
        questions = None if question is None or not reads_questions(metric) else listed("question", question, "texts")
        pairs = [pair for values in columns.values() for pair in zip(gold, values, strict=True)]
        with renumbered([*range(len(gold))] * len(columns)):
            (scores,) = score_pairs(pairs, [metric], question=questions and questions * len(columns), **how).values()
        by_system = dict(zip(columns, scores.values.reshape(len(columns), -1), strict=True))
        return PairedScores(by_system, scores.signature, capabilities(metric).scale)
    signatures = {values.signature for values in columns.values() if isinstance(values, Scores)}
    if len(signatures) > 1:
        raise ValueError(
            f"the scores are of different metrics: {', '.join(sorted(signatures))}; score both systems with one metric"
        )
    given = {name: numbers(name, values, "one score per question") for name, values in columns.items()}
    for name, values in given.items():
        if values.ndim != 1 or not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values.ravel()))[0]) if values.ndim == 1 else 0
            raise ValueError(
                f"{name}: the score of question {at + 1} is {values.ravel()[at]}, but every question needs a finite "
                "score in both systems; score it, or leave the question out of both"
            )
    return PairedScores(given, signatures.pop() if signatures else "", scale_of(given.values()))
