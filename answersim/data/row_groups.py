"""Groups of rows for tables by subset: by the values of a column, by a kind that each row has, by question word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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

    ``column``: one value per row. None counts as an empty text. Raise ValueError if there are more than 20 values and
    not all are finite numbers.

    >>> {group: mask.tolist() for group, mask in by_values("source", ["x", "y", "x"]).items()}
    {'source=x': [True, False, True], 'source=y': [False, True, False]}
    """
    values = Values(name)
    values.add(column)
    return dict(values.groups())


class Values:
    """The values of a column that arrive in pieces, as numbers: 12 bytes per row, whatever the texts are."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._texts: dict[str, int] | None = {}
        self._codes: list[NDArray[np.int32]] = []
        self._numbers: list[NDArray[np.float64]] = []

    def add(self, column: Sequence[Any]) -> None:
        """Add these rows. Raises: As ``by_values``."""
        self._numbers.append(np.array([_number(entry) for entry in column], dtype=np.float64))
        if self._texts is not None:
            texts = self._texts
            codes = [texts.setdefault("" if entry is None else str(entry), len(texts)) for entry in column]
            self._codes.append(np.array(codes, dtype=np.int32))
        if self._texts is None or len(self._texts) > _MOST:
            if not all(np.isfinite(part).all() for part in self._numbers[-1 if self._texts is None else 0 :]):
                count = "more" if self._texts is None else len(self._texts)
                raise ValueError(
                    f"the column {self.name!r} has {count} different values, but a column that defines subsets has at "
                    f"most {_MOST} values, or numbers only; name a column with fewer"
                )
            self._texts, self._codes = None, []

    def groups(self) -> Iterator[tuple[str, Mask]]:
        """Yield the groups. See ``by_values``."""
        if self._texts is not None:
            codes = np.concatenate(self._codes) if self._codes else np.empty(0, np.int32)
            yield from ((f"{self.name}={text}", codes == self._texts[text]) for text in sorted(self._texts))
            return
        numbers = np.concatenate(self._numbers)
        edges = np.unique(np.quantile(numbers, [0, 0.25, 0.5, 0.75, 1]))
        place = np.clip(np.searchsorted(edges, numbers, side="right"), 1, len(edges) - 1)
        for i, (low, high) in enumerate(pairwise(edges), start=1):
            yield f"{self.name}={low:g} .. {high:g}", place == i


def _number(entry: Any) -> float:
    try:
        return float(entry)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def by_kinds(name: str, kinds: Sequence[str]) -> dict[str, Mask]:
    """Return one group per kind, in alphabetical order with "other" last.

    >>> list(by_kinds("question", ["who", "other", "how"]))
    ['question=how', 'question=who', 'question=other']
    """
    different = list(dict.fromkeys(kinds))
    places = {kind: i for i, kind in enumerate(different)}
    return dict(by_codes(name, different, np.array([places[kind] for kind in kinds], dtype=np.int64)))


def by_codes(name: str, kinds: Sequence[str], codes: NDArray[Any]) -> Iterator[tuple[str, Mask]]:
    """Yield one group per kind. See ``by_kinds``.

    ``codes``: the index in ``kinds`` of the kind of each row, shape (n,).
    """
    ordered = sorted(kinds, key=lambda kind: (kind == "other", kind))
    yield from ((f"{name}={kind}", codes == kinds.index(kind)) for kind in ordered)


def question_kind(question: str, lang: str = "en") -> str:
    """Return the first question word or words, or "other" if there is none.

    >>> [question_kind(each) for each in ("How many moons has Mars?", "in which year did he die", "Name a river.")]
    ['how many', 'which', 'other']
    """
    kinds = _KINDS.get(lang.split("-")[0].lower(), _KINDS["en"])
    match = re.search(rf"\b(?:{kinds})\b", question.lower())
    return _SAME.get(match.group(), match.group()) if match else "other"
