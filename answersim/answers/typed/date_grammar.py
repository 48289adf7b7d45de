"""The forms of dates: March 4, 1865; 4 March 1865; 2021-04-03; 03/04/2021; March 1865; the 1980s; Monday."""

from __future__ import annotations

from answersim.answers.typed.date import Date, Day
from answersim.answers.typed.tokens import Tokens
from answersim.answers.typed.vocabulary import numbers
from answersim.answers.typed.words import spelled

_MONTHS, _WEEKDAYS = numbers("month", "en"), numbers("weekday", "en")
_DECADES, _SEASONS = numbers("decade", "en"), numbers("season")
DATE_WORDS = frozenset({*_MONTHS, *_WEEKDAYS, *_DECADES, *_SEASONS})
PARTS = {"early": (0, 40), "mid": (30, 70), "late": (60, 100)}
_AMBIGUOUS = ("may", "march", "mar", "sun", "august")  # also other words, unless a capital letter or a number is near
_CENTURIES = {"seventeen": 17, "eighteen": 18, "nineteen": 19}
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MOST_YEAR = 2999
_HUNDREDS = range(1000, 2100, 100)  # the years that '69 and 7/4/69 may mean are 69 after one of these
_ERAS = {("b", ".", "c", ".", "e"): -1, ("b", ".", "c"): -1, ("a", ".", "d"): 1}
_ERAS |= {("before", "christ"): -1, ("bce",): -1, ("bc",): -1, ("ce",): 1, ("ad",): 1}


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
    if (result := _short_year(toks, i)) is not None:
        return result
    i += low[i] == "'" and i + 1 < n
    for scan in (_season, _decade, _numeric, _year_first, _month_first, _day_first, _period_of_years, _year):
        result = scan(toks, i, lang)
        if result is not None:
            return result
    return None


def _short_year(toks: Tokens, i: int) -> tuple[Date, int] | None:
    """Read '69: a year of any century from the eleventh on."""
    low, n = toks.low, len(toks.low)
    if low[i] != "'" or i + 1 >= n or not toks.glued[i + 1] or not (low[i + 1].isdecimal() and len(low[i + 1]) == 2):
        return None
    if i + 2 < n and toks.glued[i + 2] and low[i + 2] in ("'", "s"):
        return None  # a quotation, or a decade
    return Date(tuple(Day(first + int(low[i + 1])) for first in _HUNDREDS)), i + 2


def _season(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    """Read "spring 1945", "the fall of 2001"."""
    season = _SEASONS.get(toks.low[i])
    year = None if season is None else _year_after(toks, i + 1)
    return None if year is None else (Date((Day(year[0], season=season),)), year[1])


def _decade(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    """Read a decade without a century ("nineties", "90s"), or with one ("nineteen nineties")."""
    low, n = toks.low, len(toks.low)
    hundreds, ten = 0, _DECADES.get(low[i])
    if ten is None and low[i] in _CENTURIES and i + 1 < n:
        hundreds = _CENTURIES[low[i]]
        i += 1 + (low[i + 1] == "-" and i + 2 < n)
        ten = _DECADES.get(low[i])
    elif ten is None and low[i].isdecimal() and len(low[i]) == 2 and low[i] >= "20" and low[i][1] == "0" and i + 1 < n:
        value = int(low[i])
        i += 1 + (low[i + 1] == "'" and i + 2 < n)
        ten = value if toks.glued[i] and low[i] == "s" else None
    if ten is None:
        return None
    first = 100 * (hundreds or 19) + ten
    return Date((), (first, first + 9), any_century=not hundreds), i + 1


def _month_at(toks: Tokens, i: int) -> tuple[int, int] | None:
    """Return the month at i and the position after it, with a period after a short name."""
    month = _MONTHS.get(toks.low[i]) if i < len(toks.low) else None
    if month is None:
        return None
    return month, i + 1 + (len(toks.low[i]) <= 4 and toks.low[i + 1 : i + 2] == (".",) and i + 2 < len(toks.low))


def _year_first(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    """Read "1944 January 8"."""
    month = _month_at(toks, i + 1) if toks.low[i].isdecimal() and len(toks.low[i]) == 4 else None
    day = None if month is None else _day_at(toks, month[1], month[0])
    if month is None or day is None or toks.low[day[1] : day[1] + 1] == (",",):
        return None
    return Date((Day(int(toks.low[i]), month[0], day[0]),)), day[1]


def _month_first(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    result = _month_at(toks, i)
    if result is None:
        return None
    month, at = result
    day = _day_at(toks, at, month)
    year = _year_after(toks, at if day is None else day[1])
    if day is not None:
        return (Date((Day(year[0], month, day[0]),)), year[1]) if year else (Date((Day(None, month, day[0]),)), day[1])
    if year is not None:
        return Date((Day(year[0], month),)), year[1]
    return (Date((Day(None, month),)), at) if toks.text[i][0].isupper() or toks.low[i] not in _AMBIGUOUS else None


def _day_first(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    low, n = toks.low, len(toks.low)
    day = _day_at(toks, i, 1)
    if day is None:
        return None
    value, at = day
    at += at < n and low[at] in (".", "of")
    at += at < n and low[at] == "-" and toks.glued[at]
    month = _month_at(toks, at)
    if month is None or value > _LENGTHS[month[0] - 1]:
        return None
    end = month[1] + (month[1] < n and low[month[1]] == "-" and toks.glued[month[1]])
    year = _year_after(toks, end)
    if year is not None:
        return Date((Day(year[0], month[0], value),)), year[1]
    return Date((Day(None, month[0], value),)), month[1]


def _day_at(toks: Tokens, i: int, month: int) -> tuple[int, int] | None:
    """Return the day of a month at i, in digits or as an ordinal, and the position after it."""
    low, n = toks.low, len(toks.low)
    i += low[i : i + 1] == ("the",)
    if i >= n:
        return None
    if low[i].isdecimal():
        value = int(low[i]) if len(low[i]) <= 2 else 0
        i += 1
        i += i < n and toks.glued[i] and low[i] in ("st", "nd", "rd", "th")
    else:
        words = spelled(toks, i) if low[i][0].isalpha() else None
        if words is None or not words.ordinal:
            return None
        value, i = int(words.value), words.end
    if not 1 <= value <= _LENGTHS[month - 1] or (i < n and toks.glued[i] and low[i] in (":", "%")):
        return None
    return value, i


def _year_after(toks: Tokens, i: int) -> tuple[int, int] | None:
    """Return the year at i, after an optional comma, and the position after it."""
    low, n = toks.low, len(toks.low)
    i += i < n and low[i] in (",", "of", ".")
    if i >= n or not low[i].isdecimal() or len(low[i]) not in (3, 4) or not 100 <= int(low[i]) <= _MOST_YEAR:
        return None
    return _era(toks, int(low[i]), i + 1)


def _era(toks: Tokens, year: int, i: int) -> tuple[int, int]:
    """Return the year with its sign, and the position after "BC", "AD" or "v. Chr."."""
    for words, sign in _ERAS.items():
        if toks.low[i : i + len(words)] == words:
            end = i + len(words)
            return sign * year, end + (toks.low[end : end + 1] == (".",) and "." in words)
    return year, i


def _year(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    """Read a year alone: four digits, or fewer with an era ("44 BC", "AD 79")."""
    low, n = toks.low, len(toks.low)
    ahead = low[i] in ("ad", "anno") and i + 1 < n
    at = i + ahead
    if low[at][0].isalpha() and (words := spelled(toks, at)) is not None:
        is_year = not words.ordinal and words.value.denominator == 1 and 1100 <= words.value <= 2100
        return (Date((Day(int(words.value)),)), words.end) if is_year else None
    if not low[at].isdecimal() or len(low[at]) > 4 or not 0 < int(low[at]) <= _MOST_YEAR:
        return None
    year, end = _era(toks, int(low[at]), at + 1)
    return (Date((Day(year),)), end) if ahead or end > at + 1 or 1000 <= year <= 2100 else None


def _period_of_years(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    """Read a decade ("1980s") or a century ("19th century", "the mid-19th century")."""
    low, n = toks.low, len(toks.low)
    if low[i].isdecimal() and len(low[i]) == 4 and low[i].endswith("0") and i + 1 < n and 1000 <= int(low[i]) <= 2100:
        at = i + 1 + (low[i + 1] == "'" and i + 2 < n)
        if low[at] == "s" and toks.glued[at]:
            first = int(low[i])
            last = first + (99 if first % 100 == 0 else 9)  # the 1900s may be a decade or a century
            return Date((), (first, last)), at + 1
    part = PARTS.get(low[i])
    i += (part is not None) * (1 + (low[i + 1 : i + 2] in (("-",), ("the",))))
    if i >= n:
        return None
    words = spelled(toks, i) if low[i][0].isalpha() else None
    if words is not None and words.ordinal and 0 < words.value < 30:
        value, at = int(words.value), words.end
    elif low[i].isdecimal() and len(low[i]) <= 2 and i + 1 < n and low[i + 1] in ("st", "nd", "rd", "th", "."):
        value, at = int(low[i]), i + 2
    else:
        return None
    at += low[at : at + 1] == ("-",)
    if at >= n or low[at] != "century" or not 0 < value < 30:
        return None
    year, end = _era(toks, value, at + 1)
    first, last = (-value * 100, -(value - 1) * 100 - 1) if year < 0 else ((value - 1) * 100 + 1, value * 100)
    if part is not None:
        return Date((), (first + part[0], first + part[1] - 1), "~"), end
    return Date((), (first, last)), end


def _numeric(toks: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    """Read 2021-04-03, 03/04/2021, 3.4.2021, 1855/03. Both orders of day and month are kept if both are possible."""
    text, n = toks.text, len(toks.low)
    if "." in text[i]:
        parts, end, sign = text[i].split("."), i + 1, "."
        if len(parts) == 2 and end < n and toks.glued[end] and text[end] == ".":  # 3.4.
            parts, end = [*parts, ""], end + 1
            if lang == "en" or end < n:
                return None
    elif i + 4 < n and text[i + 1] == text[i + 3] and text[i + 1] in "/-" and all(toks.glued[i + 1 : i + 5]):
        parts, end, sign = [text[i], text[i + 2], text[i + 4]], i + 5, text[i + 1]
    elif i + 2 < n and text[i + 1] in "/-" and all(toks.glued[i + 1 : i + 3]):
        return _month_and_year(text[i], text[i + 2], text[i + 1], i + 3)
    else:
        return None
    if len(parts) != 3 or not all(part.isdecimal() or part == "" for part in parts) or not parts[0] or not parts[1]:
        return None
    if (end < n and toks.glued[end] and text[end] in (sign, "/", "-")) or max(map(len, parts)) > 4:
        return None
    days = _numeric_days(parts, sign, lang)
    return (Date(days), end) if days else None


def _month_and_year(one: str, other: str, sign: str, end: int) -> tuple[Date, int] | None:
    """Read 1855/03, 03/1855 and 1855-03; 2001/02 may be two years, and 1914-18 too."""
    year, month = (one, other) if len(one) == 4 else (other, one)
    if len(year) != 4 or len(month) != 2 or not (year + month).isdecimal() or not 1 <= int(month) <= 12:
        return None
    may_be_years = sign == "-" and int(month) > int(year) % 100
    if not 1000 <= int(year) <= 2100 or int(month) == (int(year) + 1) % 100 or may_be_years:
        return None
    return Date((Day(int(year), int(month)),)), end


def _numeric_days(parts: list[str], sign: str, lang: str) -> tuple[Day, ...]:
    if len(parts[0]) == 4 and parts[2]:
        orders = [(parts[0], parts[1], parts[2])]
    elif len(parts[2]) in (2, 4, 0):
        orders = [(parts[2], parts[1], parts[0])]
        orders += [(parts[2], parts[0], parts[1])] if sign != "." and lang == "en" else []
    else:
        return ()
    days = []
    for year, month, day in orders:
        if not 1 <= int(month) <= 12 or not 1 <= int(day) <= _LENGTHS[int(month) - 1]:
            continue
        years = [int(year)] if len(year) == 4 else [None] if not year else _HUNDREDS
        days += [Day(y if y is None or len(year) == 4 else y + int(year), int(month), int(day)) for y in years]
    return tuple(dict.fromkeys(days))
