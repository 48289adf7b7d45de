"""Pairs of dates: every text says what its label claims, by a reader of dates of the tests' own."""

import re
from collections import Counter
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


@every(
    ("day", "written"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"), (21, "21st"),
     (22, "22nd"), (23, "23rd"), (30, "30th"), (31, "31st")],
)  # fmt: skip
def test_ordinals_are_written_as_in_english(day, written):
    assert f"the {written} of May 1900" in exact_forms(date(1900, 5, day))


def test_all_forms_of_one_day():
    assert exact_forms(date(1989, 11, 9)) == [
        "November 9, 1989",
        "9 November 1989",
        "Nov 9, 1989",
        "1989-11-09",
        "November 9th, 1989",
        "on November 9, 1989",
        "the 9th of November 1989",
    ]
    assert coarser_forms(date(1989, 11, 9)) == ["1989", "in 1989", "November 1989", "November 9", "9 November"]


def test_the_same_are_the_same_day():
    assert all(first == second and None not in first for first, second in parsed("same"))


def test_the_second_is_coarser_and_agrees():
    for first, second in parsed("coarser"):
        assert None not in first
        assert None in second
        assert all(value in (None, own) for value, own in zip(second, first, strict=True))


def test_another_day_of_the_same_month():
    assert all(first[:2] == second[:2] and first[2] != second[2] for first, second in parsed("day"))


@pytest.mark.parametrize("split", ["train", "dev"])
def test_another_year_with_the_same_rest(split):
    result = parsed("year", split=split)
    assert all(first[0] != second[0] and first[1:] == second[1:] for first, second in result)
    assert {first[1] is None for first, _ in result} == {True, False}


def test_the_others_are_two_days_of_any_kind():
    result = parsed("other")
    assert all(first != second for first, second in result)
    assert len({first[0] - second[0] for first, second in result}) > 50


@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_years_of_a_split_are_its_own(split):
    pairs = drawn(1000, split)
    years = {parts[0] for pair in pairs for parts in (read(pair.first), read(pair.second))} - {None}
    assert {year % 10 == 0 for year in years} == {split == "dev"}
    assert FIRST.year <= min(years) <= max(years) <= LAST.year
    assert {split_of(date(year, 1, 1)) for year in years} == {split}
    assert {pair.split for pair in pairs} == {split}


@pytest.mark.parametrize("split", ["train", "dev"])
def test_kinds_have_their_shares_and_labels(split):
    pairs = drawn(1500, split)
    counts = Counter((pair.source.removeprefix("dates:"), pair.label) for pair in pairs)
    assert {kind for kind, _ in counts} == set(SHARES)
    shares = {kind: counts[kind, label] / len(pairs) for kind, label in LABELS.items()}
    assert shares == pytest.approx(SHARES, abs=0.04)
    assert sum(SHARES.values()) == pytest.approx(1)


def test_the_two_texts_differ_and_are_as_many_as_wanted():
    pairs = drawn(500)
    assert len(pairs) == 500
    assert all(pair.first != pair.second for pair in pairs)
    assert drawn(0) == []


def test_an_unknown_split_is_an_error():
    with pytest.raises(ValueError, match="'test', but dates have the splits train and dev"):
        drawn(1, "test")
