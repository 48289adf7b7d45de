"""HotpotQA: answers, supporting facts, and both together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answersim.metrics.official.squad_rules import Results, Rows, exact, harmonic, normalize, overlap

_CLOSED = frozenset(("yes", "no", "noanswer"))


def hotpotqa(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as the owner. F1 is 0 if one of the answers is yes, no or noanswer, and the other one differs.

    Source: ``hotpot_evaluate_v1.py`` (Yang et al. 2018).
    """
    gold = golds[0]
    theirs, ours = normalize(gold), normalize(pred)
    shared = None if theirs != ours and {theirs, ours} & _CLOSED else overlap(theirs.split(), ours.split())
    precision, recall, f1 = shared or (0, 0, 0)
    return {"em": exact(gold, pred), "f1": f1, "precision": precision, "recall": recall}


def hotpotqa_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return the means of answer, supporting facts and joint measures over all questions.

    ``rows``: the questions, with "gold_sp" and "pred_sp": facts as (title, sentence). None is a missing prediction.
    ``results``: the scores of the answers. None is a missing prediction, which counts 0 here and in the joint measures.
    """
    names = ("em", "f1", "prec", "recall")
    sums = {f"{kind}{name}": 0.0 for kind in ("", "sp_", "joint_") for name in names}
    for row, result in zip(rows, results, strict=True):
        answer = result and [float(result[key]) for key in ("em", "f1", "precision", "recall")]
        facts = None if row.get("pred_sp") is None else _facts(row["gold_sp"], row["pred_sp"])
        joint = None
        if answer and facts:
            precision, recall = answer[2] * facts[2], answer[3] * facts[3]
            joint = [answer[0] * facts[0], harmonic(precision, recall), precision, recall]
        for prefix, values in (("", answer), ("sp_", facts), ("joint_", joint)):
            for name, value in zip(names, values or (0.0,) * 4, strict=True):
                sums[f"{prefix}{name}"] += value
    return {name: value / len(rows) for name, value in sums.items()}


def _facts(gold: Sequence[Any], pred: Sequence[Any]) -> list[float]:
    """Return EM, F1, precision and recall of two sets of supporting facts."""
    golds, preds = set(map(tuple, gold)), set(map(tuple, pred))
    hits = len(golds & preds)
    precision = 1.0 * hits / len(preds) if preds else 0.0
    recall = 1.0 * hits / len(golds) if golds else 0.0
    return [float(golds == preds), harmonic(precision, recall), precision, recall]
