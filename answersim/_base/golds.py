"""Gold answers: what is read as a text, as several texts, as a structure, or as an answer with choices."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from answersim._base.arguments import is_missing

_LONGEST = 100_000  # characters of a text that is read as a list
_ITEM = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d[\w.+-]*|True\b|False\b|None\b|nan\b""", re.DOTALL)
_LETTER = re.compile(r"(?<!\S)[(\[]?([A-Z])[).:\]]\s")  # before an option
_BLANK = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}  # not "f" and "b": \frac and \beta are more likely


class StructuredGold(str):
    """A gold answer that is more than a text, as JSON text: an object, a list of lists, or a list of alternatives."""

    __slots__ = ()


class ChoiceGold(str):
    """The gold answer to a multiple-choice question: a letter or the text of an option, and the texts of all options.

    Metrics with the rules of ``answersim.answers.typed`` read the options. For all others it is a text.
    """

    __slots__ = ("choices",)
    choices: tuple[str, ...]

    def __new__(cls, answer: str, choices: Sequence[str]) -> ChoiceGold:
        """Return the answer with its options."""
        answer_with_choices = super().__new__(cls, answer)
        answer_with_choices.choices = tuple(choices)
        return answer_with_choices

    def __getnewargs__(self) -> Any:
        """Return the arguments, for pickle and copies."""
        return str.__str__(self), self.choices


def choices_of(gold: str) -> tuple[str, ...]:
    """Return the options of a gold answer; () if it has none."""
    return gold.choices if isinstance(gold, ChoiceGold) else ()


def with_choices(answer: str, gold: str) -> str:
    """Return an answer that was read out of a gold answer, with the options of that."""
    return ChoiceGold(answer, gold.choices) if isinstance(gold, ChoiceGold) and answer is not gold else answer


def gold_of(value: Any) -> Any:
    """Return a gold answer as it is compared: a text, a list of texts, or a structure; None if it cannot be read.

    A number or a truth value is its text. Missing entries of a list are left out. Structures: see ``structured``.

    >>> gold_of(72), gold_of(["Rome", None, 8.0]), gold_of(None), gold_of([])
    ('72', ['Rome', '8'], None, None)
    """
    value = structured(value.tolist() if type(value).__name__ == "ndarray" else value)
    if isinstance(value, str):
        return value
    if not _is_list(value):
        return as_text(value)
    texts = [entry if isinstance(entry, str) else as_text(entry) for entry in value if not is_missing(entry)]
    return texts if texts and None not in texts else None


def structured(gold: Any) -> Any:
    """Return an object, or a list with objects or lists, as a ``StructuredGold``. Return anything else unchanged.

    An answer with choices is a ``ChoiceGold``. What JSON cannot express is unchanged.

    >>> structured({"spans": ["Rome", "Oslo"]}), structured(["Rome", "Roma"])
    ('{"spans": ["Rome", "Oslo"]}', ['Rome', 'Roma'])
    >>> structured({"answer": "B", "choices": ["Rome", "Oslo"]}).choices
    ('Rome', 'Oslo')
    """
    if isinstance(gold, dict) and gold.keys() == {"answer", "choices"} and isinstance(gold["choices"], (list, tuple)):
        answer, choices = gold["answer"], gold_of(gold["choices"])
        answer = answer if isinstance(answer, str) or as_text(answer) not in (choices or ()) else as_text(answer)
        if isinstance(answer, str) and isinstance(choices, list):  # a number may be a position from 0 or from 1
            return ChoiceGold(answer, choices)
    nested = isinstance(gold, (list, tuple)) and any(isinstance(entry, (list, tuple, dict)) for entry in gold)
    if not nested and not isinstance(gold, dict):
        return gold
    try:
        return StructuredGold(json.dumps(gold, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return gold


def options_in(value: Any) -> tuple[str, ...]:
    """Return the options of a multiple-choice question that a value lists; () if it lists none.

    A list of texts and numbers, also as JSON, as Python or numpy prints it, or with letters in one text; or an object
    by letter, or with lists "text" and "label".

    >>> options_in('["Rome", 8]'), options_in("A) Rome B) Oslo"), options_in({"B": "Oslo", "A": "Rome"})
    (('Rome', '8'), ('Rome', 'Oslo'), ('Rome', 'Oslo'))
    >>> options_in({"text": ["Oslo", "Rome"], "label": ["B", "A"]}), options_in("A cat"), options_in(3)
    (('Rome', 'Oslo'), (), ())
    """
    if isinstance(value, str):
        text = value.strip()[:_LONGEST]
        try:
            value = json.loads(text) if text[:1] in ("[", "{") else _lettered(text)
        except (ValueError, RecursionError):
            value = texts_in(text)
    if isinstance(value, dict):
        lists = value.get("text"), value.get("label")
        if all(map(_is_list, lists)) and len(lists[0]) == len(lists[1]):  # type: ignore[arg-type] # they are lists
            value = dict(zip(map(str, lists[1]), lists[0], strict=True))  # type: ignore[arg-type]
        order = sorted(map(str, value))
        is_lettered = order == [chr(ord("A") + i) for i in range(len(order))]
        value = [value[letter] for letter in order] if is_lettered else None
    golds = gold_of(value) if _is_list(value) else None
    return tuple(golds) if isinstance(golds, list) and len(golds) == len(value) else ()


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or type(value).__name__ == "ndarray"


def _lettered(text: str) -> list[str] | None:
    """Return the options of a text such as "A) Rome B) Oslo"; None if its letters are not A, B, ... from the start."""
    marks = list(_LETTER.finditer(text))
    letters = "".join(mark[1] for mark in marks)
    if len(marks) < 2 or marks[0].start() or letters != "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(marks)]:
        return None
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [text[mark.end() : end].strip(" \t\n;,|") for mark, end in zip(marks, ends, strict=True)]


def as_text(value: Any) -> str | None:
    """Return a number or a truth value as the text that a person would type; None for anything else.

    >>> [as_text(value) for value in (72, 72.0, 0.5, True, float("inf"), None)]
    ['72', '72', '0.5', 'true', None, None]
    """
    if type(value).__name__ in ("bool", "bool_"):
        return str(bool(value)).lower()
    if isinstance(value, Integral):
        try:
            return str(int(value))
        except ValueError:  # more digits than Python prints
            return None
    if not isinstance(value, (Real, Decimal)) or not math.isfinite(value):
        return None
    number = float(value)
    is_whole = not isinstance(value, Decimal) and number.is_integer() and abs(number) < 1e15
    return str(int(number)) if is_whole else str(value)


def texts_in(cell: str) -> list[str] | None:
    """Return the texts of a list that is written as JSON, or as Python or numpy prints it; None for any other text.

    The list has at least one text, and it may also have numbers. The time is linear.

    >>> texts_in('["Bern", "Berne"]'), texts_in("['Bern', 8]"), texts_in("['Bern' 'Berne']")
    (['Bern', 'Berne'], ['Bern', '8'], ['Bern', 'Berne'])
    >>> texts_in("[1, 2]"), texts_in("[0, 1)"), texts_in("[a]")
    (None, None, None)
    """
    cell = cell.strip()
    if len(cell) > _LONGEST or not cell.startswith("[") or not cell.endswith("]"):
        return None
    try:
        listed = json.loads(cell)
    except (ValueError, RecursionError):
        listed = _printed(cell)
    if not isinstance(listed, list) or not any(isinstance(entry, str) for entry in listed):
        return None
    return gold_of(listed) if not any(isinstance(entry, (list, dict)) for entry in listed) else None


def _printed(cell: str) -> list[str] | None:
    """Return the texts and the numbers of a list that Python or numpy printed; None for any other text."""
    texts: list[str] = []
    place = _BLANK.match(cell, 1).end()  # type: ignore[union-attr] # it always matches
    is_quoted = False
    while place < len(cell) - 1:
        match = _ITEM.match(cell, place)
        if match is None:
            return None
        quoted = match[0][0] in "'\""
        if quoted or match[0] not in ("None", "nan"):
            texts.append(_ESCAPE.sub(_character, match[0][1:-1]) if quoted else match[0].lower())
        is_quoted |= quoted
        place = _BLANK.match(cell, match.end()).end()  # type: ignore[union-attr]
        if cell[place] == ",":
            place = _BLANK.match(cell, place + 1).end()  # type: ignore[union-attr]
        elif place < len(cell) - 1 and place == match.end():  # nothing is between two entries
            return None
    return texts if is_quoted else None


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(int(code, 16)) if int(code, 16) < 0x110000 else match[0]
    return _ESCAPED.get(match[4], match[4] if match[4] in "\\'\"/\n" else match[0])
