"""Pairs of dates: the same day in other forms, coarser and near ones, each labeled by the share that agrees."""

from __future__ import annotations

from calendar import isleap
from datetime import date, timedelta

import numpy as np

from answersim.answers.typed import date as dates
from answersim.training.data.pairs import TrainingPair
from tools.tables import table
from tools.weights.pairs.draws import draw_one

MONTHS = [name.title() for name in dates.MONTHS]
FIRST, LAST = date(1700, 1, 1), date(2030, 12, 31)
DAYS = (LAST - FIRST).days
# The kind of the second date, and its label: a coarser answer is partly right, a near one is wrong.
LABELS = {"same": 1.0, "coarser": 0.7, "day": 0.35, "year": 0.2, "other": 0.1}
SHARES = {"same": 0.36, "coarser": 0.22, "day": 0.12, "year": 0.2, "other": 0.1}
DEV_YEARS = 10  # every tenth year is in dev
_FORMS = table(__file__, "dates.json")  # "exact": the ways to write a day; "coarser": those to write a part of a date


def date_pairs(size: int, split: str, *, rng: np.random.Generator) -> list[TrainingPair]:
    """Draw this many pairs of dates of this split, in the shares of ``SHARES``. The two texts always differ."""
    drawn = [list(SHARES)[i] for i in rng.choice(len(SHARES), size, p=list(SHARES.values()))]
    return [TrainingPair(*_texts(kind, split, rng), LABELS[kind], split, f"dates:{kind}") for kind in drawn]


def forms(day: date, kind: str) -> list[str]:
    """Return the ways to write this day ("exact"), American, British and ISO 8601, or only a part of it ("coarser").

    >>> forms(date(1989, 11, 9), "exact")[:5]
    ['November 9, 1989', '9 November 1989', 'Nov 9, 1989', '1989-11-09', 'November 9th, 1989']
    """
    ending = "th" if 10 < day.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    month = MONTHS[day.month - 1]
    slots = {"year": day.year, "month": month, "short": month[:3], "day": day.day, "ordinal": f"{day.day}{ending}"}
    return [form.format(iso=day.isoformat(), **slots) for form in _FORMS[kind]]


def _texts(kind: str, split: str, rng: np.random.Generator) -> tuple[str, str]:
    """Return the two texts of a pair of this kind, both with years of this split."""
    while True:  # for every kind and split, at least about one draw in a hundred is a pair
        day = FIRST + timedelta(int(rng.integers(DAYS)))
        other = _other(day, kind, rng)
        if other is None or {(one.year % DEV_YEARS == 0) for one in (day, other)} != {split == "dev"}:
            continue
        first = draw_one(forms(day, "exact"), rng)
        second = draw_one(forms(other, "coarser" if kind == "coarser" else "exact"), rng)
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
