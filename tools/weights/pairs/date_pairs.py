"""Pairs of dates: the same day in other forms, coarser and near ones, each labeled by the share that agrees."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TypeAlias

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs.draws import draw_one

MONTHS = "January February March April May June July August September October November December".split()
FIRST, LAST = date(1700, 1, 1), date(2030, 12, 31)
# The kind of the second date, and its label: a coarser answer is partly right, a near one is wrong.
LABELS = {"same": 1.0, "coarser": 0.7, "day": 0.35, "year": 0.2, "other": 0.1}
SHARES = {"same": 0.36, "coarser": 0.22, "day": 0.12, "year": 0.2, "other": 0.1}
DEV_YEARS = 10  # every tenth year is in dev

Texts: TypeAlias = "list[str]"


def date_pairs(size: int, split: str, *, rng: np.random.Generator) -> list[TrainingPair]:
    """Draw this many pairs of dates of this split, in the shares of ``SHARES``. The two texts always differ.

    The years divisible by ten are in the split "dev", the others in "train". A pair whose second year is in the other
    split is drawn again.
    """
    kinds, weights = list(SHARES), list(SHARES.values())
    drawn = [kinds[i] for i in rng.choice(len(kinds), size, p=weights)]
    return [TrainingPair(*_texts(kind, split, rng), LABELS[kind], split, f"dates:{kind}") for kind in drawn]


def split_of(day: date) -> str:
    """Return the split of a date, by its year alone."""
    return "dev" if day.year % DEV_YEARS == 0 else "train"


def exact_forms(day: date) -> Texts:
    """Return the ways to write this day, American, British and ISO 8601.

    >>> exact_forms(date(1989, 11, 9))[:4]
    ['November 9, 1989', '9 November 1989', 'Nov 9, 1989', '1989-11-09']
    """
    month = MONTHS[day.month - 1]
    return [
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{month[:3]} {day.day}, {day.year}",
        day.isoformat(),
        f"{month} {_ordinal(day.day)}, {day.year}",
        f"on {month} {day.day}, {day.year}",
        f"the {_ordinal(day.day)} of {month} {day.year}",
    ]


def coarser_forms(day: date) -> Texts:
    """Return the ways to write only a part of this date: the year, month and year, day without the year."""
    month = MONTHS[day.month - 1]
    return [str(day.year), f"in {day.year}", f"{month} {day.year}", f"{month} {day.day}", f"{day.day} {month}"]


def _ordinal(value: int) -> str:
    """Return an English ordinal in digits.

    >>> _ordinal(21), _ordinal(112), _ordinal(3)
    ('21st', '112th', '3rd')
    """
    ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def _texts(kind: str, split: str, rng: np.random.Generator) -> tuple[str, str]:
    """Return the two texts of a pair of this kind, both of this split."""
    while True:  # for every kind and split, at least about one draw in a hundred is a pair
        day = FIRST + timedelta(int(rng.integers((LAST - FIRST).days)))
        other = _other(day, kind, rng)
        if other is None or split_of(day) != split or split_of(other) != split:
            continue
        first = draw_one(exact_forms(day), rng)
        second = draw_one(coarser_forms(other) if kind == "coarser" else exact_forms(other), rng)
        if kind == "year" and rng.random() < 0.5:
            first, second = str(day.year), str(other.year)
        if first != second:
            return first, second


def _other(day: date, kind: str, rng: np.random.Generator) -> date | None:
    """Return the second date of a pair of this kind, or None if there is no such day."""
    if kind in ("same", "coarser"):
        return day
    try:
        if kind == "day":
            other = day.replace(day=int(rng.integers(1, 29)))
        elif kind == "year":
            other = day.replace(year=day.year + int(rng.choice([-100, -10, -2, -1, 1, 2, 5, 10, 100])))
        else:
            other = FIRST + timedelta(int(rng.integers((LAST - FIRST).days)))
    except ValueError:  # 29 February
        return None
    return other if other != day and FIRST <= other <= LAST else None
