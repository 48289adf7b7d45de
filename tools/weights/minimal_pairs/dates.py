"""Dates in every common form: days, months, holidays, and the periods of ``periods.py``."""

from __future__ import annotations

import datetime
from random import Random

from tools.weights.minimal_pairs import periods
from tools.weights.minimal_pairs.family import Family, draw, in_context
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
    d, m, y = day.day, day.month, day.year
    if language in ("zh", "ja"):
        week = {"zh": f"（星期{WEEKDAYS['zh'][day.weekday()]}）", "ja": f"（{WEEKDAYS['ja'][day.weekday()]}）"}[
            language
        ]
        digits = "".join("〇一二三四五六七八九"[int(digit)] for digit in str(y))
        spoken = f"{digits}年{words(m, language)}月{words(d, language)}日"
        return [
            f"{y}年{m}月{d}日",
            f"{y}-{m:02}-{d:02}",
            f"{y}/{m}/{d}",
            spoken,
            f"{y}年{m}月{d}日{week}",
            f"{y}.{m:02}.{d:02}",
        ]
    name, short, week = MONTHS[language][m - 1], SHORT[language][m - 1], WEEKDAYS[language][day.weekday()]
    if language == "de":
        forms = [
            f"{d}. {name} {y}",
            f"{d:02}.{m:02}.{y}",
            f"{d}.{m}.{y}",
            f"{week}, {d}. {name} {y}",
            f"{d}. {short} {y}",
            f"{y}-{m:02}-{d:02}",
        ]
        return [*forms, f"der {d}. {name} {y}", f"{d}. {name} des Jahres {y}"]
    forms = [
        f"{d} {name} {y}",
        f"{name} {d}, {y}",
        f"{ordinal(d)} of {name} {y}",
        f"{week}, {name} {d}, {y}",
        f"{d} {short} {y}",
        f"{short} {d}, {y}",
        f"{y}-{m:02}-{d:02}",
        f"the {ordinal_words(d)} of {name}, {y}",
        f"{name} {ordinal(d)}, {y}",
        f"{week} {d} {name} {y}",
        f"{y} {name} {d}",
        f"{d}-{name[:3]}-{y}",
    ]
    return [*forms, f"{m}/{d}/{y}", f"{d}/{m}/{y}", f"{d}.{m}.{y}"] if d > 12 else forms


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
    return draw(rng, texts[: len(first)], texts[len(first) :], question)


def _month(rng: Random, language: str) -> Family | None:
    year, month = rng.randrange(1750, 2024), rng.randrange(1, 13)
    other = rng.choice(
        [(year, month % 12 + 1), (year + rng.choice([-1, 1, 10, -10]), month), (year, (month + 5) % 12 + 1)]
    )
    texts = []
    for y, m in ((year, month), other):
        if language in ("zh", "ja"):
            texts.append([f"{y}年{m}月", f"{y}-{m:02}", f"{y}年{words(m, language)}月", f"{y}/{m:02}"])
        elif language == "de":
            texts.append([f"{MONTHS['de'][m - 1]} {y}", f"{m:02}/{y}", f"im {MONTHS['de'][m - 1]} {y}", f"{y}-{m:02}"])
        else:
            name = MONTHS["en"][m - 1]
            texts.append(
                [
                    f"{name} {y}",
                    f"{y}-{m:02}",
                    f"in {name} of {y}",
                    f"{SHORT['en'][m - 1]} {y}",
                    f"{name}, {y}",
                    f"{m:02}/{y}",
                ]
            )
    return draw(rng, texts[0], texts[1])


def _holiday(rng: Random, language: str) -> Family | None:
    year = rng.randrange(1900, 2024)
    names = rng.sample(list(HOLIDAYS[language]), 2)
    texts = []
    for name in names:
        d, m = HOLIDAYS[language][name]
        month = MONTHS[language][m - 1]
        if language == "en":
            texts.append([f"{name}, {year}", f"{d} {month} {year}", f"{month} {d}, {year}", f"on {name} {year}"])
        else:
            texts.append(
                [
                    f"{name} {year}",
                    f"{d}. {month} {year}",
                    f"{d:02}.{m:02}.{year}",
                    f"an {name} {year}" if name != "Tag der Arbeit" else f"am {name} {year}",
                ]
            )
    return draw(rng, texts[0], texts[1])


def _without_year(rng: Random, language: str) -> Family | None:
    day, month = rng.randrange(1, 29), rng.randrange(1, 13)
    other = rng.choice([(day + 1, month), (day, month % 12 + 1), (month, day)])
    if other == (day, month) or other[1] > 12:
        return None
    texts = []
    for d, m in ((day, month), other):
        name = MONTHS[language][m - 1]
        if language == "en":
            texts.append(
                [
                    f"{d} {name}",
                    f"{name} {d}",
                    f"the {ordinal_words(d)} of {name}",
                    f"{name} {ordinal(d)}",
                    f"the {ordinal(d)} of {name}",
                ]
            )
        else:
            texts.append(
                [f"{d}. {name}", f"{d}.{m}.", f"{d:02}.{m:02}.", f"am {d}. {name}", f"der {d}. {SHORT['de'][m - 1]}"]
            )
    question = {
        "en": "On which day is the feast held every year?",
        "de": "An welchem Tag findet das Fest jedes Jahr statt?",
    }[language]
    return draw(rng, texts[0], texts[1], rng.choice(["", question]))
