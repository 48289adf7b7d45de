"""Percentages: per cent, fractions, decimals, ratios, multiples, per mille and basis points."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from tools.weights.minimal_pairs.family import Family, draw
from tools.weights.minimal_pairs.numerals import near
from tools.weights.minimal_pairs.writing import decimal, full_width, words
from tools.weights.tables import table

_TEXTS = table(__file__, "shares")
FRACTIONS = {
    language: {Fraction(share): forms for share, forms in shares.items()}
    for language, shares in _TEXTS["fractions"].items()
}
QUESTIONS = _TEXTS["questions"]
PERCENT = {
    "en": ["{d}%", "{d} percent", "{d} per cent", "{w} percent", "{f}", "{d} in every hundred"],
    "de": ["{d} %", "{d} Prozent", "{w} Prozent", "{f}", "{d} von hundert"],
    "zh": ["{d}%", "百分之{w}", "{full}％", "{f}"],
    "ja": ["{d}%", "{d}パーセント", "{full}％", "{w}パーセント", "{f}"],
}
CHANGES = _TEXTS["changes"]


def family(rng: Random, language: str) -> Family | None:
    """Return a family about a share or a rate, or None if the draw is of no use."""
    ways = {
        "en": [_fraction, _fraction, _percent, _percent, _percent, _small, _change],
        "de": [_fraction, _percent, _percent, _small, _change],
    }
    return rng.choice(ways.get(language, [_fraction, _percent]))(rng, language)


def _forms(share: Fraction, language: str) -> list[str]:
    digits = decimal(100 * share, language) or ""
    slots = {
        "d": digits,
        "f": decimal(share, language) or "",
        "full": full_width(digits),
        "w": words(int(100 * share), language),
    }
    return [form.format(**slots) for form in PERCENT[language]]


def _fraction(rng: Random, language: str) -> Family | None:
    first, second = rng.sample(list(FRACTIONS[language]), 2)
    if max(first, second) / min(first, second) > 6:
        return None
    texts = [[*FRACTIONS[language][share], *_forms(share, language)] for share in (first, second)]
    return draw(rng, texts, rng.choice(QUESTIONS[language]))


def _percent(rng: Random, language: str) -> Family | None:
    value = rng.randrange(2, 98)
    other = rng.choice([near(rng, value), near(rng, value), 100 - value])
    if other == value or not 1 < other < 99:
        return None
    texts = [_forms(Fraction(number, 100), language) for number in (value, other)]
    return draw(rng, texts, rng.choice(QUESTIONS[language]))


def _small(rng: Random, language: str) -> Family | None:
    tenths = rng.randrange(1, 40)
    other = rng.choice([tenths * 10, tenths + 1, tenths + 5])
    if tenths % 10 == 0 or other > 99:
        return None
    texts = []
    for t in (tenths, other):
        percent = decimal(Fraction(t, 10), language)
        name = {"en": f"{percent} percent", "de": f"{percent} Prozent"}[language]
        mille = {"en": f"{t} per thousand", "de": f"{t} Promille"}[language]
        points = {"en": f"{10 * t} basis points", "de": f"{10 * t} Basispunkte"}[language]
        texts.append([f"{percent}%", name, f"{t}‰", mille, points])
    return draw(rng, texts, {"en": "How high is the rate?", "de": "Wie hoch ist der Satz?"}[language])


def _change(rng: Random, language: str) -> Family | None:
    first, second = rng.sample(CHANGES[language], 2)
    questions = {
        "en": ["How did the price change?", "What happened to the output?"],
        "de": ["Wie änderte sich das Einkommen?"],
    }[language]
    return draw(rng, (first, second), rng.choice(questions))
