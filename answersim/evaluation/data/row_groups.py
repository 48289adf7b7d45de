"""Groups of rows for tables by subset: by the values of a column, by a kind that each row has, by question word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from answersim.answers.tables.system_columns import number_of

Mask: TypeAlias = NDArray[np.bool_]

_MOST = 20  # the number of values of a column up to which each value is one group

# The kind of a question, by its first question word; the longer words first.
_KINDS = {
    "en": "how many|how much|how long|how old|who|whom|whose|what|which|when|where|why|how",
    "de": "wie viele|wie viel|wie lange|wie alt|wer|wem|wen|wessen|was|welche|welcher|welches|welchen|welchem|wann|"
    "woher|wohin|wo|warum|weshalb|wie",
}
_SAME = {"whom": "who", "whose": "who", "wem": "wer", "wen": "wer", "wessen": "wer"}
_SAME |= {f"welche{end}": "welche" for end in "rsnm"}


def by_values(name: str, column: Sequence[Any]) -> dict[str, Mask]:
    """Return one group per value if there are few values, or four bins if there are many numbers.

    ``column``: one value per row. None counts as an empty text.
    """
    texts = ["" if entry is None else str(entry) for entry in column]
    if len(different := sorted(set(texts))) <= _MOST:
        codes = np.array([different.index(text) for text in texts], dtype=np.int64)
        return {f"{name}={text}": codes == i for i, text in enumerate(different)}
    numbers = np.array([number_of(entry) for entry in column], dtype=np.float64)  # nan for None
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"the column {name!r} has {len(different):,} different values, but a column that defines subsets has at "
            f"most {_MOST} values, or numbers only; name a column with fewer"
        )
    edges = np.unique(np.quantile(numbers, [0, 0.25, 0.5, 0.75, 1]))
    place = np.clip(np.searchsorted(edges, numbers, side="right"), 1, len(edges) - 1)
    return {f"{name}={low:g} .. {high:g}": place == i for i, (low, high) in enumerate(pairwise(edges), start=1)}


def by_kinds(name: str, kinds: Sequence[str]) -> dict[str, Mask]:
    """Return one group per kind, in alphabetical order with "other" last."""
    ordered = sorted(set(kinds), key=lambda kind: (kind == "other", kind))
    codes = np.array([ordered.index(kind) for kind in kinds], dtype=np.int64)
    return {f"{name}={kind}": codes == i for i, kind in enumerate(ordered)}


def question_kind(question: str, lang: str = "en") -> str:
    """Return the first question word or words, or "other" if there is none."""
    kinds = _KINDS.get(lang.split("-")[0].lower(), _KINDS["en"])
    match = re.search(rf"\b(?:{kinds})\b", question.lower())
    return _SAME.get(match.group(), match.group()) if match else "other"
