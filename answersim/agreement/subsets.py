"""The subsets of a data set: by shared words, length, question, language, or a column of the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.agreement.results import ALL
from answersim.catalog import metric
from answersim.data.labeled import LabeledPairs
from answersim.errors import unknown
from answersim.judgments import Judgments
from answersim.text import tokenizer
from answersim.types import Pair

Mask = NDArray[np.bool_]

ZERO, NONZERO = "F1=0", "F1!=0"
_MOST = 20  # values of a column up to which each is a subset of its own

# The kind of a question, by its first question word; the longer words first.
_KINDS = {
    "en": "how many|how much|how long|how old|who|whom|whose|what|which|when|where|why|how",
    "de": "wie viele|wie viel|wie lange|wie alt|wer|wem|wen|wessen|was|welche|welcher|welches|welchen|welchem|wann|"
    "woher|wohin|wo|warum|weshalb|wie",
}
_SAME = {"whom": "who", "whose": "who", "wem": "wer", "wen": "wer", "wessen": "wer"} | {
    f"welche{end}": "welche" for end in "rsnm"
}


def subsets(data: Judgments, by: Sequence[str] = ()) -> dict[str, Mask]:
    """Return the subsets by name, as masks of shape (n,): all pairs, F1 = 0 and F1 != 0, then the requested ones.

    Pairs that share no word and pairs that do are always studied apart: over both together a metric is mostly judged
    by whether it sees that words are shared.

    Args:
        data: The judged pairs.
        by: Names of columns of the set, or of what can be told without one: "length" (words of the gold answer),
            "question" (the word that asks, English and German), "lang". A column goes before a built-in of its name.

    Raises:
        LookupError: If there is no such column.
        ValueError: "question" without questions; a column whose values are too many to be subsets, and no numbers.

    >>> from answersim.judgments import judgments
    >>> one = judgments({"gold": ["Rome", "Oslo"], "pred": ["rome", "Bergen"], "label": [1, 0], "source": ["x", "y"]})
    >>> {name: mask.tolist() for name, mask in subsets(one, ["source"]).items()}
    {'all': [True, True], 'F1=0': [False, True], 'F1!=0': [True, False], 'source=x': [True, False], ...}
    """
    zero = f1_is_zero(data.pairs, lang=data.lang, profile=None)
    parts = {ALL: np.ones(len(data), dtype=bool), ZERO: zero, NONZERO: ~zero}
    for name in by:
        parts |= _by(data, name)
    return parts


def f1_is_zero(pairs: Sequence[Pair], *, lang: str, profile: str | None, recorded: Any = None) -> Mask:
    """Return where the F1 of both answers is 0, that is, where they share no word: a mask of shape (n,).

    This function alone decides it, for studies, for the tables of the SAS paper and for the reports of trainings. What
    a word is depends on language and profile, so that each caller states both:

    - Studies of judged answers use the words of their language (``profile=None``), whose articles do not count.
    - The tables of the SAS paper and the regression report of a training use the F1 that the paper recorded for its
      sets. Where there is none they use the words of the SQuAD script, ``lang="en", profile="squad"``, in every
      language. An answer of which that script leaves no word has F1 1 with another such answer.

    Args:
        pairs: Gold and predicted answer.
        lang: The language whose words count.
        profile: The profile of the metric ``f1``: None for the default, or "squad".
        recorded: The F1 of each pair, shape (n,), if the data records one. It decides instead.

    Raises:
        ValueError: If ``recorded`` has another length than the pairs.

    >>> pairs = [Pair("der Hund", "der Baum"), Pair("Hund", "ein Hund")]
    >>> f1_is_zero(pairs, lang="de", profile=None).tolist(), f1_is_zero(pairs, lang="en", profile="squad").tolist()
    ([True, False], [False, False])
    """
    if recorded is None:
        f1 = metric("f1", lang=lang, profile=profile)(pairs)
    else:
        f1 = np.asarray(recorded, dtype=np.float64)
        if f1.shape != (len(pairs),):
            raise ValueError(f"recorded has the shape {f1.shape}, but {len(pairs)} pairs have one F1 each")
    return np.asarray(f1 == 0)


def paper_subsets(data: LabeledPairs) -> dict[str, Mask]:
    """Return the pairs of a set of the SAS paper with F1 = 0 and with F1 != 0, by its recorded F1 if there is one.

    >>> pairs = (Pair("der Hund", "der Baum"), Pair("Hund", "Baum"))
    >>> {name: mask.tolist() for name, mask in paper_subsets(LabeledPairs("two", "de", pairs, [0, 2])).items()}
    {'F1=0': [False, True], 'F1!=0': [True, False]}
    """
    zero = f1_is_zero(data.pairs, lang="en", profile="squad", recorded=data.recorded.get("f1"))
    return {ZERO: zero, NONZERO: ~zero}


def _by(data: Judgments, name: str) -> dict[str, Mask]:
    held: dict[str, Sequence[Any]] = {
        **{key: scores.values.tolist() for key, scores in data.scores.items()},
        **data.columns,
    }
    if name in held:
        return _values(name, held[name])
    if name not in _BUILT_IN:
        raise unknown("column to make subsets by", name, [*held, *_BUILT_IN])
    kinds = _BUILT_IN[name](data)
    return {f"{name}={value}": np.array([kind == value for kind in kinds], dtype=bool) for value in _in_order(kinds)}


def _values(name: str, column: Sequence[Any]) -> dict[str, Mask]:
    """Return one subset per value if there are few values, or four bins if there are many numbers."""
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


def _lengths(data: Judgments) -> list[str]:
    """Return the number of words of each gold answer: 1, 2, 3 to 5, or more."""
    split = tokenizer(data.lang)
    counts = [len(split(pair.gold)) for pair in data.pairs]
    return ["0-1" if n < 2 else "2" if n == 2 else "3-5" if n < 6 else "6+" for n in counts]


def _questions(data: Judgments) -> list[str]:
    if data.questions is None:
        raise ValueError(f"{data.name} has no questions to make subsets by; name their column with question=")
    return [question_kind(question, data.lang) for question in data.questions]


def question_kind(question: str, lang: str = "en") -> str:
    """Return the first question word or words, or "other" if there is none.

    >>> [question_kind(each) for each in ("How many moons has Mars?", "in which year did he die", "Name a river.")]
    ['how many', 'which', 'other']
    """
    kinds = _KINDS.get(lang.split("-")[0].lower(), _KINDS["en"])
    match = re.search(rf"\b(?:{kinds})\b", question.lower())
    return _SAME.get(match.group(), match.group()) if match else "other"


_BUILT_IN: Mapping[str, Callable[[Judgments], list[str]]] = {
    "length": _lengths,
    "question": _questions,
    "lang": lambda data: [data.lang] * len(data),
}


def _in_order(values: Sequence[str]) -> list[str]:
    """Return the different values in alphabetical order, with "other" last."""
    return sorted(set(values), key=lambda value: (value == "other", value))
