"""Times of day, ranges and hedges: read in English and German, and compared."""

from fractions import Fraction

import pytest

from answersim.answers.typed import compare
from answersim.answers.typed.date import Date, Day
from answersim.answers.typed.localized import localized
from answersim.answers.typed.number import Number
from answersim.answers.typed.reading import readings
from answersim.answers.typed.span import (
    Range,
    Time,
    ahead,
    both,
    compare_ranges,
    compare_spans,
    compare_times,
    joined,
    leading,
    scalar,
    scan_time,
    trailing,
)
from tests.answers.typed.whole_texts import whole
from tests.cases import cases_of, every

CASES = cases_of(__file__)


def read_time(text: str, lang: str = "en") -> Time | None:
    return whole(scan_time, text, lang)


@every(("text", "lang", "hours", "minutes", "sure"), CASES["a_time_is_read"])
def test_a_time_is_read(text, lang, hours, minutes, sure):
    assert read_time(text, lang) == Time(hours * 3600 + minutes * 60, sure)


@every("text", ["25:00", "1:60", "1:2", "5 to 10", "ten to twenty", "half", "12", "1:00:00:00"])
def test_what_is_no_time_is_not_read(text):
    assert read_time(text) is None


@every(
    ("gold", "pred", "relation"),
    [
        *(("12:00", "1:00", "different"), ("1 pm", "13:00", "equal"), ("1:00", "13:00", "near")),
        *(("1 am", "1 pm", "different"), ("1:00", "one o'clock", "equal"), ("noon", "midnight", "different")),
        *(("noon", "12:00", "near"), ("2:30", "half past two", "equal")),
    ],
)
def test_times_are_compared(gold, pred, relation):
    first, second = read_time(gold), read_time(pred)
    assert compare_times(first, second).relation == relation
    assert compare_times(second, first).relation == relation


def read(text: str, lang: str = "en") -> Range:
    (result, *_) = [value for value in readings(text, lang) if isinstance(value, Range)]
    return result


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
        *(("1914-1918", "1914-1919", "different"), ("10-20 km", "10-20 kg", "different")),
        *(("1939-1945", "1939-45", "equal"), ("10-20", "10-20 km", "near")),
    ],
)
def test_ranges_are_compared_end_by_end(gold, pred, relation):
    assert compare_ranges(read(gold), read(pred)).relation == relation


@pytest.mark.parametrize(
    ("value", "is_gold", "relation"),
    [(15, True, "none"), (15, False, "none"), (20, False, "none"), (30, True, "different"), (30, False, "different")],
)
def test_a_single_value_is_inside_or_outside(value, is_gold, relation):
    span, single = read("10-20"), Number(Fraction(value))
    result = compare_spans(span, single) if is_gold else compare_spans(single, span)
    assert result.relation == relation


def test_values_of_two_kinds_make_no_range():
    assert joined(Date((Day(1914),)), Number(Fraction(2000))) is None
    assert scalar(Date((Day(None, 3),))) is None


@pytest.mark.parametrize(
    ("words", "hedge", "dates_only", "end"),
    [
        *(("over 300", ">", False, 1), ("just over 300", "~>", False, 2), ("no more than 5", "<", False, 3)),
        *(("before 1945", "<", True, 1), ("bis zu 10", "<", False, 2), ("bis 1945", "<", True, 1)),
    ],
)
def test_the_longest_phrase_before_a_value_counts(words, hedge, dates_only, end):
    low = localized(words, "de" if words.startswith("bis") else "en").low
    assert leading(low, 0) == (hedge, dates_only, end)
    assert ahead(low, end) == (hedge, dates_only)


def test_the_longest_phrase_after_a_value_counts():
    assert trailing(("300", "or", "more", "of"), 1) == (">", 3)
    assert trailing(("300", "or", "400"), 1) is None
    assert leading(("or", "so"), 0) is None


def test_contradicting_hedges_together_state_that_a_value_is_near():
    assert both(">", "<") == "~"
    assert both(">", "") == ">"


@every(("hedged", "number", "relation"), CASES["a_hedged_number_contradicts_only_a_far_one"])
def test_a_hedged_number_contradicts_only_a_far_one(hedged, number, relation):
    for result in (compare(hedged, number), compare(number, hedged)):
        assert result.relation == relation, result.reason
