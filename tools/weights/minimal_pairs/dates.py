"""Dates in every common form: days, months, holidays, and the periods of ``periods.py``."""

from __future__ import annotations

import datetime
from random import Random
from typing import Any

from tools.weights.minimal_pairs import periods
from tools.weights.minimal_pairs.family import Family, draw, in_context, written
from tools.weights.minimal_pairs.writing import MONTHS, ordinal, ordinal_words, words
from tools.weights.tables import table

SHORT = {
    "en": "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split(),
    "de": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.".split(),
}
WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split(),
    "zh": list("一二三四五六日"),
    "ja": list("月火水木金土日"),
}
_TEXTS = table(__file__, "dates")
HOLIDAYS = _TEXTS["holidays"]
CONTEXTS = _TEXTS["contexts"]
FORMS = _TEXTS["forms"]


def family(rng: Random, language: str) -> Family | None:
    """Return a family about a date, or None if the draw is of no use."""
    ways = {
        "en": [_day] * 6
        + [
            _month,
            periods.year,
            periods.decade,
            periods.century,
            periods.era,
            periods.quarter,
            _holiday,
            _without_year,
        ],
        "de": [_day] * 5
        + [_month, periods.decade, periods.century, periods.era, periods.quarter, _holiday, _without_year],
        "zh": [_day, _day, _month, periods.century_east],
        "ja": [_day, _month, periods.japanese_era, periods.japanese_era, periods.century_east],
    }
    return rng.choice(ways[language])(rng, language)


def day_forms(day: datetime.date, language: str) -> list[str]:
    """Return the ways to write this day, all unambiguous.

    Forms such as 7/4/1776 are used for days after the twelfth only, because the twelfth of July and the seventh of
    December would look alike.

    >>> day_forms(datetime.date(1776, 7, 4), "en")[:3]
    ['4 July 1776', 'July 4, 1776', '4th of July 1776']
    """
    slots, forms = _slots(language, *day.timetuple()[:3]), FORMS[language]
    slots["week"] = WEEKDAYS[language][day.weekday()]
    return written([*forms["day"], *(forms.get("late day", ()) if day.day > 12 else ())], **slots)


def _slots(language: str, year: int, month: int, day: int = 1) -> dict[str, Any]:
    """Return what the forms of a date are filled with: numbers, and names in this language."""
    slots: dict[str, Any] = {"y": year, "m": month, "d": day}
    if language in ("zh", "ja"):
        digits = "".join("〇一二三四五六七八九"[int(digit)] for digit in str(year))
        return slots | {"digits": digits, "month_word": words(month, language), "day_word": words(day, language)}
    name = MONTHS[language][month - 1]
    slots |= {"month": name, "short": SHORT[language][month - 1], "three": name[:3]}
    return slots | {"nth": ordinal(day), "nth_word": ordinal_words(day)} if language == "en" else slots


def near_day(rng: Random, day: datetime.date) -> datetime.date | None:
    """Return a day that is easily confused with this one, or None if the draw is not a day."""
    d, m, y = day.day, day.month, day.year
    digits = str(y)
    other = rng.choice(
        [
            (y, m, d + rng.choice([-1, 1, 10, -10])),
            (y, m % 12 + 1, d),
            (y, d, m),
            (y + rng.choice([-1, 1, -10, 10, -100, 100]), m, d),
            (int(digits[:2] + digits[3] + digits[2]), m, d),
            (y, m, int(str(d)[::-1])),
        ]
    )
    try:
        result = datetime.date(*other)
    except ValueError:
        return None
    return result if result != day and result.year < 2025 else None


def _day(rng: Random, language: str) -> Family | None:
    day = datetime.date(rng.randrange(1750, 2024), rng.randrange(1, 13), rng.randrange(1, 29))
    other = near_day(rng, day)
    if other is None:
        return None
    forms = day_forms(day, language), day_forms(other, language)
    least = min(len(forms[0]), len(forms[1]))  # a day after the twelfth has more forms
    return _shown(rng, language, forms[0][:least], forms[1][:least])


def _shown(rng: Random, language: str, first: list[str], second: list[str]) -> Family | None:
    question, texts = in_context(rng, CONTEXTS[language], [*first, *second])
    return draw(rng, (texts[: len(first)], texts[len(first) :]), question)


def _month(rng: Random, language: str) -> Family | None:
    year, month = rng.randrange(1750, 2024), rng.randrange(1, 13)
    other = rng.choice(
        [(year, month % 12 + 1), (year + rng.choice([-1, 1, 10, -10]), month), (year, (month + 5) % 12 + 1)]
    )
    texts = [written(FORMS[language]["month"], **_slots(language, *each)) for each in ((year, month), other)]
    return draw(rng, texts)


def _holiday(rng: Random, language: str) -> Family | None:
    year = rng.randrange(1900, 2024)
    names = rng.sample(list(HOLIDAYS[language]), 2)
    texts = []
    for name in names:
        day, month = HOLIDAYS[language][name]
        slots = _slots(language, year, month, day) | {"name": name, "at": "am" if name == "Tag der Arbeit" else "an"}
        texts.append(written(FORMS[language]["holiday"], **slots))
    return draw(rng, texts)


def _without_year(rng: Random, language: str) -> Family | None:
    day, month = rng.randrange(1, 29), rng.randrange(1, 13)
    other = rng.choice([(day + 1, month), (day, month % 12 + 1), (month, day)])
    if other == (day, month) or other[1] > 12:
        return None
    texts = [written(FORMS[language]["without year"], **_slots(language, 0, m, d)) for d, m in ((day, month), other)]
    return draw(rng, texts, rng.choice(["", _TEXTS["yearly"][language]]))
