"""Two meanings that are amounts: an amount in several notations and roundings, against one that only looks like it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np

from tools.weights.pairs.draws import TEXTS, Forms, Lexicon, Meanings, draw_one, every_fifth, filled

_SCALES, _CURRENCIES = (list(map(tuple, TEXTS[name])) for name in ("scales", "currencies"))


def money(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw an amount of money in a report, against another digit, scale, or sign of currency."""
    metric, firm, year = _reported(split, rng)
    scale, value = draw_one(_SCALES, rng), _value(int(rng.integers(2, 6)), rng)
    currency = draw_one(_CURRENCIES, rng) if rng.random() < 0.25 else _CURRENCIES[0]
    rival = (_altered(value, rng), scale, currency)
    if (form := rng.random()) < 0.15:
        rival = (value, draw_one([other for other in _SCALES if other != scale], rng), currency)
    elif form < 0.25:
        rival = (value, scale, draw_one([other for other in _CURRENCIES if other != currency], rng))
    golds: Forms = ((), ())
    if (place := rng.random()) < 0.5:
        question = f"What is the FY{year} {metric} of {firm} (in {currency[2]} {scale[0]}s)?"
        if rival[1:] != (scale, currency):
            return None
        one, other = (filled("money golds", value=amount, sign=currency[0]) for amount in (value, rival[0]))
        golds = (one, other)
    else:
        question = f"What was the {metric} of {firm} in {year}?" if place < 0.9 else ""
    sentence = draw_one(filled("money sentences", metric=metric, firm=firm, year=year), rng)
    return _stated(sentence, _money(value, scale, currency), _money(*rival), question, golds)


def _money(value: Decimal, scale: tuple[str, int, str], currency: tuple[str, str, str]) -> list[str]:
    (name, power, letter), (sign, plural, code) = scale, currency
    slots = {"value": value, "whole": (whole := value.scaleb(power)), "name": name, "letter": letter}
    forms = filled("money forms", sign=sign, plural=plural, code=code, **slots)
    forms += [f"{sign}{shown:,f} {other}" for other, shown in _scaled(whole) if other != name and shown < 100_000]
    if len(value.as_tuple().digits) > 3:
        forms.append(f"about {sign}{rounded(value, 3):,f} {name}")
    return forms


def _scaled(value: Decimal) -> Iterator[tuple[str, Decimal]]:
    """Yield each scale in which the value is at least .1, and the value in this scale."""
    for name, power, _ in _SCALES:
        if (shown := value.scaleb(-power).normalize()) >= Decimal("0.1"):
            yield name, shown


def rounded(value: Decimal, digits: int) -> Decimal:
    """Return the value rounded to this many significant digits.

    >>> rounded(Decimal("1234.5"), 3), rounded(Decimal("0.01267"), 2)
    (Decimal('1230'), Decimal('0.013'))
    """
    exponent = value.adjusted() - digits + 1
    kept = value.scaleb(-exponent).quantize(Decimal(1), ROUND_HALF_EVEN).scaleb(exponent)
    return kept.quantize(Decimal(1)) if exponent > 0 else kept


def _value(digits: int, rng: np.random.Generator) -> Decimal:
    """Draw a number with this many digits, up to two of them after the point."""
    return _whole(digits, rng).scaleb(-int(rng.integers(0, 3)))


def _whole(digits: int, rng: np.random.Generator) -> Decimal:
    return Decimal(int(rng.integers(10 ** (digits - 1), 10**digits)))


def _altered(value: Decimal, rng: np.random.Generator) -> Decimal:
    """Return another value: a digit changed or exchanged, ten times as much or as little, or some percent off."""
    sign, digits, exponent = value.as_tuple()
    unit = Decimal(1).scaleb(int(exponent))
    changed = list(digits)
    if (form := int(rng.integers(5))) == 0:
        return value * 10 if rng.random() < 0.5 else value / 10
    if form == 1 and len(changed) > 1 and changed[0] != changed[1] and changed[1]:
        changed[0], changed[1] = changed[1], changed[0]
    elif form == 2:
        return (value * Decimal(draw_one(TEXTS["factors"], rng))).quantize(unit)
    elif form == 3:
        return _whole(len(digits), rng).scaleb(int(exponent))
    else:
        at = int(rng.integers(min(2, len(changed))))
        changed[at] = (changed[at] + int(rng.integers(1, 9))) % 10 or (1 if changed[at] != 1 else 2)
    return Decimal((sign, tuple(changed), int(exponent)))


def ratio(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a percentage as percent, decimal or rounded, against another one."""
    name, (_, firm, year) = draw_one(TEXTS["ratios"], rng), _reported(split, rng)
    value = Decimal(int(rng.integers(11, 9999))).scaleb(-int(rng.integers(1, 3)))
    if value >= 100:
        return None
    rival = _altered(value, rng)
    question = f"What was the {name} of {firm} in {year}?" if rng.random() < 0.7 else ""
    sentence = draw_one(filled("ratio sentences", name=name, firm=firm, year=year), rng)
    return _stated(sentence, _ratio(value), _ratio(rival), question)


def _ratio(value: Decimal) -> list[str]:
    forms = filled("ratio forms", value=value, share=(value / 100).normalize())
    if len(value.as_tuple().digits) > 2 and (short := rounded(value, 2)) != value:
        forms += [f"about {short}%", f"approximately {short} percent"]
    return forms


def count(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a number of things with separators, scales and roundings, against another one."""
    thing = draw_one(TEXTS["counts"], rng)
    value = Decimal(int(rng.integers(10, 10 ** int(rng.integers(3, 8)))))
    rival = _altered(value, rng).quantize(Decimal(1))
    question = f"How many {thing} are there?" if rng.random() < 0.7 else ""
    return _stated(draw_one(filled("count sentences", thing=thing), rng), _count(value), _count(rival), question)


def _count(value: Decimal) -> list[str]:
    forms = filled("count forms", value=value)
    scaled = [(name, shown) for name, shown in _scaled(value) if shown < 1000 and len(shown.as_tuple().digits) <= 4]
    forms += [f"{shown:f} {name}" for name, shown in scaled]
    if len(f"{value}".rstrip("0")) > 3:
        forms += [f"{about} {rounded(value, 3):,}" for about in ("about", "roughly")]
    return forms


def measure(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a physical quantity in notations of its unit and in a scaled unit, against another value or unit."""
    of, *unit = draw_one(TEXTS["measures"], rng)
    value = _value(int(rng.integers(1, 5)), rng)
    rival = _altered(value, rng)
    question = f"What is the {of}?" if rng.random() < 0.6 else ""
    sentence = draw_one(filled("measure sentences", of=of), rng)
    other = unit
    if rng.random() < 0.25:
        rival, other = value, draw_one([others for name, *others in TEXTS["measures"] if name != of], rng)
    return _stated(sentence, _measure(value, *unit), _measure(rival, *other), question)


def _measure(value: Decimal, symbol: str, name: str, other: str) -> list[str]:
    forms = filled("measure forms", value=value, symbol=symbol, name=name, other=other)
    if symbol in TEXTS["scaled symbols"]:
        forms.append(f"{(value * 1000).normalize():f} m{symbol}")
        if value >= 10:
            forms.append(f"{(value / 1000).normalize():f} k{symbol}")
    if len(value.as_tuple().digits) > 3:
        forms.append(f"{rounded(value, 3):f} {symbol}")
    return forms


def power(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a power of ten in several notations, against another exponent or factor."""
    factor, exponent = Decimal(int(rng.integers(101, 999))).scaleb(-2), int(rng.integers(-12, 13))
    if abs(exponent) < 3:
        return None
    unit = draw_one(TEXTS["power units"], rng)
    other = (factor, exponent + int(rng.choice([-2, -1, 1, 2])))
    if rng.random() < 0.5:
        other = (_altered(factor, rng), exponent)
    one, two = ([form + unit for form in _power(*meaning)] for meaning in ((factor, exponent), other))
    return Meanings((one, two), draw_one(("", "What is the value?"), rng)).distinct()


def _power(factor: Decimal, e: int) -> list[str]:
    forms = filled("powers of ten", factor=factor, e=e, rounded=rounded(factor, 2))
    return [*forms, f"{factor.scaleb(e):,f}"] if -6 <= e <= 9 else forms


def _stated(sentence: str, one: list[str], two: list[str], question: str, golds: Forms = ((), ())) -> Meanings | None:
    """Return two meanings by their notations, each also in a sentence; None if they have a form in common."""
    one, two = ([*notations, *map(sentence.format, notations)] for notations in (one, two))
    return Meanings((one, two), question, golds).distinct()


def _reported(split: str, rng: np.random.Generator) -> tuple[str, str, int]:
    """Draw an entry of a report, a company and a year. Every fifth company is in dev only."""
    firms = draw_one(TEXTS["metrics"], rng), draw_one(every_fifth(TEXTS["firms"], split), rng)
    return *firms, int(rng.integers(2008, 2024))
