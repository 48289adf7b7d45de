"""Quantities in two units: exact factors, and rounding to three significant digits where a conversion has more."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import NamedTuple

from tools.weights.minimal_pairs.family import Family, draw
from tools.weights.minimal_pairs.writing import decimal, full_width, significant, words


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


# Sizes are exact: the international yard and pound, the US liquid gallon, the thermochemical calorie.
DIMENSIONS: dict[str, list[Unit]] = {
    "length": [
        _unit(1, "m|meters", "m|Meter", "米|公尺", "m|メートル"),
        _unit(1000, "km|kilometers", "km|Kilometer", "公里|千米", "km|キロメートル"),
        _unit("1/100", "cm|centimeters", "cm|Zentimeter", "厘米|公分", "cm|センチメートル"),
        _unit("1/1000", "mm|millimeters", "mm|Millimeter", "毫米|毫米", "mm|ミリメートル"),
        _unit("1609344/1000", "mi|miles", "", "英里|英里", ""),
        _unit("9144/10000", "yd|yards"),
        _unit("3048/10000", "ft|feet", "", "英尺|英尺", ""),
        _unit("254/10000", "in|inches", "", "英寸|英寸", ""),
        _unit(1852, "nmi|nautical miles"),
    ],
    "mass": [
        _unit(1, "kg|kilograms", "kg|Kilogramm", "公斤|千克", "kg|キログラム"),
        _unit("1/1000", "g|grams", "g|Gramm", "克|克", "g|グラム"),
        _unit(1000, "t|tonnes", "t|Tonnen", "吨|公吨", "t|トン"),
        _unit("1/1000000", "mg|milligrams", "mg|Milligramm", "毫克|毫克", "mg|ミリグラム"),
        _unit("1/2", "metric pounds|metric pounds", "Pfund|Pfund", "斤|市斤", ""),
        _unit("45359237/100000000", "lb|pounds"),
        _unit("45359237/1600000000", "oz|ounces"),
        _unit("635029318/100000000", "st|stone"),
        _unit("1/5000", "ct|carats", "Karat|Karat"),
    ],
    "volume": [
        _unit(1, "l|liters", "l|Liter", "升|公升", "L|リットル"),
        _unit("1/1000", "ml|milliliters", "ml|Milliliter", "毫升|毫升", "mL|ミリリットル"),
        _unit("1/10", "dl|deciliters", "dl|Deziliter", "", "dL|デシリットル"),
        _unit(100, "hl|hectoliters", "hl|Hektoliter"),
        _unit(1000, "m³|cubic meters", "m³|Kubikmeter", "立方米|立方公尺", "m³|立方メートル"),
        _unit("3785411784/1000000000", "gal|US gallons"),
        _unit("946352946/1000000000", "qt|US quarts"),
        _unit("473176473/1000000000", "pt|US pints"),
    ],
    "area": [
        _unit(1, "m²|square meters", "m²|Quadratmeter", "平方米|平方公尺", "m²|平方メートル"),
        _unit(10_000, "ha|hectares", "ha|Hektar", "公顷|公顷", "ha|ヘクタール"),
        _unit(1_000_000, "km²|square kilometers", "km²|Quadratkilometer", "平方公里|平方千米", "km²|平方キロメートル"),
        _unit("40468564224/10000000", "ac|acres"),
    ],
    "duration": [
        _unit(60, "min|minutes", "min|Minuten", "分钟|分钟", "分|分間"),
        _unit(1, "s|seconds", "s|Sekunden", "秒|秒钟", "秒|秒間"),
        _unit(3600, "h|hours", "h|Stunden", "小时|个小时", "時間|時間"),
        _unit(86_400, "days|days", "Tage|Tage", "天|天", "日間|日間"),
        _unit(604_800, "weeks|weeks", "Wochen|Wochen", "周|个星期", "週間|週間"),
        _unit("1/1000", "ms|milliseconds", "ms|Millisekunden", "毫秒|毫秒", "ミリ秒|ミリ秒"),
    ],
    "years": [
        _unit(1, "years|years", "Jahre|Jahre", "年|年", "年|年間"),
        _unit(10, "decades|decades", "Jahrzehnte|Jahrzehnte"),
        _unit(100, "centuries|centuries", "Jahrhunderte|Jahrhunderte", "个世纪|个世纪", "世紀|世紀"),
        _unit(1000, "millennia|millennia", "Jahrtausende|Jahrtausende"),
        _unit("1/12", "months|months", "Monate|Monate", "个月|个月", "か月|ヶ月"),
    ],
    "speed": [
        _unit(
            "10/36",
            "km/h|kilometers per hour",
            "km/h|Kilometer pro Stunde",
            "公里每小时|千米/小时",
            "km/h|キロメートル毎時",
        ),
        _unit(1, "m/s|meters per second", "m/s|Meter pro Sekunde", "米每秒|米/秒", "m/s|メートル毎秒"),
        _unit("1609344/3600000", "mph|miles per hour"),
        _unit("1852/3600", "kn|knots", "kn|Knoten"),
    ],
    "energy": [
        _unit(1000, "kJ|kilojoules", "kJ|Kilojoule"),
        _unit(1, "J|joules", "J|Joule"),
        _unit(4184, "kcal|kilocalories", "kcal|Kilokalorien"),
        _unit(3_600_000, "kWh|kilowatt-hours", "kWh|Kilowattstunden"),
    ],
    "power": [
        _unit(1000, "kW|kilowatts", "kW|Kilowatt"),
        _unit(1, "W|watts", "W|Watt"),
        _unit(1_000_000, "MW|megawatts", "MW|Megawatt"),
    ],
    "data": [
        _unit(1_000_000, "MB|megabytes", "MB|Megabyte"),
        _unit(1000, "kB|kilobytes", "kB|Kilobyte"),
        _unit(1_000_000_000, "GB|gigabytes", "GB|Gigabyte"),
        _unit(10**12, "TB|terabytes", "TB|Terabyte"),
    ],
    "frequency": [
        _unit(1_000_000, "MHz|megahertz", "MHz|Megahertz"),
        _unit(1000, "kHz|kilohertz", "kHz|Kilohertz"),
        _unit(10**9, "GHz|gigahertz", "GHz|Gigahertz"),
        _unit(1, "Hz|hertz", "Hz|Hertz"),
    ],
    "pressure": [
        _unit(100, "hPa|hectopascals", "hPa|Hektopascal"),
        _unit(1000, "kPa|kilopascals", "kPa|Kilopascal"),
        _unit(100_000, "bar|bar", "bar|Bar"),
        _unit(1, "Pa|pascals", "Pa|Pascal"),
    ],
}
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
    return draw(rng, first, second, rng.choice(["", *questions]))


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
    return draw(rng, first, second, rng.choice(["", {"en": "How warm was it?", "de": "Wie warm war es?"}[language]]))
