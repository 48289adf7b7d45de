"""The words that answers share: by hand, for every script, and in the units of JavaScript."""

from hypothesis import given
from hypothesis import strategies as st

from answersim.evaluation.report.shared_words import in_utf16, shared_words, words
from tests.cases import every

# gold, prediction, the shared words in the gold answer, and in the prediction
CASES = [
    ("Rome", "Rome", ["Rome"], ["Rome"]),
    ("Rome", "rome.", ["Rome"], ["rome"]),
    ("Rome", "Paris", [], []),
    ("the Red Cross", "It was founded by a red cross society.", ["Red Cross"], ["red cross"]),
    ("Wolfgang Amadeus Mozart", "Mozart", ["Mozart"], ["Mozart"]),
    ("Johann Wolfgang Goethe", "Goethe, Johann Wolfgang", ["Johann Wolfgang Goethe"], ["Goethe, Johann Wolfgang"]),
    ("Salt Lake City", "So it is \\boxed{Salt Lake City}.", ["Salt Lake City"], ["Salt Lake City"]),
    ("Mars", "Mars is red; Mars is small", ["Mars"], ["Mars"]),
    ("to be or not to be", "not to be", ["not to be"], ["not to be"]),
    ("", "Rome", [], []),
    ("Rome", "", [], []),
    ("", "", [], []),
    ("-5", "5", [], []),
    ("1,232 km", "1232 km", ["km"], ["km"]),
    ("\uff32ome", "Rome", ["\uff32ome"], ["Rome"]),  # a full-width letter
    ("Straße", "STRASSE", ["Straße"], ["STRASSE"]),
    ("東京都", "東京", ["東京"], ["東京"]),
    (
        "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
        "\u05e9\u05dc\u05d5\u05dd",
        *[["\u05e9\u05dc\u05d5\u05dd"]] * 2,
    ),
    ("a - b", "a b", ["a", "b"], ["a b"]),
]


@every(("gold", "pred", "in_gold", "in_pred"), CASES)
def test_words_that_both_answers_have_are_found(gold, pred, in_gold, in_pred):
    found = shared_words([gold], pred)
    assert [gold[start:end] for start, end in found.in_gold] == in_gold
    assert [pred[start:end] for start, end in found.in_pred] == in_pred


def test_a_word_is_found_as_often_as_both_answers_have_it():
    found = shared_words(["b a a"], "a b")
    assert (found.n, found.in_gold, found.in_pred) == (2, ((0, 3),), ((0, 3),))


def test_the_nearest_gold_answer_is_compared_and_the_first_of_equal_ones():
    assert shared_words(["Italy", "the city of Rome", "Rome"], "Rome").gold == 2
    assert shared_words(["Oslo", "Bergen"], "Rome").gold == 0


@given(st.text(), st.text())
def test_ranges_are_in_order_inside_the_text_and_not_empty(gold, pred):
    found = shared_words([gold], pred)
    for text, ranges in ((gold, found.in_gold), (pred, found.in_pred)):
        ends = [end for bounds in ranges for end in bounds]
        assert ends == sorted(set(ends)) or not text
        assert all(0 <= end <= len(text) for end in ends)


@given(st.text())
def test_a_text_shares_all_words_with_itself(text):
    assert shared_words([text], text).n == len(words(text))


def test_long_texts_are_looked_up_word_by_word():
    gold, pred = "alpha beta " * 5000, "beta gamma " * 5000
    found = shared_words([gold], pred)  # to align them takes hours
    assert {gold[a:b] for a, b in found.in_gold} == {"beta"}
    assert {pred[a:b] for a, b in found.in_pred} == {"beta"}


def test_characters_are_counted_as_javascript_does():
    text = "😀😀 x 👩‍👩‍👧 y"
    ranges = [(word.start, word.end) for word in words(text)]
    encoded = text.encode("utf-16-le")
    ends = in_utf16(ranges, text)
    shown = [encoded[2 * a : 2 * b].decode("utf-16-le") for a, b in zip(ends[::2], ends[1::2], strict=True)]
    assert shown == ["😀😀", "x", "👩‍👩‍👧", "y"]


def test_half_a_surrogate_pair_is_counted_too():
    assert in_utf16([(2, 3)], "\ud800😀x") == [3, 4]
    assert shared_words(["\ud800"], "\ud800 x").in_pred == ((0, 1),)
