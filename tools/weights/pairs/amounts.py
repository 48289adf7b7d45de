"""Two meanings that are amounts: an amount in several notations and roundings, against one that only looks like it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np

from tools.weights.pairs.draws import draw_one, every_fifth
from tools.weights.pairs.lexicon import Lexicon
from tools.weights.pairs.meanings import Forms, Meanings
from tools.weights.tables import table

_NEAR = table(__file__, "near")
_SCALES = (("thousand", 3, "K"), ("million", 6, "M"), ("billion", 9, "B"))
_POWERS = (" × 10^{e}", "e{e}", " x 10^{e}", "*10^{{{e}}}")
_REPORTED = (
    "The {m} of {f} was {{}} in {y}.",
    "{f} had a {m} of {{}}.",
    "It was {{}}.",
    "{f}'s {m} in {y} was {{}}, according to the report.",
)
_FACTORS = ("0.75", "0.88", "1.08", "1.15", "1.4")  # of amounts that are some percent off
_CURRENCIES = (("$", "dollars", "USD"), ("€", "euros", "EUR"), ("£", "pounds", "GBP"), ("¥", "yen", "JPY"))


def money(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw an amount of money in a report, against another digit, scale, or sign of currency."""
    metric, firm, year = _reported(split, rng)
    scale = draw_one(_SCALES, rng)
    digits = int(rng.integers(2, 6))
    value = Decimal(int(rng.integers(10 ** (digits - 1), 10**digits))).scaleb(-int(rng.integers(0, 3)))
    currency = draw_one(_CURRENCIES, rng) if rng.random() < 0.25 else _CURRENCIES[0]
    rival, rival_scale, rival_currency = _altered(value, rng), scale, currency
    if (form := rng.random()) < 0.15:
        rival, rival_scale = value, draw_one([other for other in _SCALES if other != scale], rng)
    elif form < 0.25:
        rival, rival_currency = value, draw_one([other for other in _CURRENCIES if other != currency], rng)
    place = rng.random()
    if place < 0.5:
        question = f"What is the FY{year} {metric} of {firm} (in {currency[2]} {scale[0]}s)?"
        golds: Forms = (_plain(value, currency), _plain(rival, rival_currency))
        if (rival_scale, rival_currency) != (scale, currency):
            return None
    else:
        question = f"What was the {metric} of {firm} in {year}?" if place < 0.9 else ""
        golds = ((), ())
    sentence = draw_one(_REPORTED, rng).format(m=metric, f=firm, y=year)
    texts = (_money(value, scale, currency), _money(rival, rival_scale, rival_currency))
    return _stated(sentence, *texts, question, golds)


def _plain(value: Decimal, currency: tuple[str, str, str]) -> list[str]:
    return [f"{currency[0]}{value:,.2f}", f"{value}", f"{value:,}", f"{currency[0]}{value}"]


def _money(value: Decimal, scale: tuple[str, int, str], currency: tuple[str, str, str]) -> list[str]:
    name, power, letter = scale
    sign, plural, code = currency
    whole = value.scaleb(power)
    forms = [f"{sign}{value} {name}", f"{value:,} {name} {plural}", f"{sign}{value}{letter}", f"{code} {value} {name}"]
    forms += [f"{sign}{whole:,.0f}", f"{whole:.0f} {plural}"]
    for other, other_power, _ in _SCALES:
        shown = whole.scaleb(-other_power).normalize()
        if other != name and Decimal("0.1") <= shown < 100_000:
            forms.append(f"{sign}{shown:,f} {other}")
    if len(value.as_tuple().digits) > 3:
        forms.append(f"about {sign}{rounded(value, 3):,f} {name}")
    return forms


def rounded(value: Decimal, digits: int) -> Decimal:
    """Return the value rounded to this many significant digits.

    >>> rounded(Decimal("1234.5"), 3), rounded(Decimal("0.01267"), 2)
    (Decimal('1230'), Decimal('0.013'))
    """
    exponent = value.adjusted() - digits + 1
    kept = value.scaleb(-exponent).quantize(Decimal(1), ROUND_HALF_EVEN).scaleb(exponent)
    return kept.quantize(Decimal(1)) if exponent > 0 else kept


def _altered(value: Decimal, rng: np.random.Generator) -> Decimal:
    """Return another value: a digit changed or exchanged, ten times as much or as little, or some percent off."""
    sign, digits, exponent = value.as_tuple()
    form = int(rng.integers(5))
    changed = list(digits)
    if form == 0:
        return value * 10 if rng.random() < 0.5 else value / 10
    if form == 1 and len(changed) > 1 and changed[0] != changed[1] and changed[1]:
        changed[0], changed[1] = changed[1], changed[0]
    elif form == 2:
        factor = Decimal(draw_one(_FACTORS, rng))
        return (value * factor).quantize(Decimal(1).scaleb(int(exponent)))
    elif form == 3:
        return Decimal(int(rng.integers(10 ** (len(digits) - 1), 10 ** len(digits)))).scaleb(int(exponent))
    else:
        at = int(rng.integers(min(2, len(changed))))
        changed[at] = (changed[at] + int(rng.integers(1, 9))) % 10 or (1 if changed[at] != 1 else 2)
    return Decimal((sign, tuple(changed), int(exponent)))


def ratio(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a percentage as percent, decimal or rounded, against another one."""
    name, firm, year = draw_one(_NEAR["ratios"], rng), *_reported(split, rng)[1:]
    value = Decimal(int(rng.integers(11, 9999))).scaleb(-int(rng.integers(1, 3)))
    if value >= 100:
        return None
    rival = _altered(value, rng)
    question = f"What was the {name} of {firm} in {year}?" if rng.random() < 0.7 else ""
    sentence = draw_one((f"The {name} was {{}}.", f"It was {{}} in {year}.", f"{firm} had a {name} of {{}}."), rng)
    return _stated(sentence, _ratio(value), _ratio(rival), question)


def _ratio(value: Decimal) -> list[str]:
    forms = [f"{value}%", f"{value} percent", f"{(value / 100).normalize():f}", f"{value} %", f"{value} per cent"]
    if len(value.as_tuple().digits) > 2 and rounded(value, 2) != value:
        forms += [f"about {rounded(value, 2)}%", f"approximately {rounded(value, 2)} percent"]
    return forms


def count(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a number of things with separators, scales and roundings, against another one."""
    thing = draw_one(_NEAR["counts"], rng)
    value = Decimal(int(rng.integers(10, 10 ** int(rng.integers(3, 8)))))
    rival = _altered(value, rng).quantize(Decimal(1))
    question = f"How many {thing} are there?" if rng.random() < 0.7 else ""
    stated = (f"There are {{}} {thing}.", f"{{}} {thing}", f"It has {{}} {thing}.", f"The number of {thing} is {{}}.")
    sentence = draw_one(stated, rng)
    return _stated(sentence, _count(value), _count(rival), question)


def _count(value: Decimal) -> list[str]:
    forms = [f"{value:,}", f"{value}", f"exactly {value}"]
    for name, power, _ in _SCALES:
        shown = value.scaleb(-power).normalize()
        if Decimal("0.1") <= shown < 1000 and len(shown.as_tuple().digits) <= 4:
            forms.append(f"{shown:f} {name}")
    if len(f"{value}".rstrip("0")) > 3:
        forms += [f"about {rounded(value, 3):,}", f"roughly {rounded(value, 3):,}"]
    return forms


def measure(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a physical quantity in notations of its unit and in a scaled unit, against another value or unit."""
    of, symbol, name, other_name = draw_one(_NEAR["measures"], rng)
    digits = int(rng.integers(1, 5))
    value = Decimal(int(rng.integers(10 ** (digits - 1), 10**digits))).scaleb(-int(rng.integers(0, 3)))
    rival = _altered(value, rng)
    question = f"What is the {of}?" if rng.random() < 0.6 else ""
    sentence = draw_one((f"The {of} is {{}}.", "The result is {}.", "approximately {}", "It is {}."), rng)
    first, second = _measure(value, symbol, name, other_name), _measure(rival, symbol, name, other_name)
    if rng.random() < 0.25:
        wrong = draw_one([row for row in _NEAR["measures"] if row[0] != of], rng)
        second = _measure(value, *wrong[1:])
    return _stated(sentence, first, second, question)


def _measure(value: Decimal, symbol: str, name: str, other: str) -> list[str]:
    forms = [f"{value} {symbol}", f"{value} {name}", f"{value} {other}", f"{value}{symbol}"]
    if symbol in ("m", "s", "W", "J", "N", "V", "Pa", "Hz", "M", "Ω"):
        forms.append(f"{(value * 1000).normalize():f} m{symbol}")
        if value >= 10:
            forms.append(f"{(value / 1000).normalize():f} k{symbol}")
    if len(value.as_tuple().digits) > 3:
        forms.append(f"{rounded(value, 3):f} {symbol}")
    return forms


def power(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a power of ten in several notations, against another exponent or factor."""
    factor = Decimal(int(rng.integers(101, 999))).scaleb(-2)
    exponent = int(rng.integers(-12, 13))
    if abs(exponent) < 3:
        return None
    unit = draw_one(("", "", " m", " kg", " J", " mol", " Hz", " s"), rng)
    other, shifted = factor, exponent + int(rng.choice([-2, -1, 1, 2]))
    if rng.random() < 0.5:
        other, shifted = _altered(factor, rng), exponent
    texts = [[form + unit for form in _power(*pair)] for pair in ((factor, exponent), (other, shifted))]
    return Meanings((texts[0], texts[1]), draw_one(("", "What is the value?"), rng)).distinct()


def _power(factor: Decimal, exponent: int) -> list[str]:
    forms = [f"{factor}{form.format(e=exponent)}" for form in _POWERS]
    forms += [f"${factor} \\times 10^{{{exponent}}}$", f"{rounded(factor, 2)} × 10^{exponent}"]
    if -6 <= exponent <= 9:
        forms.append(f"{factor.scaleb(exponent):,f}")
    return forms


def _stated(
    sentence: str, one: Sequence[str], other: Sequence[str], question: str, golds: Forms = ((), ())
) -> Meanings | None:
    """Return two meanings by their notations, each also in a sentence; None if they have a form in common."""
    forms = [[*notations, *map(sentence.format, notations)] for notations in (one, other)]
    return Meanings((forms[0], forms[1]), question, golds).distinct()


def _reported(split: str, rng: np.random.Generator) -> tuple[str, str, int]:
    """Draw an entry of a report, a company and a year. Every fifth company is in dev only."""
    firms = every_fifth(_NEAR["firms"], split)
    return draw_one(_NEAR["metrics"], rng), draw_one(firms, rng), int(rng.integers(2008, 2024))
