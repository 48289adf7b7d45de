"""Rows as the script of a page reads them: every text once, shortened only if the page would be too large."""

import math
from typing import Any

from answersim._base.text_tables import Column, Listing
from answersim.evaluation.report.listing import listed


def of(*columns: Column, **how: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The texts and the columns of a listing, by name."""
    found = listed(Listing("changed answers", columns, "in order"), **how)
    assert found.shown is not None
    return found.data, {column["name"]: column for column in found.data["table"]["columns"]}


def texts(data: dict[str, Any], column: dict[str, Any]) -> list[str]:
    return [data["texts"][at] for at in column["at"]]


def test_equal_texts_are_stored_once():
    data, columns = of(Column("question", ["a", "b", "a"]))
    assert columns["question"]["at"] == [0, 1, 0]
    assert data["texts"] == ["a", "b"]


def test_texts_are_whole_if_they_fit_and_shortened_alike_if_not():
    values = ["x" * 10_000, "y" * 10_000, "short"]
    data, columns = of(Column("question", values))
    assert texts(data, columns["question"]) == values
    data, columns = of(Column("question", values), Column("row", ["1", "2", "3"]), budget=12_000)
    assert texts(data, columns["question"])[1:] == [
        "y" * 5_000 + " … [5,000 more characters are not on this page]",
        "short",
    ]
    shown = listed(Listing("answers", (Column("question", values),), ""), budget=12_000).shown
    assert shown is not None
    assert shown["words"].endswith(" 2 texts have more than 5,000 characters. Their ends are left out.")


def test_marks_are_of_the_nearest_gold_answer_which_comes_first():
    data, columns = of(Column("gold", [["Oslo", "city of Rome"]], "gold"), Column("pred", ["😀 city in Rome"], "pred"))
    assert texts(data, columns["gold"]) == ["city of Rome | Oslo"]
    assert columns["gold"]["marks"] == [[0, 4, 8, 12]]
    assert columns["pred"]["marks"] == [[3, 7, 11, 15]]  # in UTF-16


def test_predictions_of_two_systems_are_marked_each():
    _, columns = of(
        Column("gold", ["Rome", ""], "gold"),
        Column("old", ["Oslo", ""], "pred"),
        Column("new", ["in Rome", "x"], "pred"),
    )
    assert "marks" not in columns["old"]
    assert columns["new"]["marks"] == [[3, 7], 0]


def test_a_part_of_a_text_is_marked_by_its_place():
    _, columns = of(Column("full", ["the answer is 7", "none"], "text", [(14, 15), None]))
    assert (columns["full"]["mark"], columns["full"]["marks"]) == ("answer", [[14, 15], 0])


def test_numbers_have_five_digits_and_what_is_none_is_null():
    _, columns = of(Column("f1", [1 / 3, 1.0, math.nan, None], "number"))
    assert columns["f1"]["values"] == [0.33333, 1, None, None]


def test_choices_are_positions():
    _, columns = of(Column("verdict", ["wrong", "right", "wrong"], "choice"))
    assert (columns["verdict"]["choices"], columns["verdict"]["values"]) == (["wrong", "right"], [0, 1, 0])


def test_of_too_many_rows_the_first_are_shown_and_the_rest_is_counted():
    found = listed(Listing("answers", (Column("f1", [0.5] * 1200, "number"),), ""), most=1000)
    assert found.shown is not None
    assert found.data["table"]["n"] == len(found.data["table"]["columns"][0]["values"]) == 1000
    assert (
        found.shown["words"] == "The first 1,000 of 1,200 answers are on this page; --output FILE writes all of them."
    )
