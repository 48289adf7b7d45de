"""Questions with several answers: str-EM of ASQA and ALCE, and the lists of QAMPARI."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from answersim.metrics.official.squad_rules import Results, Rows, added, harmonic, is_contained, normalize

_CITATIONS = tuple(map(re.compile, (r" \[\d+", r"\[\d+")))
_TOP = 5


def asqa(golds: list[list[str]], pred: str) -> dict[str, Any]:
    """Score str-EM as the owner of ASQA: the share of the short answers that are substrings of the long one.

    ``golds``: for each short question, its answers, of which one must be contained.

    Source: ``language/asqa/scoring.py`` (Stelmakh et al. 2022).
    """
    hits = _hits(golds, pred)
    return {"hits": hits, "str_em": 100 * float(np.mean(hits))}


def asqa_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return the mean of the questions' shares, x 100."""
    return {"str_em": float(np.mean([np.mean(_hits(row["golds"], row["pred"])) for row in rows])) * 100}


def _hits(golds: Sequence[Sequence[str]], pred: str) -> list[bool]:
    text = normalize(pred)
    return [is_contained(answers, text) for answers in golds]


def alce_str_em(golds: list[list[str]], pred: str) -> dict[str, Any]:
    """Score str-EM and str-hit as ALCE: of the first line, without citations."""
    return alce_str_em_table([{"golds": golds, "pred": pred}], [None])


def alce_str_em_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return the means over all questions: words, share of the answers contained, share of questions with all."""
    texts = [_uncited(row["pred"]) for row in rows]
    shares = [np.mean(_hits(row["golds"], text)) for row, text in zip(rows, texts, strict=True)]
    return {
        "length": float(np.mean([len(text.split()) for text in texts])),
        "str_em": 100 * float(np.mean(shares)),
        "str_hit": 100 * float(np.mean([int(share == 1) for share in shares])),
    }


def _uncited(pred: str) -> str:
    text = pred.strip().split("\n")[0].replace("<|im_end|>", "")
    for citation in _CITATIONS:
        text = citation.sub("", text)
    return text.replace(" |", "").replace("]", "")


def alce_qampari(golds: list[list[str]], pred: str, *, cot: bool = False) -> dict[str, Any]:
    """Score a list as ALCE.

    ``golds``: for each answer, its aliases. ``cot``: whether the list begins after the first colon.
    """
    return alce_qampari_table([{"golds": golds, "pred": pred}], [None], cot=cot)


def alce_qampari_table(rows: Rows, results: Results, *, cot: bool | None = None) -> dict[str, Any]:
    """Return the means over all questions, x 100 but for the number of predictions."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        in_cot = row.get("cot", False) if cot is None else cot
        for name, value in _listed(row["golds"], _uncited(row["pred"]), in_cot).items():
            columns.setdefault(name, []).append(value)
    return {
        name: float(np.mean(values)) if name == "num_preds" else 100 * float(np.mean(values))
        for name, values in columns.items()
    }


def _listed(golds: Sequence[Sequence[str]], text: str, cot: bool) -> dict[str, float]:
    if cot:
        text = text.partition(":")[2]
    normalized = (normalize(item.strip()) for item in text.rstrip().rstrip(".").rstrip(",").split(","))
    preds = [item for item in normalized if item]
    known = [[normalize(alias) for alias in aliases] for aliases in golds]
    flat = {alias for aliases in known for alias in aliases}
    hits = sum(any(alias in preds for alias in aliases) for aliases in known)
    precision = sum(item in flat for item in preds) / len(preds) if preds else 0
    recall, top = hits / len(golds), min(_TOP, hits) / min(_TOP, len(golds))
    return {
        "num_preds": len(preds),
        "qampari_prec": precision,
        "qampari_rec": recall,
        "qampari_rec_top5": top,
        "qampari_f1": harmonic(precision, recall),
        "qampari_f1_top5": harmonic(precision, top),
    }


def qampari(golds: list[Mapping[str, Any]], pred: list[str]) -> dict[str, Any]:
    """Score a list of answers as the owner of QAMPARI.

    Each distinct prediction is matched to the first alias with the same normalized text. An alias of two answers
    belongs to the later one. ``golds``: objects with "answer_text", which is a key only, and "aliases". Raise
    ZeroDivisionError if there is no prediction.

    Source: ``models/evaluation/reader_metrics.py`` (Amouyal et al. 2022).
    """
    return qampari_table([{"golds": golds, "pred": pred}], [None])


def qampari_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return the means over all questions, and the shares of questions with F1 of .5 and recall of .8."""
    scored = [_matched(row["golds"], row["pred"]) for row in rows]
    n = len(scored)
    return {
        "f1": added(f1 for _, _, f1 in scored) / n,
        "recall": added(recall for _, recall, _ in scored) / n,
        "precision": added(precision for precision, _, _ in scored) / n,
        "f1_above": sum(f1 >= 0.5 for _, _, f1 in scored) / n,
        "rec_above": sum(recall >= 0.8 for _, recall, _ in scored) / n,
    }


def _matched(golds: Sequence[Mapping[str, Any]], pred: Sequence[str]) -> tuple[float, float, float]:
    aliases_of = {gold["answer_text"]: gold["aliases"] for gold in golds}
    owner = {alias: answer for answer, aliases in aliases_of.items() for alias in aliases}
    by_text: dict[str, str] = {}
    for alias, answer in owner.items():
        by_text.setdefault(normalize(alias), answer)
    distinct = set(pred)
    hits = len({by_text[text] for text in map(normalize, distinct) if text in by_text})
    precision, recall = hits / len(distinct), hits / len(golds)
    return precision, recall, harmonic(precision, recall)
