"""Amounts of money: symbols, codes and names of currencies, fractions, and scales."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import NamedTuple

from tools.weights.minimal_pairs.family import Family, draw, written
from tools.weights.minimal_pairs.numerals import near
from tools.weights.minimal_pairs.writing import decimal, words
from tools.weights.tables import table


class Currency(NamedTuple):
    """A currency: its symbol, code and plural name, and the plural name of its hundredth part ("" for none)."""

    symbol: str
    code: str
    name: str
    part: str


_TEXTS = table(__file__, "money")
CURRENCIES = {language: [Currency(*row) for row in rows] for language, rows in _TEXTS["currencies"].items()}
QUESTIONS = _TEXTS["questions"]
FORMS = _TEXTS["forms"]
COINS = [("a quarter", 25), ("a dime", 10), ("a nickel", 5), ("a half-dollar", 50), ("a penny", 1)]


def family(rng: Random, language: str) -> Family | None:
    """Return a family about an amount of money, or None if the draw is of no use."""
    ways = {"en": [_whole, _whole, _parts, _parts, _large, _large, _coins], "de": [_whole, _parts, _large, _large]}
    return rng.choice(ways.get(language, [_east_asian]))(rng, language)


def _two(rng: Random, language: str) -> tuple[Currency, Currency]:
    """Return a currency twice, or at times two that differ."""
    first, second = rng.sample(CURRENCIES[language], 2)
    return (first, first) if rng.random() < 0.65 else (first, second)


def _whole(rng: Random, language: str) -> Family | None:
    currencies = _two(rng, language)
    amount = rng.choice(
        [rng.randrange(12, 100), rng.randrange(100, 1000), rng.randrange(10, 100) * 1000, rng.randrange(20, 90) * 50]
    )
    other = amount if currencies[0] != currencies[1] else near(rng, amount)
    if other < 2 or (other == amount and currencies[0] == currencies[1]):
        return None
    texts = [
        _whole_forms(value, currency, language) for value, currency in zip((amount, other), currencies, strict=True)
    ]
    return draw(rng, texts, rng.choice(QUESTIONS[language]))


def _whole_forms(amount: int, currency: Currency, language: str) -> list[str]:
    digits, word = decimal(amount, language) or "", words(amount, language)
    return written(FORMS[language]["whole"], amount=amount, digits=digits, word=word, **currency._asdict())


def _parts(rng: Random, language: str) -> Family | None:
    currencies = _two(rng, language)
    if not all(currency.part for currency in currencies):
        return None
    whole, part = rng.randrange(2, 40), rng.choice([5, 10, 20, 25, 40, 50, 60, 75, 80, 90, 95, 99])
    other = (
        (whole, part)
        if currencies[0] != currencies[1]
        else rng.choice(
            [(whole + 1, part), (whole * 10 + part // 10, part % 10 * 10), (part, whole), (whole, 100 - part)]
        )
    )
    if other == (whole, part) and currencies[0] == currencies[1]:
        return None
    texts = []
    for (w, p), currency in zip(((whole, part), other), currencies, strict=True):
        numbers = {"w": w, "p": p, "small": 100 * w + p, "w_word": words(w, language), "p_word": words(p, language)}
        texts.append(written(FORMS[language]["parts"], **numbers, **currency._asdict()))
    return draw(rng, texts, rng.choice(QUESTIONS[language][:4]))


def _large(rng: Random, language: str) -> Family | None:
    currencies = _two(rng, language)
    tenths = rng.choice([*range(12, 100), *range(110, 990, 5)])
    scale = rng.choice([10**6, 10**9])
    other = (tenths, scale)
    if currencies[0] == currencies[1]:
        other = rng.choice([(tenths, 10**15 // scale), (near(rng, tenths), scale), (tenths * 10, scale)])
    if (other == (tenths, scale) and currencies[0] == currencies[1]) or other[0] < 11:
        return None
    names = {
        "en": {10**6: ("million", "m"), 10**9: ("billion", "bn")},
        "de": {10**6: ("Millionen", "Mio."), 10**9: ("Milliarden", "Mrd.")},
    }[language]
    texts = []
    for (t, s), currency in zip(((tenths, scale), other), currencies, strict=True):
        short, full = decimal(Fraction(t, 10), language, 1), decimal(t * s // 10, language)
        scaled = dict(zip(("scale", "abbreviated"), names[s], strict=True))
        texts.append(written(FORMS[language]["large"], short=short, full=full, **scaled, **currency._asdict()))
    return draw(rng, texts, rng.choice(QUESTIONS[language]))


def _coins(rng: Random, language: str) -> Family | None:
    first, second = rng.sample(COINS, 2)
    texts = [
        [
            name,
            f"{cents} cent{'s' if cents > 1 else ''}",
            f"$0.{cents:02}",
            f"{words(cents)} cent{'s' if cents > 1 else ''}",
        ]
        for name, cents in (first, second)
    ]
    cost = "How much does it cost in the United States?"
    return draw(rng, texts, "Which US coin does the machine take?" if rng.random() < 0.5 else cost)


def _east_asian(rng: Random, language: str) -> Family | None:
    currencies = _two(rng, language)
    amount = rng.choice([rng.randrange(12, 100) * 1000, rng.randrange(11, 100) * 100_000, rng.randrange(20, 990) * 10])
    other = amount if currencies[0] != currencies[1] else rng.choice([amount * 10, near(rng, amount // 10) * 10])
    if other < 20 or (other == amount and currencies[0] == currencies[1]):
        return None
    texts = []
    for value, currency in zip((amount, other), currencies, strict=True):
        short = decimal(Fraction(value, 10_000), "zh")
        forms = [
            f"{value}{currency.name}",
            f"{value:,}{currency.name}",
            f"{words(value, language)}{currency.name}",
            f"{currency.code} {value:,}",
        ]
        texts.append([*forms, f"{short}万{currency.name}"] if min(amount, other) >= 10_000 else forms)
    return draw(rng, texts, rng.choice(QUESTIONS[language]))
