"""Quantities with a unit, durations and percentages: 12 liters, 5 ft 11 in, 90 minutes, 38 °C, 50 %."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from answersim.typed.comparison import Relation, different, equal, near, no_opinion
from answersim.typed.number import TOLERANCE, Number, compare_values, is_cut_off, last_place, plain, scan_number, spread
from answersim.typed.number_words import proper_fraction
from answersim.typed.tokens import Tokens
from answersim.typed.units import DEGREE, MONTH, NONE, Unit, in_other_units, scan_unit, sizes

_MOST_PARTS = 4  # 3 days 2 hours 5 minutes 1 second
_TENS_OF = frozenset("the mid low lower high upper early late - his her their its".split())
_BELOW_ZERO = [tuple(words.split()) for words in ("below zero", "below freezing", "unter null", "unter 0", "below 0")]
_BELOW_ZERO += [("minus",), ("unter", "dem", "gefrierpunkt")]
_ENGLISH = frozenset(
    "mile foot inch yard hour day week month year decade century pound ounce acre gallon pint cup quart ton "
    "stone".split()
)
_PERSONS = frozenset("kelvin newton joule watt pascal ampere volt hertz ångström angstrom".split())
_CLOSE = Fraction(1, 100)  # the coarser of two last digits decides only if it is at most this share of the quantity
_LARGEST_SHARE = 10  # 175 % is 7/4
_ROUND = 100  # of a measured value, zeros at the end may come from rounding from here on


@dataclass(frozen=True)
class Quantity:
    """A number with a unit of measurement."""

    number: Number  # the number
    unit: Unit  # the unit
    # whether the unit is capitalized as in a title, such as "60 Minutes", which is not converted
    title: bool = field(default=False, compare=False)

    @property
    def kind(self) -> str:
        """The kind of the value: "quantity", "duration" or "percentage"."""
        return self.unit.kind

    def __str__(self) -> str:
        return f"{self.number} {self.unit.name if self.number.value == 1 else self.unit.plural or self.unit.name}"


def scan_quantity(tokens: Tokens, i: int, lang: str) -> tuple[Quantity, int] | None:
    """Read a quantity that begins at token i, with further parts in smaller units of the same dimension."""
    first = _article(tokens, i, lang) or _part(tokens, i, lang)
    if first is None:
        return None
    quantity, i = first
    more = _and_part(tokens, i, lang) if i + 2 < len(tokens.low) else None
    if more is not None:
        value = quantity.number.value + more[0]
        quantity, i = replace(quantity, number=replace(quantity.number, value=value, step=value / 1000)), more[1]
    for _ in range(_MOST_PARTS - 1):
        at = i + (i < len(tokens.low) and tokens.low[i] in ("and", "und", ","))
        following = _part(tokens, at, lang) if at < len(tokens.low) else None
        if following is None:
            break
        smaller, end = following
        unit = smaller.unit
        if unit.dimension != quantity.unit.dimension or unit.factor >= quantity.unit.factor or unit.offset:
            break
        scale = quantity.unit.factor / unit.factor
        number = Number(quantity.number.value * scale + smaller.number.value, smaller.number.step)
        quantity, i = Quantity(number, unit), end
    return quantity, i


def _article(tokens: Tokens, i: int, lang: str) -> tuple[Quantity, int] | None:
    """Read "an hour" of "an hour and a half" or "an hour and 30 minutes"; an article alone is not a number."""
    if tokens.low[i] not in ("a", "an", "eine", "ein", "einer", "einem") or i + 3 >= len(tokens.low):
        return None
    found = scan_unit(tokens, i + 1)
    if found is None or found[1] + 1 >= len(tokens.low) or tokens.low[found[1]] not in ("and", "und"):
        return None
    if _and_part(tokens, found[1], lang) is None and _part(tokens, found[1] + 1, lang) is None:
        return None
    return Quantity(Number(Fraction(1)), found[0]), found[1]


def _and_part(tokens: Tokens, i: int, lang: str) -> tuple[Fraction, int] | None:
    """Read "and a half" after a unit."""
    if tokens.low[i] not in ("and", "und"):
        return None
    part = proper_fraction(tokens, i + 1, lang)
    if part is None or (part[1] < len(tokens.low) and scan_unit(tokens, part[1]) is not None):
        return None
    return part


def _part(tokens: Tokens, i: int, lang: str) -> tuple[Quantity, int] | None:
    number = scan_number(tokens, i, lang)
    if number is None or number[0].ordinal:
        return None
    start, (value, i) = i, number
    n = len(tokens.low)
    i += i + 1 < n and tokens.low[i] == "-" and tokens.glued[i] and tokens.glued[i + 1]  # a 90-minute film
    if i + 1 < n and value.value < 1 and tokens.low[i] in ("a", "an", "of", "einer"):  # half an hour
        i += 1 + (i + 2 < n and tokens.low[i] == "of" and tokens.low[i + 1] in ("a", "an"))
    found = scan_unit(tokens, i) if i < n else None
    if found is None or (tokens.low[i] == "in" and i + 1 < n and tokens.low[i + 1].isalpha() and found[1] == i + 1):
        return None  # 20 in the first year
    if value.year_like and tokens.low[i] == "s" and tokens.glued[i]:
        return None  # the 1890s
    in_tens = start > 0 and tokens.low[start - 1] in _TENS_OF and not value.value % 10
    if in_tens and tokens.low[i] == "s" and tokens.glued[i]:
        return None  # the low 300s
    unit, end = found
    capital = (lang == "en" or tokens.low[i] in _ENGLISH) and _is_capital(tokens.text[i], unit)
    if capital and tokens.low[i][-1] != "s" and tokens.low[i] != "feet" and abs(value.value) != 1:
        return None  # 8 Mile
    i = end
    if unit.offset or unit == DEGREE:
        for words in _BELOW_ZERO:
            if tokens.low[i : i + len(words)] == words:
                return Quantity(replace(value, value=-value.value, bare=False), unit), i + len(words)
    if i < n and tokens.low[i] == "old":
        i += 1
    elif i + 1 < n and tokens.low[i] == "-" and tokens.low[i + 1] == "old":
        i += 2
    return Quantity(replace(value, bare=False), unit, capital), i


def _is_capital(word: str, unit: Unit) -> bool:
    """Return whether a name of a unit is capitalized, unless it comes from a name of a person, or is a percentage."""
    return (
        len(word) > 2
        and word.istitle()
        and not unit.offset
        and unit.dimension != NONE
        and word.casefold().removesuffix("s") not in _PERSONS
    )


def measured_step(number: Number) -> Fraction:
    """Return the last place of a measured number that may be exact: 100 for 500, and 10 for 120."""
    is_round = number.value.denominator == 1 and abs(number.value) >= _ROUND
    return max(number.step, last_place(number.value)) if is_round else number.step


def compare_quantities(gold: Quantity, pred: Quantity) -> Relation:
    """Compare two quantities, after conversion into the unit of the gold answer.

    A unit with several sizes, such as a ton, has its usual one. The rules have no opinion on quantities that differ,
    but agree with another size.

    >>> from answersim.typed.tokens import tokens
    >>> liters, gallons = (scan_quantity(tokens(text), 0, "en")[0] for text in ("12 liters", "12 gallons"))
    >>> compare_quantities(liters, gallons).reason
    '12 gallons (45.4249 liters) is not 12 liters'
    """
    if (gold.title or pred.title) and gold.unit != pred.unit:
        return no_opinion(f"{gold} or {pred} may be a title", gold.kind)
    result = _compare_units(gold, pred)
    if result.relation == "different" and gold.unit != pred.unit:
        for one in sizes(gold.unit):
            for other in sizes(pred.unit):
                again = _compare_units(replace(gold, unit=one), replace(pred, unit=other))
                if again.relation in ("equal", "near"):
                    return no_opinion(f"{gold} and {pred} agree if a unit has another of its sizes", gold.kind)
    return result


def _compare_units(gold: Quantity, pred: Quantity) -> Relation:
    """Compare two quantities whose units have one size each."""
    kind, shown = gold.kind, (str(gold), str(pred))
    steps = (measured_step(gold.number), measured_step(pred.number))
    if DEGREE in (gold.unit, pred.unit) and gold.unit != pred.unit:
        if gold.number.value == pred.number.value and gold.unit.offset + pred.unit.offset:
            return near(f"both are {plain(gold.number.value)} degrees, and one does not state the scale", kind)
        return no_opinion("one of them does not state the scale of its degrees", kind)
    if gold.unit.dimension != pred.unit.dimension:
        return no_opinion(f"{gold.unit.name} and {pred.unit.name} measure different things", kind)
    is_hedged = gold.number.hedged or pred.number.hedged
    if is_hedged and (gold.unit.offset or pred.unit.offset) and gold != pred:
        return no_opinion(f"{shown[1]} may be {shown[0]}, which is not exact", kind)
    if (gold.unit.factor, gold.unit.offset) == (pred.unit.factor, pred.unit.offset):
        return compare_values(gold.number, pred.number, steps, shown, kind)
    value = (pred.number.value * pred.unit.factor + pred.unit.offset - gold.unit.offset) / gold.unit.factor
    step = steps[1] * pred.unit.factor / gold.unit.factor
    converted = f"{shown[1]} ({_rounded(value)} {gold.unit.plural or gold.unit.name})"
    if is_hedged:
        one, other = gold.number, replace(pred.number, value=value)
        return compare_values(one, other, (steps[0], step), (shown[0], converted), kind)
    if value == gold.number.value:
        return equal(f"{converted} is {shown[0]}", kind)
    apart = spread(gold.number.value, value, (steps[0], step))
    tolerated = apart.share <= TOLERANCE or bool(gold.unit.offset or pred.unit.offset)
    digits = _last_digits(gold, pred)
    fine, coarse = min(digits), max(digits)
    if (tolerated and 2 * apart.gap <= fine) or 2 * apart.gap <= coarse <= _CLOSE * abs(value):
        return equal(f"{converted} is {shown[0]}, rounded to the digits that are given", kind)
    if apart.within and tolerated:
        return near(f"{converted} is {shown[0]} after conversion and rounding", kind)
    if apart.within or apart.share <= TOLERANCE:
        return no_opinion(f"{converted} is near {shown[0]}, which may come from rounding", kind)
    return different(f"{converted} is not {shown[0]}", kind)


def _last_digits(gold: Quantity, pred: Quantity) -> list[Fraction]:
    """Return the last digit of each quantity that has one, in the unit of the gold answer; [0] if there is none.

    A month has no fixed length, so that it is not converted into days.
    """
    if MONTH in (gold.unit.factor, pred.unit.factor):
        return [Fraction(0)]
    return [
        min(quantity.number.step, Fraction(1)) * quantity.unit.factor / gold.unit.factor
        for quantity in (gold, pred)
        if not quantity.number.as_fraction
    ] or [Fraction(0)]


def compare_with_number(quantity: Quantity, number: Number, kind: str) -> Relation:
    """Compare a quantity with a number that has no unit: the same number is near, another one is different."""
    if number.noun:
        return no_opinion(f"{number} has no unit of measurement", kind)
    if quantity.number.value == number.value:
        return near(f"both are {plain(number.value)}, and one does not state the unit {quantity.unit.name}", kind)
    if quantity.unit.dimension == NONE and 0 <= number.value <= _LARGEST_SHARE:
        share = replace(quantity.number, value=quantity.number.value * quantity.unit.factor)
        step = quantity.number.step * quantity.unit.factor
        if share.value == number.value and number.as_fraction and not (quantity.number.hedged or number.hedged):
            if number.reducible:
                return no_opinion(f"{number.digits} may be no fraction", kind)
            return equal(f"{quantity} is {plain(number.value)}", kind)
        last = min(number.step, Fraction(1, 10))
        if spread(share.value, number.value, (step, min(last, Fraction(1, 100)))).within:
            return near(f"{quantity} is the share {plain(number.value)}", kind)
        if spread(share.value, number.value, (step, last)).within:
            return no_opinion(f"{quantity} may be the share {plain(number.value)} after rounding", kind)
        if is_cut_off(share, number, (step, number.step)) or is_cut_off(number, share, (number.step, step)):
            return no_opinion(f"{quantity} may be the share {plain(number.value)} without its last decimals", kind)
        if quantity.number.hedged or number.hedged:
            return compare_values(share, number, (step, number.step), (str(quantity), str(number)), kind)
    steps = (measured_step(quantity.number), measured_step(number))
    result = compare_values(quantity.number, number, steps, (str(quantity), str(number)), kind)
    if result.relation == "different" and _in_another_unit(quantity, number):
        return no_opinion(f"{number} may be {quantity} in another unit", kind)
    return result


def _in_another_unit(quantity: Quantity, number: Number) -> bool:
    """Return whether the number may be this quantity in another unit, after rounding."""
    value = float(number.value)
    most = abs(value) * float(TOLERANCE)
    return any(abs(other - value) <= most for other in in_other_units(float(quantity.number.value), quantity.unit))


def _rounded(value: Fraction) -> str:
    return f"{float(value):.6g}"
