"""DROP: spans aligned one to one, with numbers as a condition; Quoref, and the copies of lm-eval and simple-evals."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import imported
from answersim.metrics.official.squad_rules import ARTICLES, PUNCTUATION, normalize

_SPLIT = re.compile(" |-")
ANSWER = re.compile(r"(?i)Answer\s*:\s*([^\n]+)")
Spans = str | Sequence[str]


@lru_cache(maxsize=1 << 14)
def is_number(text: str) -> bool:
    """Return whether Python reads this text as a float."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def normalized(text: str) -> str:
    """Return an answer in the form of DROP: split at blanks and hyphens, numbers as floats, no articles.

    >>> normalized("The 1,500 yard-line"), normalized("-5")
    ('1500.0 yard line', '5.0')
    """
    tokens = (_token(token) for token in _SPLIT.split(text))
    return " ".join(token for token in tokens if token.strip()).strip()


@lru_cache(maxsize=1 << 14)  # several rules read the same tokens, and once per gold answer
def _token(token: str) -> str:
    return plain(token, is_number, float)


def plain(token: str, is_number: Callable[[str], bool], value: Callable[[str], float | None]) -> str:
    """Return a token as the number that a rule reads in it, or without case, punctuation and articles."""
    token = token.lower()
    if not is_number(token):
        token = token.translate(PUNCTUATION)
    if is_number(token):
        token = str(value(token))
    return " ".join(ARTICLES.sub(" ", token).split())


def spans_in(answer: Spans, normalize: Callable[[str], str] = normalized) -> list[str]:
    """Return the normalized spans of an answer, which is one span or several."""
    return [normalize(span) for span in ([answer] if isinstance(answer, str) else answer)]


def em(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Return 1.0 if both have the same set and the same number of spans."""
    return float(set(gold) == set(pred) and len(gold) == len(pred))


def bag_f1(gold: set[str], pred: set[str]) -> float:
    """Return the F1 of two sets of tokens. An empty prediction has precision 1, an empty gold answer recall 1."""
    common = len(gold & pred)
    precision = common / len(pred) if pred else 1.0
    recall = common / len(gold) if gold else 1.0
    return 0.0 if precision == recall == 0 else (2 * precision * recall) / (precision + recall)


def aligned_f1(gold: Sequence[str], pred: Sequence[str], *, numbers: bool = True) -> FloatArray:
    """Return the F1 of each pair of normalized spans in the best alignment, of shape (the larger number of spans,).

    ``numbers``: whether spans match only if they share a number, unless the gold span has none.
    """
    scores = np.zeros((len(gold), len(pred)))
    pred_bags = [set(span.split()) for span in pred]
    for i, gold_bag in enumerate(set(span.split()) for span in gold):
        needed = {token for token in gold_bag if is_number(token)} if numbers else set()
        for j, pred_bag in enumerate(pred_bags):
            if not needed or needed & {token for token in pred_bag if is_number(token)}:
                scores[i, j] = bag_f1(gold_bag, pred_bag)
    best = np.zeros(max(scores.shape))
    if min(scores.shape) == 1:  # the place of the only pair does not change the mean
        best[0] = scores.max()
        return best
    linear_sum_assignment = imported("scipy.optimize").linear_sum_assignment
    rows, columns = linear_sum_assignment(-scores)
    best[rows] = scores[rows, columns]
    return best


def compared(gold: Spans, pred: Spans) -> tuple[float, float]:
    """Return EM, and F1 rounded to two digits, of one gold answer: a span or several."""
    golds, preds = spans_in(gold), spans_in(pred)
    scores = aligned_f1(golds, preds)
    return em(golds, preds), float(round(np.mean(scores), 2)) if len(scores) else math.nan  # no span on either side


def spans_of(answer: Mapping[str, Any]) -> list[str]:
    """Return the spans of an answer object of DROP: its number, else its spans, else its date."""
    if answer.get("number"):
        return [str(answer["number"])]
    if answer.get("spans"):
        return list(answer["spans"])
    if "date" in answer:
        date = answer["date"]
        return [f"{date['day']} {date['month']} {date['year']}"]
    raise ValueError(f"the answer {answer!r} has neither number nor spans nor date; give one of them")


def _best(golds: Sequence[Spans], pred: Spans) -> tuple[float, float]:
    """Return the highest EM and, apart from it, the highest F1 over gold answers whose first span is not blank."""
    scored = [compared(gold, pred) for gold in golds]
    non_empty = [pair for gold, pair in zip(golds, scored, strict=True) if gold[0].strip()]
    return max((em_score for em_score, _ in non_empty), default=0.0), max(
        (f1_score for _, f1_score in non_empty), default=0.0
    )


def drop(golds: Any, pred: Spans | None, *, mode: str = "question") -> dict[str, Any]:
    """Score as the owner.

    ``golds``: mode "question": answer objects, the answer first, then the validated answers. Mode "pair": the spans of
    one gold answer. ``pred``: a span, spans, or None if there is no prediction. Raise ValueError if an answer object
    has neither number nor spans nor date.

    Source: ``allennlp_models/rc/tools/drop.py`` (Dua et al. 2019).
    """
    if mode == "pair":
        exact, f1 = compared(golds, "" if pred is None else pred)
        return {"em": exact, "f1": f1}
    if pred is None:
        if golds and golds[0]:
            spans_of(golds[0])
        return {"em": 0.0, "f1": 0.0}
    exact, f1 = _best([spans_of(gold) for gold in golds], pred)
    return {"em": exact, "f1": f1}


def quoref(golds: list[str], pred: Spans | None) -> dict[str, Any]:
    """Score as the owner of Quoref: all gold spans are one answer."""
    exact, f1 = (0.0, 0.0) if pred is None else _best([golds], pred)
    return {"em": exact, "f1": f1}


def lmeval(golds: list[Mapping[str, Any]], pred: str) -> dict[str, Any]:
    """Score as lm-eval: the raw output is one span, and equal gold answers count once."""
    exact, f1 = _best([_lmeval_spans(gold) for gold in golds], pred)
    return {"em": exact, "f1": f1}


def _lmeval_spans(answer: Mapping[str, Any]) -> list[str]:
    if answer["number"] != "":
        return [str(answer["number"])]
    if answer["spans"]:
        return list(answer["spans"])
    date = answer["date"]
    return [" ".join((date["day"], date["month"], date["year"])).strip()]


def simple_evals(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as simple-evals: the headline number is containment in either direction, EM and F1 stand beside it.

    Raise ValueError if every gold answer is blank.
    """
    match = ANSWER.search(pred)
    extracted = match.group(1) if match else pred
    # The owner joins the gold answers by "|" and splits them again.
    parts = "|".join(golds).split("|")
    scored = []
    for gold in parts:
        if gold.strip():
            spans = spans_in([gold]), spans_in([extracted])
            scored.append((em(*spans), float(round(np.mean(aligned_f1(*spans)) * 100, 2))))
    return {
        "extracted": extracted,
        "score": any(_contains(extracted, gold) for gold in parts),
        "em_score": max(em_score for em_score, _ in scored),
        "f1_score": max(f1_score for _, f1_score in scored),
    }


def _contains(gold: str, pred: str) -> bool:
    first, second = normalize(gold), normalize(pred)
    if not first or not second:
        return first == second
    return first in second or second in first


def inspect_f1(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as ``f1()`` and ``exact()`` of Inspect: F1 on sets of tokens, rounded. Blank gold answers are skipped.

    Tokens are those of DROP, but case is folded, "inf" and "nan" are no numbers, and punctuation around a number is
    stripped before it is read: "(3.14)" is 3.14.
    """
    texts = [_inspect_text(gold) for gold in golds if gold.strip()]
    mine = _inspect_text(pred)
    f1 = [bag_f1(set(gold.split()), set(mine.split())) for gold in texts]
    return {"f1": round(max(f1, default=0.0), 2), "exact": float(mine in texts)}


def _inspect_text(text: str) -> str:
    return " ".join(token for token in map(_inspect_token, _SPLIT.split(text)) if token)


def _inspect_token(token: str) -> str:
    token = token.casefold()
    bare = token if _is_finite(token) else token.strip(string.whitespace + string.punctuation)
    return plain(bare if _is_finite(bare) else token, _is_finite, float)


def _is_finite(text: str) -> bool:
    return is_number(text) and math.isfinite(float(text))
