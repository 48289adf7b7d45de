"""Years, decades, centuries, eras and quarters, in numbers and words."""

from __future__ import annotations

from random import Random

from tools.weights.minimal_pairs.family import Family, draw
from tools.weights.minimal_pairs.writing import MONTHS, ordinal, ordinal_words, roman, words

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
    texts = []
    for y in (year, other):
        texts.append([str(y), roman(y), f"nineteen {words(y % 100)}", f"the year {y}", f"in {y}", f"AD {y}"])
    return draw(rng, texts[0], texts[1], rng.choice(["", "In which year was the bridge built?"]))


def decade(rng: Random, language: str) -> Family | None:
    """Return a family about a decade of the 20th century, or None if the draw is of no use."""
    decade, other = (10 * value for value in rng.sample(range(3, 10), 2))
    names = {
        "en": dict(
            zip(range(30, 100, 10), "thirties forties fifties sixties seventies eighties nineties".split(), strict=True)
        ),
        "de": dict(
            zip(
                range(30, 100, 10),
                [
                    f"{ten}jahre"
                    for ten in "Dreißiger Vierziger Fünfziger Sechziger Siebziger Achtziger Neunziger".split()
                ],
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


def century(rng: Random, language: str) -> Family | None:
    """Return a family about a century from the 12th to the 19th, or None if the draw is of no use."""
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


def century_east(rng: Random, language: str) -> Family | None:
    """Return a family about a century, in Chinese or Japanese, or None if the draw is of no use."""
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


def era(rng: Random, language: str) -> Family | None:
    """Return a family about a year before or after Christ, or None if the draw is of no use."""
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


def quarter(rng: Random, language: str) -> Family | None:
    """Return a family about a quarter of a year, or None if the draw is of no use."""
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
    texts = []
    for name, n, y in ((era, number, year), (other_era, other_number, other)):
        texts.append([f"{name}{n}年", f"{y}年", f"西暦{y}年", f"{name}{words(n, 'ja')}年"])
    return draw(rng, texts[0], texts[1], rng.choice(["", "この学校は何年に創立されましたか？"]))
