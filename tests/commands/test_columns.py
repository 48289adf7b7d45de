"""Columns of a table: numbers with the row of a mistake, texts, answers and their references."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from answersim.commands.columns import answers, numbers, read_rows, values
from answersim.commands.options import ReadingOptions
from answersim.io import files

PATH = Path("t.csv")


def table(*cells: object) -> files.Table:
    return files.Table(("n",), [{"n": cell} for cell in cells])


def test_numbers_are_read_and_an_empty_cell_is_nan_only_if_asked_for() -> None:
    assert numbers(table("1", 2.5), "n", PATH) == [1.0, 2.5]
    first, second = numbers(table(" ", "3"), "n", PATH, empty=True)
    assert math.isnan(first)
    assert second == 3.0


@pytest.mark.parametrize(("cell", "rule"), [("x", "a number"), ("inf", "a finite number"), ("", "a number")])
def test_a_cell_that_is_no_number_is_named_with_its_row(cell: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rf"t\.csv, row 2: 'n' is '{cell}', but it must be {rule}"):
        numbers(table("1", cell), "n", PATH)


def test_answers_are_split_into_references() -> None:
    rows = files.Table(("gold", "pred"), [{"gold": "Rome|Roma", "pred": "Rome"}])
    golds, preds, questions = answers(rows, PATH, ReadingOptions(split_gold="|"))
    assert (list(map(list, golds)), preds, questions) == ([["Rome", "Roma"]], ["Rome"], None)
    with pytest.raises(ValueError, match="--split-gold is empty"):
        answers(rows, PATH, ReadingOptions(split_gold=""))


def test_a_table_without_rows_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("gold,pred\n")
    with pytest.raises(ValueError, match="has no rows"):
        read_rows(tmp_path / "t.csv")
    assert values(table(1, "a"), "n", PATH) == ["1", "a"]
