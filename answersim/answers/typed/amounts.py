"""How two numbers or quantities are compared: exactly, after rounding, after conversion, with a unit that one lacks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf
from typing import NamedTuple

from answersim.answers.typed.comparison import Relation, different, equal, near, no_opinion, of_hedges
from answersim.answers.typed.number import Number, is_code, last_place, plain
from answersim.answers.typed.quantity import (
    ANGLE,
    COIN,
    MONTH,
    PERCENT,
    SHARE,
    TIMES,
    Amount,
    Quantity,
    alike,
    conversions,
)
from answersim.answers.typed.question import NOTHING, Asked

_ROUNDED = Fraction(1, 20)  # two roundings of one value differ by at most this share of it
_WITHIN = Fraction(1, 100)  # two measured values are near if they differ by at most this share
_CONVERTED = Fraction(1, 50)  # two roundings of one value in two units
# An approximate number is near one within _CLOSE of it, and contradicts one that is further away than _FAR, or than
# _BEYOND on the side that it excludes.
_CLOSE, _BEYOND, _FAR = Fraction(1, 20), Fraction(1, 10), Fraction(1, 4)
_MOST_CUT = Fraction(1, 10)  # decimals that are cut off are at most this share of the number
_COMPUTED = Fraction(1, 10**6)  # a decimal with so small a last place, as a share of it, was computed
_EXACT = 10**6  # seven digits before the zeros at the end
_LARGEST_SHARE = 10  # 175 % is 7/4
_ROUND = 100  # of a measured value, zeros at the end may come from rounding from here on
_WITH_CENTS = {"coin", "USD", "EUR", "CAD", "AUD", "HKD"}
# One sign or word of these currencies: $ is the sign of US dollars and of pesos, a franc may be a Swiss one.
_SHARED = [
    set(names.split())
    for names in (
        "USD CAD AUD HKD NZD SGD MXN peso",
        "peso MXN PHP",
        "JPY CNY",
        "CHF franc",
        "krone krona SEK NOK DKK",
        "GBP lira TRY",
        "GBP EGP",
    )
]


class _Side(NamedTuple):
    """One of two numbers in a common unit."""

    number: Number  # the number
    step: Fraction  # its last place that may be exact
    amount: object  # the amount that it is of, or its text


def compare_amounts(gold: Amount, pred: Amount, hints: Asked = NOTHING) -> Relation:
    """Compare two numbers or quantities."""
    result = _compare(gold, pred, hints)
    if hints.scale > 1 and result.relation in ("different", "none"):
        for scaled in ((_times(gold, hints.scale), pred), (gold, _times(pred, hints.scale))):
            again = _compare(*scaled, hints)
            if again.relation in ("equal", "near"):
                reason = f"{pred} is {gold} in the scale that the question states"
                return near(reason, again.kind, 0.0 if again.relation == "equal" else again.error, "scale")
    if hints.precise and result.rule == "tolerance":
        return different(f"{pred} is not {gold}", result.kind, result.error)
    if hints.precise and result.rule == "rounding" and pred.number.step > gold.number.step:
        return no_opinion(f"{pred} has fewer digits than the question states", result.kind, result.error)
    return result


def _times(amount: Amount, scale: Fraction) -> Amount:
    number = amount.number
    return amount.with_number(value=number.value * scale, step=number.step * scale, bare=False, digits="")


def _compare(gold: Amount, pred: Amount, hints: Asked) -> Relation:
    if isinstance(gold, Number) and isinstance(pred, Number):
        return _compare_numbers(gold, pred, hints)
    if isinstance(gold, Quantity) and isinstance(pred, Quantity):
        return _compare_quantities(gold, pred)
    quantity, number = (gold, pred) if isinstance(gold, Quantity) else (pred, gold)
    assert isinstance(quantity, Quantity) and isinstance(number, Number)  # noqa: PT018
    if hints.unit is None or hints.unit.dimension != quantity.unit.dimension:
        return _compare_with_number(gold, pred, quantity, number, hints)
    measured = Quantity(replace(number, bare=False), hints.unit)
    result = _compare_quantities(*((quantity, measured) if quantity is gold else (measured, quantity)))
    if result.relation == "equal":
        return near(f"{result.reason}; the question states the unit", result.kind, 0.0, "unit")
    return result


def _compare_numbers(gold: Number, pred: Number, hints: Asked) -> Relation:
    """Compare two numbers without units: counts, plain numbers, years, ordinals."""
    kind = gold.kind
    if gold.ordinal != pred.ordinal:
        if gold.value == pred.value:
            reason = f"{pred} is {plain(gold.value)}, once as a number and once as a place in an order"
            return near(reason, kind, 0.0, "order")
        if gold.value * pred.value == 1:
            return no_opinion(f"{pred} and {gold} may both be parts", kind)  # one hundredth
        return different(f"{pred} is not {gold}", kind)
    if gold.noun and pred.noun and gold.noun != pred.noun:
        return no_opinion(f"it is unclear whether {gold.noun!r} and {pred.noun!r} count the same", kind)
    years = gold.year_like and pred.year_like
    if years and gold.hedge != pred.hedge:
        return no_opinion(f"{pred} and {gold} may be years, and one is not exact", kind)
    for year, short in ((gold, pred), (pred, gold)):
        if year.year_like and short.bare and len(short.digits) == 2 and year.value % 100 == short.value:
            return no_opinion(f"{short} may be the year {year}", kind)
    codes = [number.digits for number in (gold, pred)]
    if hints.identifier == "version":
        codes = [digits.removesuffix(".0") for digits in codes]
    if hints.identifier and codes[0] != codes[1] and all(codes):
        if gold.value == pred.value and hints.identifier == "code":
            return no_opinion(f"{gold.digits} and {pred.digits} are codes, and not values", kind, rule="symbol")
        return different(f"the {hints.identifier} {pred.digits} is not {gold.digits}", kind)
    fractions = (number for number in (gold, pred) if gold.value == pred.value >= 1 and "/" in number.digits)
    if any(int(number.digits.partition("/")[0]) != abs(number.value.numerator) for number in fractions):  # 120/80
        return no_opinion(f"{gold.digits or gold} and {pred.digits or pred} may be no fractions", kind)
    exact = years or (hints.counts and gold.value.denominator == 1) or bool(hints.identifier)
    exact = exact or is_code(gold.digits) or is_code(pred.digits)
    one, other = (_Side(number, Fraction(1) if years else number.step, number) for number in (gold, pred))
    result = compare_values(one, other, kind, exact=exact)
    if result.relation == "equal" and bool(gold.noun) != bool(pred.noun):
        return equal(f"both are {plain(gold.value)}; one does not name what is counted", kind)
    return result


def compare_values(gold: _Side, pred: _Side, kind: str, *, exact: bool = False, measured: bool = False) -> Relation:
    """Compare two numbers in one unit.

    ``exact``: whether nobody rounds such a number. ``measured``: whether a difference of 1 % may be one of measurement,
    also if the number has neither decimals nor four digits.
    """
    one, other = gold.number, pred.number
    first, second = _as_integer(one.value), _as_integer(other.value)
    gap, size = abs(first - second), abs(first)
    error, largest = float(gap / size) if size else inf, max(size, abs(second))
    if not gap:
        if one.hedge == other.hedge and one.hedge not in ("<", ">"):
            return equal(f"both are {gold.amount}", kind)
        return of_hedges(one.hedge, other.hedge, plain(one.value), kind)
    if one.hedge or other.hedge:
        return _compare_hedged(gold, pred, kind, error)
    if 2 * gap <= max(_as_integer(gold.step), _as_integer(pred.step)):
        computed = min(gold.step, pred.step) <= _COMPUTED * largest or one.as_fraction or other.as_fraction
        computed = computed and one.value.denominator * other.value.denominator > 1
        if gap <= _COMPUTED * largest and computed and not exact:
            return equal(f"{pred.amount} is {gold.amount}, to the last decimal that is given", kind)
        counts = (n.value.denominator == 1 and abs(n.value) < 100 and n.step == 1 for n in (one, other))
        if exact or gap > _ROUNDED * largest or any(counts):  # nobody rounds 5
            return no_opinion(f"{pred.amount} may be {gold.amount} after rounding", kind, error)
        return near(f"{pred.amount} is {gold.amount} after rounding", kind, error, "rounding")
    if not exact and (measured or one.measured) and gap <= _WITHIN * size:
        precise = (n.value.denominator == 1 and abs(n.value) // last_place(n.value) >= _EXACT for n in (one, other))
        if not all(precise):  # 299,792,458 is not rounded
            return near(f"{pred.amount} is within 1 % of {gold.amount}", kind, error, "tolerance")
    if is_cut_off(gold, pred) or is_cut_off(pred, gold):
        reason = f"one of {pred.amount} and {gold.amount} may be the other one without its last decimals"
        return no_opinion(reason, kind, error)
    return different(f"{pred.amount} is not {gold.amount}", kind, error)


def _as_integer(value: Fraction) -> Fraction:
    """Return a whole number as an int, with which Python computes faster; any other value as it is."""
    return value.numerator if value.denominator == 1 else value  # type: ignore[return-value]


def is_cut_off(short: _Side, exact: _Side) -> bool:
    """Return whether the first number may be the second one without its last decimals: 0.66 of 2/3, 66 of 66.7."""
    step, last, value, size = map(_as_integer, (short.step, exact.step, exact.number.value, short.number.value))
    is_other_sign = (size < 0) != (value < 0)
    if step > 1 or last >= step or short.number.as_fraction or is_other_sign:
        return False
    value, size = abs(value), abs(size)
    if value // step * step != size:
        return False
    most = _ROUNDED if step == 1 else _MOST_CUT
    return (step < 1 and exact.number.as_fraction) or value - size <= most * value


def _compare_hedged(gold: _Side, pred: _Side, kind: str, error: float) -> Relation:
    """Compare two unequal numbers in one unit of which one is approximate or a bound."""
    one, other = gold.number, pred.number
    if not one.value or not other.value:
        return no_opinion(f"{pred.amount} may be {gold.amount}, which is not exact", kind, error)
    gap, largest = abs(one.value - other.value), max(abs(one.value), abs(other.value))
    sides = ((one, other), (other, one))
    above = any(">" in number.hedge for number, value in sides if value.value > number.value)
    below = any("<" in number.hedge for number, value in sides if value.value < number.value)
    approximate = any("~" in number.hedge for number, _ in sides)
    inside = above or below
    excluded = any(number.hedge for number, _ in sides) and not inside and not any(n.hedge == "~" for n, _ in sides)
    if gap <= _CLOSE * largest and approximate and not excluded:
        return near(f"{pred.amount} and {gold.amount} agree, and one is not exact", kind, error, "hedge")
    if gap > (_BEYOND if excluded else _FAR) * largest and not (inside and not approximate):
        return different(f"{pred.amount} is far from {gold.amount}", kind, error)
    return no_opinion(f"{pred.amount} may be {gold.amount}, which is not exact", kind, error)


def _side(amount: Amount) -> _Side:
    """Return a measured amount, of which zeros at the end may come from rounding: the step of 500 is 100."""
    number = amount.number
    is_round = number.value.denominator == 1 and abs(number.value) >= _ROUND
    return _Side(number, max(number.step, last_place(number.value)) if is_round else number.step, amount)


def _compare_quantities(gold: Quantity, pred: Quantity) -> Relation:
    """Compare two quantities in the unit of the gold answer; open if they agree with another size of a unit: a ton."""
    if (gold.title or pred.title) and gold.unit != pred.unit:
        return no_opinion(f"{gold} or {pred} may be a title", gold.kind)
    if gold.unit.is_money and pred.unit.is_money and gold.unit.dimension != pred.unit.dimension:
        return _compare_currencies(gold, pred)
    result = _compare_units(gold, pred)
    if result.relation == "different" and gold.unit != pred.unit:
        units = gold.unit, pred.unit
        sizes = [[replace(unit, factor=factor) for factor in (unit.factor, *unit.sizes)] for unit in units]
        for one, other in product(*sizes):
            if _compare_units(replace(gold, unit=one), replace(pred, unit=other)).relation in ("equal", "near"):
                return no_opinion(f"{gold} and {pred} agree if a unit has another of its sizes", gold.kind)
    return result


def _compare_currencies(gold: Quantity, pred: Quantity) -> Relation:
    """Compare two currencies: the same amount differs, and another amount may be the same value at some rate."""
    names = {quantity.unit.dimension.split()[-1] for quantity in (gold, pred)}
    if "coin" in names and names <= _WITH_CENTS:
        return _compare_units(*(replace(side, unit=replace(side.unit, dimension=COIN)) for side in (gold, pred)))
    shared = "coin" in names or any(names <= family for family in _SHARED)
    if gold.number.value * gold.unit.factor == pred.number.value * pred.unit.factor and not shared:
        return different(f"{pred} is not {gold}", "money")
    return no_opinion(f"{gold.unit.name} and {pred.unit.name} have no fixed rate of exchange", "money")


def _compare_units(gold: Quantity, pred: Quantity) -> Relation:
    """Compare two quantities whose units have one size each."""
    kind, one, other = gold.kind, gold.unit, pred.unit
    if ANGLE in (one.dimension, other.dimension) and one != other and SHARE not in (one.dimension, other.dimension):
        if gold.number.value == pred.number.value and one.offset + other.offset:
            value = plain(gold.number.value)
            return near(f"both are {value} degrees, and one does not state the scale", kind, 0.0, "unit")
        return no_opinion("one of them does not state the scale of its degrees", kind)
    if one.dimension != other.dimension:
        if gold.number.value != pred.number.value:
            return no_opinion(f"{one.name} and {other.name} measure different things", kind, rule="dimension")
        if alike(one, other):
            return no_opinion(f"{one.name} and {other.name} may have one name", kind, rule="substitution")
        return different(f"{pred} is not {gold}: {other.name} and {one.name} measure different things", kind)
    if (gold.number.hedge or pred.number.hedge) and (one.offset or other.offset) and gold != pred:
        return no_opinion(f"{pred} may be {gold}, which is not exact", kind)
    share = one.dimension == SHARE
    if (one.factor, one.offset) == (other.factor, other.offset):
        exact = gold.compound and pred.compound  # 11 years and 302 days
        return compare_values(_side(gold), _side(pred), kind, exact=exact, measured=share)
    in_unit = (pred.number.value * other.factor + other.offset - one.offset) / one.factor
    scale = other.factor / one.factor
    converted = replace(pred.number, value=in_unit, step=pred.number.step * scale)
    converted_text = f"{pred} ({float(in_unit):.6g} {one.plural or one.name})"
    sides = _side(gold), _Side(converted, _side(pred).step * scale, converted_text)
    if in_unit == gold.number.value or gold.number.hedge or pred.number.hedge:
        return compare_values(*sides, kind)
    gap, size = abs(in_unit - gold.number.value), max(abs(in_unit), abs(gold.number.value))
    error = float(gap / abs(gold.number.value)) if gold.number.value else inf
    tolerated = gap <= _CONVERTED * size or bool(one.offset or other.offset)
    numbers = () if MONTH in (one.factor, other.factor) else ((gold.number, Fraction(1)), (pred.number, scale))
    steps = [min(number.step, Fraction(1)) * factor for number, factor in numbers if not number.as_fraction]
    fine, coarse = min(steps, default=Fraction(0)), max(steps, default=Fraction(0))
    if (tolerated and 2 * gap <= fine) or 2 * gap <= coarse <= _WITHIN * abs(in_unit):
        return equal(f"{converted_text} is {gold}, rounded to the digits that are given", kind)
    within = 2 * gap <= max(sides[0].step, sides[1].step)
    if (within and tolerated) or (gap <= _WITHIN * size and gold.number.measured):
        return near(f"{converted_text} is {gold} after conversion and rounding", kind, error, "rounding")
    if within or gap <= _CONVERTED * size:
        return no_opinion(f"{converted_text} is close to {gold}, which may come from rounding", kind, error)
    return different(f"{converted_text} is not {gold}", kind, error)


def _compare_with_number(gold: Amount, pred: Amount, quantity: Quantity, number: Number, hints: Asked) -> Relation:
    """Compare a quantity with a number that has no unit, either of which may be the gold answer."""
    unit, kind = quantity.unit, gold.kind
    value = quantity.number.value
    if number.noun or number.ordinal:
        replaced = "substitution" if number.value == value else ""
        return no_opinion(f"{number} has no unit of measurement", kind, rule=replaced)
    if unit.dimension == SHARE:
        return _compare_share(gold, pred, quantity, number, hints)
    if value == number.value:
        if hints.identifier:
            return different(f"the {hints.identifier} {pred} is not {gold}", kind)  # bus 12 and bus 12A
        is_other = hints.unit is not None and not alike(unit, hints.unit)
        if is_other or (hints.counts and unit.is_money):
            return no_opinion(f"the question asks for another unit than {unit.name}", kind, rule="substitution")
        name = f"{'currency' if unit.is_money else 'unit'} {unit.name}"
        return near(f"both are {plain(value)}, and one does not state the {name}", kind, 0.0, "unit")
    if unit.dimension == TIMES:
        return no_opinion(f"{number} may be no number of times", kind)
    if unit.is_money and number.value in (value * 100, value / 100):
        return no_opinion(f"{number} may be {quantity} in coins", kind)
    result = compare_values(_side(gold), _side(pred), kind)
    if result.relation == "different" and any(
        abs(other - float(number.value)) <= abs(float(number.value)) * float(_CONVERTED)
        for other in conversions(float(value), unit)
    ):
        return no_opinion(f"{number} may be {quantity} in another unit", kind)
    return result


def _compare_share(gold: Amount, pred: Amount, quantity: Quantity, number: Number, hints: Asked) -> Relation:
    """Compare a percentage with a number: 20 % and 0.2, 20 % and 20."""
    factor, kind = quantity.unit.factor, gold.kind
    as_number = replace(quantity.number, value=quantity.number.value * factor, step=quantity.number.step * factor)
    if as_number.value == number.value and not (number.hedge or as_number.hedge):
        return equal(f"{quantity} is the share {plain(number.value)}", kind)
    if quantity.number.value == number.value:
        if not hints.share:
            return no_opinion(f"both are {plain(number.value)}, and one is a percentage", kind, rule="percent")
        return near(f"both are {plain(number.value)}, and one has no sign of percent", kind, 0.0, "unit")
    if hints.share and abs(number.value) > 1:  # the sign of percent is missing
        percent = Quantity(number, PERCENT)
        return _compare_units(*((quantity, percent) if quantity is gold else (percent, quantity)))
    if not 0 <= number.value <= _LARGEST_SHARE:
        return different(f"{pred} is not {gold}", kind)
    share, other = _Side(as_number, as_number.step, quantity), _Side(number, min(number.step, Fraction(1, 10)), number)
    return compare_values(*((share, other) if quantity is gold else (other, share)), kind)
