"""Short answers that differ in one decisive detail, and the same detail in other words: built from tables and rules."""

from __future__ import annotations

from calendar import isleap
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from answersim.answers.typed import date as dates
from answersim.training.data.pairs import TrainingPair
from benchmarks.number_words import cardinal, ordinal, roman_numeral
from tools.tables import table
from tools.weights.pairs import statements
from tools.weights.pairs.draws import draw_one, draw_two, split_of

DEV = 0.15  # the share of the pairs that are in dev, by the SHA-256 of both texts
WRAPPED = 0.35  # the share of pairs whose second text is a sentence

Item = tuple[float, str, str]  # label, gold answer, predicted answer

# Common knowledge, written for this project: words, and by kind units with names and size in a common base unit.
_TEXTS: Mapping[str, Any] = table(__file__, "confusable.json")
MONTHS = [name.title() for name in dates.MONTHS]
FIRST, LAST = date(1700, 1, 1), date(2030, 12, 31)
DAYS = (LAST - FIRST).days
DEV_YEARS = 10  # every tenth year is in dev
# The ways to write a day or a part of a date, and by kind of the second date its label: a coarser one is partly right.
_DATES = table(__file__, "dates.json")


def confusable_pairs(size: int, split: str, *, rng: np.random.Generator) -> list[TrainingPair]:
    """Draw this many pairs of this split, of random kinds. Some repeat. Single texts are in both splits."""
    pairs: list[TrainingPair] = []
    while len(pairs) < size:
        kind = draw_one(list(KINDS), rng)
        label, gold, pred = KINDS[kind](rng)
        if gold != pred and split_of("\n".join(sorted((gold.casefold(), pred.casefold()))), DEV) == split:
            pred = statements.asserted("", pred, rng) if rng.random() < WRAPPED else pred
            pairs.append(TrainingPair(gold, pred, label, split, f"confusable:{kind}"))
    return pairs


def _quantity(rng: np.random.Generator) -> Item:
    """A number with a unit against another name or a conversion of it, another unit, or another number."""
    kind = draw_one(list(_TEXTS["units"]), rng)
    (names, size), (others, other_size) = draw_two(_TEXTS["units"][kind], rng)
    number = int(rng.integers(2, 100)) if rng.random() < 0.7 else int(rng.integers(1, 50)) * 100
    gold = f"{f'{number:,}' if rng.random() < 0.5 else number} {names[0]}"
    if (form := rng.random()) < 0.25:
        return 1.0, gold, f"{_written(number, rng)} {draw_one(names, rng)}"
    if form < 0.5 and kind != "money":
        value = Decimal(number) * Decimal(size) / Decimal(other_size)
        shown = f"{value:.4g}" if value < 1000 else f"{round(value):,}"
        if Decimal("0.01") <= value < 10**7 and "e" not in shown:
            return 1.0, gold, f"{shown} {draw_one(others, rng)}"
    if form < 0.75:
        return 0.0, gold, f"{_written(number, rng)} {draw_one(others, rng)}"
    step = 10 ** max(0, len(str(number)) - 2)  # at least one percent
    near = number + int(rng.choice([-1, 1, 2])) * step if rng.random() < 0.6 else number * 10
    return 0.0, gold, f"{_written(near, rng)} {draw_one(names, rng)}"


def _grouped(rng: np.random.Generator) -> Item:
    """A large number with thousands separators, in words or with "million", against itself or a neighbor."""
    number = int(rng.integers(1, 1000)) * 10 ** int(rng.integers(2, 7)) + int(rng.integers(2)) * int(rng.integers(1000))
    other = number if rng.random() < 0.5 else _near(number, rng)
    forms = [f"{other:,}", str(other), f"{other:,}".replace(",", " "), _in_words(other)]
    for name, power in (("billion", 9), ("million", 6), ("thousand", 3)):
        if other >= 10**power and other % 10 ** (power - 2) == 0:
            forms += [f"{(Decimal(other) / 10**power).normalize():f} {name}"] * 2
            break
    return float(number == other), f"{number:,}" if rng.random() < 0.6 else str(number), draw_one(forms, rng)


def _near(number: int, rng: np.random.Generator) -> int:
    digits = list(str(number))
    if (form := int(rng.integers(3))) == 0:
        return number * 10 if rng.random() < 0.5 or number % 10 else number // 10
    if form == 1 and len(digits) > 1 and digits[0] != digits[1] and digits[1] != "0":
        digits[0], digits[1] = digits[1], digits[0]
        return int("".join(digits))
    return number + 10 ** int(rng.integers(len(digits)))


def _share(rng: np.random.Generator) -> Item:
    """A percentage, a fraction or a decimal against another form of the same share, or of another one."""
    one = Fraction(*draw_one(_TEXTS["shares"], rng))
    other = one if rng.random() < 0.5 else Fraction(*draw_one(_TEXTS["shares"], rng))
    return float(one == other), draw_one(_shares(one), rng), draw_one(_shares(other), rng)


def _shares(share: Fraction) -> list[str]:
    name, top = _TEXTS["parts"][str(share.denominator)], share.numerator
    forms = [f"one {name}" if top == 1 else f"{_in_words(top)} {name}s", f"{top}/{share.denominator}"]
    forms += ["half"] if share == Fraction(1, 2) else []
    if share.denominator != 3:
        percent = f"{float(share * 100):g}"
        forms += [f"{percent}%", f"{percent} percent", f"{percent} per cent", f"{float(share):g}"]
    return forms


def _numbered(rng: np.random.Generator) -> Item:
    """A regnal number against the same in other signs, or another number."""
    name, number = draw_one(_TEXTS["numbered"], rng), int(rng.integers(1, 21))
    other = number if rng.random() < 0.45 else _neighbor(number, rng)
    written = ordinal((Decimal(other),), "en")
    forms = [roman_numeral(other), str(other), f"the {written.words[0].capitalize()}", f"the {written.digits[0]}"]
    forms = forms[number == other :][: 2 if name[-1].isdigit() or " " in name else 4]
    return float(number == other), f"{name} {roman_numeral(number)}", f"{name} {draw_one(forms, rng)}"


def _model(rng: np.random.Generator) -> Item:
    """A model number against its words, or another number."""
    name, number = draw_one(_TEXTS["models"], rng), int(rng.integers(1, 80))
    other = number if rng.random() < 0.4 else _neighbor(number, rng)
    space = "" if name == "Airbus A" else " "
    shown = _in_words(other).capitalize() if number == other or rng.random() < 0.3 else str(other)
    return float(number == other), f"{name}{space}{number}", f"{name}{' ' if shown[0].isalpha() else space}{shown}"


def _neighbor(number: int, rng: np.random.Generator) -> int:
    return max(1, number + int(rng.choice([-2, -1, 1, 2, 3]))) if rng.random() < 0.8 or number < 10 else number // 10


def _meaning(rng: np.random.Generator) -> Item:
    """Two opposites or neighbors, or two names of one thing."""
    same = rng.random() < 0.5
    texts = draw_one(_TEXTS["synonyms" if same else "opposites"], rng).replace("~", " ").split("/", 1)
    one, two = texts[::-1] if rng.random() < 0.5 else texts
    if rng.random() < 0.4:
        one, two = (f"the {text}" if text[:1].islower() and text[:4] != "the " else text for text in (one, two))
    return float(same), one, two


def _element(rng: np.random.Generator) -> Item:
    symbols, names = _TEXTS["elements"][::2], _TEXTS["elements"][1::2]
    at, same = int(rng.integers(len(symbols))), rng.random() < 0.5
    beside = at if same else int((at + rng.integers(1, len(symbols))) % len(symbols))
    return float(same), *((names[at], symbols[beside]) if rng.random() < 0.5 else (symbols[at], names[beside]))


def _tabled(name: str, rng: np.random.Generator) -> Item:
    """Two names in one row of a table, or of two rows."""
    one, two = (row.split("=") for row in draw_two(_TEXTS[name], rng))
    if rng.random() < 0.5:
        return (0.0, one[0], two[0]) if len(one) < 2 else (1.0, *draw_two(one, rng))
    return 0.0, draw_one(one, rng), draw_one(two, rng)


def _place(rng: np.random.Generator) -> Item:
    """A place with a direction or "New" against another one, or the same with an addition."""
    name, (one, other) = draw_one(_TEXTS["places"], rng), draw_two(_TEXTS["directions"], rng)
    if (form := rng.random()) < 0.35:
        return 0.0, f"{one} {name}", f"{other} {name}"
    if form < 0.5:
        return 0.0, f"{one} {name}", name
    if form < 0.6:
        name = draw_one(_TEXTS["prefixed"], rng)
        return 0.0, *((f"New {name}", name) if rng.random() < 0.5 else (name, f"New {name}"))
    return 1.0, f"{one} {name}", draw_one((f"in {one} {name}", f"{one[0]}. {name}", f"{one.lower()} {name}"), rng)


def _namesake(rng: np.random.Generator) -> Item:
    """A person against the same with initials or a title, or a relative or namesake."""
    (given, other), (middle, _) = draw_two(_TEXTS["given"], rng), draw_two(_TEXTS["given"], rng)
    last, stranger = draw_two(_TEXTS["last"], rng)
    label, gold, pred = draw_one(_TEXTS["namesakes"], rng)
    slots = {"given": given, "other": other, "middle": middle, "last": last, "stranger": stranger}
    slots |= {slot: draw_one(_TEXTS[f"{slot}s"], rng) for slot in ("relative", "title") if f"{{{slot}}}" in pred}
    return float(label), gold.format(**slots), pred.format(**slots)


def _written(number: int, rng: np.random.Generator) -> str:
    return _in_words(number) if rng.random() < 0.3 else f"{number:,}" if rng.random() < 0.5 else str(number)


def _in_words(number: int) -> str:
    return cardinal((Decimal(number),), "en").words[0]


KINDS: Mapping[str, Callable[[np.random.Generator], Item]] = {
    **{"quantity": _quantity, "grouped": _grouped, "share": _share, "numbered": _numbered, "model": _model},
    **{"meaning": _meaning, "element": _element, "compound": partial(_tabled, "compounds")},
    **{"pen name": partial(_tabled, "pen_names"), "place": _place, "namesake": _namesake},
}


def date_pairs(size: int, split: str, *, rng: np.random.Generator) -> list[TrainingPair]:
    """Draw this many pairs of dates of this split, in the shares of ``dates.json``. The two texts always differ."""
    shares, labels = _DATES["shares"], _DATES["labels"]
    drawn = [list(shares)[i] for i in rng.choice(len(shares), size, p=list(shares.values()))]
    return [TrainingPair(*_days(kind, split, rng), labels[kind], split, f"dates:{kind}") for kind in drawn]


def date_forms(day: date, kind: str) -> list[str]:
    """Return the ways to write this day ("exact"), American, British and ISO 8601, or only a part of it ("coarser").

    >>> date_forms(date(1989, 11, 9), "exact")[:5]
    ['November 9, 1989', '9 November 1989', 'Nov 9, 1989', '1989-11-09', 'November 9th, 1989']
    """
    ending = "th" if 10 < day.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    month = MONTHS[day.month - 1]
    slots = {"year": day.year, "month": month, "short": month[:3], "day": day.day, "ordinal": f"{day.day}{ending}"}
    return [form.format(iso=day.isoformat(), **slots) for form in _DATES[kind]]


def _days(kind: str, split: str, rng: np.random.Generator) -> tuple[str, str]:
    """Return the two texts of a pair of this kind, both with years of this split."""
    while True:  # for every kind and split, at least about one draw in a hundred is a pair
        day = FIRST + timedelta(int(rng.integers(DAYS)))
        other = _other(day, kind, rng)
        if other is None or {(one.year % DEV_YEARS == 0) for one in (day, other)} != {split == "dev"}:
            continue
        first = draw_one(date_forms(day, "exact"), rng)
        second = draw_one(date_forms(other, "coarser" if kind == "coarser" else "exact"), rng)
        if kind == "year" and rng.random() < 0.5:
            first, second = str(day.year), str(other.year)
        if first != second:
            return first, second


def _other(day: date, kind: str, rng: np.random.Generator) -> date | None:
    """Return the second date of a pair of this kind, or None if there is no such day."""
    if kind in ("same", "coarser"):
        return day
    other = FIRST + timedelta(int(rng.integers(DAYS))) if kind == "other" else day
    if kind == "day":
        other = day.replace(day=int(rng.integers(1, 29)))
    elif kind == "year":
        year = day.year + int(rng.choice([-100, -10, -2, -1, 1, 2, 5, 10, 100]))
        other = day if (day.month, day.day) == (2, 29) and not isleap(year) else day.replace(year=year)
    return other if other != day and FIRST <= other <= LAST else None
