"""Which values are answers, and one message for all rows that have none."""

from pathlib import Path

import pytest

from answersim._base.errors import EmptyReferencesWarning
from answersim._base.io.files import Table
from answersim.answers.tables.answer_values import answers_of, split_references
from tests.cases import every


@every("value", [None, 5, 0.5, True, float("nan"), {"text": "a"}, b"a", [], [None], ["a", 1], [["a"]]])
def test_what_is_no_answer_is_named_with_its_row(value):
    table = Table(("gold",), [{"gold": "a"}, {"gold": value}])
    with pytest.raises(ValueError, match=r"t\.jsonl, row 2: 'gold' is .*but an answer is text"):
        answers_of(table, "gold", Path("t.jsonl"), several=True)


def test_a_list_of_texts_is_an_answer_only_where_several_may_be():
    table = Table(("gold",), [{"gold": ["a", "b"]}])
    assert answers_of(table, "gold", Path("t.jsonl"), several=True) == [["a", "b"]]
    with pytest.raises(ValueError, match=r"row 1: 'gold' is \['a', 'b'\], but an answer is text; for"):
        answers_of(table, "gold", Path("t.jsonl"))


def test_a_missing_column_is_an_error_that_lists_the_columns():
    with pytest.raises(LookupError, match=r"t\.csv has no column 'gold'; its columns are: Gold, pred"):
        answers_of(Table(("Gold", "pred"), []), "gold", Path("t.csv"))
    with pytest.raises(LookupError, match=r"its columns are: \(none\)"):
        answers_of(Table((), []), "gold", Path("t.jsonl"))


def test_all_rows_without_an_answer_are_reported_at_once():
    values = ["a", None, "b", 5, None, *[None] * 200]
    table = Table(("pred",), [{"pred": value} for value in values])
    with pytest.raises(ValueError, match="203 rows cannot be scored") as error:
        answers_of(table, "pred", Path("t.csv"))
    message = str(error.value)
    assert "row 2: 'pred' is null, or missing" in message
    assert "row 4: 'pred' is 5" in message
    assert "and the rows 13, 14, 15" in message
    assert "and 103 more" in message
    assert len(message) < 1000


def test_empty_parts_of_gold_answers_are_left_out_and_counted():
    with pytest.warns(
        EmptyReferencesWarning, match=r"x.csv: 4 empty parts of gold answers left out, the first in row 8"
    ):
        split = split_references(["a|b", "a|b|", "|a| |b", "", "|", ["c|"]], "|", Path("x.csv"), range(7, 13))
    assert split == [["a", "b"], ["a", "b"], ["a", "b"], [""], [""], ["c|"]]
    assert split_references(["a|"], None, Path("x.csv")) == ["a|"]
