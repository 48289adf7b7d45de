"""Quantities in two units: exact factors, and rounding to three significant digits where a conversion has more."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import NamedTuple

from tools.weights.minimal_pairs.family import Family, draw
from tools.weights.minimal_pairs.writing import decimal, full_width, significant, words
from tools.weights.tables import table


class Unit(NamedTuple):
    """A unit: its size in the first unit of its dimension, and its symbol and plural name by language."""

    size: Fraction
    en: tuple[str, str]
    de: tuple[str, str] | None = None
    zh: tuple[str, str] | None = None
    ja: tuple[str, str] | None = None


def _unit(size: str | int, en: str, de: str = "", zh: str = "", ja: str = "") -> Unit:
    parts = [tuple(text.split("|")) if text else None for text in (en, de, zh, ja)]
    return Unit(Fraction(size), *parts)  # type: ignore[arg-type]


_TEXTS = table(__file__, "quantities")
# Sizes are exact: the international yard and pound, the US liquid gallon, the thermochemical calorie.
DIMENSIONS = {name: [_unit(*row) for row in rows] for name, rows in _TEXTS["dimensions"].items()}
QUESTIONS = {
    ("en", "length"): ["How far apart are the two stations?", "How long is the tunnel?", "How high is the tower?"],
    ("en", "mass"): ["How heavy is the stone?", "How much does the parcel weigh?"],
    ("en", "volume"): ["How much does the tank hold?", "How much water was used?"],
    ("en", "area"): ["How large is the park?"],
    ("en", "duration"): ["How long did the test run?", "How long did the flight take?"],
    ("en", "years"): ["How long did the dynasty last?", "How old was the tree?"],
    ("en", "speed"): ["How fast was the train?", "What was the wind speed?"],
    ("de", "length"): ["Wie lang ist der Tunnel?", "Wie hoch ist der Turm?"],
    ("de", "mass"): ["Wie schwer ist der Stein?", "Wie viel wiegt das Paket?"],
    ("de", "volume"): ["Wie viel fasst der Tank?"],
    ("de", "area"): ["Wie groß ist der Park?"],
    ("de", "duration"): ["Wie lange dauerte der Versuch?"],
    ("de", "speed"): ["Wie schnell war der Zug?"],
    ("zh", "length"): ["这条隧道有多长？"],
    ("zh", "mass"): ["这块石头有多重？"],
    ("ja", "length"): ["このトンネルの長さは？"],
    ("ja", "mass"): ["この石の重さは？"],
}
FACTORS = [Fraction(10), Fraction(1, 10), Fraction(100), Fraction(3, 2), Fraction(4, 5), Fraction(6, 5), Fraction(2)]


def family(rng: Random, language: str) -> Family | None:
    """Return a family about a quantity in two units, or None if the draw is of no use.

    A conversion with more than three significant digits is rounded to three and called "about". So the error of a
    rewrite is at most 0.5 percent, and a close miss differs by a seventh or more.
    """
    if language in ("en", "de") and rng.random() < 0.12:
        return _temperature(rng, language)
    dimension = rng.choice(list(DIMENSIONS))
    units = [unit for unit in DIMENSIONS[dimension] if _names(unit, language)]
    if len(units) < 2:
        return None
    source, target = rng.sample(units, 2)
    amount = Fraction(
        rng.choice([*range(2, 100), *range(110, 1000, 10), *range(1000, 10_000, 500)]), rng.choice([1, 1, 1, 2, 10])
    )
    if rng.random() < 0.4 and len(units) > 2:  # the same number in another unit
        other = rng.choice([unit for unit in units if unit not in (source, target)])
        if Fraction(4, 5) < other.size / target.size < Fraction(5, 4):  # a yard is nearly a meter
            return None
        texts = [_both(amount, target, source, language), _both(amount, other, source, language)]
    else:
        factor = rng.choice(FACTORS)
        texts = [_both(amount, source, target, language), _both(amount * factor, source, target, language)]
    forms = [written for written in texts if written]
    if len(forms) < 2:
        return None
    questions = QUESTIONS.get((language, dimension), [""])
    ways = rng.choice([0, 1]), rng.choice([2, 3])  # one way per unit, so that the two forms differ in their unit
    first, second = ([written[i] for i in ways] for written in forms)
    return draw(rng, (first, second), rng.choice(["", *questions]))


def _names(unit: Unit, language: str) -> tuple[str, str] | None:
    return {"en": unit.en, "de": unit.de, "zh": unit.zh, "ja": unit.ja}[language]


def _both(amount: Fraction, unit: Unit, other: Unit, language: str) -> list[str] | None:
    """Write a quantity in its unit and in another one, each with symbol and with name."""
    converted = amount * unit.size / other.size
    rounded = significant(converted, 3) if converted else converted
    exact = decimal(converted, language, 2)
    here, there = decimal(amount, language, 2), exact or decimal(rounded, language)
    if here is None or there is None or not Fraction(1, 10) <= converted <= 1_000_000 or amount > 1_000_000:
        return None
    if amount <= 1 or converted == 1 or (exact and len(exact) > 9):
        return None
    about = "" if exact else {"en": "about ", "de": "etwa ", "zh": "约", "ja": "約"}[language]
    texts = [
        *_written(here, amount, unit, language),
        *(about + text for text in _written(there, converted, other, language)),
    ]
    return texts


def _written(digits: str, amount: Fraction, unit: Unit, language: str) -> list[str]:
    symbol, name = _names(unit, language) or ("", "")
    if language in ("zh", "ja"):
        return [f"{digits}{symbol}", f"{full_width(digits)}{name}"]
    number = digits
    if amount.denominator == 1 and amount < 100:
        number = words(int(amount), language)
    return [f"{digits} {symbol}", f"{number} {name}"]


def _temperature(rng: Random, language: str) -> Family | None:
    """Return a family about a temperature: a multiple of five degrees Celsius is a whole number of Fahrenheit."""
    celsius = 5 * rng.randrange(-8, 21)
    other = celsius + 5 * rng.choice([-6, -4, -2, 2, 4, 6])
    degree = {"en": "degrees", "de": "Grad"}[language]
    texts = []
    for value in (celsius, other):
        fahrenheit = value * 9 // 5 + 32
        kelvin = (decimal(value + Fraction(27315, 100), language) or "") + " K"
        signed = str(value).replace("-", "\N{MINUS SIGN}")
        texts.append(
            [
                f"{signed} °C",
                f"{value} {degree} Celsius",
                f"{fahrenheit} °F",
                f"{fahrenheit} {degree} Fahrenheit",
                kelvin,
            ]
        )
    ways = rng.choice([[0, 2], [0, 3], [1, 2], [1, 3], [0, 4], [1, 4]])
    first, second = ([written[i] for i in ways] for written in texts)
    return draw(rng, (first, second), rng.choice(["", {"en": "How warm was it?", "de": "Wie warm war es?"}[language]]))
