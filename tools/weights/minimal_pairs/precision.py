"""The same value, less precise: rounded numbers, decades and thirds of a century, bounds that are tight."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from tools.weights.minimal_pairs.family import Family
from tools.weights.minimal_pairs.writing import decimal, significant

ABOUT = {
    "en": ["about {}", "roughly {}", "approximately {}", "around {}", "some {}", "close to {}", "{} or so", "~{}"],
    "de": ["etwa {}", "rund {}", "ungefähr {}", "ca. {}", "annähernd {}", "~{}"],
    "zh": ["大约{}", "约{}", "{}左右", "差不多{}"],
    "ja": ["約{}", "およそ{}", "{}ほど", "だいたい{}"],
}
QUESTIONS = {
    "en": [
        "",
        "How many people live in the region?",
        "How many books does the library own?",
        "How many visitors came in the year?",
    ],
    "de": ["", "Wie viele Menschen leben in der Region?", "Wie viele Bücher besitzt die Bibliothek?"],
    "zh": ["", "这个地区有多少居民？"],
    "ja": ["", "この地域の人口は？"],
}
CONSTANTS = [  # to more digits than are drawn
    ("π", "3.14159265358979"),
    ("e", "2.71828182845905"),
    ("the square root of 2", "1.41421356237310"),
    ("the golden ratio", "1.61803398874989"),
    ("the square root of 3", "1.73205080756888"),
    ("the natural logarithm of 2", "0.69314718055995"),
]
THIRDS = {"en": ["early", "mid", "late"], "de": ["Anfang", "Mitte", "Ende"]}


def family(rng: Random, language: str) -> Family | None:
    """Return a family about a rounded value, or None if the draw is of no use.

    A rewrite is the gold value, rounded half away from zero to the digits that it shows, or a bound within 4 percent. A
    close miss is the rounding of another value, at least 5 percent away, or rounded wrongly in the last digit.
    """
    ways = {
        "en": [_count, _count, _decimals, _years, _bound, _scale],
        "de": [_count, _count, _years, _bound, _scale, _decimals],
    }
    return rng.choice(ways.get(language, [_count, _scale]))(rng, language)


def _other(rng: Random, value: int) -> int:
    return value * rng.choice([85, 90, 110, 115, 120, 80, 130, 1000, 10]) // 100 + rng.randrange(-3, 4)


def _count(rng: Random, language: str) -> Family | None:
    value = rng.randrange(1_100, 980_000) if rng.random() < 0.6 else rng.randrange(110, 1000)
    other = _other(rng, value)
    digits = 2 if value < 10_000 else rng.choice([2, 3])
    about = rng.choice(ABOUT[language])
    texts = []
    for number in (value, other):
        rounded = significant(Fraction(number), digits)
        if number <= 100 or rounded == number:
            return None
        texts.append([decimal(number, language) or "", about.format(decimal(rounded, language))])
    return _from_precise(rng, texts, rng.choice(QUESTIONS[language]))


def _from_precise(rng: Random, texts: list[list[str]], question: str) -> Family | None:
    """Draw a family whose gold answer is the precise form: the other direction would lose what was asked."""
    if rng.random() < 0.5:
        texts = texts[::-1]
    (gold, same), (_, miss) = texts
    return Family(question, gold, same, miss) if same != miss else None


def _decimals(rng: Random, language: str) -> Family | None:
    """Round a constant to two numbers of places, and exchange two digits of both for the close miss."""
    _, digits = (
        rng.choice(CONSTANTS) if rng.random() < 0.4 else ("", f"{rng.randrange(1, 30)}.{rng.randrange(10**6, 10**7)}")
    )
    value = Fraction(digits)
    places = rng.randrange(2, 5)
    other = value + rng.choice([-1, 1]) * Fraction(rng.randrange(1, 5), 10 ** (places - 1))
    texts = []
    for number in (value, other):
        fine, coarse = (Fraction((number * 10**p + Fraction(1, 2)).__floor__(), 10**p) for p in (places + 2, places))
        texts.append([decimal(fine, language, 8) or "", decimal(coarse, language, 8) or ""])
    return _from_precise(
        rng, texts, {"en": "What is the value of the constant?", "de": "Welchen Wert hat die Konstante?"}[language]
    )


def _years(rng: Random, language: str) -> Family | None:
    year = rng.randrange(1600, 2000)
    shift = rng.choice([-10, 10, -30, 30, 4, -4, 100, -100])
    if year + shift >= 2000:
        return None
    texts = [_vague_year(y, language, abs(shift) < 30) for y in (year, year + shift)]
    if any(not text for text in texts):
        return None
    question = {"en": "When was the chapel built?", "de": "Wann wurde die Kapelle gebaut?"}[language]
    return _from_precise(rng, texts, question)


def _vague_year(year: int, language: str, decade: bool) -> list[str]:
    """Return a year and its third of a decade or of a century; nothing near the bounds of a third."""
    if decade:
        third = {1: 0, 2: 0, 5: 1, 8: 2, 9: 2}.get(year % 10)
        if third is None or year // 10 % 10 < 2:
            return []
        if language == "en":
            return [str(year), f"in the {THIRDS['en'][third]}{'-' if third == 1 else ' '}{year // 10 * 10}s"]
        return [str(year), f"{THIRDS['de'][third]} der {year // 10 * 10}er Jahre"]
    third = next((i for i, span in enumerate((range(5, 26), range(42, 59), range(75, 96))) if year % 100 in span), None)
    if third is None:
        return []
    century = year // 100 + 1
    if language == "en":
        return [str(year), f"in the {THIRDS['en'][third]}{'-' if third == 1 else ' '}{century}th century"]
    return [str(year), f"{THIRDS['de'][third]} des {century}. Jahrhunderts"]


def _bound(rng: Random, language: str) -> Family | None:
    step = rng.choice([100, 1000, 10_000])
    texts, sides = [], [rng.random() < 0.5, rng.random() < 0.5]
    count = rng.randrange(2, 15)
    for below, n in zip(sides, (count, count + rng.choice([-1, 1])), strict=True):
        off = rng.randrange(step // 100, step // 12)
        value = n * step + (-off if below else off)
        form = {"en": ["just over {}", "just under {}"], "de": ["etwas mehr als {}", "knapp {}"]}[language][below]
        texts.append([decimal(value, language) or "", form.format(decimal(n * step, language))])
    return _from_precise(rng, texts, rng.choice(QUESTIONS[language])) if count > 2 else None


def _scale(rng: Random, language: str) -> Family | None:
    value = rng.randrange(1_200_000, 98_000_000)
    other = _other(rng, value)
    names = {
        "en": [(10**6, "million"), (10**9, "billion")],
        "de": [(10**6, "Millionen"), (10**9, "Milliarden")],
        "zh": [(10**4, "万"), (10**8, "亿")],
        "ja": [(10**4, "万"), (10**8, "億")],
    }[language]
    about = rng.choice(ABOUT[language])
    texts = []
    for number in (value, other):
        size, name = max((pair for pair in names if pair[0] < number), default=(0, ""))
        if not size:
            return None
        short = decimal(significant(Fraction(number, size), 2), language, 2)
        if short is None or short == "1":
            return None
        gap = "" if language in ("zh", "ja") else " "
        texts.append([decimal(number, language) or "", about.format(f"{short}{gap}{name}")])
    return _from_precise(rng, texts, rng.choice(QUESTIONS[language]))
