"""Rows of text, JSON and spreadsheets are values, and no value is guessed."""

import datetime
import gzip
import io
import json
import math
import re
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim._base.errors import MissingExtraError
from answersim._base.io import files
from answersim._base.io.files import read
from answersim._base.io.records import from_json, to_json
from answersim._base.io.text_rows import lines_of, located_rows, records
from tests.cases import cases_of, every


class Ends(NamedTuple):
    low: float
    high: float = 1.0


@dataclass(frozen=True)
class Inner:
    sizes: tuple[int, ...] = (1, 2)
    rate: float = 0.5
    shape: tuple[int, str] = (1, "x")


@dataclass(frozen=True)
class Outer:
    name: str = "x"
    inner: Inner = field(default_factory=Inner)
    ends: tuple[Ends, ...] = ()
    kind: Literal["a", "b"] = "a"
    perhaps: Inner | None = None
    is_on: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)


ENDS = st.builds(Ends, st.floats(allow_nan=False), st.floats(allow_nan=False))
INNER = st.builds(Inner, st.lists(st.integers(-(10**9), 10**9)).map(tuple), st.floats(-1e300, 1e300))
OUTER = st.builds(
    Outer, st.text(), INNER, st.lists(ENDS, max_size=3).map(tuple), st.sampled_from("ab"), st.none() | INNER
)


@given(OUTER)
def test_a_record_is_read_as_it_was_written(record):
    stated = json.loads(json.dumps(to_json(record), allow_nan=False))
    assert from_json(Outer, stated, complete=True, undefined=True) == record


def test_nan_is_null_and_only_where_numbers_may_be_undefined():
    assert to_json(Ends(math.nan, -math.inf)) == {"low": None, "high": "-inf"}
    low, high = from_json(Ends, {"low": None, "high": "-inf"}, undefined=True)
    assert math.isnan(low)
    assert high == -math.inf
    for value in (None, "inf"):
        with pytest.raises(TypeError, match=r"low is .*, but it must be a number"):
            from_json(Ends, {"low": value})


def test_a_field_that_is_not_stated_has_its_default_unless_all_must_be():
    assert from_json(Outer, {"inner": {"rate": 3.0}}) == Outer(inner=Inner(rate=3.0))
    with pytest.raises(ValueError, match="Ends lacks the field 'high'"):
        from_json(Ends, {"low": 0.5}, complete=True)


@every(
    ("stated", "error", "message"),
    [
        ({"nam": "x"}, ValueError, r"outer has no field 'nam'; it has ends, inner, is_on, kind, more, name"),
        ({"inner": {"size": 1}}, ValueError, r"outer\.inner has no field 'size'; it has rate, shape, sizes"),
        ({"inner": {"sizes": [1, 2.5]}}, TypeError, r"outer\.inner\.sizes\[1\] is 2\.5 \(float\), .* whole number"),
        ({"inner": {"shape": [1, "x", 2]}}, TypeError, r"outer\.inner\.shape is a list of 3, .* a list of 2"),
        ({"inner": {"rate": True}}, TypeError, r"outer\.inner\.rate is True \(bool\), but it must be a number"),
        ({"inner": {"rate": 10**400}}, ValueError, r"inner\.rate is an integer of more .* within the range of a float"),
        ({"inner": []}, TypeError, r"outer\.inner is a list of 0, but it must be an object"),
        ({"ends": [{"low": "x"}]}, TypeError, r"outer\.ends\[0\]\.low is 'x' \(str\), but it must be a number"),
        ({"kind": "c"}, TypeError, r"outer\.kind is 'c' \(str\), but it must be one of: a, b"),
        ({"is_on": 1}, TypeError, r"outer\.is_on is 1 \(int\), but it must be true or false"),
        ({"name": "\ud800"}, ValueError, r"outer\.name is .* half a surrogate pair"),
        ({"more": 3}, TypeError, r"outer\.more is 3 \(int\), but it must be an object"),
        ([], TypeError, r"outer is a list of 0, but it must be an object"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(stated, error, message):
    with pytest.raises(error, match=message):
        from_json(Outer, stated, "outer")


@every(("name", "text", "rows"), cases_of(__file__)["text_is_read_unchanged"])
def test_text_is_read_unchanged(name, text, rows, tmp_path):
    (tmp_path / name).write_bytes(text.encode())
    assert [[row["gold"], row["pred"]] for row in read(tmp_path / name).rows] == rows


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", ["\n"]),
        (b"a", ["a"]),
        (b"a\n\n", ["a\n", "\n"]),
        (b"\xef\xbb\xbfa\r\nb\r\n", ["a\r\n", "b\r\n"]),
        ("a\u2028b\x0bc\x85d\n".encode(), ["a\u2028b\x0bc\x85d\n"]),
        (b"a\rb\n", ["a\rb\n"]),
    ],
)
def test_a_line_ends_at_a_line_feed_alone(content, lines, tmp_path):
    (tmp_path / "t").write_bytes(content)
    assert list(lines_of(tmp_path / "t")) == lines


@every("suffix", [".csv", ".jsonl", ".csv.gz"])
@every("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_that_is_no_utf_8_is_named_with_its_place(mark, suffix, tmp_path):
    head = b'{"gold": "a"}\n' if suffix == ".jsonl" else b"gold,pred\na,b\n"
    raw = mark + head * 3000 + '{"gold": "ä'.encode() + b'\xff"}\n'
    path = tmp_path / f"t{suffix}"
    path.write_bytes(gzip.compress(raw) if suffix.endswith(".gz") else raw)
    with pytest.raises(ValueError, match=f"not UTF-8: byte 0xff at position {raw.index(0xFF)}; convert it first"):
        list(located_rows(path)) if suffix.endswith(".gz") else read(path)


@every(("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t"), ("a.CSV.gz", ","), ("a.tsv.gz", "\t")])
def test_located_rows_are_those_of_the_table_with_their_places(tmp_path, name, delimiter):
    text = '\ufeffgold,pred\n\nRome,"a\nb"\nNA,\n'.replace(",", delimiter).encode()
    path, plain = tmp_path / name, tmp_path / name.removesuffix(".gz")
    plain.write_bytes(text)
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    rows = list(located_rows(path))
    assert (
        [row for _, row in rows] == read(plain).rows == [{"gold": "Rome", "pred": "a\nb"}, {"gold": "NA", "pred": ""}]
    )
    assert [place for place, _ in rows] == [f"{path}, lines 3 to 4", f"{path}, line 5"]
    assert next(records(path)) == (f"{path}, line 1", ["gold", "pred"])


@every(
    ("name", "content", "message"),
    [
        ("a.csv", b"a,b\n1\n", "line 2: 1 values for 2 columns"),
        ("a.csv", b"a,a\n1,2\n", "has the column 'a' twice"),
        ("a.csv", b"a\n\xff\n", "is not UTF-8"),
        ("a.csv.gz", b"a\n", "is not a complete gzip file"),
        ("a.csv.gz", gzip.compress(b"a\n" * 9, mtime=0)[:-9], "is not a complete gzip file"),
    ],
)
def test_located_rows_with_a_flaw_are_an_error(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        list(located_rows(path))


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


@every(("rows", "words"), cases_of(__file__)["a_sheet_that_is_no_table_is_refused_with_the_cell"])
def test_a_sheet_that_is_no_table_is_refused_with_the_cell(rows, words, tmp_path):
    path = written(tmp_path / "t.xlsx", rows)
    with pytest.raises(ValueError, match=words):
        files.read(path)


def test_without_the_extra_the_error_names_it(tmp_path, monkeypatch):
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "openpyxl.cell.read_only", None)
    with pytest.raises(MissingExtraError, match=r"an Excel file needs 'openpyxl'.*pip install .*\[excel\]"):
        files.read(tmp_path / "t.xlsx")


@pytest.mark.parametrize(
    ("value", "number_format", "text"), cases_of(__file__)["a_number_in_a_percent_format_is_read_in_percent"]
)
def test_a_number_in_a_percent_format_is_read_in_percent(value, number_format, text, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    book = openpyxl.Workbook()
    book.active.append(["gold"])
    book.active.append([value])
    book.active["A2"].number_format = number_format
    book.save(tmp_path / "t.xlsx")
    assert files.read(tmp_path / "t.xlsx").rows == [{"gold": text}]


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
        result, wrong = values[int(rng.integers(len(values)))], (b'""', b'"-1"', b'"99999999"', b'"x"')
        part = part[: result.start()] + wrong[int(rng.integers(4))] + part[result.end() :]
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
