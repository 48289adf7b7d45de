"""The grammar of numbers in English words: "nineteen eighty-four"."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from answersim.answers.typed.vocabulary import listed, meanings, numbers

_MOST_DECIMALS = 20
_AFTER_PART = frozenset(". , ; : ! ? ) \" ' of".split())
NUMBERS = numbers("number", "en")
SCALES = numbers("scale", "en")  # powers of ten
PARTS = numbers("part", "en")
ORDINALS = numbers("ordinal", "en")
GROUPS = numbers("group")  # a dozen, a score
ARTICLES = frozenset(meanings("article", "en"))
_ALONE = frozenset("hundred thousand million billion trillion".split()) | frozenset(GROUPS)
_DIGITS = NUMBERS | numbers("nought")
_VALUES = {word: 10**power for word, power in SCALES.items()} | GROUPS | ORDINALS | NUMBERS
# Words after a number that multiply or divide it. A number before one of them is not the value that is meant.
MULTIPLIERS = listed("multiplier") | frozenset(PARTS)
NUMBER_WORDS = frozenset({*NUMBERS, *ORDINALS, *PARTS, *GROUPS, "thousand"})


class Spelled(NamedTuple):
    """A number that was read from words."""

    value: Fraction  # the number
    end: int  # the position after the last token
    ordinal: bool = False  # whether it is a place in an order
    step: Fraction = Fraction(1)  # the last place that is stated: .1 for "one point five"


def is_plural_number(word: str) -> bool:
    """Return whether the word is a plural such as "fives" and "sixes"."""
    return word.endswith("s") and (word[:-1] in NUMBERS or word[:-2] in NUMBERS)


def is_point(low: tuple[str, ...], i: int) -> bool:
    """Return whether "point five" or "point oh seven" begins at i."""
    return low[i] == "point" and i + 1 < len(low) and _DIGITS.get(low[i + 1], 10) < 10


def spelled(low: tuple[str, ...], i: int) -> Spelled | None:
    """Read a number in words that begins at token i."""
    if (result := _part_of_one(low, i)) is not None:
        return result
    if is_point(low, i):
        return _with_fraction(low, i, Fraction(0))
    article = low[i] in ARTICLES and i + 1 < len(low) and low[i + 1] in _ALONE
    if low[i] == "score" or (low[i] in GROUPS and len(low) > 1):
        return None
    number = _whole(low, i + article)
    if number is None or number.ordinal:
        return None if article else number
    value, end = number.value, number.end
    following = low[end : end + 1]
    if 11 <= value <= 20 and following in (("oh",), ("o",)):  # nineteen oh-six
        at = end + 1 + (low[end + 1 : end + 2] == ("-",))
        digit = NUMBERS.get(low[at], 0) if at < len(low) else 0
        return Spelled(value * 100 + digit, at + 1) if 0 < digit < 10 else number
    if following and following[0] in GROUPS and value < 1000:
        value, end = value * GROUPS[low[end]], end + 1
    scale = GROUPS.get(low[end - 1], 10 ** SCALES.get(low[end - 1], 0))
    part = proper_fraction(low, end + 1) if low[end : end + 1] == ("and",) else None
    if part is not None and low[end - 1] == "hundred":
        return None  # a hundred and a half is 100.5 or 150
    if part is not None and scale > 1:  # a million and a half
        return Spelled(value + part[0] * scale, part[1], step=part[0] * scale / 1000)
    return _with_fraction(low, end, value)


def _whole(low: tuple[str, ...], i: int) -> Spelled | None:
    """Read a whole number: the value of the scales so far, and the one since the last scale."""
    total, current, smallest, joint = 0, -1, 18, ""
    result: Spelled | None = None
    while i < len(low):
        word = low[i]
        comma = word == "," and low[i - 1] in SCALES and {"hundred", "hundredth"} & {*low[i + 2 : i + 5]}
        if result is not None and not joint and (word in ("and", "-") or comma):
            joint, i = word, i + 1
            continue
        value, power, ordinal = _VALUES.get(word), SCALES.get(word, 0), word in ORDINALS
        if value is None:
            break
        if current == -1 and not ordinal and value >= 100 and word not in _ALONE:
            return None  # millions of people
        if power or value >= 1000:
            if current == 0 or (power and power >= smallest) or (joint and joint != "-"):
                break
            total, current, smallest = total + max(current, 1) * value, 0, power or smallest
        else:
            merged = _merged(current, value, joint, smallest < 18)
            if merged is None or (word in GROUPS and current != -1):
                break
            current = merged
        i, joint = i + 1, ""
        result = Spelled(Fraction(total + max(current, 0)), i, ordinal)
        if ordinal:
            break
    return result


def _merged(current: int, value: int, joint: str, scaled: bool) -> int | None:
    """Return the number below a thousand after another word, or None if the word begins another number."""
    rest = current % 100
    if value == 100:
        return 100 if current in (-1, 0) else current * 100 if 0 < current < 100 and joint != "and" else None
    if current == -1 or (current == 0 and scaled):
        return value
    if joint == "-" and value >= 10:
        return current * 100 + value if current in (18, 19, 20) and value < 100 else None  # nineteen-eighty: a year
    if (rest == 0 and current >= 100) or (joint != "and" and 0 < value < 10 and rest >= 20 and rest % 10 == 0):
        return current + value
    is_year = not joint and 10 <= current <= 99 and 10 <= value <= 99 and (current >= 11 or value >= 20)
    return current * 100 + value if is_year else None  # nineteen eighty


def _part_of_one(low: tuple[str, ...], i: int) -> Spelled | None:
    """Read "half", "a half", "one third", "one-fifth", "a quarter", "half a million", "half a dozen", "half-dozen"."""
    n, start = len(low), i
    i += low[i] in ARTICLES or low[i] == "one"
    if i == start and low[i] != "half" and low[i] in PARTS:
        return None
    hyphen = i > start and i + 1 < n and low[i] == "-"
    i += hyphen
    if i >= n or low[i] not in PARTS or low[i].endswith("s"):
        return None
    word, value, i = low[i], Fraction(1, PARTS[low[i]]), i + 1
    if (whole := _scale_after(low, i)) is not None:
        return Spelled(value * whole[0], whole[1])
    if word in ORDINALS and (i == start + 1 or not (hyphen or i == n or low[i] in _AFTER_PART)):
        return None  # "third" alone and "a third child" are ordinals
    return None if ORDINALS.get(word, 0) >= 100 and not hyphen else Spelled(value, i, step=value / 1000)


def _scale_after(low: tuple[str, ...], i: int) -> tuple[int, int] | None:
    """Return the factor of "million", "a dozen", "of a million", "-dozen" at i, and the position after it."""
    i += low[i : i + 1] == ("-",)
    i += low[i : i + 1] == ("of",)
    i += i < len(low) and low[i] in ARTICLES
    return (_VALUES[low[i]], i + 1) if i < len(low) and (low[i] in SCALES or low[i] in GROUPS) else None


def proper_fraction(low: tuple[str, ...], i: int) -> tuple[Fraction, int] | None:
    """Read a fraction below 1 at i, and return it with the position after it: 2/3 for "two-thirds"."""
    if low[i : i + 1] == ("half",):
        return Fraction(1, 2), i + 1
    if i + 1 >= len(low):
        return None
    word = low[i]
    over = int(word) if word.isdecimal() and len(word) <= 2 else 1 if word in ARTICLES else NUMBERS.get(word, 0)
    i += 1 + (low[i + 1] == "-" and i + 2 < len(low))
    under = PARTS.get(low[i], 0)
    return (Fraction(over, under), i + 1) if 0 < over < under and (over == 1 or low[i] not in ORDINALS) else None


def with_part(low: tuple[str, ...], i: int, value: Fraction) -> tuple[Fraction, int] | None:
    """Return a whole number with the fraction after it ("and a half"), or as its numerator ("quarters")."""
    at = i + (low[i] == "-" and i + 1 < len(low))
    if low[at] in PARTS and low[at] not in ORDINALS and low[at] not in ("half", "quarter"):
        return (value / PARTS[low[at]], at + 1) if 0 < value < 100 else None
    if low[at] != "and":
        return None
    part = proper_fraction(low, at + 1 + (low[at + 1 : at + 2] == ("-",)))
    return None if part is None else (value + part[0], part[1])


def _with_fraction(low: tuple[str, ...], i: int, value: Fraction) -> Spelled:
    """Read what may follow a whole number: "point five", "and a half", "thirds", "million"."""
    step = Fraction(1)
    if i < len(low) and is_point(low, i):
        i += 1
        while i < len(low) and _DIGITS.get(low[i], 10) < 10 and step.denominator < 10**_MOST_DECIMALS:
            step /= 10
            value, i = value + _DIGITS[low[i]] * step, i + 1
    elif i < len(low) and value.denominator == 1 and (mixed := with_part(low, i, value)) is not None:
        value, i = mixed
        step = value / 1000
    if value.denominator > 1 and (whole := _scale_after(low, i)) is not None:
        return Spelled(value * whole[0], whole[1], step=step * whole[0])
    return Spelled(value, i, step=step)
