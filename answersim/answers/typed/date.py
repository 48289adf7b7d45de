"""Dates and parts of dates: their stated parts, and how two of them are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from answersim.answers.typed.comparison import Relation, different, equal, near, no_opinion, of_hedges

kind = "date"
MONTHS = "january february march april may june july august september october november december".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
SEASONS = "spring summer autumn winter".split()
_CROSSING = {SEASONS.index("summer"), SEASONS.index("winter")}  # they can begin in one year and end in the next
_MOST_SHOWN = 4  # readings of an ambiguous date in a message
_PRECISIONS = "century decade year season month day".split()  # from the coarsest to the finest
_NEAR = 20  # years: an approximate date contradicts one that is further away


class Day(NamedTuple):
    """The parts of a date that are stated; None for the others.

    Years before Christ are negative. A season is 0 for spring to 3 for winter. It states no months, because they depend
    on the hemisphere, and a summer or winter can belong to two years.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    season: int | None = None

    def __str__(self) -> str:
        words = [DAYS[self.weekday].title()] if self.weekday is not None else []
        words += [MONTHS[self.month - 1].title()] if self.month else []
        words += [str(self.day)] if self.day else []
        words += [SEASONS[self.season]] if self.season is not None else []
        if self.year is not None:
            words += [str(self.year) if self.year > 0 else f"{-self.year} BC"]
        return " ".join(words)


@dataclass(frozen=True)
class Date:
    """A date, or a part of one."""

    readings: tuple[Day, ...]  # what it may mean: one day, or several for 03/04/2021
    # for a decade or a century: its first and last year. The readings are then empty.
    years: tuple[int, int] | None = None
    hedge: str = ""  # as of ``Number``: "~" for "about", ">" for "after", "<" for "before" and "by"
    any_century: bool = False  # whether the century of ``years`` is not stated: "the nineties"

    kind: ClassVar[str] = kind

    @property
    def ambiguous(self) -> bool:
        """Whether it may mean several days."""
        return len(self.readings) > 1

    @property
    def period(self) -> tuple[int, int] | None:
        """Its first and its last year; None if no year is stated, or several."""
        if self.years is not None:
            return self.years
        years = {day.year for day in self.readings}
        year = years.pop() if len(years) == 1 else None
        return None if year is None else (year, year)

    @property
    def precision(self) -> str:
        """Its finest stated part, such as "month"; "" if it has several readings, or years of another span."""
        if self.years is not None:
            return {9: "decade", 99: "century"}.get(self.years[1] - self.years[0], "")
        if len(self.readings) != 1:
            return ""
        day = self.readings[0]
        parts = {
            "day": day.weekday if day.day is None else day.day,
            "month": day.month,
            "season": day.season,
            "year": day.year,
        }
        return next((part for part, stated in parts.items() if stated is not None), "")

    def __str__(self) -> str:
        if self.years is not None:
            return f"{self.years[0]} to {self.years[1]}"
        days = [str(day) for day in self.readings]
        return " or ".join(days if len(days) <= _MOST_SHOWN else [days[0], "...", days[-1]])


def compare_dates(gold: Date, pred: Date, asked: str = "") -> Relation:
    """Compare two dates by their stated parts.

    ``asked``: the part that the question asks for, such as "year"; "" for none. Finer parts then do not count.
    """
    result = _compare(gold, pred)
    if not asked or result.rule != "period" or gold.hedge or pred.hedge:
        return result
    both, enough = (gold.precision, pred.precision), _PRECISIONS[_PRECISIONS.index(asked) :]
    is_answer = asked in both and all(part in enough for part in both)
    return equal(f"{pred} and {gold} are in the same {asked}", kind) if is_answer else result


def _compare(gold: Date, pred: Date) -> Relation:
    if gold.years is not None or pred.years is not None:
        return _compare_periods(gold, pred)
    alike = gold.hedge == pred.hedge and gold.hedge not in ("<", ">")
    if gold.readings == pred.readings and alike:
        return equal(f"both are {gold}", kind)
    relations = {_relation(one, other) for one in gold.readings for other in pred.readings}
    if relations == {"different"}:
        return _approximate(gold, pred) if gold.hedge or pred.hedge else different(f"{pred} is not {gold}", kind)
    if "unrelated" in relations:
        return no_opinion(f"{pred} and {gold} state different parts of a date", kind)
    if (gold.ambiguous or pred.ambiguous) and relations != {"near"}:
        reason = f"a date is ambiguous: it means {gold if gold.ambiguous else pred}"
        if "equal" in relations and alike and gold.ambiguous != pred.ambiguous:
            return near(reason, kind, rule="period")
        return no_opinion(reason, kind, rule="alternatives")
    if relations == {"equal"} or {gold.hedge, pred.hedge} == {"<", ">"}:
        return of_hedges(gold.hedge, pred.hedge, str(gold), kind)
    return near(f"{pred} and {gold} agree in what both state, and one is less precise", kind, rule="period")


def _relation(one: Day, other: Day) -> str:
    if (one.season, other.season) != (None, None) and one.year is not None and other.year is not None:
        return _season_relation(one, other, abs(one.year - other.year))
    both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if any(a != b for a, b in both):
        return "different"
    if not both:
        return "unrelated"
    same_day = one[:3] == other[:3] and one.day is not None  # the weekday adds nothing to it
    return "equal" if same_day or one == other else "near"


def _season_relation(one: Day, other: Day, years: int) -> str:
    """Compare two dates of which one is a season, by the years between them."""
    if years:
        return "unrelated" if years == 1 and {one.season, other.season} & _CROSSING else "different"
    if one.season is None or other.season is None:
        return "near" if one.month == other.month else "unrelated"
    return "equal" if one.season == other.season else "different"


def _approximate(gold: Date, pred: Date) -> Relation:
    one, other = gold.period, pred.period
    if one is not None and other is not None and not (gold.any_century or pred.any_century):
        later = other[0] - one[1] > _NEAR and gold.hedge != ">" and pred.hedge != "<"
        earlier = one[0] - other[1] > _NEAR and gold.hedge != "<" and pred.hedge != ">"
        if later or earlier:
            return different(f"{pred} is far from {gold}", kind)
    return no_opinion(f"{pred} is near {gold}, which is not exact", kind)


def _compare_periods(gold: Date, pred: Date) -> Relation:
    one, other = gold.period, pred.period
    if one is None or other is None:
        return no_opinion("one of the dates has no year", kind)
    if gold.hedge or pred.hedge:
        if max(one[0], other[0]) <= min(one[1], other[1]):
            if {gold.hedge, pred.hedge} == {"<", ">"}:
                return of_hedges(gold.hedge, pred.hedge, str(gold), kind)
            return near(f"{pred} and {gold} agree, and one is not exact", kind, rule="hedge")
        return _approximate(gold, pred)
    if one == other:
        return equal(f"both are {gold}", kind)
    if (one[0] <= other[0] and other[1] <= one[1]) or (other[0] <= one[0] and one[1] <= other[1]):
        return near(f"{pred} and {gold} agree, and one is less precise", kind, rule="period")
    if gold.any_century or pred.any_century:
        decades = [{year // 10 % 10 for year in range(max(low, high - 100), high + 1)} for low, high in (one, other)]
        if decades[0] & decades[1]:
            return no_opinion(f"{pred} and {gold} may be in two centuries", kind)
    elif 1 in (other[0] - one[1], one[0] - other[1]) and {one[1] - one[0], other[1] - other[0]} == {0, 99}:
        return no_opinion(f"{pred} is next to {gold}", kind)
    if one[1] < other[0] or other[1] < one[0]:
        return different(f"{pred} is outside {gold}", kind)
    return no_opinion(f"{pred} and {gold} overlap", kind)
