"""The columns that hold identifiers, and what may be one."""

from __future__ import annotations

import pytest

from rankers.data.tables import CANDIDATE_ID, QUESTION_ID, column_of, identifier
from tests.cases import every


@every(
    ("columns", "expected"),
    [(["QID", "text"], "QID"), (["text", "questionid"], "questionid"), (["text"], None), ([], None)],
)
def test_a_column_is_found_whatever_its_case_and_underscores(columns: list[str], expected: str | None) -> None:
    assert column_of("a.csv", columns, QUESTION_ID) == expected


def test_two_columns_for_one_identifier_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"a\.csv: the columns 'docid' and 'PID' both name the same identifier"):
        column_of("a.csv", ["docid", "text", "PID"], CANDIDATE_ID)


@every(("value", "expected"), [("q1", "q1"), (7, "7"), ("ü", "ü")])
def test_text_and_whole_numbers_are_identifiers(value: str | int, expected: str) -> None:
    assert identifier("a.csv", "qid", value) == expected


@every("value", ["", "a b", "a\n", " a", True, 1.0, None, "\ud800"])
def test_what_a_trec_file_cannot_hold_is_an_error(value: object) -> None:
    with pytest.raises(ValueError, match=r"'qid' is .*, but an id must not be empty or contain white space"):
        identifier("a.csv", "qid", value)
