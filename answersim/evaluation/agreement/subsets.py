"""The subsets of a data set: by shared words, length, question, language, or a column of the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from answersim._base.errors import unknown
from answersim.answers.text.tokens import tokenizer
from answersim.evaluation.agreement.coefficients.rows import ALL
from answersim.evaluation.agreement.judgments import Judgments
from answersim.evaluation.data.labeled import LabeledPairs
from answersim.evaluation.data.row_groups import Mask as Mask
from answersim.evaluation.data.row_groups import by_kinds, by_values
from answersim.evaluation.data.row_groups import question_kind as question_kind
from answersim.metrics.catalog.lookup import metric
from answersim.types import Pair

ZERO, NONZERO = "F1=0", "F1!=0"


def subsets(data: Judgments, by: Sequence[str] = ()) -> dict[str, Mask]:
    """Return the subsets by name, as masks of shape (n,): all pairs, F1 = 0 and F1 != 0, then the requested ones.

    On all pairs together, a coefficient mostly measures whether a metric detects shared words. ``by``: columns of the
    set, which have precedence, or "length" (words of the gold answer), "question" (the question word) or "lang".
    """
    zero = f1_is_zero(data.pairs, lang=data.lang, profile=None)
    parts = {ALL: np.ones(len(data), dtype=bool), ZERO: zero, NONZERO: ~zero}
    for name in by:
        parts |= _by(data, name)
    return parts


def f1_is_zero(pairs: Sequence[Pair], *, lang: str, profile: str | None) -> Mask:
    """Return a mask of the pairs whose F1 is 0, that is, of those that share no word, shape (n,).

    Words depend on language and profile. A study uses those of the language of its answers (``profile=None``).
    """
    return np.asarray(metric("f1", lang=lang, profile=profile)(pairs) == 0)


def paper_subsets(data: LabeledPairs) -> dict[str, Mask]:
    """Return the pairs of a set of the SAS paper with F1 = 0 and with F1 != 0, by its recorded F1 if there is one.

    Without it, words are those of the SQuAD script in every language, by which two answers without any word have an F1
    of 1.
    """
    recorded = data.recorded.get("f1")
    zero = f1_is_zero(data.pairs, lang="en", profile="squad") if recorded is None else np.asarray(recorded == 0)
    return {ZERO: zero, NONZERO: ~zero}


def _by(data: Judgments, name: str) -> dict[str, Mask]:
    held: dict[str, Any] = {key: scores.values.tolist() for key, scores in data.scores.items()} | dict(data.columns)
    if name in held:
        return by_values(name, held[name])
    if name == "length":
        split = tokenizer(data.lang)
        counts = [len(split(pair.gold)) for pair in data.pairs]
        return by_kinds(name, ["0-1" if n < 2 else "2" if n == 2 else "3-5" if n < 6 else "6+" for n in counts])
    if name == "question":
        if data.questions is None:
            raise ValueError(f"{data.name} has no questions to make subsets by; name their column with question=")
        return by_kinds(name, [question_kind(question, data.lang) for question in data.questions])
    if name == "lang":
        return by_kinds(name, [data.lang] * len(data))
    raise unknown("column to make subsets by", name, [*held, "length", "question", "lang"])
