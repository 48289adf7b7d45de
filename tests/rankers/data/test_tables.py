from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from rankers.data.tables import CANDIDATE_ID, QUESTION_ID, column_of, grade, identifier, plain, read_quoted, text
from tests.cases import every


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.tsv"


@every(("value", "expected"), [("0", 0), ("1", 1), (" 4\r", 4), (2, 2), (3.0, 3), ("1.0", 1), (True, 1)])
def test_a_grade_is_a_whole_number(value: object, expected: int) -> None:
    assert grade(value, "here") == expected


@every("value", ["", "yes", "-1", "0.5", "nan", "inf", None, [1], {}])
def test_what_is_no_grade_is_named_with_its_line(value: object) -> None:
    with pytest.raises(ValueError, match=r"^a.tsv, line 7: the label is .*whole number"):
        grade(value, "a.tsv, line 7")


def test_a_quote_is_a_character_in_plain_lines(file: Path) -> None:
    file.write_text('the "BMC" firm\t"a\t0\n')
    assert list(plain(file, 3)) == [(f"{file}, line 1", ['the "BMC" firm', '"a', "0"])]


def test_a_quoted_cell_holds_delimiters_quotes_and_line_ends(file: Path) -> None:
    file.write_text('"say ""hi"""\t"a\tb\nc"\nx\ty\n')
    assert list(read_quoted(file, 2)) == [
        (f"{file}, lines 1 to 2", ['say "hi"', "a\tb\nc"]),
        (f"{file}, line 3", ["x", "y"]),
    ]


@pytest.mark.parametrize("read", [plain, read_quoted])
def test_a_line_of_another_width_is_an_error(file: Path, read: object) -> None:
    file.write_text("a\tb\n\nc\n")
    with pytest.raises(ValueError, match=r"a\.tsv, line 3: 1 cells, but each line has 2"):
        list(read(file, 2))  # type: ignore[operator]


def test_quotes_that_do_not_close_are_named(file: Path) -> None:
    file.write_text('a\tb\nc\t"d\n')
    with pytest.raises(ValueError, match=r"a\.tsv, line 2: a quote is opened here"):
        list(read_quoted(file, 2))


def test_a_cell_longer_than_the_csv_module_allows_is_read(file: Path) -> None:
    file.write_text("a" * 200_000 + "\tb\n")
    assert len(next(read_quoted(file, 2))[1][0]) == 200_000


def test_gzipped_files_and_byte_order_marks_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress("\ufeffé".encode()))
    assert text(tmp_path / "a.tsv.gz") == "é"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.tsv", b"caf\xe9", "is not UTF-8: byte 0xe9 at 3"),
        ("a.tsv.gz", b"plain", "cannot be unpacked"),
        ("a.tsv.gz", gzip.compress(b"whole", mtime=0)[:-6], "cannot be unpacked"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name} {complaint}"):
        text(tmp_path / name)


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
