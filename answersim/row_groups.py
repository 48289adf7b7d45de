"""Groups of rows for tables by subset: by the values of a column, by a kind that each row has, by question word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]

_MOST = 20  # values of a column up to which each is a group of its own

# The kind of a question, by its first question word; the longer words first.
_KINDS = {
    "en": "how many|how much|how long|how old|who|whom|whose|what|which|when|where|why|how",
    "de": "wie viele|wie viel|wie lange|wie alt|wer|wem|wen|wessen|was|welche|welcher|welches|welchen|welchem|wann|"
    "woher|wohin|wo|warum|weshalb|wie",
}
_SAME = {"whom": "who", "whose": "who", "wem": "wer", "wen": "wer", "wessen": "wer"} | {
    f"welche{end}": "welche" for end in "rsnm"
}


def by_values(name: str, column: Sequence[Any]) -> dict[str, Mask]:
    """Return one group per value if there are few values, or four bins if there are many numbers.

    Args:
        name: The name of the column, which begins the name of each group.
        column: One value per row. None counts as an empty text.

    Raises:
        ValueError: If there are more than 20 values and not all are finite numbers.

    >>> {group: mask.tolist() for group, mask in by_values("source", ["x", "y", "x"]).items()}
    {'source=x': [True, False, True], 'source=y': [False, True, False]}
    """
    texts = np.array(["" if entry is None else str(entry) for entry in column])
    different = list(dict.fromkeys(texts.tolist()))
    if len(different) <= _MOST:
        return {f"{name}={value}": texts == value for value in sorted(different)}
    try:
        numbers = np.array([float(entry) for entry in column])
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"the column {name!r} has {len(different)} different values, but subsets are made of at most {_MOST} "
            "values, or of numbers; name a column with fewer"
        )
    edges = np.unique(np.quantile(numbers, [0, 0.25, 0.5, 0.75, 1]))
    place = np.clip(np.searchsorted(edges, numbers, side="right"), 1, len(edges) - 1)
    ends = [f"{low:g} .. {high:g}" for low, high in pairwise(edges)]
    return {f"{name}={end}": place == i for i, end in enumerate(ends, start=1)}


def by_kinds(name: str, kinds: Sequence[str], order: Sequence[str] | None = None) -> dict[str, Mask]:
    """Return one group per kind, in alphabetical order with "other" last, or in the given order.

    Args:
        name: What the kinds are of, which begins the name of each group.
        kinds: One per row.
        order: All kinds there may be. Kinds without a row are left out.

    >>> list(by_kinds("question", ["who", "other", "how"]))
    ['question=how', 'question=who', 'question=other']
    """
    values = np.array(kinds, dtype=str)
    present = sorted(set(kinds), key=lambda kind: (kind == "other", kind))
    ordered = present if order is None else [kind for kind in order if kind in present]
    return {f"{name}={kind}": np.asarray(values == kind) for kind in ordered}


def question_kind(question: str, lang: str = "en") -> str:
    """Return the first question word or words, or "other" if there is none.

    >>> [question_kind(each) for each in ("How many moons has Mars?", "in which year did he die", "Name a river.")]
    ['how many', 'which', 'other']
    """
    kinds = _KINDS.get(lang.split("-")[0].lower(), _KINDS["en"])
    match = re.search(rf"\b(?:{kinds})\b", question.lower())
    return _SAME.get(match.group(), match.group()) if match else "other"
