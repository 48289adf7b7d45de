"""The forms of dates: March 4, 1865; 4. März 1865; 2021-04-03; 03/04/2021; March 1865; the 1980s; Monday."""

from __future__ import annotations

from answersim.typed.date import DAYS, MONTHS, Date, Day
from answersim.typed.german_words import GERMAN_TENS
from answersim.typed.number_words import spelled
from answersim.typed.tokens import Tokens

_ENGLISH = (MONTHS, "jan feb mar apr may jun jul aug sep oct nov dec".split())
_GERMAN = (
    "januar februar märz april mai juni juli august september oktober november dezember".split(),
    "jan feb mrz apr mai jun jul aug sep okt nov dez".split(),
)
_MONTHS = {
    lang: {name: i for names in tables for i, name in enumerate(names, start=1)}
    for lang, tables in (("en", _ENGLISH), ("de", _GERMAN))
}
_MONTHS["en"]["sept"] = 9
_MONTHS["de"] |= {"jänner": 1, "feber": 2, "maerz": 3, "sept": 9} | _MONTHS["en"]
_DAYS_BY_LANGUAGE = {"en": DAYS, "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()}
_WEEKDAYS = {lang: {name: i for i, name in enumerate(names)} for lang, names in _DAYS_BY_LANGUAGE.items()}
_WEEKDAYS["de"] |= {"sonnabend": 5} | _WEEKDAYS["en"]
MONTH_WORDS = {lang: frozenset(table) for lang, table in _MONTHS.items()}
WEEKDAY_WORDS = {lang: frozenset(table) for lang, table in _WEEKDAYS.items()}
_AMBIGUOUS = ("may", "march", "mar", "sun", "august")  # also other words, unless a capital letter or a number is near
_CENTURIES = {"seventeen": 17, "eighteen": 18, "nineteen": 19}
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MOST_YEAR = 2999
_HUNDREDS = range(1000, 2100, 100)  # the years that '69 and 7/4/69 may mean are 69 after one of these
_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3} | {
    "frühling": 0, "frühjahr": 0, "sommer": 1, "herbst": 2
}  # fmt: skip
SEASON_WORDS = frozenset(_SEASONS)
_TENS = "twenties thirties forties fifties sixties seventies eighties nineties".split()
_DECADES = {
    "en": {word: 20 + 10 * i for i, word in enumerate(_TENS)},
    "de": {word + end: value for value, word in GERMAN_TENS.items() for end in ("er", "ern", "erjahre", "erjahren")},
}
_DECADES["de"] |= _DECADES["en"]
DECADE_WORDS = {lang: frozenset(table) for lang, table in _DECADES.items()}


def scan_date(tokens: Tokens, i: int, lang: str) -> tuple[Date, int] | None:
    """Read a date that begins at token i, and return it with the position after it."""
    low, n = tokens.low, len(tokens.low)
    weekday = _WEEKDAYS[lang].get(low[i]) if tokens.text[i][0].isupper() or lang == "de" else None
    if weekday is not None:
        at = i + 1
        at += at < n and low[at] in (",", ".")
        at += at < n and low[at] in ("the", "den", "dem", "der")
        following = scan_date(tokens, at, lang) if at < n and low[at] not in _WEEKDAYS[lang] else None
        if following and len(following[0].readings) == 1 and following[0].readings[0].day:
            return Date((following[0].readings[0]._replace(weekday=weekday),)), following[1]
        return Date((Day(weekday=weekday),)), i + 1
    if low[i] in ("the", "der", "die", "den", "dem", "das") and i + 1 < n:
        i += 1
    if (short := _short_year(tokens, i)) is not None:
        return short
    i += low[i] == "'" and i + 1 < n
    for scan in (_season, _decade, _numeric, _month_first, _day_first, _period_of_years, _year):
        result = scan(tokens, i, lang)
        if result is not None:
            return result
    return None


def _short_year(tokens: Tokens, i: int) -> tuple[Date, int] | None:
    """Read '69: a year of any century from the eleventh on."""
    low, n = tokens.low, len(tokens.low)
    if low[i] != "'" or i + 1 >= n or not tokens.glued[i + 1] or not (low[i + 1].isdecimal() and len(low[i + 1]) == 2):
        return None
    if i + 2 < n and tokens.glued[i + 2] and low[i + 2] in ("'", "s", "er", "ern"):
        return None  # a quotation, or a decade
    return Date(tuple(Day(first + int(low[i + 1])) for first in _HUNDREDS)), i + 2


def _season(tokens: Tokens, i: int, code: str) -> tuple[Date, int] | None:
    """Read "spring 1945", "the fall of 2001", "Sommer des Jahres 1914"."""
    season = _SEASONS.get(tokens.low[i])
    if season is None:
        return None
    at = i + 1 + 2 * (tokens.low[i + 1 : i + 3] == ("des", "jahres"))
    year = _year_after(tokens, at)
    return None if year is None else (Date((Day(year[0], season=season),)), year[1])


def _decade(tokens: Tokens, i: int, code: str) -> tuple[Date, int] | None:
    """Read a decade without a century ("nineties", "90s", "neunziger Jahre"), or with one ("nineteen nineties")."""
    low, n = tokens.low, len(tokens.low)
    hundreds, ten = 0, _DECADES[code].get(low[i])
    if ten is None and low[i] in _CENTURIES and i + 1 < n:
        i += 1 + (low[i + 1] == "-" and i + 2 < n)
        hundreds, ten = _CENTURIES[low[i - 2] if low[i - 1] == "-" else low[i - 1]], _DECADES[code].get(low[i])
    elif ten is None and low[i].isdecimal() and len(low[i]) == 2 and low[i] >= "20" and low[i][1] == "0" and i + 1 < n:
        i += 1 + (low[i + 1] == "'" and i + 2 < n)
        if not tokens.glued[i] or low[i] not in ("s", "er", "ern"):
            return None
        ten = int(low[i - 1 - (low[i - 1] == "'")])
    if ten is None:
        return None
    first = 100 * (hundreds or 19) + ten
    return Date((), (first, first + 9), any_century=not hundreds), _after_years(tokens, i + 1)


def _after_years(tokens: Tokens, i: int) -> int:
    """Return the position after "Jahre" or "-Jahre" at i."""
    at = i + (tokens.low[i : i + 1] == ("-",))
    return at + 1 if tokens.low[at : at + 1] in (("jahre",), ("jahren",)) else i


def _month_at(tokens: Tokens, i: int, code: str) -> tuple[int, int] | None:
    """Return the month at i and the position after it, with a period after a short name."""
    if i >= len(tokens.low):
        return None
    month = _MONTHS[code].get(tokens.low[i])
    if month is None:
        return None
    short = len(tokens.low[i]) <= 4
    return month, i + 1 + (short and i + 1 < len(tokens.low) and tokens.low[i + 1] == "." and i + 2 < len(tokens.low))


def _month_first(tokens: Tokens, i: int, code: str) -> tuple[Date, int] | None:
    found = _month_at(tokens, i, code)
    if found is None:
        return None
    month, at = found
    named = tokens.text[i][0].isupper()
    day = _day_at(tokens, at, code, month)
    if day is not None:
        value, end = day
        year = _year_after(tokens, end)
        return (Date((Day(year[0], month, value),)), year[1]) if year else (Date((Day(None, month, value),)), end)
    year = _year_after(tokens, at)
    if year:
        return Date((Day(year[0], month),)), year[1]
    return (Date((Day(None, month),)), at) if named or tokens.low[i] not in _AMBIGUOUS else None


def _day_first(tokens: Tokens, i: int, code: str) -> tuple[Date, int] | None:
    low, n = tokens.low, len(tokens.low)
    day = _day_at(tokens, i, code, 1)
    if day is None:
        return None
    value, at = day
    at += at < n and low[at] in (".", "of")
    at += at < n and low[at] == "-" and tokens.glued[at]
    found = _month_at(tokens, at, code)
    if found is None or value > _LENGTHS[found[0] - 1]:
        return None
    month, end = found
    end += end < n and low[end] == "-" and tokens.glued[end]
    year = _year_after(tokens, end)
    return (Date((Day(year[0], month, value),)), year[1]) if year else (Date((Day(None, month, value),)), found[1])


def _day_at(tokens: Tokens, i: int, code: str, month: int) -> tuple[int, int] | None:
    """Return the day of a month at i, in digits or as an ordinal, and the position after it."""
    low, n = tokens.low, len(tokens.low)
    i += i < n and low[i] == "the"
    if i >= n:
        return None
    if low[i].isdecimal():
        value = int(low[i]) if len(low[i]) <= 2 else 0
        i += 1
        i += i < n and tokens.glued[i] and low[i] in ("st", "nd", "rd", "th")
    else:
        words = spelled(tokens, i, code) if low[i][0].isalpha() else None
        if words is None or not words.ordinal:
            return None
        value, i = int(words.value), words.end
    if not 1 <= value <= _LENGTHS[month - 1] or (i < n and tokens.glued[i] and low[i] in (":", "%")):
        return None
    return value, i


def _year_after(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """Return the year at i, after an optional comma, and the position after it."""
    low, n = tokens.low, len(tokens.low)
    i += i < n and low[i] in (",", "of", ".")
    if i >= n or not low[i].isdecimal() or len(low[i]) not in (3, 4) or not 100 <= int(low[i]) <= _MOST_YEAR:
        return None
    return _era(tokens, int(low[i]), i + 1)


def _era(tokens: Tokens, year: int, i: int) -> tuple[int, int]:
    """Return the year with its sign, and the position after "BC", "AD" or "v. Chr."."""
    low = tokens.low
    for words, sign in (
        (("b", ".", "c", ".", "e"), -1), (("b", ".", "c"), -1), (("a", ".", "d"), 1), (("v", ".", "chr"), -1),
        (("n", ".", "chr"), 1), (("bce",), -1), (("bc",), -1), (("ce",), 1), (("ad",), 1),
    ):  # fmt: skip
        if low[i : i + len(words)] == words:
            end = i + len(words)
            return sign * year, end + (end < len(low) and low[end] == "." and len(words) > 1)
    return year, i


def _year(tokens: Tokens, i: int, code: str) -> tuple[Date, int] | None:
    """Read a year alone: four digits, or fewer with an era ("44 BC", "AD 79")."""
    low, n = tokens.low, len(tokens.low)
    ahead = low[i] in ("ad", "anno") and i + 1 < n
    at = i + ahead
    if low[at][0].isalpha() and (words := spelled(tokens, at, code)) is not None:
        if words.ordinal or words.value.denominator != 1 or not 1100 <= words.value <= 2100:
            return None
        return Date((Day(int(words.value)),)), words.end
    if not low[at].isdecimal() or len(low[at]) > 4 or int(low[at]) > _MOST_YEAR or int(low[at]) == 0:
        return None
    year, end = _era(tokens, int(low[at]), at + 1)
    stated = ahead or end > at + 1
    if not stated and not 1000 <= year <= 2100:
        return None
    return Date((Day(year),)), end


def _period_of_years(tokens: Tokens, i: int, code: str) -> tuple[Date, int] | None:
    """Read a decade ("1980s", "the '80s", "1980er") or a century ("19th century", "19. Jahrhundert")."""
    low, n = tokens.low, len(tokens.low)
    if low[i].isdecimal() and len(low[i]) == 4 and low[i].endswith("0") and i + 1 < n and 1000 <= int(low[i]) <= 2100:
        at = i + 1 + (low[i + 1] == "'" and i + 2 < n)
        if low[at] in ("s", "er", "ern") and tokens.glued[at]:
            first = int(low[i])
            last = first + (99 if first % 100 == 0 else 9)  # the 1900s may be a decade or a century
            return Date((), (first, last)), _after_years(tokens, at + 1)
    words = spelled(tokens, i, code) if low[i][0].isalpha() else None
    if words is not None and words.ordinal and 0 < words.value < 30:
        value, at = int(words.value), words.end
    elif low[i].isdecimal() and len(low[i]) <= 2 and i + 1 < n and low[i + 1] in ("st", "nd", "rd", "th", "."):
        value, at = int(low[i]), i + 2
    else:
        return None
    at += at < n and low[at] == "-"
    if at >= n or low[at] not in ("century", "jahrhundert", "jahrhunderts", "jh") or not 0 < value < 30:
        return None
    year, end = _era(tokens, value, at + 1)
    if year < 0:
        return Date((), (-value * 100, -(value - 1) * 100 - 1)), end
    return Date((), ((value - 1) * 100 + 1, value * 100)), end


def _numeric(tokens: Tokens, i: int, code: str) -> tuple[Date, int] | None:
    """Read 2021-04-03, 03/04/2021, 3.4.2021. Both orders of day and month are kept if both are possible."""
    text, n = tokens.text, len(tokens.low)
    if "." in text[i]:
        parts, end = text[i].split("."), i + 1
        if len(parts) == 2 and end < n and tokens.glued[end] and text[end] == ".":  # 3.4.
            parts, end = [*parts, ""], end + 1
            if code != "de" or end < n:
                return None
        sign = "."
    elif i + 4 < n and text[i + 1] == text[i + 3] and text[i + 1] in "/-" and all(tokens.glued[i + 1 : i + 5]):
        parts, end, sign = [text[i], text[i + 2], text[i + 4]], i + 5, text[i + 1]
    elif i + 2 < n and text[i + 1] == "/" and all(tokens.glued[i + 1 : i + 3]):
        return _month_and_year(text[i], text[i + 2], i + 3)
    else:
        return None
    if len(parts) != 3 or not all(part.isdecimal() or part == "" for part in parts) or not parts[0] or not parts[1]:
        return None
    if (end < n and tokens.glued[end] and text[end] in (sign, "/", "-")) or max(map(len, parts)) > 4:
        return None
    days = _numeric_days(parts, sign, code)
    return (Date(days), end) if days else None


def _month_and_year(one: str, other: str, end: int) -> tuple[Date, int] | None:
    """Read 1855/03 and 03/1855; 2001/02 may be two years."""
    year, month = (one, other) if len(one) == 4 else (other, one)
    if len(year) != 4 or len(month) != 2 or not (year + month).isdecimal() or not 1 <= int(month) <= 12:
        return None
    if not 1000 <= int(year) <= 2100 or int(month) == (int(year) + 1) % 100:
        return None
    return Date((Day(int(year), int(month)),)), end


def _numeric_days(parts: list[str], sign: str, code: str) -> tuple[Day, ...]:
    if len(parts[0]) == 4 and parts[2]:
        orders = [(parts[0], parts[1], parts[2])]
    elif len(parts[2]) in (2, 4, 0):
        orders = [(parts[2], parts[1], parts[0])]
        if sign != "." and code != "de":
            orders.append((parts[2], parts[0], parts[1]))
    else:
        return ()
    days = []
    for year, month, day in orders:
        if not 1 <= int(month) <= 12 or not 1 <= int(day) <= _LENGTHS[int(month) - 1]:
            continue
        years = [int(year)] if len(year) == 4 else [None] if not year else _HUNDREDS
        days += [Day(y if y is None or len(year) == 4 else y + int(year), int(month), int(day)) for y in years]
    return tuple(dict.fromkeys(days))
