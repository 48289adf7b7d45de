"""Ranges: joined from two values, compared end by end and with single values."""

from fractions import Fraction

import pytest

from answersim.typed.date import Date, Day
from answersim.typed.number import Number
from answersim.typed.reading import readings
from answersim.typed.value_range import Range, compare_ranges, compare_with_single, joined, scalar
from tests.cases import every


def read(text: str, lang: str = "en") -> Range:
    (found, *_) = [value for value in readings(text, lang) if isinstance(value, Range)]
    return found


@every(
    ("text", "lang", "shown"),
    [
        *(("10-20", "en", "10 to 20"), ("10 to 20", "en", "10 to 20"), ("ten to twenty", "en", "10 to 20")),
        *(("zehn bis zwanzig", "de", "10 to 20"), ("between 10 and 20", "en", "10 to 20")),
        *(("38-41 °C", "en", "38 °C to 41 °C"), ("1914–1918", "en", "1914 to 1918"), ("1939-45", "en", "1939 to 1945")),
        *(("from 1914 to 1918", "en", "1914 to 1918"), ("5 to 10 million", "en", "5,000,000 to 10,000,000")),
        *(("$5-10 million", "en", "5,000,000 USD to 10,000,000 USD"), ("9:00-17:00", "en", "9:00 (am or pm) to 17:00")),
    ],
)
def test_a_range_is_read(text, lang, shown):
    assert str(read(text, lang)) == shown


@pytest.mark.parametrize("text", ["20-10", "10-10", "10 and 20", "5 km to 10 people", "-", "10-"])
def test_what_is_no_range_is_not_read(text):
    assert not any(isinstance(value, Range) for value in readings(text, "en"))


@pytest.mark.parametrize(
    ("gold", "pred", "relation"),
    [
        *(("38-41 C", "100-106 F", "equal"), ("10-20", "ten to twenty", "equal"), ("10-20", "10-25", "different")),
        *(("1914-1918", "1914-1919", "different"), ("10-20 km", "10-20 kg", "none")),
        *(("1939-1945", "1939-45", "equal"), ("10-20", "10-20 km", "near")),
    ],
)
def test_ranges_are_compared_end_by_end(gold, pred, relation):
    assert compare_ranges(read(gold), read(pred)).relation == relation


@pytest.mark.parametrize(
    ("value", "is_gold", "relation"),
    [
        (15, True, "none"),
        (15, False, "near"),
        (20, False, "near"),
        (30, True, "different"),
        (30, False, "different"),
    ],
)
def test_a_single_value_is_inside_or_outside(value, is_gold, relation):
    assert compare_with_single(read("10-20"), Number(Fraction(value)), is_gold=is_gold).relation == relation


def test_values_of_two_kinds_make_no_range():
    assert joined(Date((Day(1914),)), Number(Fraction(2000))) is None
    assert scalar(Date((Day(None, 3),))) is None
