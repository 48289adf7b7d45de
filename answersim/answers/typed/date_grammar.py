"""The forms of dates: March 4, 1865; 4 March 1865; 2021-04-03; 03/04/2021; March 1865; the 1980s; Monday."""

from __future__ import annotations

import re

from answersim.answers.text.patterns import forms
from answersim.answers.typed.date import Date, Day
from answersim.answers.typed.tokens import Tokens, any_of, token_pattern
from answersim.answers.typed.vocabulary import numbers
from answersim.answers.typed.words import NUMBERS, ORDINALS, spelled

_MONTHS, _WEEKDAYS = numbers("month", "en"), numbers("weekday", "en")
_DECADES, _SEASONS = numbers("decade", "en"), numbers("season")
DATE_WORDS = frozenset({*_MONTHS, *_WEEKDAYS, *_DECADES, *_SEASONS})
PARTS = {"early": (0, 40), "mid": (30, 70), "late": (60, 100)}
_AMBIGUOUS = ("may", "march", "mar", "sun", "august")  # also other words, unless a capital letter or a number is near
_CENTURIES = {"seventeen": 1700, "eighteen": 1800, "nineteen": 1900, None: 1900}
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_HUNDREDS = range(1000, 2100, 100)  # the years that '69 and 7/4/69 may mean are 69 after one of these

_WORDS = {"MONTHS": _MONTHS, "DECADES": _DECADES, "SEASONS": _SEASONS, "ORDINALS": ORDINALS, "UNITS": [*ORDINALS][1:10]}
_EXPRESSIONS = forms("typed/date_forms.tsv", {name: any_of(listed) for name, listed in _WORDS.items()})
_FORMS = {name: token_pattern(form) for name, form in _EXPRESSIONS.items()}
_SHORT_YEAR = _FORMS.pop("short year")


def scan_date(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    """Read a date that begins at token i, and return it with the position after it."""
    low, n = toks.low, len(toks.low)
    weekday = _WEEKDAYS.get(low[i]) if toks.text[i][0].isupper() else None
    if weekday is not None:
        at = i + 1
        at += at < n and low[at] in (",", ".")
        at += at < n and low[at] == "the"
        following = scan_date(toks, at, lang) if at < n and low[at] not in _WEEKDAYS else None
        if following and len(following[0].readings) == 1 and following[0].readings[0].day:
            return Date((following[0].readings[0]._replace(weekday=weekday),)), following[1]
        return Date((Day(weekday=weekday),)), i + 1
    i += low[i] == "the" and i + 1 < n
    if (short := _SHORT_YEAR.match(toks.line, toks.starts[i])) is not None:
        return Date(tuple(Day(first + int(short["year"])) for first in _HUNDREDS)), i + 2
    i += low[i] == "'" and i + 1 < n
    for name, form in _FORMS.items():
        match = form.match(toks.line, toks.starts[i])
        date = None if match is None else _date(name, match, toks.text[i][0].isupper(), lang)
        if match is not None and date is not None:
            return date, toks.index(match.end())
    at = i + (low[i] in ("ad", "anno") and i + 1 < n)
    year = spelled(toks.low, at) if low[at][0].isalpha() else None
    if year is None or year.ordinal or year.value.denominator > 1 or not 1100 <= year.value <= 2100:
        return None
    return Date((Day(int(year.value)),)), year.end


def _date(form: str, match: re.Match[str], capital: bool, lang: str) -> Date | None:
    """Return the date that a form states; None if there is no such date. ``capital``: of its first letter."""
    stated = match.groupdict()
    if "first" in stated:
        return _numeric(form, stated["first"], stated["second"], stated.get("third"), stated.get("sign"), lang)
    words = (stated.get("day") or stated.get("ordinal") or "").split()
    day = sum(int(word) if word.isdecimal() else ORDINALS.get(word, NUMBERS.get(word, 0)) for word in words) or None
    sign = -1 if stated.get("bc") else 1
    if form in ("decade", "tens"):
        first = _CENTURIES[stated.get("century")] + _DECADES.get(stated["decade"], 0)
        first += int(stated["decade"]) if form == "tens" else 0
        return Date((), (first, first + 9), any_century=not stated.get("century"))
    if form == "years":  # the 1900s may be a decade or a century
        first = int(stated["years"])
        return Date((), (first, first + (9 if first % 100 else 99)))
    if form == "century":
        if day is None or day >= 30:
            return None
        first = -day * 100 if sign < 0 else (day - 1) * 100 + 1
        start, end = PARTS.get(stated["part"], (0, 100))
        return Date((), (first + start, first + end - 1), "~" if stated["part"] else "")
    year = sign * int(stated["year"]) if stated.get("year") else None
    if form == "year":
        is_usual = 1000 <= int(stated["year"]) <= 2100 or stated["ahead"] or stated["bc"] or stated["ad"]
        return Date((Day(year),)) if is_usual and 0 < int(stated["year"]) <= 2999 else None
    if form == "season":
        return Date((Day(year, season=_SEASONS[stated["season"]]),))
    month = _MONTHS[stated["month"]]
    if "day" in stated and (day is None or day > _LENGTHS[month - 1]):
        return None
    is_name = form != "month" or capital or stated["month"] not in _AMBIGUOUS
    return Date((Day(year, month, day),)) if is_name else None


def _numeric(form: str, one: str, two: str, three: str | None, sign: str | None, lang: str) -> Date | None:
    """Read 2021-04-03, 03/04/2021 (in both orders), 3.4.2021, 1855/03; not 2001/02 and 1914-18, maybe two years."""
    if three is None:
        year, month = (one, two) if len(one) == 4 else (two, one)
        if len(year) != 4 or len(month) != 2 or not 1000 <= int(year) <= 2100 or not 1 <= int(month) <= 12:
            return None
        may_be_years = (sign == "-" and int(month) > int(year) % 100) or int(month) == (int(year) + 1) % 100
        return None if may_be_years else Date((Day(int(year), int(month)),))
    if not three and lang == "en":
        return None
    if len(one) == 4 and three:
        orders = [(one, two, three)]
    elif len(three) in (2, 4, 0):
        orders = [(three, two, one), *([(three, one, two)] if sign and lang == "en" else [])]
    else:
        return None
    days = []
    for year, month, day in orders:
        if not 1 <= int(month) <= 12 or not 1 <= int(day) <= _LENGTHS[int(month) - 1]:
            continue
        years = [int(year)] if len(year) == 4 else [None] if not year else _HUNDREDS
        days += [Day(y if y is None or len(year) == 4 else y + int(year), int(month), int(day)) for y in years]
    return Date(tuple(dict.fromkeys(days))) if days else None
