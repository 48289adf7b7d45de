"""Numbers and ordinals: 1,500; 1.5 million; 3/4; 10^6; eleven; twenty-first. How two of them are compared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from typing import NamedTuple

from answersim.text import GROUPED_BY_POINT
from answersim.typed.comparison import Relation, different, equal, near, no_opinion
from answersim.typed.number_words import SCALES, spelled, with_part
from answersim.typed.tokens import Tokens

# Two roundings of one value differ by at most this share of the larger one. Beyond it, and within half a unit of the
# last place of the coarser number, the rules have no opinion.
TOLERANCE = Fraction(1, 50)
# An approximate number contradicts one that differs by more than _FAR, or by more than _BEYOND on the side that its
# bound excludes. Within _CLOSE it is near. All are shares of the larger number.
_FAR, _BEYOND, _CLOSE = Fraction(1, 4), Fraction(1, 10), Fraction(1, 20)
_MOST_CUT = Fraction(1, 10)  # decimals that are cut off are at most this share of the number
_MOST_DIGITS = 30
_LARGEST_POWER = 40
_MINUS = ("minus", "negative")
_SMALLEST_ROUND = 1000  # a count below it is exact; from it on, zeros at the end may come from rounding
_GROUPS = {sign: re.compile(rf"[1-9]\d{{0,2}}(?:{sign}\d{{2,3}})*{sign}\d{{3}}") for sign in (",", r"\.", "'")}
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
_HEDGES = {(False, 0): "", (False, 1): "over ", (False, -1): "under "}
_HEDGES |= {(True, 0): "about ", (True, 1): "just over ", (True, -1): "just under "}
_SUFFIXES = {"k": 3, "K": 3, "M": 6, "B": 9, "bn": 9}


@dataclass(frozen=True)
class Number:
    """A number, with the precision to which it is written."""

    value: Fraction  # the number
    # the unit of the last place that may be exact: .01 for 3.14, 100 for 24,900, 1 for 1987
    step: Fraction = Fraction(1)
    noun: str = ""  # what is counted, in lower case; "" if it is not stated
    ordinal: bool = False  # whether it is a place in an order
    about: bool = False  # whether it is called approximate
    bare: bool = False  # whether it is written in digits alone, or in words as years are, so that it may be a year
    scale: Fraction = field(default=Fraction(1), compare=False)  # the factor of a word such as "million" in it
    bound: int = 0  # 1 for "more than" and "at least", -1 for "less than" and "up to", else 0
    # the number as it is written in digits: "02134", "3.10", "6/8"; "" if words or signs belong to it
    digits: str = field(default="", compare=False)

    @property
    def as_fraction(self) -> bool:
        """Whether it is written as a fraction, in digits or words: 3/4, three quarters, one in five."""
        return self.value.denominator > 1 and self.step * 1000 == self.value

    @property
    def reducible(self) -> bool:
        """Whether it is written as a fraction that can be reduced: 6/8, and also 120/80, which may be no fraction."""
        over, slash, _ = self.digits.partition("/")
        return bool(slash) and int(over) != abs(self.value.numerator)

    @property
    def hedged(self) -> bool:
        """Whether it is approximate or a bound."""
        return self.about or self.bound != 0

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
        return f"{_HEDGES[self.about, self.bound]}{shown}{' ' if self.noun else ''}{self.noun}"


class Spread(NamedTuple):
    """How far two numbers are apart."""

    gap: Fraction  # the absolute difference
    share: Fraction  # the difference as a share of the larger one; 0 if both are 0
    within: bool  # whether the difference is at most half a unit of the last place of the coarser number


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


def spread(one: Fraction, other: Fraction, steps: tuple[Fraction, Fraction]) -> Spread:
    """Return how far two numbers with these last places are apart."""
    gap = abs(one - other)
    largest = max(abs(one), abs(other))
    return Spread(gap, gap / largest if largest else Fraction(0), 2 * gap <= max(steps))


def compare_numbers(gold: Number, pred: Number) -> Relation:
    """Compare two numbers without units: counts, plain numbers, ordinals.

    >>> compare_numbers(Number(Fraction(11)), Number(Fraction(12))).relation
    'different'
    """
    kind = gold.kind
    if gold.ordinal != pred.ordinal:
        if gold.value == pred.value:
            return near(f"{pred} is {plain(gold.value)}, once as a number and once as a place in an order", kind)
        if gold.value * pred.value == 1:
            return no_opinion(f"{pred} and {gold} may both be parts", kind)  # one hundredth
        return different(f"{pred} is not {gold}", kind)
    if gold.noun and pred.noun and gold.noun != pred.noun:
        return no_opinion(f"it is unclear whether {gold.noun!r} and {pred.noun!r} count the same", kind)
    result = compare_values(gold, pred, (gold.step, pred.step), (str(gold), str(pred)), kind)
    if result.relation == "equal" and gold.digits != pred.digits and _may_be_names(gold, pred):
        return no_opinion(f"{gold.digits or gold} and {pred.digits or pred} may be names, and not values", kind)
    if result.relation == "equal" and bool(gold.noun) != bool(pred.noun):
        return equal(f"both are {plain(gold.value)}; one does not name what is counted", kind)
    return result


def _may_be_names(gold: Number, pred: Number) -> bool:
    """Return whether numbers of one value may name two things: 02134 and 2134, 6/8 and 3/4, version 3.10 and 3.1."""
    decimals = [number.digits.replace(",", ".").partition(".")[2] for number in (gold, pred)]
    return (
        gold.reducible
        or pred.reducible
        or is_code(gold.digits)
        or is_code(pred.digits)
        or (all(0 < len(places) < 3 for places in decimals) and abs(gold.value) >= 1)
    )


def is_code(digits: str) -> bool:
    """Return whether digits begin with a zero that a value does not need: 007, 02134."""
    return digits[:1] == "0" and len(digits) > 1 and digits.isdecimal()


def compare_values(
    gold: Number, pred: Number, steps: tuple[Fraction, Fraction], shown: tuple[str, str], kind: str
) -> Relation:
    """Compare two numbers in one unit. ``steps``: the last place of each that may be exact, in this unit."""
    if gold.value == pred.value:
        if (gold.about, gold.bound) != (pred.about, pred.bound):
            return near(f"both are {plain(gold.value)}, but one is approximate", kind)
        if gold.bound and not gold.about:
            return near(f"both are {shown[0]}, and one may contain {plain(gold.value)} itself", kind)
        return equal(f"both are {shown[0]}", kind)
    if gold.hedged or pred.hedged:
        return _compare_hedged(gold, pred, steps, shown, kind)
    apart = spread(gold.value, pred.value, steps)
    if apart.within and apart.share <= TOLERANCE:
        return near(
            f"{shown[1]} is {shown[0]} after rounding: they differ by {float(apart.share) * 100:.2g} %, and up to "
            f"{float(TOLERANCE):.0%} is tolerated".replace("2%", "2 %"),
            kind,
            float(apart.gap / abs(gold.value)) if gold.value else inf,
        )
    if apart.within:
        return no_opinion(
            f"{shown[1]} may be {shown[0]} after rounding, but they differ by {float(apart.share) * 100:.2g} %", kind
        )
    if is_cut_off(gold, pred, steps) or is_cut_off(pred, gold, steps[::-1]):
        return no_opinion(f"one of {shown[1]} and {shown[0]} may be the other one without its last decimals", kind)
    return different(f"{shown[1]} is not {shown[0]}", kind)


def is_cut_off(short: Number, exact: Number, steps: tuple[Fraction, Fraction]) -> bool:
    """Return whether the first number may be the second one without its last decimals: 0.66 of 2/3, 66 of 66.7."""
    step, value = steps[0], abs(exact.value)
    if step > 1 or steps[1] >= step or short.as_fraction or (short.value < 0) != (exact.value < 0):
        return False
    if value // step * step != abs(short.value):
        return False
    most = TOLERANCE if step == 1 else _MOST_CUT
    return (step < 1 and exact.as_fraction) or value - abs(short.value) <= most * value


def _compare_hedged(
    gold: Number, pred: Number, steps: tuple[Fraction, Fraction], shown: tuple[str, str], kind: str
) -> Relation:
    """Compare two numbers in one unit of which one is approximate or a bound."""
    if not gold.value or not pred.value:
        return no_opinion(f"{shown[1]} may be {shown[0]}, which is not exact", kind)
    close = [_limits(number, step, 0, _CLOSE) for number, step in zip((gold, pred), steps, strict=True)]
    if max(low for low, _ in close) <= min(high for _, high in close):
        return near(f"{shown[1]} and {shown[0]} agree, and one is not exact", kind)
    wide = [_limits(number, step, _BEYOND, _FAR) for number, step in zip((gold, pred), steps, strict=True)]
    if max(low for low, _ in wide) <= min(high for _, high in wide):
        return no_opinion(f"{shown[1]} is near {shown[0]}, which is not exact", kind)
    return different(f"{shown[1]} is far from {shown[0]}", kind)


def _limits(number: Number, step: Fraction, beyond: Fraction | int, far: Fraction) -> tuple[Fraction, Fraction]:
    """Return the smallest and the largest value that a number may mean.

    ``number``: the number. Only its own hedges widen it. ``beyond``: the share of the larger number that is tolerated
    on the side that a bound excludes. ``far``: the same on the other side. It is not used there if a bound is not near.
    """
    value, size = number.value, abs(number.value)
    if not number.hedged:
        return value - step / 2, value + step / 2
    shares = [beyond if number.bound == side else far for side in (1, -1)]
    low, high = value - size * shares[0], value + size * shares[1] / (1 - shares[1])
    if value < 0:
        low, high = value - size * shares[0] / (1 - shares[0]), value + size * shares[1]
    if not number.about and number.bound > 0:
        high = max(high, Fraction(10**_LARGEST_POWER)) if beyond else value + size
    if not number.about and number.bound < 0:
        low = min(low, Fraction(-(10**_LARGEST_POWER))) if beyond else value - size / 2
    return low, high


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
        result = _digits(tokens, i, lang)
        if result is None:
            return None
        number, i = result
        return (replace(number, value=-number.value, bare=False), i) if negative else (number, i)
    words = spelled(tokens, start, lang)
    if words is None or words.value >= 10**_MOST_DIGITS:
        return None
    year = not words.ordinal and words.value.denominator == 1 and 1100 <= words.value <= 2100
    step = Fraction(1) if words.ordinal else _round_step(words.value, words.step)
    about = "couple" in tokens.low[start : words.end]
    return Number(words.value, step, ordinal=words.ordinal, bare=year, about=about), words.end


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


def _digits(tokens: Tokens, i: int, lang: str) -> tuple[Number, int] | None:
    n, pointed = len(tokens.low), tokens.low[i] == "."
    if pointed:
        found = in_digits("0." + tokens.text[i + 1], "en") if tokens.text[i + 1].isdecimal() else None
        i += 1
    else:
        found = in_digits(tokens.text[i], lang)
    if found is None:
        return None
    (value, step), bare = found, tokens.text[i].isdecimal()
    i += 1
    if i < n and tokens.glued[i] and tokens.low[i] in _ORDINAL_ENDINGS and bare and not _scaled(tokens, i, lang):
        return Number(value, ordinal=True), i + 1
    fraction = _fraction(tokens, i - 1)
    if fraction is not None:
        over, _, under = tokens.text[i - 1 : i + 2]
        return Number(fraction[0], fraction[0] / 1000, digits=f"{over}/{under}"), fraction[1]
    if i + 2 < n and bare and tokens.text[i].isdecimal() and (fraction := _fraction(tokens, i)) and fraction[0] < 1:
        return Number(value + fraction[0], fraction[0] / 1000), fraction[1]
    if i < n and bare and (mixed := with_part(tokens, i, value, lang)) is not None:
        return Number(mixed[0], mixed[0] / 1000), mixed[1]
    power = _power(tokens, i, value)
    if power is not None:
        factor, i = power
        return Number(value * factor, step * factor), i
    if scale := _scaled(tokens, i, lang):
        factor = Fraction(10**scale)
        return Number(value * factor, step * factor, scale=factor), i + 1
    if i < n and tokens.low[i] in ("dozen", "dutzend"):
        return Number(value * 12), i + 1
    return Number(value, step, bare=bare, digits="" if pointed else tokens.text[i - 1]), i


def _scaled(tokens: Tokens, i: int, lang: str) -> int:
    """Return the power of ten of the word or letter at i: 6 for "million", 3 for the k in 5k; 0 for no such word."""
    if i >= len(tokens.low):
        return 0
    if lang == "de" and tokens.text[i] == "billion":
        return 0  # an English word in a German answer may be 10^9 or 10^12
    table = SCALES["de"] if lang == "de" else SCALES["en"]
    scale = table.get(tokens.low[i]) or (SCALES["en"].get(tokens.low[i]) if lang == "de" else None)
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
