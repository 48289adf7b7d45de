"""Columns as the script of a page reads them: every text once, shortened only if the page would be too large."""

import numpy as np
import pytest

from answersim.report import browsing
from answersim.report.browsing import Texts, answer, choice_column, marked_column, number_column, table, text_column


def test_equal_texts_are_stored_once():
    texts = Texts(["a", "b", "a"])
    column = text_column("gold", "gold", ["a", "b", "a"], texts)
    assert column["at"] == [0, 1, 0]
    assert texts.listed() == ["a", "b"]
    assert texts.shortened == 0


def test_texts_are_whole_if_they_fit_and_shortened_alike_if_not():
    long = ["x" * 10_000, "y" * 10_000, "short"]
    assert Texts(long).fitted(long[0]) == long[0]
    texts = Texts(long, budget=12_000)
    assert texts.longest == 5_000
    assert texts.shortened == 2
    assert texts.fitted(long[1]) == "y" * 5_000 + " … [5,000 more characters are not on this page]"
    assert texts.fitted("short") == "short"


def test_a_text_that_was_shortened_is_not_shortened_again():
    texts = Texts(["x" * 10_000], budget=6_000)
    found = answer("x" * 10_000, "y", texts)
    column = marked_column("gold", "gold", [found.gold], [found.in_gold], texts)
    assert texts.listed()[column["at"][0]] == found.gold
    assert found.gold.count("more characters") == 1


def test_marks_are_of_the_nearest_gold_answer_which_comes_first():
    found = answer(["Oslo", "city of Rome"], "😀 city in Rome", Texts([]))
    assert found == ("city of Rome | Oslo", "😀 city in Rome", [0, 4, 8, 12], [3, 7, 11, 15])


def test_numbers_have_five_digits_and_nan_is_null():
    column = number_column("m0", "f1", np.array([1 / 3, 1.0, np.nan]))
    assert column["values"] == [0.33333, 1, None]


def test_choices_are_positions_and_an_unknown_one_is_an_error():
    assert choice_column("v", "verdict", ["b", "a"], ["a", "b"])["values"] == [1, 0]
    with pytest.raises(KeyError):
        choice_column("v", "verdict", ["c"], ["a", "b"])


def test_a_table_is_wide_enough_for_its_columns():
    columns = [number_column("m", "f1", []), text_column("row", "row", [], Texts([]), rem=4)]
    made = table("changed answers", columns, 0)
    assert made["rem"] == browsing.WIDTHS["number"] + 4
    assert made["file"] == "changed-answers"
    assert made["variants"] == []
