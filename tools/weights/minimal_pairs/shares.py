"""Percentages: per cent, fractions, decimals, ratios, multiples, per mille and basis points."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from tools.weights.minimal_pairs.family import Family, draw
from tools.weights.minimal_pairs.numerals import near
from tools.weights.minimal_pairs.writing import decimal, full_width, words

FRACTIONS = {
    "en": {
        Fraction(1, 2): ["half", "one half", "one in two"],
        Fraction(1, 4): ["a quarter", "one fourth", "one in four"],
        Fraction(3, 4): ["three quarters", "three fourths", "three in four"],
        Fraction(1, 5): ["a fifth", "one fifth", "one in five"],
        Fraction(2, 5): ["two fifths", "two-fifths", "two in five"],
        Fraction(3, 5): ["three fifths", "three-fifths", "three in five"],
        Fraction(4, 5): ["four fifths", "four-fifths", "four in five"],
        Fraction(1, 10): ["a tenth", "one tenth", "one in ten"],
        Fraction(3, 10): ["three tenths", "three-tenths", "three in ten"],
        Fraction(7, 10): ["seven tenths", "seven-tenths", "seven in ten"],
        Fraction(9, 10): ["nine tenths", "nine-tenths", "nine in ten"],
        Fraction(1, 20): ["a twentieth", "one twentieth", "one in twenty"],
    },
    "de": {
        Fraction(1, 2): ["die Hälfte", "ein halb", "jeder Zweite"],
        Fraction(1, 4): ["ein Viertel", "1/4", "jeder Vierte"],
        Fraction(3, 4): ["drei Viertel", "3/4", "drei von vier"],
        Fraction(1, 5): ["ein Fünftel", "1/5", "jeder Fünfte"],
        Fraction(2, 5): ["zwei Fünftel", "2/5", "zwei von fünf"],
        Fraction(3, 5): ["drei Fünftel", "3/5", "drei von fünf"],
        Fraction(4, 5): ["vier Fünftel", "4/5", "vier von fünf"],
        Fraction(1, 10): ["ein Zehntel", "1/10", "jeder Zehnte"],
        Fraction(3, 10): ["drei Zehntel", "3/10", "drei von zehn"],
    },
    "zh": {
        Fraction(1, 2): ["一半", "五成", "二分之一"],
        Fraction(1, 4): ["四分之一", "1/4", "2.5成"],
        Fraction(3, 4): ["四分之三", "3/4", "7.5成"],
        Fraction(1, 5): ["五分之一", "1/5", "两成"],
        Fraction(3, 5): ["五分之三", "3/5", "六成"],
        Fraction(4, 5): ["五分之四", "4/5", "八成"],
        Fraction(1, 10): ["十分之一", "1/10", "一成"],
        Fraction(3, 10): ["十分之三", "3/10", "三成"],
        Fraction(9, 10): ["十分之九", "9/10", "九成"],
    },
    "ja": {
        Fraction(1, 2): ["半分", "5割", "2分の1"],
        Fraction(1, 4): ["4分の1", "1/4", "2割5分"],
        Fraction(3, 4): ["4分の3", "3/4", "7割5分"],
        Fraction(1, 5): ["5分の1", "1/5", "2割"],
        Fraction(3, 5): ["5分の3", "3/5", "6割"],
        Fraction(4, 5): ["5分の4", "4/5", "8割"],
        Fraction(1, 10): ["10分の1", "1/10", "1割"],
        Fraction(3, 10): ["10分の3", "3/10", "3割"],
        Fraction(9, 10): ["10分の9", "9/10", "9割"],
    },
}
QUESTIONS = {
    "en": [
        "",
        "",
        "What share of the voters agreed?",
        "How much of the land is forest?",
        "What share of the patients recovered?",
    ],
    "de": ["", "", "Welcher Anteil der Wähler stimmte zu?", "Wie viel des Landes ist Wald?"],
    "zh": ["", "森林占土地的多少？", "有多少人同意？"],
    "ja": ["", "森林の割合は？", "賛成した人の割合は？"],
}
PERCENT = {
    "en": ["{d}%", "{d} percent", "{d} per cent", "{w} percent", "{f}", "{d} in every hundred"],
    "de": ["{d} %", "{d} Prozent", "{w} Prozent", "{f}", "{d} von hundert"],
    "zh": ["{d}%", "百分之{w}", "{full}％", "{f}"],
    "ja": ["{d}%", "{d}パーセント", "{full}％", "{w}パーセント", "{f}"],
}
CHANGES = {
    "en": [
        ("it doubled", "it rose by 100%", "it grew by a factor of two"),
        ("it tripled", "it rose by 200%", "it grew by a factor of three"),
        ("it quadrupled", "it rose by 300%", "it grew by a factor of four"),
        ("it halved", "it fell by 50%", "it fell to half of what it was"),
        ("it fell by a quarter", "it fell by 25%", "it fell to three quarters of what it was"),
        ("it fell by three quarters", "it fell by 75%", "it fell to a quarter of what it was"),
        ("it rose by half", "it rose by 50%", "it grew to one and a half times what it was"),
    ],
    "de": [
        ("es verdoppelte sich", "es stieg um 100 %", "es wuchs auf das Zweifache"),
        ("es verdreifachte sich", "es stieg um 200 %", "es wuchs auf das Dreifache"),
        ("es halbierte sich", "es fiel um 50 %", "es sank auf die Hälfte"),
        ("es sank um ein Viertel", "es fiel um 25 %", "es sank auf drei Viertel"),
        ("es vervierfachte sich", "es stieg um 300 %", "es wuchs auf das Vierfache"),
    ],
}


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
    return draw(rng, texts[0], texts[1], rng.choice(QUESTIONS[language]))


def _percent(rng: Random, language: str) -> Family | None:
    value = rng.randrange(2, 98)
    other = rng.choice([near(rng, value), near(rng, value), 100 - value])
    if other == value or not 1 < other < 99:
        return None
    texts = [_forms(Fraction(number, 100), language) for number in (value, other)]
    return draw(rng, texts[0], texts[1], rng.choice(QUESTIONS[language]))


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
    return draw(rng, texts[0], texts[1], {"en": "How high is the rate?", "de": "Wie hoch ist der Satz?"}[language])


def _change(rng: Random, language: str) -> Family | None:
    first, second = rng.sample(CHANGES[language], 2)
    questions = {
        "en": ["How did the price change?", "What happened to the output?"],
        "de": ["Wie änderte sich das Einkommen?"],
    }[language]
    return draw(rng, first, second, rng.choice(questions))
