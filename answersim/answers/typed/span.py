"""Times of day, ranges of values, and the words around a value that make it approximate or a bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, TypeAlias, overload

from answersim.answers.typed.amounts import compare_amounts
from answersim.answers.typed.comparison import Relation, different, equal, near, no_opinion, of_hedges
from answersim.answers.typed.date import Date, Day, compare_dates
from answersim.answers.typed.number import Number
from answersim.answers.typed.quantity import Quantity
from answersim.answers.typed.question import NOTHING, Asked
from answersim.answers.typed.tokens import Tokens, token_pattern
from answersim.answers.typed.vocabulary import meanings, numbers
from answersim.answers.typed.words import spelled

CONNECTORS = ("-", "to", "bis", "and", "und", "through", "until", "till")
_HALF_DAY = 12 * 3600
_NEAR = 2 * 3600  # an approximate time contradicts one that is further away
_HOURS = numbers("hour")
CLOCK_WORDS = frozenset(_HOURS) | {"half", "quarter", "halb", "viertel"}
_AFTER_HOUR = (("o'clock",), ("uhr",))
_DIRECTIONS = dict.fromkeys(("past", "after", "nach"), 1) | dict.fromkeys(("to", "before", "vor", "till"), -1)
_AM, _PM = r"am |a \. m (?:\. )?|in the morning ", r"pm |p \. m (?:\. )?|in the (?:afternoon|evening) "
_HALF = token_pattern(rf"(?P<am>{_AM})|{_PM}")
_MILITARY = token_pattern(r"([01]\d|2[0-3])([0-5]\d) hours ")
_DIGITAL = token_pattern(  # 13:05 or 13:05:30, and 1.05 pm
    r"([01]?\d|2[0-4])(?:~:~([0-5]\d)(?:~:~([0-5]?\d)|(?!~:~))"
    rf"|\.([0-5]\d)(?= (?:uhr |hours |o'clock |{_AM}|{_PM}))) "
)
_MOST_WORDS = 4  # of a hedge
_YEAR = 4  # digits


@dataclass(frozen=True)
class Time:
    """A time of day."""

    seconds: int  # seconds since midnight
    sure: bool  # whether the half of the day is stated: "1 pm" and "13:00", but not "1:00" or "one o'clock"
    hedge: str = ""  # as of ``Number``; ">" for "after", "<" for "before" and "by"

    kind: ClassVar[str] = "time"

    def __str__(self) -> str:
        hours, rest = divmod(self.seconds, 3600)
        clock = f"{hours}:{rest // 60:02}" + (f":{rest % 60:02}" if rest % 60 else "")
        return clock if self.sure else f"{clock} (am or pm)"


Single: TypeAlias = "Number | Quantity | Date | Time"


@dataclass(frozen=True)
class Range:
    """All values from one to another of the same kind."""

    low: Single
    high: Single

    kind: ClassVar[str] = "range"

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


KINDS = (Number, Quantity, Date, Time, Range)


def _hedges(place: str) -> dict[tuple[str, ...], tuple[str, bool]]:
    """Return the hedges of a place as tuples of tokens, with their sign, and whether they apply to dates only."""
    return {tuple(phrase.split()): (sign, place == "when") for phrase, sign in meanings(f"hedge {place}").items()}


_BEFORE, _BEHIND = _hedges("when") | _hedges("before"), _hedges("behind")
_STARTS = frozenset(phrase[0] for phrase in _BEFORE)
HEDGE_WORDS = {phrase[0] for phrase in (*_hedges("before"), *_BEHIND) if len(phrase) == 1} - {"c", "min", "max", "gut"}


def leading(low: tuple[str, ...], i: int) -> tuple[str, bool, int] | None:
    """Return the longest hedge that begins at token i, whether it applies to dates and times only, and its end."""
    for end in range(min(i + _MOST_WORDS, len(low)), i, -1) if low[i] in _STARTS else ():
        if (hedge := _BEFORE.get(low[i:end])) is not None:
            return *hedge, end
    return None


def ahead(low: tuple[str, ...], i: int) -> tuple[str, bool] | None:
    """Return the longest hedge that ends before i, and whether it applies to dates and times only."""
    hedges = (_BEFORE.get(low[start:i]) for start in range(max(i - _MOST_WORDS, 0), i))
    return next((hedge for hedge in hedges if hedge is not None), None)


def trailing(low: tuple[str, ...], i: int) -> tuple[str, int] | None:
    """Return the longest hedge of the value before i that begins at i, and the position after it: "300 or so"."""
    ends = range(min(i + _MOST_WORDS, len(low)), i, -1)
    return next(((_BEHIND[low[i:end]][0], end) for end in ends if low[i:end] in _BEHIND), None)


def both(one: str, other: str) -> str:
    """Return what two hedges of one value state together ("about 300 or more")."""
    return one or other if not (one and other) or one == other else "~"


@overload
def hedged(value: Single, hedge: str) -> Single: ...


@overload
def hedged(value: Range, hedge: str) -> Range: ...


def hedged(value: Single | Range, hedge: str) -> Single | Range:
    """Return the value with what the words around it state, such as "about" and "at least"."""
    if isinstance(value, Range):
        return replace(value, low=hedged(value.low, hedge), high=hedged(value.high, hedge))
    return value.with_number(hedge=hedge) if isinstance(value, (Number, Quantity)) else replace(value, hedge=hedge)


def is_when(value: Single | Range) -> bool:
    """Return whether "before" and "by" can state something about the value: a date, a year or a time of day."""
    value = value.low if isinstance(value, Range) else value
    return isinstance(value, (Date, Time)) or (isinstance(value, Number) and value.year_like)


def compare_times(gold: Time, pred: Time) -> Relation:
    """Compare two times of day; without am or pm, those that differ by twelve hours are near."""
    gap = (gold.seconds - pred.seconds) % _HALF_DAY
    hedges = gold.hedge + pred.hedge
    if hedges.strip("~") and not gap and gold.sure == pred.sure:
        return of_hedges(gold.hedge, pred.hedge, str(gold), "time")
    if hedges.strip("~") or (hedges and min(gap, _HALF_DAY - gap) <= _NEAR):
        return no_opinion(f"{pred} is near {gold}, which is not exact", "time")
    if gap:
        return different(f"{pred} is not {gold}", "time")
    if gold.seconds == pred.seconds and gold.sure == pred.sure:
        return equal(f"both are {gold}", "time")
    if gold.sure and pred.sure:
        return different(f"{pred} is twelve hours from {gold}", "time")
    return near(f"{pred} and {gold} agree, and one does not state the half of the day", "time", rule="unit")


def scan_time(toks: Tokens, i: int, lang: str) -> tuple[Time, int] | None:
    """Read a time of day that begins at token i: 13:05, 1 pm, noon, half past two, halb drei, 0815 hours."""
    low = toks.low
    i += low[i] == "12" and low[i + 1 : i + 2] in (("noon",), ("midnight",))
    if low[i] in _HOURS:
        return Time(_HOURS[low[i]] * 3600, True), i + 1
    if match := _MILITARY.match(toks.line, toks.starts[i]):
        return Time(int(match[1]) * 3600 + int(match[2]) * 60, True), i + 2
    if match := _DIGITAL.match(toks.line, toks.starts[i]):
        hours, *rest = (int(part or 0) for part in match.groups())
        seconds = hours * 3600 + (rest[0] or rest[2]) * 60 + rest[1]
        return _with_half(toks, toks.index(match.end()), hours, seconds)
    if (result := _relative(toks, i) or _clock(toks, i, lang)) is not None:
        return result
    number, end = _small(toks, i)
    if number is None or not (low[end : end + 1] in _AFTER_HOUR or _HALF.match(toks.line, toks.starts[end])):
        return None
    return _with_half(toks, end, number, number * 3600)


def _relative(toks: Tokens, i: int) -> tuple[Time, int] | None:
    """Read "half past two", "a quarter to five", "ten past six"; German "halb drei", "Viertel nach fünf"."""
    low, n = toks.low, len(toks.low)
    if low[i] == "halb":
        hours, end = _small(toks, i + 1)
        return None if hours is None else _with_half(toks, end, hours, (hours * 3600 - 1800) % _HALF_DAY)
    at = i + (low[i] == "a" and i + 1 < n)
    named = low[at] in ("half", "quarter", "viertel")
    minutes, at = (30 if low[at] == "half" else 15, at + 1) if named else _small(toks, at, 59)
    at += low[at : at + 1] in (("minutes",), ("minuten",))
    sign = _DIRECTIONS.get(low[at], 0) if at + 1 < n else 0
    if minutes is None or not sign or (low[at] == "to" and not named):
        return None  # ten to twenty is a range
    hours, end = _small(toks, at + 1)
    seconds = ((hours or 0) * 3600 + sign * minutes * 60) % (2 * _HALF_DAY)
    return None if hours is None else _with_half(toks, end, hours, seconds)


def _clock(toks: Tokens, i: int, lang: str) -> tuple[Time, int] | None:
    """Read "deux heures et demie", "a las tres menos cuarto" and "14 Uhr 30", in English words."""
    low, n = toks.low, len(toks.low)
    hours, end = _small(toks, i) if lang != "en" else (None, i)
    if hours is None or end >= n:
        return None
    stated = low[end] in ("hour", "hours", "o'clock", "uhr")
    at = end + stated
    sign = -1 if low[at : at + 1] == ("minus",) else 1
    start = at + (low[at : at + 1] in (("minus",), ("and",)))
    words = low[start : start + 2]
    minutes, after = 0, at
    if words == ("a", "half"):
        minutes, after = 30, start + 2
    elif words == ("a", "quarter") or words[:1] == ("quarter",):
        minutes, after = 15, start + 1 + (words[0] == "a")
    elif stated or start > at:
        number, after_number = _small(toks, start, 59)
        minutes, after = (number, after_number) if number is not None else (0, at)
    led = i > 0 and (low[i - 1] == "at" or (low[i - 1] == "the" and after > at))
    if not stated and not led:
        return None
    return _with_half(toks, after, hours, (hours * 3600 + sign * minutes * 60) % (2 * _HALF_DAY))


def _small(toks: Tokens, i: int, most: int = 24) -> tuple[int | None, int]:
    """Return a whole number up to ``most`` in digits or words, and the position after it; None for no such number."""
    word = toks.low[i] if i < len(toks.low) else ""
    if word.isdecimal():
        return (int(word) if len(word) <= 2 and int(word) <= most else None), i + 1
    words = spelled(toks.low, i) if word.isalpha() else None
    if words is None or words.ordinal or words.value.denominator != 1 or words.value > most:
        return None, i + 1
    return int(words.value), words.end


def _with_half(toks: Tokens, i: int, hours: int, seconds: int) -> tuple[Time, int]:
    """Return a time with the half of the day that is stated at i: "am", "p.m.", "o'clock at night"."""
    i += toks.low[i : i + 1] in (("o'clock",), ("uhr",), ("hours",))
    if toks.low[i : i + 2] == ("at", "night") and 0 < hours <= 12:
        return Time(seconds % _HALF_DAY + (6 <= hours < 12) * _HALF_DAY, True), i + 2
    half = _HALF.match(toks.line, toks.starts[i]) if hours <= 12 else None
    if half is not None:
        return Time(seconds % _HALF_DAY + (half["am"] is None) * _HALF_DAY, True), toks.index(half.end())
    return Time(seconds % (2 * _HALF_DAY), hours > 12 or hours == 0), i


def joined(low: Single, high: Single) -> Range | None:
    """Return the range of two values that were read one after the other, or None if they make none.

    The first one takes the unit and the scale of the second ("38-41 °C", "5 to 10 million"), and a year of two digits
    the century of the first ("1939-45"). The low end must be below the high end.
    """
    if isinstance(low, Date) and isinstance(high, Number) and high.bare and high.value < 100 and low.readings:
        year = low.readings[0]
        if year.year is None or year.month or year.year < 1000:
            return None
        high = Date((Day(year.year // 100 * 100 + int(high.value)),))
    elif isinstance(low, Number) and isinstance(high, Quantity):
        low = Quantity(replace(_scaled(low, high.number), bare=False), high.unit)
    elif isinstance(low, Quantity) and low.unit.is_money and isinstance(high, (Number, Quantity)):
        high = high if isinstance(high, Quantity) else Quantity(replace(high, bare=False), low.unit)
        low = Quantity(_scaled(low.number, high.number), low.unit)
    elif isinstance(low, Number) and isinstance(high, Number):
        low = replace(_scaled(low, high), noun=high.noun)
    ends = scalar(low), scalar(high)
    if type(low) is not type(high) or ends[0] is None or ends[1] is None or not ends[0] < ends[1]:
        return None
    return Range(low, high)


def _scaled(low: Number, high: Number) -> Number:
    """Return the first number of "5 to 10 million" with the factor that the second one states."""
    if low.scale == 1 < high.scale and (low.value < 1000 or low.value < high.scale == 1000):
        return replace(low, value=low.value * high.scale, step=low.step * high.scale, scale=high.scale, bare=False)
    return low


def scalar(value: object) -> Fraction | None:
    """Return a number by which values of one kind are ordered; None if there is no sure order."""
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Quantity):
        return value.number.value * value.unit.factor + value.unit.offset
    if isinstance(value, Time):
        return Fraction(value.seconds)
    if isinstance(value, Date) and len(value.readings) == 1 and value.years is None:
        day = value.readings[0]
        if day.year is not None and day.season is None:
            return Fraction(day.year * 372 + ((day.month or 1) - 1) * 31 + (day.day or 1))
    return None


def compare_singles(gold: Single, pred: Single, hints: Asked = NOTHING) -> Relation | None:
    """Compare two values that are not ranges; None if their kinds have nothing in common."""
    if isinstance(gold, (Number, Quantity)) and isinstance(pred, (Number, Quantity)):
        ordinals = sum(isinstance(value, Number) and value.ordinal for value in (gold, pred))
        return None if ordinals == 1 and type(gold) is not type(pred) else compare_amounts(gold, pred, hints)
    if isinstance(gold, Date) and isinstance(pred, Date):
        return compare_dates(gold, pred, hints.period)
    return compare_times(gold, pred) if isinstance(gold, Time) and isinstance(pred, Time) else None


def compare_ranges(gold: Range, pred: Range, hints: Asked = NOTHING) -> Relation | None:
    """Compare two ranges end by end; None if their kinds have nothing in common."""
    low, high = compare_singles(gold.low, pred.low, hints), compare_singles(gold.high, pred.high, hints)
    if low is None or high is None:
        return None
    if low.relation == high.relation == "equal":
        return equal(f"both are {gold}", "range")
    for relation in ("none", "different"):
        for end in (low, high):
            if end.relation == relation:
                return Relation(end.relation, end.reason, "range", end.error)
    nearest = max((end for end in (low, high) if end.relation == "near"), key=lambda end: end.error)
    return nearest._replace(reason=f"both ends agree: {low.reason}; {high.reason}", kind="range")


def compare_spans(gold: Single | Range, pred: Single | Range, hints: Asked = NOTHING) -> Relation | None:
    """Compare two ranges, two single values, or one of each; None if their kinds have nothing in common."""
    if isinstance(gold, Range):
        if isinstance(pred, Range):
            return compare_ranges(gold, pred, hints)
        return _compare_with_single(gold, pred, hints, names_several=False)
    if isinstance(pred, Range):
        return _compare_with_single(pred, gold, hints, names_several=True)
    return compare_singles(gold, pred, hints)


def _compare_with_single(span: Range, value: Single, hints: Asked, *, names_several: bool) -> Relation | None:
    """Compare a range with a single value. ``names_several``: whether the range is the prediction."""
    if isinstance(value, Number) and value.ordinal != (isinstance(span.low, Number) and span.low.ordinal):
        return None
    ends = compare_singles(span.low, value, hints), compare_singles(span.high, value, hints)
    if ends[0] is None or ends[1] is None:
        return None
    digits = [end.digits for end in (span.low, span.high, value) if isinstance(end, Number)]
    if len(digits) == 3 and digits[2] and digits[2] == digits[0] + digits[1]:
        return no_opinion(f"{value} and {span} may be one number, such as that of a telephone", "range")
    relations = {ends[0].relation, ends[1].relation}
    at, low, high = scalar(value), scalar(span.low), scalar(span.high)
    if "none" in relations or at is None or low is None or high is None:
        return no_opinion(f"it is open whether {value} is in {span}", "range")
    inside = low <= at <= high or relations != {"different"}
    if any((end.number if isinstance(end, Quantity) else end).hedge for end in (span.low, span.high, value)):
        if not inside:
            return different(f"{value} is far from {span}", "range")
        return no_opinion(f"{value} may be in {span}, and one is not exact", "range")
    if isinstance(value, Number) != isinstance(span.low, Number):
        return no_opinion(f"{value} and {span} do not state the same unit", "range")
    if not inside:
        return different(f"{value} is outside {span}", "range")
    if hints.ends and not names_several:
        return different(f"{value} is not {span}, both ends of which the question asks for", "range")
    is_year = isinstance(value, Number) and value.bare and len(value.digits) == _YEAR
    if not is_when(value) and (names_several or not is_year):  # "5-6" names several numbers
        rule = "several" if names_several else "incomplete"
        return no_opinion(f"{span} contains {value}, and other values", "range", rule=rule)
    return near(f"{span} contains {value}, and is less precise", "range", rule="period")
