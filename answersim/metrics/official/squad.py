"""SQuAD 1.1 and 2.0, and MuSiQue, which uses the functions of SQuAD 2.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from answersim.metrics.official.squad_rules import (
    Results,
    Rows,
    added,
    best,
    exact,
    f1_squad1,
    f1_squad2,
    normalize,
    total,
)


def squad(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as ``evaluate-v1.1.py``: the best exact match and the best F1 over the gold answers.

    Raise ValueError if there are no gold answers.
    """
    return {"exact_match": best(exact, golds, pred), "f1": best(f1_squad1, golds, pred)}


def squad_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return the means x 100 over all questions. A question without a prediction (None) counts 0."""
    return {key: 100.0 * total(results, key) / len(results) for key in ("exact_match", "f1")}


def squad2(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as ``evaluate-v2.0.py``.

    A gold answer that normalizes to nothing is dropped. If none is left, only a prediction without tokens is right.
    """
    non_empty = [gold for gold in golds if normalize(gold)] or [""]
    return {"exact": int(best(exact, non_empty, pred)), "f1": best(f1_squad2, non_empty, pred)}


def squad2_table(rows: Rows, results: Results, *, na_prob_thresh: float | None = None) -> dict[str, Any]:
    """Return the JSON that the script prints.

    ``rows``: the questions: "golds" (empty if it cannot be answered), "pred", and "na_prob" with a threshold.
    ``na_prob_thresh``: the probability of "no answer" above which a prediction counts as none. None for a run without
    probabilities.
    """
    answerable = [bool(row["golds"]) for row in rows]
    probabilities = [0.0 if na_prob_thresh is None else row["na_prob"] for row in rows]
    threshold = 1.0 if na_prob_thresh is None else na_prob_thresh
    raw = {key: [result[key] if result else 0 for result in results] for key in ("exact", "f1")}
    scores = {
        key: [
            float(not answer) if probability > threshold else value
            for value, probability, answer in zip(values, probabilities, answerable, strict=True)
        ]
        for key, values in raw.items()
    }
    table: dict[str, Any] = _means(scores, range(len(rows)))
    for prefix, has_answer in (("HasAns", True), ("NoAns", False)):
        if chosen := [i for i, answer in enumerate(answerable) if answer is has_answer]:
            table |= {f"{prefix}_{key}": value for key, value in _means(scores, chosen).items()}
    if na_prob_thresh is not None:
        for key, values in raw.items():
            table |= _best_threshold(key, values, rows, answerable)
    return table


def _means(scores: Mapping[str, Sequence[float]], chosen: Sequence[int]) -> dict[str, Any]:
    means = {key: 100.0 * added(values[i] for i in chosen) / len(chosen) for key, values in scores.items()}
    return means | {"total": len(chosen)}


def _best_threshold(key: str, values: Sequence[float], rows: Rows, answerable: Sequence[bool]) -> dict[str, Any]:
    """Return the best possible score over all thresholds, and the first threshold that reaches it."""
    score = best_score = float(sum(not answer for answer in answerable))
    threshold = 0.0
    for i in sorted(range(len(rows)), key=lambda i: rows[i]["na_prob"]):
        score += values[i] if answerable[i] else -1 if rows[i]["pred"] else 0
        if score > best_score:
            best_score, threshold = score, rows[i]["na_prob"]
    return {f"best_{key}": 100.0 * best_score / len(rows), f"best_{key}_thresh": threshold}


def musique(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as MuSiQue: exact match and the F1 of SQuAD 2.0, each at its best gold answer.

    Raise ValueError if there are no gold answers.
    """
    return {"em": int(best(exact, golds, pred)), "f1": best(f1_squad2, golds, pred)}
