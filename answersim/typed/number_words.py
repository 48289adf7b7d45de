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
_PARTS |= {f"{word}s": value for word, value in _ORDINALS.items() if value > 2}
_PARTS |= {word[:-1]: value for word, value in _PARTS.items() if word[:-1] in _ORDINALS} | {"fourth": 4, "fifth": 5}
# Words after a number that multiply or divide it. A number before one of them is not the value that is meant.
MULTIPLIERS = frozenset(
    "times time x mal fach fold squared cubed quadrat hoch plus minus odd ish point pair pairs paar paare score scores "
    "dozens couple couples gross lakh lakhs crore crores mil millones millon million millionen milliarde milliarden "
    "billion billionen mille mila milliard milliards miliardi milioni millions billions trillion tausend thousand "
    "thousands hundred hundreds hundert komma point".split()
) | frozenset(_PARTS)
NUMBER_WORDS = frozenset({*_SMALL, *_ORDINALS, *_PARTS, "dozen", "couple", "score", "dutzend", "hundred", "thousand"})
_COUNTS = {"dozen": 12, "couple": 2, "score": 20, "dutzend": 12}
_LONG_SCALES = {word: power for word, power in SCALES["en"].items() if len(word) > 3}
_LARGE = ("hundred", *_LONG_SCALES)
_MOST_DECIMALS = 20
_NOUGHTS = ("oh", "o", "nought", "naught")  # a zero after "point"
_DECIMALS = _SMALL | dict.fromkeys(_NOUGHTS, 0)
_ARTICLES = ("a", "an", "ein", "eine", "einem", "einer", "einen")

_GERMAN_PARTS = {"halb": 2, "halbe": 2, "halbes": 2, "halber": 2, "hälfte": 2, "drittel": 3, "viertel": 4, "fünftel": 5}
_GERMAN_PARTS |= {"sechstel": 6, "siebtel": 7, "achtel": 8, "neuntel": 9, "zehntel": 10, "zwanzigstel": 20}
_GERMAN_PARTS |= {"hundertstel": 100, "tausendstel": 1000}
_GERMAN_PARTS |= {f"{word}tel": value for word, value in GERMAN.items() if 10 < value < 20}
_GERMAN_PARTS |= {f"{word}stel": value for word, value in GERMAN.items() if 20 < value < 100 and value % 10 == 0}


_PLURAL_PARTS = frozenset(word for word in _PARTS if word.endswith("s"))
_AFTER_PART = (".", ",", ";", ":", "!", "?", ")", '"', "'", "of", "der", "des", "von")


class Spelled(NamedTuple):
    """A number that was read from words."""

    value: Fraction  # the number
    end: int  # the position after the last token
    ordinal: bool = False  # whether it is a place in an order
    step: Fraction = Fraction(1)  # the last place that is stated: .1 for "one point five"


def is_number_word(word: str, lang: str) -> bool:
    """Return whether a number in words can begin with this word, in lower case."""
    if word in NUMBER_WORDS:
        return True
    return lang == "de" and (
        word in _GERMAN_PARTS
        or word.endswith(("einhalb", "anderthalb"))
        or german_word(word) is not None
        or (word.endswith("tel") and _compound_part(word) is not None)
    )


def is_plural_number(word: str) -> bool:
    """Return whether the word is a plural such as "fives" and "sixes"."""
    return word.endswith("s") and (word[:-1] in _SMALL or word[:-2] in _SMALL)


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
        """Return the value if the number ends with this ordinal, or None if the ordinal is not part of it."""
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
            is_large = any(word in _LARGE or word == "hundredth" for word in low[i + 2 : i + 5])
            return after_scale and small is not None and is_large
        return low[i] == "and" and small is not None and (after_scale or low[i - 1] == "hundred")


def _spelled_english(tokens: Tokens, i: int) -> Spelled | None:
    low, n = tokens.low, len(tokens.low)
    if low[i] in ("a", "an", "half", "one") and (result := _fraction_of(tokens, i, "en", _PARTS)):
        return result
    if n == 1 and low[0] in ("dozen", "dutzend"):
        return Spelled(Fraction(12), 1)
    if is_point(low, i):
        return _with_fraction(tokens, i, Fraction(0), {}, ("point",), "en")
    at = i + (low[i] == "a")
    if low[at : at + 2] == ("baker's", "dozen"):
        return Spelled(Fraction(13), at + 2)
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
    if low[i - 1] == "hundred" and low[i : i + 1] == ("and",) and proper_fraction(tokens, i + 1, "en") is not None:
        return None  # 100.5 or 150
    scale = _COUNTS.get(low[i - 1], 10 ** _LONG_SCALES.get(low[i - 1], 0))
    if scale > 1 and low[i : i + 1] == ("and",) and (part := proper_fraction(tokens, i + 1, "en")) is not None:
        value = number.total + number.current + part[0] * scale  # a million and a half
        return Spelled(value, part[1], step=part[0] * scale / 1000)
    return _with_fraction(tokens, i, Fraction(number.total + number.current), _PARTS, ("point",), "en")


def is_point(low: tuple[str, ...], i: int) -> bool:
    """Return whether "point five" or "point oh seven" begins at i."""
    return low[i] == "point" and i + 1 < len(low) and _DECIMALS.get(low[i + 1], 10) < 10


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
    """Read "half", "a half", "one third", "one-fifth", "a quarter", "half a million", "half a dozen", "half-dozen"."""
    low, n = tokens.low, len(tokens.low)
    start = i
    i += low[i] in (*_ARTICLES, "one")
    hyphen = i > start and i + 1 < n and low[i] == "-"
    i += hyphen
    if i >= n or low[i] not in parts or low[i] in _PLURAL_PARTS:
        return None
    word, value, i = low[i], Fraction(1, parts[low[i]]), i + 1
    if (whole := _scale_after(tokens, i, lang)) is not None:
        return Spelled(value * whole[0], whole[1])
    if word in _ORDINALS and (i == start + 1 or not (hyphen or i == n or low[i] in _AFTER_PART)):
        return None  # "third" alone and "a third child" are ordinals
    if word in ("hundredth", "thousandth", "millionth") and not hyphen:
        return None  # the ordinal
    return Spelled(value, i, step=value / 1000)


def _scale_after(tokens: Tokens, i: int, lang: str) -> tuple[int, int] | None:
    """Return the factor of "million", "a dozen", "of a million", "-dozen" at i, and the position after it."""
    low, n = tokens.low, len(tokens.low)
    at = i + (i < n and low[i] == "-")
    at += at < n and low[at] in ("of", "von")
    at += at < n and low[at] in _ARTICLES
    at += at < n and i < at and low[at] == "-"
    if at >= n or (low[at] not in SCALES[lang] and low[at] not in _COUNTS):
        return None
    return (_COUNTS[low[at]] if low[at] in _COUNTS else 10 ** SCALES[lang][low[at]]), at + 1


def proper_fraction(tokens: Tokens, i: int, lang: str) -> tuple[Fraction, int] | None:
    """Read a fraction below 1 at i, and return it with the position after it.

    >>> from answersim.typed.tokens import tokens
    >>> proper_fraction(tokens("two-thirds"), 0, "en"), proper_fraction(tokens("drei Viertel"), 0, "de")
    ((Fraction(2, 3), 3), (Fraction(3, 4), 2))
    """
    low, n = tokens.low, len(tokens.low)
    parts = _PARTS | _GERMAN_PARTS if lang == "de" else _PARTS
    if i < n and low[i] in ("half", "halb", "halbe", "halbes") and low[i] in parts:
        return Fraction(1, 2), i + 1
    if i + 1 >= n:
        return None
    if low[i].isdecimal():
        over = int(low[i]) if len(low[i]) <= 2 else 0
    else:
        over = 1 if low[i] in _ARTICLES else _SMALL.get(low[i]) or (lang == "de" and GERMAN.get(low[i])) or 0
    at = i + 1 + (low[i + 1] == "-" and i + 2 < n)
    under = parts.get(low[at], 0)
    if not 0 < over < under:
        return None
    if over > 1 and low[at] not in _PLURAL_PARTS and low[at] not in _GERMAN_PARTS and low[at] != "quarter":
        return None
    return Fraction(over, under), at + 1


def with_part(tokens: Tokens, i: int, value: Fraction, lang: str) -> tuple[Fraction, int] | None:
    """Return a whole number with the fraction after it ("and a half"), or as its numerator ("quarters")."""
    low, n = tokens.low, len(tokens.low)
    parts = _GERMAN_PARTS if lang == "de" else {}
    at = i + (low[i] == "-" and i + 1 < n)
    if low[at] in _PLURAL_PARTS or low[at] in parts:
        under = _PARTS.get(low[at]) or parts[low[at]]
        return (value / under, at + 1) if 0 < value < 100 and under > 1 else None
    if low[at] not in ("and", "und"):
        return None
    at += 1
    at += at < n and low[at] == "-"
    part = proper_fraction(tokens, at, lang) if at < n else None
    return None if part is None else (value + part[0], part[1])


def _with_fraction(
    tokens: Tokens, i: int, value: Fraction, parts: dict[str, int], points: tuple[str, ...], lang: str
) -> Spelled:
    """Read what may follow a whole number: "point five", "and a half", "thirds", "million"."""
    low, n = tokens.low, len(tokens.low)
    digits = _DECIMALS if lang == "en" else GERMAN
    step = Fraction(1)
    if i + 1 < n and low[i] in points and low[i + 1] in digits:
        i += 1
        while i < n and low[i] in digits and digits[low[i]] < 10 and step.denominator < 10**_MOST_DECIMALS:
            step /= 10
            value, i = value + digits[low[i]] * step, i + 1
    elif i < n and parts and value.denominator == 1 and (mixed := with_part(tokens, i, value, lang)) is not None:
        value, i = mixed
        step = value / 1000
    if value.denominator > 1 and (whole := _scale_after(tokens, i, lang)) is not None:
        return Spelled(value * whole[0], whole[1], step=step * whole[0])
    if i < n and low[i] in SCALES[lang] and value and (value.denominator > 1 or value < 1000):
        return Spelled(value * 10 ** SCALES[lang][low[i]], i + 1, step=step * 10 ** SCALES[lang][low[i]])
    return Spelled(value, i, step=step)


def _compound_part(word: str) -> Fraction | None:
    """Return the value of "dreiviertel", "zweidrittel", "zweieinviertel"; None for other words."""
    for part, under in _GERMAN_PARTS.items():
        head = word.removesuffix(part)
        if part.endswith("tel") and word.endswith(part) and 0 < len(head) < 20:
            if head.endswith("ein") and (whole := german_below(head.removesuffix("ein").removesuffix("und"), 100)):
                return whole + Fraction(1, under)
            over = german_below(head, 20)
            return Fraction(over, under) if over else None
    return None


def _spelled_german(tokens: Tokens, i: int) -> Spelled | None:
    low, n = tokens.low, len(tokens.low)
    start = i
    if low[i].endswith(("anderthalb", "einhalb")) and len(low[i]) < 20:
        whole = 1 if low[i] == "anderthalb" else german_below(low[i].removesuffix("einhalb").removesuffix("und"), 100)
        if whole is not None:
            return _with_fraction(tokens, i + 1, whole + Fraction(1, 2), {}, (), "de")
    if low[i].endswith("tel") and (part := _compound_part(low[i])) is not None:
        return _with_fraction(tokens, i + 1, part, {}, (), "de")
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
            return _with_fraction(tokens, i + 1, total + word[0], _GERMAN_PARTS, ("komma",), "de")
        if SCALES["de"][low[i + 1]] >= smallest:
            break
        smallest = SCALES["de"][low[i + 1]]
        total, i = total + word[0] * 10**smallest, i + 2
    return Spelled(total, i) if i > start else None
