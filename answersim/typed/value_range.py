"""Ranges: 38-41 °C, 10 to 20, from 1914 to 1918, $5-10 million, 1939-45."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, TypeAlias

from answersim.typed import clock, date, money, number, quantity
from answersim.typed.clock import Time
from answersim.typed.comparison import Relation, different, equal, near, no_opinion
from answersim.typed.date import Date, Day
from answersim.typed.hedge import Hedge
from answersim.typed.money import Money
from answersim.typed.number import Number
from answersim.typed.quantity import Quantity

Single: TypeAlias = "Number | Quantity | Money | Date | Time"
kind = "range"
CONNECTORS = ("-", "to", "bis", "and", "und", "through", "until", "till")


@dataclass(frozen=True)
class Range:
    """All values from one to another of the same kind."""

    low: Single
    high: Single

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


def joined(low: Single, high: Single) -> Range | None:
    """Return the range of two values that were read one after the other, or None if they make none.

    The first one takes the unit of the second ("38-41 °C"), and a year of two digits the century of the first
    ("1939-45"). The low end must be below the high end.
    """
    if isinstance(low, Date) and isinstance(high, Number) and high.bare and high.value < 100 and low.readings:
        year = low.readings[0]
        if year.year is None or year.month or year.year < 1000:
            return None
        high = Date((Day(year.year // 100 * 100 + int(high.value)),))
    elif isinstance(low, Number) and isinstance(high, Quantity):
        low = Quantity(replace(_scaled(low, high.number), bare=False), high.unit)
    elif isinstance(low, Number) and isinstance(high, Money):
        low = Money(replace(_scaled(low, high.number), bare=False), high.currency)
    elif isinstance(low, Money) and isinstance(high, (Number, Money)):
        high = high if isinstance(high, Money) else Money(replace(high, bare=False), low.currency)
        low = Money(_scaled(low.number, high.number), low.currency)
    elif isinstance(low, Number) and isinstance(high, Number):
        low = replace(_scaled(low, high), noun=high.noun)
    ends = scalar(low), scalar(high)
    if type(low) is not type(high) or ends[0] is None or ends[1] is None or not ends[0] < ends[1]:
        return None
    return Range(low, high)


def _scaled(low: Number, high: Number) -> Number:
    """Return the first number of "5 to 10 million" with the factor that the second one states."""
    if (low.scale == 1 and low.value < 1000 < high.scale) or (low.scale == 1 and low.value < high.scale == 1000):
        return replace(low, value=low.value * high.scale, step=low.step * high.scale, scale=high.scale, bare=False)
    return low


def scalar(value: object) -> Fraction | None:
    """Return a number by which values of one kind are ordered; None if there is no sure order."""
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Quantity):
        return value.number.value * value.unit.factor + value.unit.offset
    if isinstance(value, Money):
        return value.number.value
    if isinstance(value, Time):
        return Fraction(value.seconds)
    if isinstance(value, Date) and len(value.readings) == 1 and value.years is None:
        day = value.readings[0]
        if day.year is not None and day.season is None:
            return Fraction(day.year * 372 + ((day.month or 1) - 1) * 31 + (day.day or 1))
    return None


def hedged(value: Single | Range, hedge: Hedge) -> Single | Range:
    """Return the value with what the words around it state, such as "about" and "at least"."""
    if isinstance(value, Range):
        return Range(_hedged(value.low, hedge), _hedged(value.high, hedge))
    return _hedged(value, hedge)


def _hedged(value: Single, hedge: Hedge) -> Single:
    if isinstance(value, (Quantity, Money)):
        return replace(value, number=replace(value.number, about=hedge.about, bound=hedge.bound))
    return replace(value, about=hedge.about, bound=hedge.bound)


def _is_hedged(value: Single) -> bool:
    stated = value.number if isinstance(value, (Quantity, Money)) else value
    return stated.about or stated.bound != 0


def compare_singles(gold: Single, pred: Single) -> Relation | None:
    """Compare two values that are not ranges; None if their kinds have nothing in common."""
    if isinstance(gold, Number) and isinstance(pred, Number):
        if gold.year_like and pred.year_like:  # nobody rounds a year
            gold, pred = replace(gold, step=Fraction(1)), replace(pred, step=Fraction(1))
            if (gold.hedged or pred.hedged) and gold != pred:
                return no_opinion(f"{pred} and {gold} may be years, and one is not exact", gold.kind)
        for year, short in ((gold, pred), (pred, gold)):
            if year.year_like and short.bare and len(short.digits) == 2 and year.value % 100 == short.value:
                return no_opinion(f"{short} may be the year {year}", gold.kind)
        return number.compare_numbers(gold, pred)
    if isinstance(gold, Quantity) and isinstance(pred, Quantity):
        return quantity.compare_quantities(gold, pred)
    if isinstance(gold, Money) and isinstance(pred, Money):
        return money.compare_money(gold, pred)
    if isinstance(gold, Date) and isinstance(pred, Date):
        return date.compare_dates(gold, pred)
    if isinstance(gold, Time) and isinstance(pred, Time):
        return clock.compare_times(gold, pred)
    for one, other in ((gold, pred), (pred, gold)):
        if isinstance(other, Number) and not other.ordinal:
            if isinstance(one, Quantity):
                return quantity.compare_with_number(one, other, gold.kind)
            if isinstance(one, Money):
                return money.compare_with_number(one, other)
    return None


def compare_ranges(gold: Range, pred: Range) -> Relation | None:
    """Compare two ranges end by end; None if their kinds have nothing in common.

    >>> compare_ranges(Range(Number(10), Number(20)), Range(Number(10), Number(25))).relation
    'different'
    """
    ends = compare_singles(gold.low, pred.low), compare_singles(gold.high, pred.high)
    if ends[0] is None or ends[1] is None:
        return None
    relations = {ends[0].relation, ends[1].relation}
    if relations == {"equal"}:
        return equal(f"both are {gold}", kind)
    if "none" in relations:
        return no_opinion(next(end.reason for end in ends if end and end.relation == "none"), kind)
    if "different" in relations:
        return different(next(end.reason for end in ends if end and end.relation == "different"), kind)
    return near(f"both ends agree: {ends[0].reason}; {ends[1].reason}", kind)


def _contains(span: Range, value: Single) -> bool:
    at, low, high = scalar(value), scalar(span.low), scalar(span.high)
    return at is None or low is None or high is None or low <= at <= high


def compare_with_single(span: Range, value: Single, *, is_gold: bool) -> Relation | None:
    """Compare a range with a single value; None if their kinds have nothing in common."""
    if isinstance(value, Number) and value.ordinal != (isinstance(span.low, Number) and span.low.ordinal):
        return None
    ends = compare_singles(span.low, value), compare_singles(span.high, value)
    if ends[0] is None or ends[1] is None:
        return None
    digits = [end.digits for end in (span.low, span.high, value) if isinstance(end, Number)]
    if len(digits) == 3 and digits[2] and digits[2] == digits[0] + digits[1]:
        return no_opinion(f"{value} and {span} may be one number, such as that of a telephone", kind)
    if "none" in (ends[0].relation, ends[1].relation):
        return no_opinion(f"{value} and {span} cannot be compared", kind)
    if any(map(_is_hedged, (span.low, span.high, value))):
        if {ends[0].relation, ends[1].relation} == {"different"} and not _contains(span, value):
            return different(f"{value} is far from {span}", kind)
        return no_opinion(f"{value} may be in {span}, and one is not exact", kind)
    at = scalar(value)
    limits = scalar(span.low), scalar(span.high)
    at_end = {ends[0].relation, ends[1].relation} & {"equal", "near"}
    if at is None or limits[0] is None or limits[1] is None:
        return no_opinion(f"it is not sure whether {value} is in {span}", kind)
    if isinstance(value, Number) != isinstance(span.low, Number):
        return no_opinion(f"{value} and {span} do not state the same unit", kind)
    if limits[0] <= at <= limits[1] or at_end:
        if is_gold:
            return no_opinion(f"{value} is one value of {span}", kind)
        return near(f"{span} contains {value}, and is less precise", kind)
    return different(f"{value} is outside {span}", kind)
