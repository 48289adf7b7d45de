"""Numbers with a unit of units.csv: 12 liters, 5 ft 11 in, 90 minutes, 38 °C, 50 %, $5 million, EUR 3.50."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from answersim.answers.text.patterns import Patterns
from answersim.answers.typed.number import Number, scan_number
from answersim.answers.typed.tokens import Tokens, token_pattern, tokens
from answersim.answers.typed.words import ARTICLES, proper_fraction

SHARE, ANGLE, TEMPERATURE, MONEY, COIN, TIMES = "share", "angle", "temperature", "money ", "money coin", "times"
_KINDS = {"time": "duration", SHARE: "percentage"}
_MOST_WORDS = 3
_MOST_PARTS = 4  # 3 days 2 hours 5 minutes 1 second
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "quadrat": 2, "kubik": 3}
_AFTER_POWERS = {"squared": 2, "cubed": 3, "2": 2, "3": 3}
_POWER = token_pattern(r"(?:\^ [23]|squared|cubed|(?P<glued>(?<=~)[23])) ")
_BELOW_ZERO = tuple(tuple(words.split()) for words in ("below zero", "below freezing", "unter null", "unter 0"))
_TENS_OF = frozenset("the mid low lower high upper early late - his her their its".split())
_P = Patterns("quantity")
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
}
# Units that come from the name of a person may have a capital letter.
_PERSONS = frozenset(
    "kelvin newton joule watt pascal ampere volt hertz ångström angstrom ohm celsius coulomb farad henry tesla gauss "
    "becquerel gray sievert".split()
)
# Prefixes of the SI: sign, name, power of ten
_PREFIXES = {
    **{"p": ("pico", -12), "n": ("nano", -9), "u": ("micro", -6), "m": ("milli", -3), "c": ("centi", -2)},
    **{"d": ("deci", -1), "h": ("hecto", 2), "k": ("kilo", 3), "M": ("mega", 6), "G": ("giga", 9), "T": ("tera", 12)},
}
_SINGULAR = frozenset(
    "cent penny mile foot inch yard pound second minute hour day week month year decade century".split()
)


@dataclass(frozen=True)
class Unit:
    """A unit of measurement, or a currency."""

    name: str  # its name, for messages
    dimension: str  # what it measures: "length", "length^2", "length/time", "share", "money USD" ...
    factor: Fraction  # how many base units it has
    offset: Fraction = Fraction(0)  # for temperatures: the kelvin at its zero
    plural: str = field(default="", compare=False)  # its name after a number other than one
    # further factors, if the name has several sizes: a gallon is a US gallon or an imperial one
    sizes: tuple[Fraction, ...] = field(default=(), compare=False)

    @property
    def kind(self) -> str:
        """The kind of a value in this unit: "duration", "percentage", "money" or "quantity"."""
        return "money" if self.is_money else _KINDS.get(self.dimension, "quantity")

    @property
    def is_money(self) -> bool:
        """Whether it is a currency."""
        return self.dimension.startswith(MONEY)


@dataclass(frozen=True)
class Quantity:
    """A number with a unit."""

    number: Number  # the number
    unit: Unit  # the unit
    # whether the unit is capitalized as in a title, such as "60 Minutes", which is not converted
    title: bool = field(default=False, compare=False)
    compound: bool = field(default=False, compare=False)  # whether it has several parts: 3 hours 20 minutes

    @property
    def kind(self) -> str:
        """The kind of the value: "quantity", "duration", "percentage" or "money"."""
        return self.unit.kind

    def with_number(self, **changes: Any) -> Quantity:
        """Return the quantity with changes of its number."""
        return replace(self, number=replace(self.number, **changes))

    def __str__(self) -> str:
        return f"{self.number} {self.unit.name if self.number.value == 1 else self.unit.plural}"


Amount: TypeAlias = Number | Quantity


def _tables() -> tuple[dict[tuple[str, ...], Unit], dict[str, Unit]]:
    """Return the units by their words, as folded tokens, and by their symbols. A row may state what a prefix makes."""
    words: dict[tuple[str, ...], Unit] = {}
    symbols: dict[str, Unit] = {}
    for row, unit in _units():
        words |= {tokens(word).low: unit for word in row["words"].split("|") if word}
        symbols |= {symbol: unit for symbol in row["symbols"].split("|") if symbol}
        if unit.dimension == "length" and len(unit.name.split()) == 1:
            for prefix in ("quadrat", "kubik"):
                power = _to_power(unit, _POWERS[prefix])
                words |= {(f"{prefix}{word}",): power for word in row["words"].split("|")}
    return words, symbols


def _units() -> Iterator[tuple[Mapping[str, str], Unit]]:
    """Yield the rows of units.csv with their units, and those with a prefix of the SI: "kilo" and "k" are 1,000."""
    with (Path(__file__).parent / "units.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sizes, factor = tuple(map(Fraction, filter(None, row["sizes"].split("|")))), Fraction(row["factor"])
            unit = Unit(row["name"], row["dimension"], factor, Fraction(row["offset"] or 0), row["plural"], sizes)
            for sign in row["prefixes"].split():
                prefix, power = _PREFIXES[sign]
                forms = (row["words"], prefix), (row["symbols"], sign)
                spelled, short = ("|".join(start + form for form in forms.split("|") if form) for forms, start in forms)
                name, plural = (prefix + form for form in (unit.name, unit.plural))
                made = replace(unit, name=name, plural=plural, factor=unit.factor * Fraction(10) ** power)
                yield {"words": spelled, "symbols": short}, made
            yield row, unit


def _to_power(unit: Unit, by: int) -> Unit:
    prefix = "square" if by == 2 else "cubic"
    names = f"{prefix} {unit.name}", f"{prefix} {unit.plural}"
    return Unit(names[0], f"{unit.dimension}^{by}", unit.factor**by, plural=names[1])


_BY_WORDS, _BY_SYMBOL = _tables()
# The names of units whose symbol is one letter, which others may share.
_LETTERED = frozenset(unit.name for symbol, unit in _BY_SYMBOL.items() if len(symbol) == 1 and symbol.isalpha())
_LETTERED |= {"coulomb", "farad", "henry"}
PERCENT = _BY_WORDS["percent",]
MONTH = _BY_WORDS["month",].factor
MONEY_WORDS = frozenset(words[0] for words, unit in _BY_WORDS.items() if unit.is_money)
# A currency before its number: "$", "US$", "EUR". Names of currencies, such as "dollars", are no prefixes.
PREFIXES = {words: unit for words, unit in _BY_WORDS.items() if unit.is_money and words[-1] == "$"}
PREFIXES |= {(symbol,): unit for symbol, unit in _BY_SYMBOL.items() if unit.is_money and symbol not in "¢円元원"}
CODES = {words[0]: unit for words, unit in _BY_WORDS.items() if unit.is_money and unit.name.lower() == words[0]}
_MINUS = frozenset(("-", "minus", "negative"))
PREFIX_STARTS = frozenset(words[0] for words in PREFIXES) | frozenset(CODES)


def as_money(quantity: Quantity) -> Quantity | None:
    """Return an amount in pounds as money; None for another unit."""
    return replace(quantity, unit=CODES["gbp"], title=False) if quantity.unit.name in ("pound", "Pfund") else None


def conversions(value: float, unit: Unit) -> list[float]:
    """Return a value in this unit in all other units of its dimension."""
    base = value * float(unit.factor) + float(unit.offset)
    others = {
        (other.factor, other.offset)
        for other in (*_BY_WORDS.values(), *_BY_SYMBOL.values())
        if other.dimension == unit.dimension and (other.factor, other.offset) != (unit.factor, unit.offset)
    }
    return [(base - float(offset)) / float(factor) for factor, offset in others]


def alike(one: Unit, other: Unit) -> bool:
    """Return whether one name may stand for two units.

    An ounce may be a fluid ounce, m stands for meters and minutes, and a rate may be stated without its time.
    """
    first, second = (set(unit.name.replace("/", " ").split()) for unit in (one, other))
    rates = {unit.dimension.partition("/")[0] for unit in (one, other)}
    initials = {unit.name.lstrip("°")[0].casefold() for unit in (one, other)}
    is_letter = len(initials) == 1 and not _LETTERED.isdisjoint((one.name, other.name))
    return first <= second or second <= first or len(rates) == 1 or is_letter


def scan_unit(toks: Tokens, i: int) -> tuple[Unit, int] | None:
    """Read a unit that begins at token i: a name or a symbol, its square or cube, and at most one quotient."""
    result = _simple(toks, i)
    if result is None:
        return None
    unit, end = result
    i = end + 1
    is_slash = end < len(toks.low) and toks.low[end] == "/" and toks.glued[end]
    if i < len(toks.low) and (is_slash or toks.low[end] in ("per", "pro", "a", "an")):
        below = _simple(toks, i)
        is_rate = below is not None and (below[0].dimension == "time" or toks.low[end] not in ("a", "an"))
        if below is not None and is_rate and not {unit.dimension, below[0].dimension} & {SHARE, TEMPERATURE, ANGLE}:
            return _quotient(unit, below[0], f"{unit.plural}/{below[0].name}"), below[1]
    return result


def _quotient(unit: Unit, under: Unit, plural: str) -> Unit:
    factor, *sizes = (size / under.factor for size in (unit.factor, *unit.sizes))
    dimension = f"{unit.dimension}/{under.dimension}"
    return Unit(f"{unit.name}/{under.name}", dimension, factor, plural=plural, sizes=tuple(sizes))


def _simple(toks: Tokens, i: int) -> tuple[Unit, int] | None:
    """Read a unit without a quotient."""
    low, n = toks.low, len(toks.low)
    i += low[i : i + 1] == ("us",) and i + 1 < n and low[i + 1].isalpha()  # US pints
    by = _POWERS.get(low[i], 1) if i < n else 1
    i += (by > 1) * (1 + (low[i + 1 : i + 2] == (".",)))
    ends = range(min(i + _MOST_WORDS, n), i, -1)
    unit, i = next(
        ((_BY_WORDS[low[i:end]], end) for end in ends if low[i:end] in _BY_WORDS),
        (_BY_SYMBOL.get(toks.text[i]) if i < n and not (toks.glued[i] and toks.text[i] == "T") else None, i + 1),
    )
    if unit is None:
        return None
    power = _POWER.match(toks.line, toks.starts[i]) if by == 1 else None
    if power and (power["glued"] is None or (unit.dimension == "length" and low[i - 1] != "'")):
        by, i = _AFTER_POWERS[power[0].split()[-1]], toks.index(power.end())
    if by > 1 and unit.dimension not in ("length", "time"):
        return None
    return (_to_power(unit, by) if by > 1 else unit), i


def read_frequency(text: str) -> Quantity | None:
    """Return a text that says how often: "twice a week", "3 times", "daily"; None if it does not."""
    match = _P.frequency.fullmatch(text)
    if match is None:
        return None
    counted = tokens(match["count"] or str(_TIMES.get(match["word"] or "", 1)))
    number = scan_number(counted, 0, "en")
    period = match["period"] or match["each"] or _ADVERBS.get(match["adverb"] or "", "")
    below = _BY_WORDS.get((period,))
    if number is None or number[1] < len(counted.low) or (period and (below is None or below.dimension != "time")):
        return None
    often = Unit("time", TIMES, Fraction(1), plural=TIMES)
    unit = often if below is None else _quotient(often, below, f"{TIMES}/{period}")
    return Quantity(replace(number[0], bare=False), unit)


def scan_quantity(toks: Tokens, i: int, lang: str) -> tuple[Quantity, int] | None:
    """Read a quantity that begins at token i, with further parts in smaller units of the same dimension."""
    first = _prefixed(toks, i, lang) or _article(toks, i, lang) or _part(toks, i, lang)
    if first is None:
        return None
    quantity, i = first
    if (more := _and_part(toks, i)) is not None:  # two hours and a half
        value = quantity.number.value + more[0]
        quantity, i = quantity.with_number(value=value, step=value / 1000), more[1]
    for _ in range(_MOST_PARTS - 1):
        at = i + (i < len(toks.low) and toks.low[i] in ("and", "und", ","))
        following = _minutes(toks, i, quantity.unit) or (_part(toks, at, lang) if at < len(toks.low) else None)
        if following is None:
            break
        smaller, end = following
        if smaller.unit.is_money:
            quantity = as_money(quantity) or quantity
        unit = quantity.unit if smaller.unit.dimension == COIN and quantity.unit.is_money else smaller.unit
        factor = smaller.unit.factor if unit is quantity.unit else 1
        if unit.dimension != quantity.unit.dimension or smaller.unit.factor >= quantity.unit.factor or unit.offset:
            break
        value = quantity.number.value * quantity.unit.factor / unit.factor + smaller.number.value * factor
        quantity, i = Quantity(Number(value, smaller.number.step * factor), unit, compound=True), end
    return quantity, i


def _minutes(toks: Tokens, i: int, unit: Unit) -> tuple[Quantity, int] | None:
    """Read the minutes of "1h30" and "1h 30m"."""
    is_behind = unit.name == "hour" and i < len(toks.low) and toks.low[i - 1] == "h"
    if not is_behind or not _P.minutes.fullmatch(toks.low[i]):
        return None
    end = i + 1 + (toks.low[i + 1 : i + 2] == ("m",))
    is_short = toks.glued[i] or end == i + 2
    minutes = Quantity(Number(Fraction(int(toks.low[i]))), _BY_WORDS["minute",])
    return (minutes, end) if is_short and end == len(toks.low) else None


def _prefixed(toks: Tokens, i: int, lang: str) -> tuple[Quantity, int] | None:
    """Read an amount of money with the currency before the number: "$5 million", "US$ 3", "EUR 3.50", "-£5m"."""
    low, n = toks.low, len(toks.low)
    negative = low[i] in _MINUS and i + 1 < n
    i += negative
    unit, end = PREFIXES.get(low[i : i + 2]), i + 2
    if unit is None:
        code = CODES.get(low[i]) if toks.text[i].isupper() else None
        unit, end = PREFIXES.get(low[i : i + 1]) or code, i + 1
    if unit is not None and low[end : end + 1] == ("-",):  # $-5
        negative, end = True, end + 1
    result = scan_number(toks, end, lang) if unit is not None and end < n else None
    if unit is None or result is None or result[0].ordinal:
        return None
    number, end = result
    million = Fraction(10**6 if number.scale == 1 and toks.text[end : end + 1] == ("m",) and toks.glued[end] else 1)
    scale = million if million > 1 else number.scale
    end += million > 1
    value = number.value * million * (-1 if negative else 1)
    number = replace(number, value=value, step=number.step * million, scale=scale, bare=False)
    after = scan_unit(toks, end) if end < n else None
    if after is not None and after[0] == unit:  # $5 US dollars
        end = after[1]
    if low[end : end + 1] in (("/",), ("per",)) and end + 1 < n:
        below = _simple(toks, end + 1)
        if below is not None and not below[0].is_money:
            unit, end = _quotient(unit, below[0], f"{unit.name}/{below[0].name}"), below[1]
    return Quantity(number, unit), end


def _article(toks: Tokens, i: int, lang: str) -> tuple[Quantity, int] | None:
    """Read "an hour" of "an hour and a half" or "an hour and 30 minutes"; an article alone is not a number."""
    unit, end = (scan_unit(toks, i + 1) if toks.low[i] in ARTICLES else None) or (None, i)
    is_more = end + 1 < len(toks.low) and toks.low[end] in ("and", "und")
    if unit is None or not is_more or (_and_part(toks, end) is None and _part(toks, end + 1, lang) is None):
        return None
    return Quantity(Number(Fraction(1)), unit), end


def _and_part(toks: Tokens, i: int) -> tuple[Fraction, int] | None:
    """Read "and a half" after a unit."""
    part = proper_fraction(toks.low, i + 1) if toks.low[i : i + 1] in (("and",), ("und",)) else None
    return None if part is None or (part[1] < len(toks.low) and scan_unit(toks, part[1]) is not None) else part


def _part(toks: Tokens, i: int, lang: str) -> tuple[Quantity, int] | None:
    """Read a number with a unit behind it."""
    result = scan_number(toks, i, lang)
    if result is None or result[0].ordinal:
        return None
    start, (number, i) = i, result
    low, n = toks.low, len(toks.low)
    i += i + 1 < n and low[i] == "-" and toks.glued[i] and toks.glued[i + 1]  # a 90-minute film
    i += i + 1 < n and low[i] == "." and low[i - 1] in ("mio", "mrd")
    if i + 1 < n and number.value < 1 and low[i] in ("a", "an", "of", "einer"):  # half an hour
        i += 1 + (low[i] == "of" and low[i + 1] in ("a", "an"))
    result_unit = scan_unit(toks, i) if i < n else None
    if result_unit is None or (low[i] == "in" and i + 1 < n and low[i + 1].isalpha() and result_unit[1] == i + 1):
        return None  # 20 in the first year
    in_tens = start > 0 and low[start - 1] in _TENS_OF and not number.value % 10
    if (number.year_like or in_tens) and low[i] == "s" and toks.glued[i]:
        return None  # the 1890s, the low 300s
    unit, end = result_unit
    word = toks.text[i]
    if word.istitle() and low[i] in _SINGULAR and abs(number.value) != 1 and (lang == "en" or low[i] != "cent"):
        return None  # 8 Mile, 50 Cent
    # Names of units have no capital letter, unless they come from the name of a person, or it is a percentage.
    is_free = low[i].removesuffix("s") in _PERSONS or unit.offset or unit.dimension == SHARE or unit.is_money
    is_free = is_free or word in _BY_SYMBOL  # Mbps
    is_title = lang == "en" and len(word) > 2 and word.istitle() and not is_free
    if unit.dimension in (TEMPERATURE, ANGLE):
        words = next((words for words in _BELOW_ZERO if low[end : end + len(words)] == words), ())
        number, end = (replace(number, value=-number.value), end + len(words)) if words else (number, end)
    end += (low[end : end + 1] == ("old",)) + 2 * (low[end : end + 2] == ("-", "old"))
    return Quantity(replace(number, bare=False), unit, is_title), end
