"""Answers as pairs: checked before any work, with one pair per reference."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base import arguments
from answersim._base.arguments import shown
from answersim._base.golds import ChoiceGold, StructuredGold, structured
from answersim.types import Pair

_PAIR: Callable[[tuple[str, str]], Pair] = partial(tuple.__new__, Pair)  # a third of the time of ``Pair(gold, pred)``


class Checked(NamedTuple):
    """Answers that were checked: one pair per reference, and the prediction that each pair belongs to."""

    pairs: list[Pair]  # every reference with its prediction, in order
    first: NDArray[np.int64]  # the position of the first pair of each prediction, shape (n,)
    questions: list[str] | None = None  # the question of each pair, or None if none were given
    plain: bool = False  # whether all gold answers are certainly texts, and each prediction has one

    @property
    def has_question(self) -> bool:
        """Whether there is at least one non-empty question."""
        return any(self.questions or ())


def check(gold: Any, pred: Any, question: Any = None, choices: Any = None) -> Checked:
    """Return the answers as pairs, all checked before any work; see ``score`` for the errors."""
    golds, preds = listed(gold, "gold"), listed(pred, "pred")
    if len(golds) != len(preds):
        raise ValueError(
            f"gold has {len(golds)} entries and pred has {len(preds)}; give one gold answer per prediction"
        )
    if choices is None and _are_plain((golds, preds)):
        return _one_each(list(map(_PAIR, zip(golds, preds, strict=True))), question)
    pairs: list[Pair] = []
    first = np.empty(len(preds), dtype=np.int64)
    for i, (references, prediction) in enumerate(zip(golds, preds, strict=True)):
        first[i] = len(pairs)
        if not (type(prediction) is str and prediction.isascii()):  # such a text needs no check
            prediction = checked_text(prediction, "pred", i)
        if type(references) is str and references.isascii():
            pairs.append(Pair(references, prediction))
        else:
            pairs += [Pair(reference, prediction) for reference in _references(structured(references), i)]
    if choices is not None:
        pairs = _with_choices(pairs, first, choices)
    return Checked(pairs, first, None if question is None else _questions(question, first, len(pairs)))


def check_pairs(pairs: Any, question: Any = None, choices: Any = None) -> Checked:
    """Return what ``check`` returns of the gold answers and predictions of pairs."""
    rows = listed(pairs, "pairs", "(gold, pred)")
    if {*map(type, rows)} == {Pair} and choices is None and _are_plain(rows):
        return _one_each(rows, question)
    for i, pair in enumerate(rows):
        if isinstance(pair, (str, bytes)) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(f"pairs[{i}] is {shown(pair)}, but a pair is (gold, pred)")
    return check([gold for gold, _ in rows], [pred for _, pred in rows], question, choices)


def _one_each(pairs: list[Pair], question: Any) -> Checked:
    """Return checked pairs, one per prediction, with their questions."""
    first = np.arange(len(pairs), dtype=np.int64)
    return Checked(pairs, first, None if question is None else _questions(question, first, len(pairs)), True)


def _are_plain(texts: Sequence[Sequence[Any]]) -> bool:
    """Return whether all are plain texts without half a surrogate pair, which need no check one by one."""
    flat = [*chain.from_iterable(texts)]
    if not {*map(type, flat)} <= {str}:
        return False
    joined = "".join(flat)
    try:
        return joined.isascii() or bool(joined.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def _with_choices(pairs: Sequence[Pair], first: NDArray[np.int64], choices: Any) -> list[Pair]:
    """Return the pairs with the options of each prediction: one list for all, or one list per prediction."""
    lists = listed(choices, "choices", "texts, or one list of texts per prediction")
    if all(isinstance(option, str) for option in lists):
        lists = [lists] * len(first)
    if len(lists) != len(first):
        raise ValueError(f"choices has {len(lists)} lists, but there are {len(first)} predictions; give one each")
    options = [tuple(arguments.texts(f"choices[{i}]", entry)) for i, entry in enumerate(lists)]
    counts = np.diff(first, append=len(pairs)).tolist()
    of_pairs = [entry for entry, count in zip(options, counts, strict=True) for _ in range(count)]
    return [
        Pair(ChoiceGold(gold, entry), pred) if entry else Pair(gold, pred)
        for (gold, pred), entry in zip(pairs, of_pairs, strict=True)
    ]


def _questions(question: Any, first: NDArray[np.int64], pairs: int) -> list[str]:
    """Return the question of each pair. All references of a prediction have the same question."""
    if isinstance(question, str):
        raise TypeError(
            f"question is the one string {shown(question)}, but there are {len(first)} predictions; give one per "
            f"prediction, such as [{shown(question).rpartition(' (')[0]}] * {len(first)}"
        )
    entries = listed(question, "question")
    if len(entries) != len(first):
        raise ValueError(f"there are {len(entries)} questions and {len(first)} predictions; give one per prediction")
    questions = [checked_text(entry, "question", i) for i, entry in enumerate(entries)]
    counts = np.diff(first, append=pairs)
    return [text for text, count in zip(questions, counts, strict=True) for _ in range(count)]


def _references(references: Any, i: int) -> list[str]:
    if isinstance(references, str):
        text = checked_text(references, "gold", i)
        return [references if isinstance(references, StructuredGold) else text]
    if not isinstance(references, (list, tuple)) and type(references).__name__ != "ndarray":
        raise TypeError(
            f"gold[{i}] is {shown(references)}, but an answer is a string, or a list of strings that are all correct"
        )
    listed = arguments.listed(f"gold[{i}]", references, "strings")
    if not listed:
        raise ValueError(f"gold[{i}] contains no reference; for 'no answer' give the empty string")
    return [checked_text(reference, "gold", i) for reference in listed]


def listed(answers: Any, name: str, of: str = "strings") -> list[Any]:
    """Return the entries as a list. Raise TypeError for sets and mappings, which have no defined order."""
    if isinstance(answers, (set, frozenset, Mapping)):
        raise TypeError(f"{name} is {shown(answers)}, which has no defined order; give a list of {of}")
    if hasattr(type(answers), "columns") and not isinstance(answers, type):
        kind, columns = type(answers).__name__, "(unknown)"  # iterating over a table gives the names of its columns
        with suppress(Exception):  # any object may be passed
            columns = str(list(answers.columns))
        raise TypeError(f"{name} is a {kind} with the columns {columns}; give one of them")
    return arguments.listed(name, answers, of)


def checked_text(answer: Any, name: str, i: int) -> str:
    """Return this answer or question as a plain string."""
    if not isinstance(answer, str):
        article, kind = ("a", "question") if name == "question" else ("an", "answer")
        hint = f"; for 'no {kind}' give the empty string" if arguments.is_missing(answer) else ""
        raise TypeError(f"{name}[{i}] is {shown(answer)}, but {article} {kind} is a string{hint}")
    answer = answer if type(answer) in (str, ChoiceGold) else str.__str__(answer)
    if answer.isascii():
        return answer
    try:
        answer.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name}[{i}] holds the lone surrogate U+{ord(answer[error.start]):04X} at position {error.start}, "
            "which is not a character; repair the text where it was decoded (errors='replace')"
        ) from None
    return answer


def common_index(arguments_by_name: Mapping[str, Any]) -> Any:
    """Return the index of those arguments that are a ``pandas.Series``; None if none is."""
    pandas = sys.modules.get("pandas")  # without it, there is no Series
    if pandas is None:
        return None
    indexes = {name: series.index for name, series in arguments_by_name.items() if isinstance(series, pandas.Series)}
    if not indexes:
        return None
    (name, first), *others = indexes.items()
    for other_name, index in others:
        if not first.equals(index):
            raise ValueError(
                f"{name} and {other_name} are pandas.Series with different indexes ({_ends(first)} and "
                f"{_ends(index)}), so it is unclear which rows belong together; align them, or give lists "
                "(.tolist()) to match them by position"
            )
    return first


def _ends(index: Any) -> str:
    return f"{list(index[:3])!r}{'' if len(index) <= 3 else ' ...'}"
