"""Names with a number: Louis XIV, World War II, the Second World War, Apollo 11. Another number is another thing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from answersim.answers.typed.comparison import Relation, different, equal, no_opinion
from answersim.answers.typed.number import is_code
from answersim.answers.typed.numerals import roman_value
from answersim.answers.typed.tokens import Tokens
from answersim.answers.typed.vocabulary import listed
from answersim.answers.typed.words import NUMBER_WORDS, spelled

# Letters that are rarely numerals: Malcolm X, Vitamin C, size XL. They are numerals after a name of kings or popes or a
# word of things that are counted: Pius X, Super Bowl XL.
_RARELY = re.compile(r"[CDMLVX]|[CDMLX]{2}|XXX|DIM|MIX|M{3}|CCC|[DLM]I|MC|[CDL]V")
_COUNTED, _RANKS = listed("numbered"), listed("rank")
_LIKE_ONES = ({2, 11}, {3, 111})  # II may be written as 11
_SMALL = frozenset("of the and de von der des du la le el and &".split())  # they need no capital letter
_ENDINGS = ("st", "nd", "rd", "th", ".")
_MOST_WORDS = 8
_MOST = 3999  # of a number in words or numerals
_MOST_DIGITS = 9


@dataclass(frozen=True)
class NumberedName:
    """A name whose number distinguishes it from its namesakes."""

    words: tuple[str, ...]  # the other words in lower case, without titles and articles
    number: int  # the number

    kind: ClassVar[str] = "name with number"

    def __str__(self) -> str:
        return f"{' '.join(self.words)} {self.number}"


def read_numbered_name(toks: Tokens, lang: str) -> NumberedName | None:
    """Return the name with its number, or None: words with a capital letter, and a numeral after or before them."""
    low, n = toks.low, len(toks.low)
    if not 2 <= n <= _MOST_WORDS:
        return None
    last, number, end = toks.text[-1], None, n - 1
    if last.isdecimal():
        number = int(last) if len(last) <= _MOST_DIGITS and not is_code(last) else None
    elif last == "." and lang == "de" and n > 2:  # Ludwig XIV.
        number, end = roman_value(toks.text[-2]), n - 2
    elif last == "I" and n - sum(word in _RANKS for word in low) > 3:
        number = None  # a pronoun
    elif not _RARELY.fullmatch(last) or low[-2] in _COUNTED:
        number = roman_value(last)
    if number is not None:
        return _named(toks, 0, end, number)
    numbers = [i for i, word in enumerate(low) if word.isdecimal() or word in NUMBER_WORDS]
    for i in numbers:  # Louis the Fourteenth, the Second World War, Benedict the 11th
        ranked = all(word in _RANKS for word in low[:i])
        if low[i].isdecimal() and low[i + 1 : i + 2] and low[i + 1] in _ENDINGS and len(low[i]) <= 4:
            if i + 2 == n and i > 1 and low[i - 1] in ("the", "der", "die"):
                return _named(toks, 0, i - 1, int(low[i]))
            return _named(toks, i + 2, n, int(low[i])) if ranked and i + 2 < n else None
        words = spelled(toks.low, i) if low[i] in NUMBER_WORDS else None
        if words is None or not 0 < words.value <= _MOST or words.value.denominator != 1:
            continue
        if words.end == n and i > 0 and (words.ordinal or toks.text[i][0].isupper()):
            return _named(toks, 0, i - (low[i - 1] in ("the", "der", "die")), int(words.value))
        return _named(toks, words.end, n, int(words.value)) if ranked and words.ordinal and words.end < n else None
    return None


def _named(toks: Tokens, start: int, end: int, number: int) -> NumberedName | None:
    words = [word for word in toks.text[start:end] if word[0].isalpha()]
    if any(not word[0].isalpha() and word not in (".", "-", "'") for word in toks.text[start:end]):
        return None
    capitals = [word[0].isupper() for word in words if word.casefold() not in _SMALL]
    if not capitals or not all(capitals) or not number:
        return None
    low = tuple(map(str.casefold, words))
    return NumberedName(tuple(word for word in low if word not in _RANKS) or low, number)


def compare_numbered_names(gold: NumberedName, pred: NumberedName) -> Relation | None:
    """Compare two names with numbers; None if the other words differ."""
    if gold.words != pred.words:
        return None
    if gold.number == pred.number:
        return equal(f"both are {gold}", gold.kind)
    if {gold.number, pred.number} in _LIKE_ONES:
        return no_opinion(f"{max(gold.number, pred.number)} may be a Roman numeral", gold.kind)
    return different(f"the number {pred.number} is not {gold.number}", gold.kind)
