"""Units of measurement: their names, dimensions and exact factors, and squares, cubes and quotients of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from answersim.typed.tokens import Tokens

Dimension: TypeAlias = tuple[int, ...]  # powers of meter, kilogram, second, kelvin, ampere, bit, radian

_M, _KG, _S, _K, _A, _BIT, _RAD = (tuple(int(i == j) for j in range(7)) for i in range(7))
NONE: Dimension = (0,) * 7
_KINDS = {_S: "duration"}


@dataclass(frozen=True)
class Unit:
    """A unit of measurement."""

    name: str  # its name, for messages
    dimension: Dimension  # powers of the base units
    factor: Fraction  # how many base units it has
    offset: Fraction = Fraction(0)  # for temperatures: the kelvin at its zero
    plural: str = field(default="", compare=False)  # its name after a number other than one; "" if it is the same
    # further factors, if the name has several sizes: a gallon is a US gallon or an imperial one
    others: tuple[Fraction, ...] = field(default=(), compare=False)

    @property
    def kind(self) -> str:
        """The kind of a value in this unit: "duration", "percentage" or "quantity"."""
        return "percentage" if self.dimension == NONE else _KINDS.get(self.dimension, "quantity")


PERCENT = Unit("percent", NONE, Fraction(1, 100))
PERMILLE = Unit("per mille", NONE, Fraction(1, 1000))
DEGREE = Unit("degree", _RAD, Fraction(1))  # its factor is never converted: an angle or a temperature
_DAY = 86400
_YEAR = Fraction(3652425 * _DAY, 10_000)  # the mean year of the Gregorian calendar
MONTH = _YEAR / 12


def _power(dimension: Dimension, by: int) -> Dimension:
    return tuple(by * power for power in dimension)


def _times(one: Dimension, other: Dimension, by: int = 1) -> Dimension:
    return tuple(a + by * b for a, b in zip(one, other, strict=True))


_AREA, _VOLUME, _SPEED = _power(_M, 2), _power(_M, 3), _times(_M, _S, -1)
_FORCE = _times(_KG, _times(_M, _S, -2))
_ENERGY, _PRESSURE = _times(_FORCE, _M), _times(_FORCE, _M, -2)
_WATT = _times(_ENERGY, _S, -1)
_VOLT = _times(_WATT, _A, -1)

# "factor names ...": the first name is shown. A name with spaces is written with "_". Factors are exact; sources: NIST
# SP 811 (2008), appendix B, and the SI brochure (2019).
_WORDS: dict[Dimension, str] = {
    _M: """1 meter meters metre metres Meter Metern; 1000 kilometer kilometers kilometre kilometres Kilometer Kilometern
        kilometern; .01 centimeter centimeters centimetre centimetres Zentimeter Zentimetern; .001 millimeter
        millimeters millimetre millimetres Millimeter; .000001 micrometer micrometers micron microns Mikrometer;
        .0000000001 angstrom angstroms ångström å;
        .000000001 nanometer nanometers Nanometer; .0254 inch inches Zoll; .3048 foot feet Fuß Fuss; .9144 yard yards;
        1609.344 mile miles statute_miles Meile Meilen; 1852 nautical_mile nautical_miles Seemeile Seemeilen; 1.8288
        fathom fathoms; 201.168 furlong furlongs; 149597870700 astronomical_unit astronomical_units; 9460730472580800
        light_year light_years lightyear lightyears Lichtjahr Lichtjahre Lichtjahren""",
    _KG: """1 kilogram kilograms kilogramme kilogrammes kilo kilos Kilogramm; .001 gram grams gramme grammes Gramm;
        .000001 milligram milligrams Milligramm; .000000001 microgram micrograms; 1000 tonne tonnes metric_ton
        metric_tons Tonne Tonnen; 907.18474 ton tons short_ton short_tons; 1016.0469088 long_ton long_tons; .45359237
        pound pounds; .45359237 Pfund;
        .028349523125 ounce ounces Unze Unzen; 6.35029318 stone stones; .0002 carat carats Karat""",
    _S: """1 second seconds sec secs Sekunde Sekunden; .001 millisecond milliseconds Millisekunde Millisekunden;
        .000001 microsecond microseconds; 60 minute minutes min mins Minute Minuten; 3600 hour hours hr hrs Stunde
        Stunden; 86400 day days Tag Tage Tagen; 604800 week weeks Woche Wochen; 1209600 fortnight fortnights""",
    _AREA: """4046.8564224 acre acres; 10000 hectare hectares Hektar""",
    _VOLUME: """.001 liter liters litre litres Liter Litern; .000001 milliliter milliliters millilitre millilitres
        Milliliter; .003785411784 gallon gallons US_gallon US_gallons Gallone Gallonen; .00454609 imperial_gallon
        imperial_gallons; .000946352946 quart quarts; .000473176473 pint pints; .0002365882365 cup cups;
        .0000295735295625 fluid_ounce fluid_ounces; .158987294928 barrel barrels""",
    _SPEED: """1609.344/3600 mph; 1852/3600 knot knots Knoten; 1000/3600 km/h kmh kph kmph Stundenkilometer""",
    _FORCE: "1 newton newtons",
    _ENERGY: """1 joule joules; 1000 kilojoule kilojoules; 1000000 megajoule megajoules; 1000000000 gigajoule
        gigajoules; 4.184 calorie; 4184 kilocalorie kilocalories kcal Kilokalorien; 3600 watt_hour watt_hours
        Wattstunden; 3600000 kilowatt_hour kilowatt_hours kWh Kilowattstunden; 3600000000 megawatt_hour megawatt_hours
        Megawattstunden""",
    _WATT: """1 watt watts; 1000 kilowatt kilowatts; 1000000 megawatt megawatts Megawatt; 1000000000 gigawatt gigawatts;
        745.69987158227022 horsepower""",
    _PRESSURE: """1 pascal pascals; 1000 kilopascal kilopascals; 100 millibar millibars; 100000 bar bars; 101325
        atmosphere atmospheres; 101325/760 torr""",
    _A: "1 ampere amperes amp amps",
    _VOLT: "1 volt volts; 1000 kilovolt kilovolts",
    _power(_S, -1): "1 hertz; 1000 kilohertz; 1000000 megahertz; 1000000000 gigahertz",
    _BIT: """1 bit bits; 8 byte bytes; 8000 kilobyte kilobytes; 8000000 megabyte megabytes; 8000000000 gigabyte
        gigabytes; 8000000000000 terabyte terabytes""",
}
# Symbols keep their case: mW is no MW.
_SYMBOLS: dict[Dimension, str] = {
    _M: """1 m; 1000 km; .01 cm; .001 mm; .000001 um; .000000001 nm; .0254 in "; .3048 ft '; .9144 yd; 1609.344 mi;
        149597870700 AU""",
    _KG: "1 kg; .001 g; .000001 mg; 1000 t; .45359237 lb lbs; .028349523125 oz",
    _S: "1 s; .001 ms; 3600 h; 86400 d",
    _AREA: "10000 ha",
    _VOLUME: ".001 l L; .000001 ml mL; .1 hl; .003785411784 gal",
    _ENERGY: "1 J; 1000 kJ; 1000000 MJ; 1000000000 GJ; 4184 kcal; 3600 Wh; 3600000 kWh; 3600000000 MWh",
    _WATT: "1 W; 1000 kW; 1000000 MW; 1000000000 GW; .001 mW; 745.69987158227022 hp",
    _PRESSURE: "1 Pa; 100 hPa; 1000 kPa; 1000000 MPa; 100 mbar; 133.322387415 mmHg; 6894.757293168361 psi; 101325 atm",
    _A: "1 A; .001 mA",
    _VOLT: "1 V; 1000 kV; .001 mV",
    _power(_S, -1): "1 Hz; 1000 kHz; 1000000 MHz; 1000000000 GHz",
    _BIT: "8000 kB KB; 8000000 MB; 8000000000 GB; 8000000000000 TB",
}
_CELSIUS, _FAHRENHEIT = Fraction("273.15"), Fraction("459.67") * Fraction(5, 9)
_TEMPERATURES = (
    (Unit("°C", _K, Fraction(1), _CELSIUS), "degrees_celsius degree_celsius celsius centigrade degrees_centigrade "
     "°_c degrees_c deg_c grad_celsius C"),
    (Unit("°F", _K, Fraction(5, 9), _FAHRENHEIT), "degrees_fahrenheit degree_fahrenheit fahrenheit °_f degrees_f "
     "deg_f grad_fahrenheit F"),
    (Unit("K", _K, Fraction(1)), "kelvin kelvins degrees_kelvin K"),
    (DEGREE, "degrees degree ° grad"),
    (PERCENT, "% percent per_cent prozent pct"),
    (PERMILLE, "‰ permille per_mille per_mil per_mill permil promille"),
    (Unit("basis point", NONE, Fraction(1, 10_000), plural="basis points"), "basis_point basis_points basispunkte"),
    (Unit("quarter of an hour", _S, Fraction(900)), "viertelstunde viertelstunden quarter_hour quarter_hours"),
    (Unit("three quarters of an hour", _S, Fraction(2700)), "dreiviertelstunde"),
    (Unit("half hour", _S, Fraction(1800), plural="half hours"), "half_hours halbstunde"),
    (Unit("month", _S, MONTH, plural="months"), "month months monat monate monaten"),
    (Unit("year", _S, _YEAR, plural="years"), "year years yr yrs jahr jahre jahren jahres"),
    (Unit("decade", _S, _YEAR * 10, plural="decades"), "decade decades jahrzehnt jahrzehnte jahrzehnten"),
    (Unit("century", _S, _YEAR * 100, plural="centuries"), "century centuries jahrhunderte jahrhunderten"),
)  # fmt: skip
_GERMAN_POWERS = {"quadrat": 2, "kubik": 3}
_POWERS = {"square": 2, "sq": 2, "cubic": 3} | _GERMAN_POWERS
_MOST_TOKENS = 3
# Names with several sizes, and the other factors: imperial and metric ones, the customary pound of 500 g and that of
# 453.59237 g, calories of food, and bytes by powers of 1,024.
_OTHERS = {
    "ton": ("1000", "1016.0469088"), "Pfund": (".5",), "gallon": (".00454609",), "quart": (".0011365225",),
    "pint": (".00056826125",), "cup": (".00025", ".000284130625"), "fluid ounce": (".0000284130625",),
    "mile": ("1852",), "calorie": ("4184",), "horsepower": ("735.49875",), "barrel": (".119240471196",),
    "kilobyte": (str(8 * 1024),), "megabyte": (str(8 * 1024**2),), "gigabyte": (str(8 * 1024**3),),
    "terabyte": (str(8 * 1024**4),),
}  # fmt: skip
_SAME = {"gal": "gallon", "hp": "horsepower", "kB": "kilobyte", "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte"}


def _tables() -> tuple[dict[tuple[str, ...], Unit], dict[str, Unit]]:
    words: dict[tuple[str, ...], Unit] = {}
    symbols: dict[str, Unit] = {}
    for table, spelled in ((_WORDS, True), (_SYMBOLS, False)):
        for dimension, lines in table.items():
            for line in lines.split(";"):
                factor, *names = line.split()
                over, _, under = factor.partition("/")
                value = Fraction(over) / Fraction(under or "1")
                plural = names[1] if spelled and len(names) > 1 and len(names[1]) >= len(names[0]) else names[0]
                shown = names[0].replace("_", " ")
                others = tuple(map(Fraction, _OTHERS.get(_SAME.get(shown, shown), ())))
                unit = Unit(shown, dimension, value, plural=plural.replace("_", " "), others=others)
                for name in names:
                    if spelled and "/" not in name:
                        words[tuple(name.casefold().split("_"))] = unit
                    else:
                        symbols[name] = unit
    for unit, listed in _TEMPERATURES:
        for name in listed.split():
            if len(name) == 1 and name.isupper():
                symbols[name] = unit
            else:
                words[tuple(name.split("_"))] = unit
    for name, unit in [(name[0], unit) for name, unit in words.items() if len(name) == 1 and unit.dimension == _M]:
        for prefix, power in _GERMAN_POWERS.items():
            words[(prefix + name,)] = Unit(prefix + name, _power(_M, power), unit.factor**power)
    return words, symbols


_BY_WORDS, _BY_SYMBOL = _tables()
_SCALES: dict[Dimension, set[tuple[float, float]]] = {}
for _unit in (*_BY_WORDS.values(), *_BY_SYMBOL.values()):
    _SCALES.setdefault(_unit.dimension, set()).add((float(_unit.factor), float(_unit.offset)))


def sizes(unit: Unit) -> tuple[Unit, ...]:
    """Return the unit with each factor that its name may have.

    >>> [float(size.factor) for size in sizes(_BY_WORDS["ton",])]
    [907.18474, 1000.0, 1016.0469088]
    """
    return (unit, *(replace(unit, factor=factor) for factor in unit.others))


def in_other_units(value: float, unit: Unit) -> list[float]:
    """Return a value in this unit in all other simple units of its dimension.

    >>> sorted(round(value, 2) for value in in_other_units(100, _BY_SYMBOL["C"]))
    [212.0, 373.15]
    """
    own = float(unit.factor), float(unit.offset)
    base = value * own[0] + own[1]
    return [(base - scale[1]) / scale[0] for scale in _SCALES.get(unit.dimension, ()) if scale != own]


def scan_unit(tokens: Tokens, i: int) -> tuple[Unit, int] | None:
    """Read a unit that begins at token i: a name or a symbol, its square or cube, and at most one quotient.

    >>> from answersim.typed.tokens import tokens
    >>> scan_unit(tokens("miles per hour"), 0)[0].name
    'mile/hour'
    """
    result = _simple(tokens, i)
    if result is None:
        return None
    unit, i = result
    if i + 1 < len(tokens.low) and (tokens.low[i] in ("per", "pro") or (tokens.low[i] == "/" and tokens.glued[i])):
        below = _simple(tokens, i + 1)
        if below is not None and unit.dimension not in (NONE, _K) and below[0].dimension not in (NONE, _K, _RAD):
            under, i = below
            dimension = _times(unit.dimension, under.dimension, -1)
            plural = f"{unit.plural or unit.name}/{under.name}"
            factor, *others = (size.factor / under.factor for size in sizes(unit))
            return Unit(f"{unit.name}/{under.name}", dimension, factor, plural=plural, others=tuple(others)), i
    return unit, i


def _simple(tokens: Tokens, i: int) -> tuple[Unit, int] | None:
    low, n = tokens.low, len(tokens.low)
    i += low[i : i + 1] == ("us",) and i + 1 < n  # US pints
    by = _POWERS.get(low[i], 1) if i < n else 1
    if by > 1:
        i += 1 + (i + 1 < n and low[i + 1] == ".")
    for length in range(min(_MOST_TOKENS, n - i), 0, -1):
        unit = _BY_WORDS.get(low[i : i + length])
        if unit is not None:
            i += length
            break
    else:
        unit = _BY_SYMBOL.get(tokens.text[i]) if i < n else None
        if unit is None:
            return None
        i += 1
    if by == 1 and i + 1 < n and low[i] == "^" and tokens.text[i + 1] in ("2", "3"):
        by, i = int(tokens.text[i + 1]), i + 2
    elif by == 1 and unit.dimension == _M and i < n and low[i] in ("2", "3") and tokens.glued[i] and low[i - 1] != "'":
        by, i = int(low[i]), i + 1
    elif by == 1 and i < n and low[i] in ("squared", "cubed"):
        by, i = {"squared": 2, "cubed": 3}[low[i]], i + 1
    if by > 1:
        if unit.dimension not in (_M, _S):
            return None
        prefix = "square" if by == 2 else "cubic"
        plural = f"{prefix} {unit.plural or unit.name}"
        unit = Unit(f"{prefix} {unit.name}", _power(unit.dimension, by), unit.factor**by, plural=plural)
    return unit, i
