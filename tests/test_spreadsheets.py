"""Excel files: cells as the texts that a person would type."""

import datetime
import sys
from types import SimpleNamespace

import pytest

from answersim import files
from answersim.chunks import pieces
from answersim.errors import MissingExtraError
from answersim.spreadsheets import _text


def written(path, rows):
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("other").append(["not", "read"])
    book.save(path)
    return path


def test_cells_are_texts_and_empty_ones_are_missing(tmp_path):
    rows = [
        ["gold", "pred", "n", None],
        ["Rome", None, 1987],
        [None, None, None],
        [2.5, True, datetime.date(2020, 1, 2)],
        ["NA", "", datetime.datetime(2020, 1, 2, 3, 4)],
        [1e20, -3.0, datetime.time(5, 6)],
    ]
    path = written(tmp_path / "t.xlsx", rows)
    table = files.read(path)
    assert table.columns == ("gold", "pred", "n")
    assert table.rows == [
        {"gold": "Rome", "pred": None, "n": "1987"},
        {"gold": "2.5", "pred": "TRUE", "n": "2020-01-02"},
        {"gold": "NA", "pred": None, "n": "2020-01-02 03:04:00"},
        {"gold": "1e+20", "pred": "-3", "n": "05:06:00"},
    ]
    assert [row for piece in pieces(path) for row in piece.table.rows] == table.rows


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "names no columns"),
        ([["gold", "gold"]], "has the column 'gold' twice"),
        ([["gold"], ["a", "b"]], "cell B2: its column has no name in the first row"),
        ([["gold"], ["#DIV/0!"]], "cell A2: it contains the error #DIV/0!"),
    ],
)
def test_a_sheet_that_is_no_table_is_refused_with_the_cell(rows, words, tmp_path):
    path = written(tmp_path / "t.xlsx", rows)
    with pytest.raises(ValueError, match=words):
        files.read(path)


def test_without_the_extra_the_error_names_it(tmp_path, monkeypatch):
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"an Excel file needs 'openpyxl'.*pip install 'answersim\[excel\]'"):
        files.read(tmp_path / "t.xlsx")


@pytest.mark.parametrize(("value", "text"), [(1987.0, "1987"), (-2.0, "-2"), (0.1, "0.1"), (1e16, "1e+16"), (7, "7")])
def test_a_whole_number_has_no_decimals(value, text, tmp_path):
    assert _text(SimpleNamespace(value=value, data_type="n", coordinate="A1"), tmp_path) == text
