"""Encodings, delimiters, JSON arrays, nested fields and standard input."""

import csv
import io
import json
from pathlib import Path

import pytest

from answersim._base.errors import DetectedFormatWarning, deferred_warnings
from answersim._base.io.detection import read_options
from answersim._base.io.files import Table, buffer_stdin, read
from tests.cases import every


@every(
    ("name", "encoding", "delimiter", "warnings"),
    [
        ("t.csv", "utf-8", ",", []),
        ("t.csv", "utf-8-sig", ",", []),
        ("t.csv", "utf-8", "\t", ["delimiter tab"]),
        ("t.tsv", "utf-8", ",", ["delimiter ','"]),
        ("t.csv", "cp1252", ";", ["Windows-1252 (cp1252)", "delimiter ';'"]),
        ("t.csv", "utf-16-le", ",", ["UTF-16-LE"]),
        ("t.csv", "utf-16-be", ";", ["UTF-16-BE", "delimiter ';'"]),
        ("t.csv", "utf-32", ",", ["UTF-32-LE"]),
    ],
)
def test_encoding_and_delimiter_are_detected_with_a_warning(name, encoding, delimiter, warnings, tmp_path):
    rows = [["gold", "pred"], ["Zürich", "in “Zürich”"], ["a\nb", ""], ["Rome, Italy; x\ty", "d"]]
    with (tmp_path / name).open("w", newline="", encoding=encoding) as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    expected = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    with deferred_warnings() as message:
        assert read(tmp_path / name).rows == expected
    assert len(message) == len(warnings)
    for warning, words in zip(message, warnings, strict=True):
        assert isinstance(warning, DetectedFormatWarning)
        assert words in str(warning)


def test_a_json_array_and_json_lines_under_its_name_are_read(tmp_path):
    rows = [{"gold": ["a", "b"], "pred": "ä"}, {"gold": "c", "more": 1}]
    (tmp_path / "array.json").write_text(json.dumps(rows, indent=1), encoding="utf-8-sig")
    (tmp_path / "lines.json").write_text("\n".join(map(json.dumps, rows)))
    for name in ("array.json", "lines.json"):
        assert read(tmp_path / name).rows == rows
        assert read(tmp_path / name).columns == ("gold", "pred", "more")


def test_fields_inside_objects_have_names_with_dots(tmp_path):
    rows = [
        {"a": {"text": "x", "list": [{"t": "p"}, {"t": "q"}]}, "b.c": "own"},
        {"a": {"text": None, "list": []}, "b.c": "own"},
        {"a": None},
    ]
    table, path = Table(("a", "b.c"), rows), Path("x.jsonl")
    assert table.values("a.text", path) == ["x", None, None]
    assert table.values("a.list.t", path) == [["p", "q"], None, None]
    assert table.values("a.list.1.t", path) == ["q", None, None]
    assert table.values("b.c", path) == ["own", "own", None]
    for name in ("a.other", "c.text", "a.text.more"):
        with pytest.raises(LookupError, match=f"x.jsonl has no column '{name}'"):
            table.values(name, path)
    assert table.columns == ("a", "b.c")


def test_rows_can_be_selected_with_their_types():
    pyarrow = pytest.importorskip("pyarrow")
    arrow = pyarrow.table({"a": [1, 2, 3]})
    table = Table(("a",), arrow.to_pylist(), arrow)
    assert table.at([0, 2]).rows == [{"a": 1}, {"a": 3}]
    assert table.at([0, 2]).arrow["a"].to_pylist() == [1, 3]
    assert table.at([0, 1, 2]) is table
    assert table.at([]).arrow.num_rows == len(table.at([]).rows) == 0


@pytest.mark.parametrize(
    ("content", "suffix"),
    [
        (b"gold,pred\na,b\n", ".csv"),
        (b'\xef\xbb\xbf {"gold": "a"}\n', ".jsonl"),
        (b'\n[{"gold": "a"}]', ".json"),
        (b"PAR1....", ".parquet"),
        (b"PK\x03\x04....", ".xlsx"),
        ("gold;pred\n".encode("utf-16"), ".csv"),
    ],
)
def test_standard_input_is_a_file_of_the_format_of_its_first_bytes(content, suffix, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    copy = buffer_stdin(Path("-"))
    assert copy.suffix == suffix
    assert copy.read_bytes() == content
    assert buffer_stdin(Path("x.csv")) == Path("x.csv")


def test_an_empty_standard_input_is_an_error(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(ValueError, match="standard input is empty"):
        buffer_stdin(Path("-"))


@every(
    ("name", "options", "words"),
    [
        ("t.parquet", {"encoding": "cp1252"}, "is not a text file"),
        ("t.xlsx", {"encoding": "cp1252"}, "is not a text file"),
        ("t.jsonl", {"delimiter": ";"}, "neither CSV nor TSV"),
        ("t.csv", {"delimiter": ";;"}, "must be one character"),
        ("t.csv", {"delimiter": '"'}, "must be one character"),
        ("t.csv", {"encoding": "utf-7000"}, "no encoding is called 'utf-7000'"),
        ("t.csv", {"encoding": "base64"}, "is not an encoding of texts"),
    ],
)
def test_an_option_without_effect_is_refused(name, options, words, tmp_path):
    (tmp_path / name).write_bytes(b"{}")
    with pytest.raises((ValueError, LookupError), match=words), read_options(**options):
        read(tmp_path / name)
