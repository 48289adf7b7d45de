"""Dates in every common form: days, months, years, decades, centuries, eras, quarters, holidays."""

from __future__ import annotations

import datetime
from random import Random

from benchmarks.minimal_pairs.family import Family, draw, in_context
from benchmarks.minimal_pairs.writing import ordinal, ordinal_words, roman, words

MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
}
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
HOLIDAYS = {
    "en": {
        "Christmas Day": (25, 12),
        "Christmas Eve": (24, 12),
        "New Year's Day": (1, 1),
        "New Year's Eve": (31, 12),
        "Valentine's Day": (14, 2),
        "Halloween": (31, 10),
        "St. Patrick's Day": (17, 3),
        "April Fools' Day": (1, 4),
        "Boxing Day": (26, 12),
        "All Saints' Day": (1, 11),
        "May Day": (1, 5),
        "Bastille Day": (14, 7),
        "Independence Day in the United States": (4, 7),
        "Guy Fawkes Night": (5, 11),
    },
    "de": {
        "Heiligabend": (24, 12),
        "Silvester": (31, 12),
        "Neujahr": (1, 1),
        "Allerheiligen": (1, 11),
        "Nikolaustag": (6, 12),
        "Reformationstag": (31, 10),
        "Tag der Arbeit": (1, 5),
        "Dreikönigstag": (6, 1),
        "Valentinstag": (14, 2),
    },
}
CONTEXTS = {
    "en": [
        ("", "{}"),
        ("", "{}"),
        ("", "{}"),
        ("When was the treaty signed?", "{}"),
        ("When did the ship sink?", "It sank on {}."),
        ("When was she born?", "born {}"),
        ("When did the museum open?", "The museum opened on {}"),
        ("What is the date of the letter?", "dated {}"),
        ("When was the first edition published?", "{}"),
    ],
    "de": [
        ("", "{}"),
        ("", "{}"),
        ("Wann wurde der Vertrag unterzeichnet?", "{}"),
        ("Wann sank das Schiff?", "{}"),
        ("Welches Datum trägt der Brief?", "Datum: {}"),
        ("Wann wurde sie geboren?", "geboren: {}"),
    ],
    "zh": [("", "{}"), ("", "{}"), ("条约是什么时候签署的？", "{}"), ("她是哪天出生的？", "她出生于{}")],
    "ja": [
        ("", "{}"),
        ("", "{}"),
        ("条約はいつ調印されましたか？", "{}"),
        ("彼女はいつ生まれましたか？", "{}に生まれた"),
    ],
}
# Japanese eras by their first year. Only full years of an era are drawn, and none before the Gregorian calendar came (1873).
ERAS = {
    "明治": (1868, range(7, 45)),
    "大正": (1912, range(2, 15)),
    "昭和": (1926, range(2, 64)),
    "平成": (1989, range(2, 31)),
    "令和": (2019, range(2, 6)),
}


def family(rng: Random, language: str) -> Family | None:
    """Return a family about a date, or None if the draw is of no use."""
    ways = {
        "en": [_day] * 6 + [_month, _year, _decade, _century, _era, _quarter, _holiday, _without_year],
        "de": [_day] * 5 + [_month, _decade, _century, _era, _quarter, _holiday, _without_year],
        "zh": [_day, _day, _month, _century_east],
        "ja": [_day, _month, _japanese_era, _japanese_era, _century_east],
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
    """Return a day that is easily confused with this one, or None if the draw is no day."""
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


def _year(rng: Random, language: str) -> Family | None:
    year = rng.randrange(1911, 2000)
    other = rng.choice([year + 1, year - 1, year + 10, int(f"19{year % 10}{year // 10 % 10}")])
    if other == year or other % 100 < 11 or other > 1999:
        return None
    texts = []
    for y in (year, other):
        texts.append([str(y), roman(y), f"nineteen {words(y % 100)}", f"the year {y}", f"in {y}", f"AD {y}"])
    return draw(rng, texts[0], texts[1], rng.choice(["", "In which year was the bridge built?"]))


def _decade(rng: Random, language: str) -> Family | None:
    decade, other = (10 * value for value in rng.sample(range(3, 10), 2))
    names = {
        "en": dict(
            zip(range(30, 100, 10), "thirties forties fifties sixties seventies eighties nineties".split(), strict=True)
        ),
        "de": dict(
            zip(
                range(30, 100, 10),
                "Dreißigerjahre Vierzigerjahre Fünfzigerjahre Sechzigerjahre Siebzigerjahre Achtzigerjahre Neunzigerjahre".split(),
                strict=True,
            )
        ),
    }
    texts = []
    for d in (decade, other):
        name = names[language][d]
        if language == "en":
            texts.append(
                [f"the 19{d}s", f"the nineteen-{name}", f"from 19{d} to 19{d + 9}", f"the decade that began in 19{d}"]
            )
        else:
            texts.append(
                [f"die 19{d}er Jahre", f"die {name} des 20. Jahrhunderts", f"von 19{d} bis 19{d + 9}", f"die 19{d}er"]
            )
    return draw(
        rng,
        texts[0],
        texts[1],
        {"en": "In which decade was the style popular?", "de": "In welchem Jahrzehnt war der Stil beliebt?"}[language],
    )


def _century(rng: Random, language: str) -> Family | None:
    century = rng.randrange(12, 20)  # "the 1900s" and "the 2000s" could be decades
    other = century + rng.choice([-1, 1])
    if other == 20:
        return None
    texts = []
    for c in (century, other):
        if language == "en":
            texts.append(
                [
                    f"the {ordinal(c)} century",
                    f"the {ordinal_words(c)} century",
                    f"the {100 * (c - 1)}s",
                    f"the {ordinal(c)} c.",
                    f"century {roman(c)}",
                ]
            )
        else:
            written = f"{words(c, 'de')}{'te' if c < 20 else 'ste'}s Jahrhundert"
            texts.append(
                [
                    f"{c}. Jahrhundert",
                    f"{c}. Jh.",
                    written,
                    f"von {100 * (c - 1) + 1} bis {100 * c}",
                    f"das {c}. Jahrhundert",
                ]
            )
    question = {
        "en": "In which century was the abbey founded?",
        "de": "In welchem Jahrhundert wurde das Kloster gegründet?",
    }[language]
    return draw(rng, texts[0], texts[1], question)


def _century_east(rng: Random, language: str) -> Family | None:
    century = rng.randrange(11, 21)
    other = century + rng.choice([-1, 1])
    mark = {"zh": "{}世纪", "ja": "{}世紀"}[language]
    span = {"zh": "公元{}年至{}年", "ja": "西暦{}年から{}年まで"}[language]
    texts = []
    for c in (century, other):
        texts.append(
            [
                mark.format(c),
                mark.format(words(c, language)),
                mark.format(f"第{c}"),
                span.format(100 * (c - 1) + 1, 100 * c),
            ]
        )
    return draw(rng, texts[0], texts[1])


def _era(rng: Random, language: str) -> Family | None:
    year = rng.randrange(20, 480)
    before = {
        "en": ["{} BC", "{} BCE", "{} B.C.", "the year {} before Christ"],
        "de": ["{} v. Chr.", "{} vor Christus", "{} v. u. Z.", "im Jahr {} vor unserer Zeitrechnung"],
    }
    after = {
        "en": ["AD {}", "{} CE", "{} A.D.", "the year {} after Christ"],
        "de": ["{} n. Chr.", "{} nach Christus", "{} u. Z.", "im Jahr {} unserer Zeitrechnung"],
    }
    other = rng.choice([year, year, year + 10])
    signs = (before, after) if other == year or rng.random() < 0.5 else (before, before)
    texts = [[form.format(value) for form in sign[language]] for sign, value in zip(signs, (year, other), strict=True)]
    return draw(rng, texts[0], texts[1])


def _quarter(rng: Random, language: str) -> Family | None:
    quarter, year = rng.randrange(1, 5), rng.randrange(1990, 2024)
    other = rng.choice([(quarter % 4 + 1, year), (quarter, year + 1)])
    texts = []
    for q, y in ((quarter, year), other):
        first, last = MONTHS[language][3 * q - 3], MONTHS[language][3 * q - 1]
        if language == "en":
            texts.append(
                [f"Q{q} {y}", f"the {ordinal_words(q)} quarter of {y}", f"{first} to {last} {y}", f"{q}Q{y % 100:02}"]
            )
        else:
            texts.append(
                [
                    f"Q{q} {y}",
                    f"{q}. Quartal {y}",
                    f"{first} bis {last} {y}",
                    f"das {'erste zweite dritte vierte'.split()[q - 1]} Quartal {y}",
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


def _japanese_era(rng: Random, language: str) -> Family | None:
    era = rng.choice(list(ERAS))
    start, years = ERAS[era]
    number = rng.choice(list(years))
    year = start + number - 1
    other_era = rng.choice(list(ERAS))
    other_start, other_years = ERAS[other_era]
    other_number = number if other_era != era and number in other_years else number + rng.choice([-1, 1, 10])
    if other_number not in other_years:
        return None
    other = other_start + other_number - 1
    texts = []
    for name, n, y in ((era, number, year), (other_era, other_number, other)):
        texts.append([f"{name}{n}年", f"{y}年", f"西暦{y}年", f"{name}{words(n, 'ja')}年"])
    return draw(rng, texts[0], texts[1], rng.choice(["", "この学校は何年に創立されましたか？"]))
