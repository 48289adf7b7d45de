"""Numbers in words -> values, in English and German: "nineteen eighty-four", "einundzwanzigste", "anderthalb"."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from answersim.typed.german_words import GERMAN, german_below, german_word
from answersim.typed.tokens import Tokens

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = {
    "en": {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "quadrillion": 15}
    | {"millions": 6, "billions": 9, "trillions": 12, "thousands": 3, "mn": 6, "bn": 9, "mln": 6, "bln": 9, "tn": 12},
    "de": {"tausend": 3, "million": 6, "millionen": 6, "milliarde": 9, "milliarden": 9, "billion": 12, "billionen": 12}
    | {"billiarde": 15, "billiarden": 15, "mio": 6, "mrd": 9},
}
_SMALL = {word: i for i, word in enumerate(_UNITS)} | {word: 20 + 10 * i for i, word in enumerate(_TENS)}
_SMALL |= {"fourty": 40}
_IRREGULAR = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_ORDINALS = {f"{word}th": value for word, value in _SMALL.items() if value % 10 == value or value in range(10, 20)}
_ORDINALS |= {f"{word[:-1]}ieth": value for word, value in _SMALL.items() if value >= 20}
_ORDINALS |= _IRREGULAR | {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourths": 4, "fifths": 5}
_PARTS |= {"eighths": 8, "tenths": 10, "sixths": 6, "hundredths": 100}
_ENGLISH = frozenset({*_SMALL, *_ORDINALS, *_PARTS, "dozen", "couple", "score", "dutzend", "hundred", "thousand"})
_COUNTS = {"dozen": 12, "couple": 2, "score": 20, "dutzend": 12}
_LONG_SCALES = {word: power for word, power in SCALES["en"].items() if len(word) > 3}
_LARGE = ("hundred", *_LONG_SCALES)
_MOST_DECIMALS = 20
_ARTICLES = ("a", "an", "ein", "eine", "einem", "einer", "einen")

_GERMAN_PARTS = {"halb": 2, "halbe": 2, "halbes": 2, "halber": 2, "hälfte": 2, "drittel": 3, "viertel": 4, "fünftel": 5}
_GERMAN_PARTS |= {"achtel": 8, "zehntel": 10}


class Spelled(NamedTuple):
    """A number that was read from words.

    Attributes:
        value: The number.
        end: The position after the last token.
        ordinal: Whether it is a place in an order.
        step: The last place that is stated: .1 for "one point five".
    """

    value: Fraction
    end: int
    ordinal: bool = False
    step: Fraction = Fraction(1)


def is_number_word(word: str, lang: str) -> bool:
    """Return whether a number in words can begin with this word, in lower case."""
    if word in _ENGLISH:
        return True
    return lang == "de" and (
        word in _GERMAN_PARTS or word.endswith(("einhalb", "anderthalb")) or german_word(word) is not None
    )


def spelled(tokens: Tokens, i: int, lang: str) -> Spelled | None:
    """Read a number in words that begins at token i. German also accepts English words.

    >>> from answersim.typed.tokens import tokens
    >>> spelled(tokens("nineteen eighty-four"), 0, "en").value
    Fraction(1984, 1)
    >>> spelled(tokens("einundzwanzigste"), 0, "de")
    Spelled(value=Fraction(21, 1), end=1, ordinal=True, step=Fraction(1, 1))
    """
    if lang == "de" and (result := _spelled_german(tokens, i)):
        return result
    return _spelled_english(tokens, i)


class _Words:
    """An English number that is read word by word.

    Attributes:
        total: The value of the scales that were read: 2,000 of "two thousand and nine".
        current: The value since the last scale; -1 if nothing was read yet.
        smallest: The power of ten of the last scale. Each further one must be smaller.
    """

    def __init__(self, current: int) -> None:
        self.total, self.current, self.smallest = 0, current, 18

    def take(self, word: str) -> bool:
        """Add a word, and return whether it belongs to the number."""
        if word in _SMALL:
            merged = _merged(self.current, _SMALL[word])
            self.current = self.current if merged is None else merged
            return merged is not None
        if word == "hundred" and 0 < self.current < 100:
            self.current *= 100
            return True
        if word in ("hundred", *_LONG_SCALES) and self.current == -1:
            self.current = 1
            return self.take(word)
        if word in _LONG_SCALES and self.current > 0 and _LONG_SCALES[word] < self.smallest:
            self.smallest = _LONG_SCALES[word]
            self.total, self.current = self.total + self.current * 10**self.smallest, 0
            return True
        if word in _COUNTS and 0 < self.current < 1000:
            self.current *= _COUNTS[word]
            return True
        return False

    def end(self, word: str) -> int | None:
        """Return the value if the number ends with this ordinal, or None if the ordinal is no part of it."""
        value, rest = _ORDINALS[word], self.current % 100
        if value >= 100:
            return self.total + max(self.current, 1) * value if self.current else None
        if self.current > 0 and 0 < rest < 20:
            return None
        merged = _merged(self.current, value)
        return None if merged is None else self.total + merged

    def joins(self, low: tuple[str, ...], i: int) -> bool:
        """Return whether "and", a comma or a hyphen at i joins two parts of one number."""
        following = low[i + 1]
        small = _SMALL.get(following, _ORDINALS.get(following))
        if low[i] == "-":
            if following in _LONG_SCALES or following == "hundred":
                return self.current > 0
            if small is None or small == 0 or self.current <= 0:
                return False
            if small < 10:
                return self.current % 10 == 0
            return self.current in (18, 19, 20)  # nineteen-eighty is a year, and ten-twenty a range
        after_scale = i > 0 and low[i - 1] in _LONG_SCALES
        if low[i] == ",":
            return (
                after_scale
                and small is not None
                and any(word in _LARGE or word == "hundredth" for word in low[i + 2 : i + 5])
            )
        return low[i] == "and" and small is not None and (after_scale or low[i - 1] == "hundred")


def _spelled_english(tokens: Tokens, i: int) -> Spelled | None:
    low, n = tokens.low, len(tokens.low)
    if low[i] in ("a", "an", "half", "one") and (result := _fraction_of(tokens, i, "en", _PARTS)):
        return result
    article = low[i] in _ARTICLES and i + 1 < n and (low[i + 1] in _COUNTS or low[i + 1] in _LARGE)
    number = _Words(1 if article else -1)
    i += article
    start = i
    while i < n:
        if low[i] in _ORDINALS:
            value = number.end(low[i])
            if value is not None:
                return Spelled(Fraction(value), i + 1, True)
            break
        if low[i] in ("oh", "o") and 11 <= number.current <= 20 and i + 1 < n:
            at = i + 1 + (low[i + 1] == "-" and i + 2 < n)  # nineteen oh-six
            if not 0 < _SMALL.get(low[at], 0) < 10:
                break
            return Spelled(Fraction(number.current * 100 + _SMALL[low[at]]), at + 1)
        joined = low[i] in ("and", ",", "-") and i + 1 < n and number.joins(low, i)
        if not joined and not number.take(low[i]):
            break
        i += 1
    if i == start:
        return None
    i -= low[i - 1] in ("and", ",", "-")
    return _with_fraction(tokens, i, Fraction(number.total + number.current), _PARTS, ("point",), ("and",), "en")


def _merged(current: int, value: int) -> int | None:
    """Return the number after another word below 100, or None if the word begins another number."""
    if current in (-1, 0):
        return value
    rest = current % 100
    if rest == 0 and current >= 100:
        return current + value
    if 0 < value < 10 and rest >= 20 and rest % 10 == 0:
        return current + value
    if 10 <= current <= 99 and 10 <= value <= 99 and (current >= 11 or value >= 20):
        return current * 100 + value  # nineteen eighty: a year
    return None


def _fraction_of(tokens: Tokens, i: int, lang: str, parts: dict[str, int]) -> Spelled | None:
    """Read "half", "a half", "one third", "a quarter", "half a million", "half a dozen"."""
    low, n = tokens.low, len(tokens.low)
    start = i
    i += low[i] in (*_ARTICLES, "one")
    if i >= n or low[i] not in parts or low[i] in ("thirds", "halves"):
        return None
    if i > start and low[start] == "one" and low[i] == "second":
        return None
    value, i = Fraction(1, parts[low[i]]), i + 1
    if i + 1 < n and low[i] in _ARTICLES and (low[i + 1] in SCALES[lang] or low[i + 1] in _COUNTS):
        scale = 10 ** SCALES[lang][low[i + 1]] if low[i + 1] in SCALES[lang] else _COUNTS[low[i + 1]]
        return Spelled(value * scale, i + 2)
    if i < n and low[i] in SCALES[lang]:
        return Spelled(value * 10 ** SCALES[lang][low[i]], i + 1)
    if parts[low[i - 1]] == 3 and i == start + 1:
        return None  # "third" alone is an ordinal
    return Spelled(value, i, step=value / 1000)


def _with_fraction(
    tokens: Tokens,
    i: int,
    value: Fraction,
    parts: dict[str, int],
    points: tuple[str, ...],
    ands: tuple[str, ...],
    lang: str,
) -> Spelled:
    """Read what may follow a whole number: "point five", "and a half", "thirds", "million"."""
    low, n = tokens.low, len(tokens.low)
    digits = _SMALL if lang == "en" else GERMAN
    step = Fraction(1)
    if i + 1 < n and low[i] in points and low[i + 1] in digits:
        i += 1
        while i < n and low[i] in digits and digits[low[i]] < 10 and step.denominator < 10**_MOST_DECIMALS:
            step /= 10
            value, i = value + digits[low[i]] * step, i + 1
    elif i + 2 < n and low[i] in ands and low[i + 1] in (*_ARTICLES, "one", "three") and low[i + 2] in parts:
        value, i = value + Fraction(3 if low[i + 1] == "three" else 1, parts[low[i + 2]]), i + 3
        step = value / 1000
    elif i < n and low[i] in parts and 0 < value < 100 and low[i].endswith(("s", "el")):
        value, i = value / parts[low[i]], i + 1
        step = value / 1000
    if i < n and low[i] in SCALES[lang] and value and (value.denominator > 1 or value < 1000):
        return Spelled(value * 10 ** SCALES[lang][low[i]], i + 1, step=step * 10 ** SCALES[lang][low[i]])
    return Spelled(value, i, step=step)


def _spelled_german(tokens: Tokens, i: int) -> Spelled | None:
    low, n = tokens.low, len(tokens.low)
    start = i
    if low[i].endswith(("anderthalb", "einhalb")) and len(low[i]) < 20:
        whole = 1 if low[i] == "anderthalb" else german_below(low[i].removesuffix("einhalb"), 100)
        if whole is not None:
            return _with_fraction(tokens, i + 1, whole + Fraction(1, 2), {}, (), (), "de")
    if i + 1 < n and low[i + 1] in _COUNTS and (count := (1, False) if low[i] in _ARTICLES else german_word(low[i])):
        return Spelled(Fraction(count[0] * _COUNTS[low[i + 1]]), i + 2)
    if low[i] in (*_ARTICLES, *_GERMAN_PARTS) and (result := _fraction_of(tokens, i, "de", _GERMAN_PARTS)):
        return result
    total, smallest = Fraction(0), 18
    while i < n:
        scaled = i + 1 < n and low[i + 1] in SCALES["de"] and low[i + 1] != "tausend"
        if low[i] in _ARTICLES and low[i] != "eine" and low[i] != "ein" and not scaled:
            break
        word = (1, False) if low[i] in _ARTICLES else german_word(low[i])
        if word is None:
            break
        if not scaled:
            if word[1]:
                return Spelled(total + word[0], i + 1, True)
            return _with_fraction(tokens, i + 1, total + word[0], _GERMAN_PARTS, ("komma",), ("und",), "de")
        if SCALES["de"][low[i + 1]] >= smallest:
            break
        smallest = SCALES["de"][low[i + 1]]
        total, i = total + word[0] * 10**smallest, i + 2
    return Spelled(total, i) if i > start else None
