"""Pairs of dates: every text says what its label claims, by a reader of dates of the tests' own."""

import re
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import every
from tools.weights.pairs.date_pairs import FIRST, LABELS, LAST, SHARES, coarser_forms, date_pairs, exact_forms, split_of

EXACT = ("%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d of %B %Y")
# The parts of a date that a format contains.
FORMS = dict.fromkeys(EXACT, "ymd") | {"%Y": "y", "%B %Y": "ym", "%B %d": "md", "%d %B": "md"}


def read(text):
    """Return the year, month and day of a text, None for each that it lacks."""
    plain = re.sub(r"^(?:on|the|in) ", "", re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text))
    for form, parts in FORMS.items():
        try:  # a leap year is added where there is none
            day = datetime.strptime(plain if "y" in parts else f"{plain} 2000", form if "y" in parts else f"{form} %Y")
        except ValueError:
            continue
        return tuple(value if part in parts else None for part, value in zip("ymd", day.timetuple()[:3], strict=True))
    raise AssertionError(f"{text!r} is no date")


def drawn(size, split="train", seed=0):
    return date_pairs(size, split, rng=np.random.default_rng(seed))


def parsed(kind, size=1200, split="train"):
    result = [pair for pair in drawn(size, split) if pair.source == f"dates:{kind}"]
    assert len(result) > size / 20
    return [(read(pair.first), read(pair.second)) for pair in result]


@given(st.dates(FIRST, LAST))
def test_every_exact_form_reads_back_as_the_day(day):
    assert {read(form) for form in exact_forms(day)} == {(day.year, day.month, day.day)}


@given(st.dates(FIRST, LAST))
def test_every_coarser_form_has_fewer_parts_of_the_same_day(day):
    for form in coarser_forms(day):
        rows = read(form)
        assert None in rows
        assert all(value in (None, own) for value, own in zip(rows, day.timetuple()[:3], strict=True))


KINDS = {  # what is true of the two dates of a pair
    "same": lambda first, second: first == second and None not in first,
    "coarser": lambda first, second: (
        None not in first and None in second and all(a in (None, b) for a, b in zip(second, first, strict=True))
    ),
    "day": lambda first, second: first[:2] == second[:2] and first[2] != second[2],
    "year": lambda first, second: first[0] != second[0] and first[1:] == second[1:],
    "other": lambda first, second: first != second,
}


@every("split", ["train", "dev"])
@every("kind", KINDS)
def test_the_two_dates_of_a_pair_differ_as_its_kind_states(kind, split):
    assert all(KINDS[kind](*dates) for dates in parsed(kind, split=split))
    assert set(LABELS) == set(SHARES) == set(KINDS)


@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_years_of_a_split_are_its_own(split):
    pairs = drawn(1000, split)
    years = {parts[0] for pair in pairs for parts in (read(pair.first), read(pair.second))} - {None}
    assert {year % 10 == 0 for year in years} == {split == "dev"}
    assert FIRST.year <= min(years) <= max(years) <= LAST.year
    assert {split_of(date(year, 1, 1)) for year in years} == {split}
    assert {pair.split for pair in pairs} == {split}
