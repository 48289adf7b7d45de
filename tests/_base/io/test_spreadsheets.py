"""Excel files: cells as the texts that a person would type."""

import datetime
import io
import re
import sys
import zipfile

import numpy as np
import pytest

from answersim._base.errors import MissingExtraError
from answersim._base.io import files
from answersim._base.io.spreadsheets import _Cell, _text
from tests.cases import every

SHEET = "xl/worksheets/sheet1.xml"


def written(path, rows):
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("other").append(["not", "read"])
    book.save(path)
    return path


def rewritten(path, change, member=SHEET):
    """Change one file inside an Excel file."""
    with zipfile.ZipFile(path) as held:
        content = {name: held.read(name) for name in held.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in content.items():
            out.writestr(name, change(data) if name == member else data)
    return path


def test_cells_are_texts_and_empty_ones_are_empty_texts(tmp_path):
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
        {"gold": "Rome", "pred": "", "n": "1987"},
        {"gold": "2.5", "pred": "TRUE", "n": "2020-01-02"},
        {"gold": "NA", "pred": "", "n": "2020-01-02 03:04:00"},
        {"gold": "1e+20", "pred": "-3", "n": "05:06:00"},
    ]


@every(
    ("rows", "words"),
    [
        ([], "names no columns"),
        ([["gold", "gold"]], "has the column 'gold' twice"),
        ([["gold"], ["a", "b"]], "cell B2: its column has no name in the first row"),
        ([["gold"], ["#DIV/0!"]], "cell A2: it contains the error #DIV/0!"),
        (
            [["gold"], ["=1+1"]],
            "cell A2: its formula has no stored value; open the file in a spreadsheet program, and save",
        ),
    ],
)
def test_a_sheet_that_is_no_table_is_refused_with_the_cell(rows, words, tmp_path):
    path = written(tmp_path / "t.xlsx", rows)
    with pytest.raises(ValueError, match=words):
        files.read(path)


def test_without_the_extra_the_error_names_it(tmp_path, monkeypatch):
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "openpyxl.cell.read_only", None)
    with pytest.raises(MissingExtraError, match=r"an Excel file needs 'openpyxl'.*pip install .*\[excel\]"):
        files.read(tmp_path / "t.xlsx")


@every(("value", "text"), [(1987.0, "1987"), (-2.0, "-2"), (0.1, "0.1"), (1e16, "1e+16"), (7, "7")])
def test_a_whole_number_has_no_decimals(value, text, tmp_path):
    assert _text(_Cell(1, "A1", value, "n", percent=False), tmp_path) == text


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.5, "0%", "50%"),
        (0.07, "0.00%", "7%"),
        (1, "0%", "100%"),
        (-0.125, "0.0%;[Red]-0.0%", "-12.5%"),
        (12, '0.0"%"', "12"),
        (12, "0\\%", "12"),
        (0.5, "General", "0.5"),
        (True, "0%", "TRUE"),
    ],
)
def test_a_number_in_a_percent_format_is_read_in_percent(value, number_format, text, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    book = openpyxl.Workbook()
    book.active.append(["gold"])
    book.active.append([value])
    book.active["A2"].number_format = number_format
    book.save(tmp_path / "t.xlsx")
    assert files.read(tmp_path / "t.xlsx").rows == [{"gold": text}]


@every("size", ["A1:B51", "A1", "A1:B1048576", "A1:XFD101", "B2:C3", ""])
def test_the_size_that_a_sheet_states_drops_no_row(size, tmp_path):
    path = written(tmp_path / "t.xlsx", [["gold", "pred"], *([f"g{i}", f"p{i}"] for i in range(100))])
    tag = f'<dimension ref="{size}"/>'.encode() if size else b""
    rewritten(path, lambda data: re.sub(rb"<dimension[^>]*/>", tag, data))
    assert files.read(path).rows == [{"gold": f"g{i}", "pred": f"p{i}"} for i in range(100)]


def test_a_far_cell_costs_nothing(tmp_path):
    """Walking the empty cells before it would take minutes, and an array of the whole area 512 GB."""
    path = written(tmp_path / "t.xlsx", [["gold", "pred"], ["Rome", "Oslo"]])
    row = b'<row r="1048576"><c r="%s1048576" t="inlineStr"><is><t>far</t></is></c></row></sheetData>'
    near = path.read_bytes()
    rewritten(path, lambda data: data.replace(b"</sheetData>", row % b"B"))
    assert files.read(path).rows == [{"gold": "Rome", "pred": "Oslo"}, {"gold": "", "pred": "far"}]
    path.write_bytes(near)
    rewritten(path, lambda data: data.replace(b"</sheetData>", row % b"XFD"))
    with pytest.raises(ValueError, match="cell XFD1048576: its column has no name"):
        files.read(path)


@every(
    ("old", "new", "words"),
    [
        (b'<row r="3"', b'<row r="2"', "row 2 comes after row 2"),
        (b'<row r="2"', b'<row r="9"', "row 3 comes after row 9"),
        (b'r="B2"', b'r="A2"', "it has the cell A2 twice"),
    ],
)
def test_rows_and_cells_out_of_order_are_refused(old, new, words, tmp_path):
    path = written(tmp_path / "t.xlsx", [["gold", "pred"], ["Rome", "Oslo"], ["Bonn", "Kiel"]])
    rewritten(path, lambda data: data.replace(old, new))
    with pytest.raises(ValueError, match=words):
        files.read(path)


def _damaged(data, rng):
    """Change the bytes of an Excel file, or the text of one of its parts."""
    kind, at = rng.integers(5), int(rng.integers(1, len(data)))
    if kind == 0:
        return data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        content = {name: held.read(name) for name in held.namelist()}
    name = sorted(content)[int(rng.integers(len(content)))]
    part, out = content[name], io.BytesIO()
    at = int(rng.integers(len(part)))
    if kind == 2:
        part = part[:at] + bytes([int(rng.integers(32, 127))]) + part[at + 1 :]
    elif kind == 3:
        part = part[:at] + part[at + int(rng.integers(1, 60)) :]
    else:
        values = list(re.finditer(rb'"[^"]*"', part))
        found, wrong = values[int(rng.integers(len(values)))], (b'""', b'"-1"', b'"99999999"', b'"x"')
        part = part[: found.start()] + wrong[int(rng.integers(4))] + part[found.end() :]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, text in content.items():
            archive.writestr(member, part if member == name else text)
    return out.getvalue()


def test_a_damaged_file_is_read_whole_or_refused_by_name(tmp_path):
    path = written(tmp_path / "t.xlsx", [["gold", "pred"], *([f"g{i}", i / 2] for i in range(30))])
    whole, rng, refusals = path.read_bytes(), np.random.default_rng(0), []
    for _ in range(120):
        path.write_bytes(_damaged(whole, rng))
        try:
            assert len(files.read(path).rows) == 30
        except ValueError as error:
            refusals.append(str(error))
    assert all(str(path) in refusal for refusal in refusals)
    assert 40 < len(refusals) < 116
