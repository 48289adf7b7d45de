"""``exact_match`` of lm-eval, with its options, and the TriviaQA and NQ-open tasks that use it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from answersim.metrics.official.squad_rules import PUNCTUATION

_ARTICLES = (r"\b(?:The |the |An |A |The |a |an )",)


def exact_match(
    golds: Sequence[str], pred: str, *, regexes: Sequence[str] = (), ignore_punctuation: bool = False
) -> float:
    """Return 1.0 if a gold answer equals the prediction without case, punctuation and matches of the expressions.

    Lower-casing runs on NumPy arrays of fixed width, one of predictions and one of gold answers. "İ" becomes two
    characters, so that a text can lose its last character: "İstanbul" equals "İstanbul" only if no gold answer is
    longer.

    Source: ``exact_match_hf_evaluate`` in ``lm_eval/api/metrics.py``.
    """
    preds, references = [pred] * len(golds), list(golds)
    for pattern in regexes:
        expression = re.compile(pattern)
        preds, references = ([expression.sub("", text) for text in texts] for texts in (preds, references))
    ours, theirs = np.char.lower(np.array(preds)), np.char.lower(np.array(references))
    if ignore_punctuation:
        ours, theirs = (np.array([text.translate(PUNCTUATION) for text in texts.tolist()]) for texts in (ours, theirs))
    return float((ours == theirs).any())


def triviaqa(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as the task TriviaQA of lm-eval: raw aliases, no rule for articles. The output is cut already."""
    return {"exact_match": exact_match(golds, pred.strip(), ignore_punctuation=True)}


def nq_open(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as the task NQ-open of lm-eval: as ``triviaqa``, and articles before a word are deleted."""
    return {"exact_match": exact_match(golds, pred.strip(), regexes=_ARTICLES, ignore_punctuation=True)}
