"""The option that an answer to a multiple-choice question chooses: its letter, or its text if the options are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from answersim.extraction.choice import choice, latin, letter
from answersim.extraction.marked import final
from answersim.typed.comparison import Relation, different, equal, no_opinion

kind = "choice"
_OPENING = re.compile(r"\W*(?:\b(?:option|choice|answer|letter|antwort)\b\W*)?", re.IGNORECASE)
_DELIMITER = re.compile(r"\W*[).:、．\]）]\W*|\s[-–—]\s\W*|\W*\Z")
_DENIAL = re.compile(r"\b(?:not|never|nor|neither|except|nicht|kein\w*)\b|n['’]t\b", re.IGNORECASE)
_LONGEST = 200  # characters of an answer that is read as an option
_LONGEST_FOUND = 4000  # characters of an answer in which the text of an option is searched


@dataclass(frozen=True)
class Choice:
    """An option."""

    letter: str  # its letter, in upper case and Latin
    text: str = ""  # its text if the answer has it: "Paris" of "B) Paris"

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        return f"{self.letter}) {self.text}" if self.text else self.letter


def read_choice(text: str) -> Choice | None:
    """Return an answer that is the letter of an option, maybe with its text; None for other answers.

    A bare letter is in upper case, because "a" is an article and "x" a variable.

    >>> [str(read_choice(text)) for text in ("(b)", "**B**", "option B", "B) Paris", "a", "C++", "Plan B")]
    ['B', 'B', 'B', 'B) Paris', 'None', 'None', 'None']
    """
    place = choice(text) if len(text) <= _LONGEST else None
    if place is None or not _OPENING.fullmatch(text, 0, place[0]):
        return None
    delimiter = _DELIMITER.match(text, place[1])
    bare = text[place[0]].islower() and not re.match(r"\s*[)\]）.:]", text[place[1] :])
    is_name = delimiter is not None and "." in delimiter[0] and text[delimiter.end() : delimiter.end() + 1].islower()
    if delimiter is None or bare or is_name:  # Y. pestis
        return None
    return Choice(latin(text[place[0] : place[1]]), text[delimiter.end() :].strip("*_`$} "))


def compare_choices(gold: Choice, pred: Choice) -> Relation:
    """Compare two options by their letters. The same text with two letters is none.

    >>> compare_choices(Choice("B"), Choice("B", "Paris")).relation, compare_choices(Choice("B"), Choice("C")).reason
    ('equal', 'C is not B')
    """
    if gold.letter == pred.letter:
        return equal(f"both choose {gold.letter}", kind)
    if gold.text and _plain(gold.text) == _plain(pred.text):
        return no_opinion(f"the same text with the letters {gold.letter} and {pred.letter}", kind)
    return different(f"{pred} is not {gold}", kind)


def compare_in_choice(gold: Choice, pred: str) -> Relation:
    """Compare an option with what an answer of any form chooses.

    >>> compare_in_choice(Choice("B", "Paris"), "I think it is option B").relation
    'equal'
    >>> compare_in_choice(Choice("A"), "A cat sat on it").relation
    'none'
    """
    found = read_choice(pred)
    if found is None and (single := letter(pred)) is not None:
        found = Choice(single)
    if found is not None:
        return compare_choices(gold, found)
    if gold.text and _plain(gold.text) == _plain(pred):
        return equal(f"both are {gold.text}", kind)
    return no_opinion("the prediction chooses no letter", kind)


def compare_options(
    gold: str, pred: str, options: Sequence[str], agrees: Callable[[str, str], bool]
) -> Relation | None:
    """Compare two answers to a question with these options; None if the gold answer is none of them.

    ``gold``: the letter or the text of an option, or both. ``pred``: the same in an answer of any form.
    """
    wanted, found = chosen(gold, options, agrees), chosen(pred, options, agrees)
    if wanted is None:
        return None
    if found is None:
        return no_opinion("the prediction is none of the options, or several", kind)
    if wanted == found:
        return equal(f"both choose {options[wanted]}", kind)
    return different(f"{options[found]} is not {options[wanted]}", kind)


def chosen(text: str, options: Sequence[str], agrees: Callable[[str, str], bool]) -> int | None:
    """Return the position of the only option that an answer chooses; None if it chooses none, or several.

    In order: the answer is the text of an option; its letter, unless the text of another option follows; what "the
    answer is" announces; an equal value; the only option that is mentioned, in an answer without a negation.

    >>> [chosen(text, ["Rome", "Oslo"], str.__eq__) for text in ("(B)", "oslo", "B) Rome", "Rome or Oslo")]
    [1, 1, None, None]
    """
    exact = _only(" ".join(option.casefold().split()) == " ".join(text.casefold().split()) for option in options)
    same = _only(_plain(option) == _plain(text) for option in options) if exact is None and _plain(text) else exact
    place = choice(text)
    by_letter = None if place is None else ord(latin(text[place[0] : place[1]])) - ord("A")
    if by_letter is not None and by_letter < len(options):
        if same is not None:
            return same if same == by_letter or len(_plain(text)) > 1 else None
        named = read_choice(text)
        other = None if named is None or not named.text else _only(_plain(o) == _plain(named.text) for o in options)
        return by_letter if other in (None, by_letter) else None
    if same is not None:
        return same
    announced = final(text)
    if announced is not None and announced[1] - announced[0] < len(text):
        return chosen(text[slice(*announced)].strip("*_`$ ."), options, agrees)
    if len(text) <= _LONGEST and (same := _only(agrees(option, text) for option in options)) is not None:
        return same
    if len(text) > _LONGEST_FOUND or _DENIAL.search(text):
        return None
    words, plain = f" {_plain(text)} ", [_plain(option) for option in options]
    inside = [i for i, option in enumerate(plain) if option and f" {option} " in words]
    longest = [i for i in inside if not any(i != j and plain[i] in plain[j] for j in inside)]
    return longest[0] if len(longest) == 1 else None


def _only(true: Iterable[bool]) -> int | None:
    """Return the position of the only True; None if there is none, or if there are several."""
    found = [i for i, value in enumerate(true) if value]
    return found[0] if len(found) == 1 else None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w%°+#/^=<>$-]+", text.casefold()))
