"""Names with a number: Louis XIV, World War II, the Second World War, Apollo 11. Another number is another thing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from answersim.typed.comparison import Relation, different, equal, no_opinion
from answersim.typed.number import is_code
from answersim.typed.number_words import is_number_word, spelled
from answersim.typed.tokens import Tokens

kind = "name with number"
_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
# Letters that are rarely numerals: Malcolm X, Vitamin C, size XL. They are numerals after a name of kings or popes or a
# word of things that are counted: Pius X, Super Bowl XL.
_LETTERS = frozenset(
    "C D M L V X DC CD MD DI LI MI MC CV DIM MIX CC XX XXX XL MM MMM ML CL DL DX MX LX CX CCC DV LV CM CI".split()
)
_REGNAL = frozenset(
    "henry charles louis edward george james philip pius leo gregory benedict innocent clement alexander urban john "
    "christian frederick alfonso alphonse gustav karl ludwig heinrich friedrich pope king queen papst könig emperor "
    "kaiser tsar sultan ramses ptolemy mehmed murad war bowl part chapter volume act scene book episode season "
    "symphony article amendment henri felipe carlos johannes paul".split()
)
_LIKE_ONES = ({2, 11}, {3, 111})  # II may be written as 11
_TITLES = frozenset(
    "the king queen pope emperor empress tsar czar prince saint st sultan kaiser könig königin papst der die das "
    "kaiserin zar fürst operation mission project number no nr part chapter episode volume season".split()
)
_SMALL = frozenset("of the and de von der des du la le el and &".split())  # they need no capital letter
_ENDINGS = ("st", "nd", "rd", "th", ".")
_MOST_WORDS = 6
_MOST = 3999


@dataclass(frozen=True)
class NumberedName:
    """A name whose number distinguishes it from its namesakes."""

    words: tuple[str, ...]  # the other words in lower case, without titles and articles
    number: int  # the number

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        return f"{' '.join(self.words)} {self.number}"


def roman_value(text: str) -> int | None:
    """Return the value of a Roman numeral in capital letters, 1 to 3,999; None for anything else.

    >>> roman_value("XIV"), roman_value("IIX")
    (14, None)
    """
    if not text or len(text) > 15 or not _ROMAN.fullmatch(text):
        return None
    values = [_VALUES[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def read_numbered_name(tokens: Tokens, lang: str) -> NumberedName | None:
    """Return the name with its number, or None: words with a capital letter, and a numeral after or before them."""
    n = len(tokens.low)
    if not 2 <= n <= _MOST_WORDS + 2:
        return None
    last = tokens.text[-1]
    number: int | None = None
    end = n - 1
    if last.isdecimal():
        number = int(last) if len(last) <= 4 and not is_code(last) else None
    elif (last != "I" or n <= 3) and (last not in _LETTERS or tokens.low[-2] in _REGNAL):
        number = roman_value(last)
    if number is None and tokens.text[-1] == "." and lang == "de" and n > 2:  # Ludwig XIV.
        number, end = roman_value(tokens.text[-2]), n - 2
    if number is None:
        return _with_ordinal(tokens, lang)
    return _named(tokens, 0, end, number)


def _with_ordinal(tokens: Tokens, lang: str) -> NumberedName | None:
    """Read "Louis the Fourteenth" and "the Second World War"."""
    low, n = tokens.low, len(tokens.low)
    for i in range(n):
        if not low[i][0].isalpha():
            if low[i].isdecimal() and i + 2 < n and low[i + 1] in _ENDINGS and all(word in _TITLES for word in low[:i]):
                return _named(tokens, i + 2, n, int(low[i])) if len(low[i]) <= 4 else None
            continue
        if not is_number_word(low[i], lang):
            continue
        words = spelled(tokens, i, lang)
        if words is None or not 0 < words.value <= _MOST or words.value.denominator != 1:
            continue
        number = int(words.value)
        if words.end == n and i > 0 and (words.ordinal or tokens.text[i][0].isupper()):
            end = i - (low[i - 1] in ("the", "der", "die"))
            return _named(tokens, 0, end, number)
        at_start = i == 0 or all(word in _TITLES for word in low[:i])
        if at_start and words.ordinal and words.end < n:
            return _named(tokens, words.end, n, number)
        return None
    return None


def _named(tokens: Tokens, start: int, end: int, number: int) -> NumberedName | None:
    span = range(start, end)
    if any(not tokens.text[i][0].isalpha() and tokens.text[i] not in (".", "-", "'") for i in span):
        return None
    words = tuple(tokens.low[i] for i in span if tokens.text[i][0].isalpha())
    capitals = [tokens.text[i][0].isupper() for i in span if tokens.low[i][0].isalpha() and tokens.low[i] not in _SMALL]
    if not capitals or not all(capitals) or not 1 <= number <= _MOST:
        return None
    kept = tuple(word for word in words if word not in _TITLES) or words
    return NumberedName(kept, number)


def compare_numbered_names(gold: NumberedName, pred: NumberedName) -> Relation | None:
    """Compare two names with numbers; None if the other words differ.

    >>> compare_numbered_names(NumberedName(("louis",), 14), NumberedName(("louis",), 15)).relation
    'different'
    """
    if gold.words != pred.words:
        return None
    if gold.number == pred.number:
        return equal(f"both are {gold}", kind)
    if {gold.number, pred.number} in _LIKE_ONES:
        return no_opinion(f"{max(gold.number, pred.number)} may be a Roman numeral", kind)
    return different(f"the number {pred.number} is not {gold.number}", kind)
