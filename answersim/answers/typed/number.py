"""Numbers and ordinals in digits or words: 1,500; 1.5 million; 3/4; 10^6; eleven; twenty-first."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction

from answersim.answers.text.tokens import GROUPED_BY_POINT
from answersim.answers.typed.tokens import Tokens
from answersim.answers.typed.words import SCALES, spelled, with_part

_MOST_DIGITS = 30
_LARGEST_POWER = 40
_MINUS = ("minus", "negative")
_SMALLEST_ROUND = 1000  # a count below it is exact; from it on, zeros at the end may come from rounding
_GROUPS = {sign: re.compile(rf"[1-9]\d{{0,2}}(?:{sign}\d{{2,3}})*{sign}\d{{3}}") for sign in (",", r"\.", "'")}
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
_SHOWN = {"": "", "~": "about ", ">": "over ", "<": "under ", "~>": "just over ", "~<": "just under "}
_SUFFIXES = {"k": 3, "K": 3, "M": 6, "B": 9, "bn": 9}


@dataclass(frozen=True)
class Number:
    """A number, with the precision to which it is written."""

    value: Fraction  # the number
    # the unit of the last place that may be exact: .01 for 3.14, 100 for 24,900, 1 for 1987
    step: Fraction = Fraction(1)
    noun: str = ""  # what is counted, in lower case; "" if it is not stated
    ordinal: bool = False  # whether it is a place in an order
    # "~" if it is called approximate, ">" for "more than" and "at least", "<" for "less than" and "up to", "~>", "~<"
    hedge: str = ""
    bare: bool = False  # whether it is written in digits alone, or in words as years are, so that it may be a year
    scale: Fraction = field(default=Fraction(1), compare=False)  # the factor of a word such as "million" in it
    # the number as it is written in digits: "02134", "3.10", "6/8"; "" if words or signs belong to it
    digits: str = field(default="", compare=False)

    @property
    def as_fraction(self) -> bool:
        """Whether it is written as a fraction, in digits or words: 3/4, three quarters, one in five."""
        return self.value.denominator > 1 and self.step * 1000 == self.value

    @property
    def measured(self) -> bool:
        """Whether it may be a measured value: it has decimals, or at least four digits."""
        return (self.value.denominator > 1 and not self.as_fraction) or abs(self.value) >= _SMALLEST_ROUND

    @property
    def kind(self) -> str:
        """The kind of the value."""
        return "ordinal" if self.ordinal else "number"

    @property
    def year_like(self) -> bool:
        """Whether the number is written as years are: four digits without a separator."""
        return self.bare and 1000 <= self.value <= 2100

    def __str__(self) -> str:
        shown = plain(self.value) + ("." if self.ordinal else "")
        return f"{_SHOWN[self.hedge]}{shown}{' ' if self.noun else ''}{self.noun}"


def plain(value: Fraction) -> str:
    """Return a number as text.

    >>> plain(Fraction(3, 2)), plain(Fraction(24900)), plain(Fraction(1, 3))
    ('1.5', '24,900', '1/3')
    """
    if value.denominator == 1:
        return f"{value.numerator:,}" if abs(value) >= 10_000 else str(value.numerator)
    rest = value.denominator
    for factor in (2, 5):
        while rest % factor == 0:
            rest //= factor
    return f"{float(value):.10g}" if rest == 1 else f"{value.numerator}/{value.denominator}"


def is_code(digits: str) -> bool:
    """Return whether digits begin with a zero that a value does not need: 007, 02134."""
    return digits[:1] == "0" and len(digits) > 1 and digits.isdecimal()


def scan_number(tokens: Tokens, i: int, lang: str) -> tuple[Number, int] | None:
    """Read a number in digits or words that begins at token i, and return it with the position after it."""
    start, n = i, len(tokens.low)
    if tokens.low[i] in _MINUS:
        after = scan_number(tokens, i + 1, lang) if i + 1 < n and tokens.low[i + 1] not in (*_MINUS, "-") else None
        if after is None or after[0].ordinal:
            return None
        return replace(after[0], value=-after[0].value, bare=False, digits=""), after[1]
    negative = tokens.low[i] == "-" and (i == 0 or not tokens.glued[i]) and i + 1 < len(tokens.low)
    negative = negative and tokens.glued[i + 1] and tokens.text[i + 1][0].isdecimal()
    i += negative or (tokens.low[i] == "+" and i + 1 < len(tokens.low) and tokens.text[i + 1][0].isdecimal())
    pointed = tokens.low[i] == "." and i + 1 < len(tokens.low) and tokens.glued[i + 1] and i == 0
    if pointed or tokens.text[i][0].isdecimal():
        result = _digits(tokens, i)
        if result is None:
            return None
        number, i = result
        return (replace(number, value=-number.value, bare=False), i) if negative else (number, i)
    words = spelled(tokens.low, start)
    if words is None or words.value >= 10**_MOST_DIGITS:
        return None
    year = not words.ordinal and words.value.denominator == 1 and 1100 <= words.value <= 2100
    step = Fraction(1) if words.ordinal else _round_step(words.value, words.step)
    return Number(words.value, step, ordinal=words.ordinal, bare=year), words.end


def in_digits(text: str, lang: str) -> tuple[Fraction, Fraction] | None:
    """Return the value of digits with separators, and the unit of the last place; None if they are not a number.

    >>> in_digits("1.500", "de")[0], in_digits("1,500.25", "en"), in_digits("1.2.3", "en")
    (Fraction(1500, 1), (Fraction(6001, 4), Fraction(1, 100)), None)
    """
    if len(text) > _MOST_DIGITS:
        return None
    if text.isdecimal():
        return (value := Fraction(int(text))), _round_step(value, Fraction(1))
    group, point = (".", ",") if lang in GROUPED_BY_POINT else (",", ".")
    whole, mark, decimals = _parted(text, group, point)
    for sign in ("'", point if mark == group else group, point if not mark else "'"):
        if sign in whole and _GROUPS["\\." if sign == "." else sign].fullmatch(whole):
            whole = whole.replace(sign, "")
            break
    if not whole.isdecimal() or (mark and not decimals.isdecimal()):
        return None
    value = Fraction(int(whole + decimals), 10 ** len(decimals))
    return value, Fraction(1, 10 ** len(decimals)) if decimals else _round_step(value, Fraction(1))


def _parted(text: str, group: str, point: str) -> tuple[str, str, str]:
    """Split digits into the whole number, the decimal sign and the decimals."""
    if text.count(point) == 1 and group not in text.partition(point)[2]:
        return text.partition(point)
    if text.count(group) == 1 and point not in text and not _GROUPS["\\." if group == "." else group].fullmatch(text):
        return text.partition(group)  # 1,5 in English
    if text.count(group) == 1 and point in text and text.rindex(group) > text.rindex(point):
        return text.partition(group)  # 1.500,25 in English
    return text, "", ""


def _digits(tokens: Tokens, i: int) -> tuple[Number, int] | None:
    n, pointed = len(tokens.low), tokens.low[i] == "."
    if pointed:
        found = in_digits("0." + tokens.text[i + 1], "en") if tokens.text[i + 1].isdecimal() else None
        i += 1
    else:
        found = in_digits(tokens.text[i], "en")
    if found is None:
        return None
    (value, step), bare = found, tokens.text[i].isdecimal()
    i += 1
    if i < n and tokens.glued[i] and tokens.low[i] in _ORDINAL_ENDINGS and bare and not _scaled(tokens, i):
        return Number(value, ordinal=True), i + 1
    fraction = _fraction(tokens, i - 1)
    if fraction is not None:
        over, _, under = tokens.text[i - 1 : i + 2]
        return Number(fraction[0], fraction[0] / 1000, digits=f"{over}/{under}"), fraction[1]
    if i + 2 < n and bare and tokens.text[i].isdecimal() and (fraction := _fraction(tokens, i)) and fraction[0] < 1:
        return Number(value + fraction[0], fraction[0] / 1000), fraction[1]
    if i < n and bare and (mixed := with_part(tokens.low, i, value)) is not None:
        return Number(mixed[0], mixed[0] / 1000), mixed[1]
    power = _power(tokens, i, value)
    if power is not None:
        factor, i = power
        return Number(value * factor, step * factor), i
    if scale := _scaled(tokens, i):
        factor = Fraction(10**scale)
        return Number(value * factor, step * factor, scale=factor), i + 1
    if i < n and tokens.low[i] == "dozen":
        return Number(value * 12), i + 1
    return Number(value, step, bare=bare, digits="" if pointed else tokens.text[i - 1]), i


def _scaled(tokens: Tokens, i: int) -> int:
    """Return the power of ten of the word or letter at i: 6 for "million", 3 for the k in 5k; 0 for no such word."""
    if i >= len(tokens.low):
        return 0
    scale = SCALES.get(tokens.low[i])
    if scale is None and tokens.low[i] == "hundred":
        return 2
    if scale is None and tokens.glued[i]:
        scale = _SUFFIXES.get(tokens.text[i])
    return scale or 0


def _fraction(tokens: Tokens, i: int) -> tuple[Fraction, int] | None:
    """Read 3/4 at i: a numerator, a slash, a denominator from 2 to 1000, and nothing glued to it."""
    if i + 2 >= len(tokens.low) or tokens.low[i + 1] != "/":
        return None
    over, under = tokens.text[i], tokens.text[i + 2]
    if not (over.isdecimal() and under.isdecimal() and len(over) < 7 and len(under) < 5 and 1 < int(under) <= 1000):
        return None
    if i + 3 < len(tokens.low) and tokens.low[i + 3] in ("/", ":"):
        return None
    if under[0] == "0" or (len(over) == 4 and over[0] in "12" and len(under) == 2):
        return None  # 1855/03, 1939/45
    return Fraction(int(over), int(under)), i + 3


def _power(tokens: Tokens, i: int, base: Fraction) -> tuple[Fraction, int] | None:
    """Read what makes 10^6, 1e6 or 5 x 10^6 of the number before i: the factor, and the position after it."""
    low, text, n = tokens.low, tokens.text, len(tokens.low)
    times = i + 3 < n and low[i] in ("x", "*") and text[i + 1] == "10" and low[i + 2] == "^"
    if times:
        at, base, whole = i + 3, Fraction(10), Fraction(1)
    elif i + 1 < n and low[i] == "^" and base <= 1000 and base.denominator == 1:
        at, whole = i + 1, Fraction(1) / base if base else Fraction(1)
    elif i + 1 < n and low[i] == "e" and tokens.glued[i] and tokens.glued[i + 1]:
        at, base, whole = i + 1, Fraction(10), Fraction(1)
    else:
        return None
    sign = -1 if low[at] == "-" else 1
    at += low[at] in ("-", "+")
    if at >= n or not text[at].isdecimal() or len(text[at]) > 2 or int(text[at]) > _LARGEST_POWER or not base:
        return None
    return whole * base ** (sign * int(text[at])), at + 1


def _round_step(value: Fraction, step: Fraction) -> Fraction:
    """Return the last place of a whole number that may be exact: 100 for 24,900, but 1 for 240."""
    return step if value.denominator != 1 or abs(value) < _SMALLEST_ROUND else last_place(value)


def last_place(value: Fraction) -> Fraction:
    """Return the unit of the last digit of a whole number that is not 0: 100 for 24,900."""
    digits = str(abs(value.numerator))
    return Fraction(10 ** (len(digits) - len(digits.rstrip("0"))))
