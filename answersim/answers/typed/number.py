"""Numbers and ordinals in digits or words: 1,500; 1.5 million; 3/4; 10^6; eleven; twenty-first."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from answersim.answers.typed.tokens import Tokens, token_pattern
from answersim.answers.typed.words import SCALES, spelled, with_part

_MOST_DIGITS = 30
_LARGEST_POWER = 40
_MINUS = ("minus", "negative")
_SMALLEST_ROUND = 1000  # a count below it is exact; from it on, zeros at the end may come from rounding
_COMMAS, _POINTS, _MARKS = (rf"[1-9]\d{{0,2}}(?:{sign}\d{{2,3}})*{sign}\d{{3}}" for sign in (",", r"\.", "'"))
# 1,500.25 and 1,500; 1500.25, and 1500,25, which has no group; 1'500.25; 1.500,25 and 1.500.000
_SEPARATED = re.compile(rf"(?P<whole>{_COMMAS}(?=\.|\Z)|\d+|{_MARKS}|{_POINTS}(?=,|\Z))(?:[.,](?P<decimals>\d+))?")
_ORDINAL = token_pattern(r"(?<=~)(?:st|nd|rd|th) ")
# 3/4, but not 3/4/5, 1855/03 and 1939/45; and what makes 10^6, 1e6 or 5 x 10^6 of the number before it
_FRACTION = token_pattern(r"(?![12]\d{3} / \d\d )(?P<over>\d{1,6}) / (?P<under>(?!1 )[1-9]\d{0,2}|1000) (?![/:] )")
_POWER = token_pattern(r"(?:[x*] 10 \^ |(?P<root>\^ )|(?<=~)e~)(?P<sign>[-+] )?(?P<exponent>\d\d?) ")
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
    def number(self) -> Number:
        """The number itself, as of a quantity."""
        return self

    def with_number(self, **changes: Any) -> Number:
        """Return the number with changes."""
        return replace(self, **changes)

    @property
    def as_fraction(self) -> bool:
        """Whether it is written as a fraction, in digits or words: 3/4, three quarters, one in five."""
        return self.value.denominator > 1 and self.step * 1000 == self.value

    @property
    def measured(self) -> bool:
        """Whether it may be a measured value: it has decimals, or at least four digits."""
        over, under = self.value.as_integer_ratio()
        return (under > 1 and not self.as_fraction) or abs(over) >= _SMALLEST_ROUND * under

    @property
    def kind(self) -> str:
        """The kind of the value."""
        return "ordinal" if self.ordinal else "number"

    @property
    def year_like(self) -> bool:
        """Whether the number is written as years are: four digits without a separator."""
        over, under = self.value.as_integer_ratio()
        return self.bare and 1000 * under <= over <= 2100 * under

    def __str__(self) -> str:
        digits = plain(self.value) + ("." if self.ordinal else "")
        return f"{_SHOWN[self.hedge]}{digits}{' ' if self.noun else ''}{self.noun}"


def plain(value: Fraction) -> str:
    """Return a number as text."""
    if value.denominator == 1:
        return f"{value.numerator:,}" if abs(value.numerator) >= 10_000 else str(value.numerator)
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
    if i not in tokens.numbers:
        tokens.numbers[i] = _scanned(tokens, i, lang)
    scanned: tuple[Number, int] | None = tokens.numbers[i]
    return scanned


def _scanned(tokens: Tokens, i: int, lang: str) -> tuple[Number, int] | None:
    start, n, low = i, len(tokens.low), tokens.low
    following = low[i + 1] if i + 1 < n else " "
    if low[i] in _MINUS:
        after = scan_number(tokens, i + 1, lang) if following not in (*_MINUS, "-", " ") else None
        if after is None or after[0].ordinal:
            return None
        return replace(after[0], value=-after[0].value, bare=False, digits=""), after[1]
    negative = low[i] == "-" and (i == 0 or not tokens.glued[i]) and following[0].isdecimal() and tokens.glued[i + 1]
    i += negative or (low[i] == "+" and following[0].isdecimal())
    if low[i][0].isdecimal():
        result = _digits(tokens, i)
        return (replace(result[0], value=-result[0].value, bare=False), result[1]) if result and negative else result
    words = spelled(low, start)
    if words is None or words.value >= 10**_MOST_DIGITS:
        return None
    year = not words.ordinal and words.value.denominator == 1 and 1100 <= words.value <= 2100
    step = Fraction(1) if words.ordinal else _round_step(words.value, words.step)
    return Number(words.value, step, ordinal=words.ordinal, bare=year), words.end


def in_digits(text: str) -> tuple[Fraction, Fraction] | None:
    """Return the value of digits with separators, and the unit of the last place; None if they are not a number."""
    match = _SEPARATED.fullmatch(text) if len(text) <= _MOST_DIGITS else None
    if match is None:
        return None
    decimals = match["decimals"] or ""
    value = Fraction(int(re.sub("[.,']", "", match["whole"]) + decimals), 10 ** len(decimals))
    return value, Fraction(1, 10 ** len(decimals)) if decimals else _round_step(value, Fraction(1))


def _digits(tokens: Tokens, i: int) -> tuple[Number, int] | None:
    """Read a number that begins with digits."""
    digits = tokens.low[i]
    stated = in_digits(digits)
    if stated is None:
        return None
    (value, step), bare, line, at = stated, digits.isdecimal(), tokens.line, tokens.starts[i + 1]
    i += 1
    if bare and _ORDINAL.match(line, at):
        return Number(value, ordinal=True), i + 1
    if fraction := _FRACTION.match(line, tokens.starts[i - 1]):
        share = Fraction(int(fraction["over"]), int(fraction["under"]))
        return Number(share, share / 1000, digits=f"{fraction['over']}/{fraction['under']}"), i + 2
    if bare and (fraction := _FRACTION.match(line, at)) and int(fraction["over"]) < int(fraction["under"]):
        share = Fraction(int(fraction["over"]), int(fraction["under"]))
        return Number(value + share, share / 1000), i + 3
    if bare and i < len(tokens.low) and (mixed := with_part(tokens.low, i, value)) is not None:
        return Number(mixed[0], mixed[0] / 1000), mixed[1]
    power = _POWER.match(line, at)
    factor = None if power is None else _factor(power, value)
    if power is not None and factor is not None:
        return Number(value * factor, step * factor), tokens.index(power.end())
    word = tokens.low[i] if i < len(tokens.low) else ""
    scale = 2 if word == "hundred" else SCALES.get(word, 0) * (tokens.text[i : i + 1] != ("mN",))
    if scale := scale or (_SUFFIXES.get(tokens.text[i], 0) if word and tokens.glued[i] else 0):  # 5k
        factor = Fraction(10**scale)
        return Number(value * factor, step * factor, scale=factor), i + 1
    if word == "dozen":
        return Number(value * 12), i + 1
    return Number(value, step, bare=bare, digits=digits), i


def _factor(power: re.Match[str], base: Fraction) -> Fraction | None:
    """Return the factor of a power of ten after a number, or of its own power; None if it is too large."""
    exponent = int(power["exponent"])
    if exponent > _LARGEST_POWER or (power["root"] and (not base or base > 1000 or base.denominator > 1)):
        return None
    exponent = -exponent if power["sign"] and power["sign"][0] == "-" else exponent
    return base ** (exponent - 1) if power["root"] else Fraction(10) ** exponent


def _round_step(value: Fraction, step: Fraction) -> Fraction:
    """Return the last place of a whole number that may be exact: 100 for 24,900, but 1 for 240."""
    return step if value.denominator != 1 or abs(value.numerator) < _SMALLEST_ROUND else last_place(value)


def last_place(value: Fraction) -> Fraction:
    """Return the unit of the last digit of a whole number that is not 0: 100 for 24,900."""
    digits = str(abs(value.numerator))
    return Fraction(10 ** (len(digits) - len(digits.rstrip("0"))))
