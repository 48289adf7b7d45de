"""Years, decades, centuries, eras and quarters, in numbers and words."""

from __future__ import annotations

from random import Random

from tools.weights.minimal_pairs.family import Family, draw, written
from tools.weights.minimal_pairs.writing import MONTHS, ordinal, ordinal_words, roman, words
from tools.weights.tables import table

_TEXTS = table(__file__, "periods")
FORMS = _TEXTS["forms"]
# Japanese eras by their first year. Only full years of an era are drawn, and none before the Gregorian calendar (1873).
ERAS = {
    "明治": (1868, range(7, 45)),
    "大正": (1912, range(2, 15)),
    "昭和": (1926, range(2, 64)),
    "平成": (1989, range(2, 31)),
    "令和": (2019, range(2, 6)),
}


def year(rng: Random, language: str) -> Family | None:
    """Return a family about a year, in digits, words and Roman numerals, or None if the draw is of no use."""
    year = rng.randrange(1911, 2000)
    other = rng.choice([year + 1, year - 1, year + 10, int(f"19{year % 10}{year // 10 % 10}")])
    if other == year or other % 100 < 11 or other > 1999:
        return None
    texts = [written(FORMS[language]["year"], y=y, roman=roman(y), word=words(y % 100)) for y in (year, other)]
    return draw(rng, texts, rng.choice(["", "In which year was the bridge built?"]))


def decade(rng: Random, language: str) -> Family | None:
    """Return a family about a decade of the 20th century, or None if the draw is of no use."""
    decade, other = (10 * value for value in rng.sample(range(3, 10), 2))
    texts = [
        written(FORMS[language]["decade"], d=d, last=d + 9, name=_TEXTS["decades"][language][d // 10 - 3])
        for d in (decade, other)
    ]
    return draw(rng, texts, _TEXTS["questions"][language]["decade"])


def century(rng: Random, language: str) -> Family | None:
    """Return a family about a century from the 12th to the 19th, or None if the draw is of no use."""
    century = rng.randrange(12, 20)  # "the 1900s" and "the 2000s" could be decades
    other = century + rng.choice([-1, 1])
    if other == 20:
        return None
    texts = []
    for c in (century, other):
        nth_word = ordinal_words(c) if language == "en" else f"{words(c, 'de')}{'te' if c < 20 else 'ste'}s"
        span = {"start": 100 * (c - 1), "first": 100 * (c - 1) + 1, "end": 100 * c}
        texts.append(
            written(FORMS[language]["century"], c=c, nth=ordinal(c), nth_word=nth_word, roman=roman(c), **span)
        )
    return draw(rng, texts, _TEXTS["questions"][language]["century"])


def century_east(rng: Random, language: str) -> Family | None:
    """Return a family about a century, in Chinese or Japanese, or None if the draw is of no use."""
    century = rng.randrange(11, 21)
    other = century + rng.choice([-1, 1])
    texts = [
        written(FORMS[language]["century"], c=c, word=words(c, language), first=100 * (c - 1) + 1, end=100 * c)
        for c in (century, other)
    ]
    return draw(rng, texts)


def era(rng: Random, language: str) -> Family | None:
    """Return a family about a year before or after Christ, or None if the draw is of no use."""
    year = rng.randrange(20, 480)
    other = rng.choice([year, year, year + 10])
    signs = ("before", "after") if other == year or rng.random() < 0.5 else ("before", "before")
    texts = [written(FORMS[language][sign], y=value) for sign, value in zip(signs, (year, other), strict=True)]
    return draw(rng, texts)


def quarter(rng: Random, language: str) -> Family | None:
    """Return a family about a quarter of a year, or None if the draw is of no use."""
    quarter, year = rng.randrange(1, 5), rng.randrange(1990, 2024)
    other = rng.choice([(quarter % 4 + 1, year), (quarter, year + 1)])
    texts = []
    for q, y in ((quarter, year), other):
        months = {"first": MONTHS[language][3 * q - 3], "last": MONTHS[language][3 * q - 1]}
        nth_word = ordinal_words(q) if language == "en" else "erste zweite dritte vierte".split()[q - 1]
        texts.append(written(FORMS[language]["quarter"], q=q, y=y, short=y % 100, nth_word=nth_word, **months))
    return draw(rng, texts)


def japanese_era(rng: Random, language: str) -> Family | None:
    """Return a family about a year of a Japanese era, or None if the draw is of no use."""
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
    texts = [
        written(FORMS[language]["year"], era=name, n=n, y=y, word=words(n, "ja"))
        for name, n, y in ((era, number, year), (other_era, other_number, other))
    ]
    return draw(rng, texts, rng.choice(["", "この学校は何年に創立されましたか？"]))
