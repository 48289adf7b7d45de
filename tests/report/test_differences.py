"""The words in which answers differ: by hand, for every script, and in the units of JavaScript."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.report import differences
from answersim.report.differences import difference, in_utf16, words

# gold, prediction, words of the gold answer that are lacking, words of the prediction that are added
CASES = [
    ("Rome", "Rome", [], []),
    ("Rome", "rome.", [], []),
    ("Rome", "Paris", ["Rome"], ["Paris"]),
    ("the Red Cross", "a red cross society", ["the"], ["a", "society"]),
    ("Wolfgang Amadeus Mozart", "Mozart", ["Wolfgang Amadeus"], []),
    ("", "Rome", [], ["Rome"]),
    ("Rome", "", ["Rome"], []),
    ("", "", [], []),
    ("-5", "5", ["-5"], ["5"]),
    ("1,232 km", "1232 km", ["1,232"], ["1232"]),
    ("\uff32ome", "Rome", [], []),  # a full-width letter
    ("Straße", "STRASSE", [], []),
    ("東京都", "東京", ["都"], []),
    ("\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", "\u05e9\u05dc\u05d5\u05dd", ["\u05e2\u05d5\u05dc\u05dd"], []),
    ("a - b", "a b", ["-"], []),
]


@pytest.mark.parametrize(("gold", "pred", "lacking", "added"), CASES)
def test_words_that_the_other_lacks_are_found(gold, pred, lacking, added):
    found = difference([gold], pred)
    assert [gold[start:end] for start, end in found.lacking] == lacking
    assert [pred[start:end] for start, end in found.added] == added


def test_the_nearest_gold_answer_is_compared_and_the_first_of_equal_ones():
    assert difference(["Italy", "the city of Rome", "Rome"], "Rome").gold == 2
    assert difference(["Oslo", "Bergen"], "Rome").gold == 0


@given(st.text(), st.text())
def test_ranges_are_in_order_inside_the_text_and_not_empty(gold, pred):
    found = difference([gold], pred)
    for text, ranges in ((gold, found.lacking), (pred, found.added)):
        ends = [end for bounds in ranges for end in bounds]
        assert ends == sorted(set(ends)) or not text
        assert all(0 <= end <= len(text) for end in ends)


@given(st.text())
def test_a_text_does_not_differ_from_itself(text):
    assert difference([text], text)[1:3] == ((), ())


def test_long_texts_are_looked_up_word_by_word():
    gold, pred = "alpha beta " * 5000, "beta gamma " * 5000
    found = difference([gold], pred)  # to align them takes hours
    assert {gold[a:b] for a, b in found.lacking} == {"alpha"}
    assert {pred[a:b] for a, b in found.added} == {"gamma"}


def test_characters_are_counted_as_javascript_does():
    text = "😀😀 x 👩‍👩‍👧 y"
    ranges = [(word.start, word.end) for word in words(text)]
    encoded = text.encode("utf-16-le")
    ends = in_utf16(ranges, text)
    shown = [encoded[2 * a : 2 * b].decode("utf-16-le") for a, b in zip(ends[::2], ends[1::2], strict=True)]
    assert shown == ["😀😀", "x", "👩‍👩‍👧", "y"]


def test_half_a_surrogate_pair_is_counted_too():
    assert in_utf16([(2, 3)], "\ud800😀x") == [3, 4]
    assert differences.difference(["\ud800"], "x").lacking == ((0, 1),)
