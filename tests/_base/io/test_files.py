"""Tables of odd values are read as they were written, and a file is written as a whole or stays as it was."""

import csv
import datetime
import decimal
import errno
import io
import json
import os
import stat
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from answersim._base.errors import DetectedFormatWarning, MissingExtraError, deferred_warnings
from answersim._base.io import files, output_files
from answersim._base.io.detection import delimiter_of, encoding_of, read_options, text_format
from answersim._base.io.files import Table, buffer_stdin, read, write
from answersim._base.io.spreadsheets import guarded
from tests.cases import cases_of, every

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def as_written(rows: Iterable[dict[str, Any]], path: Path) -> Path:
    """These rows in this file, written by other hands than ours: all quoted, \\r\\n, a byte order mark, ASCII JSON."""
    rows = list(rows)
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8-sig") as file:
            writer = csv.DictWriter(
                file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",", quoting=csv.QUOTE_ALL
            )
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\r\n" for row in rows), "utf-8", newline="")
    return path


def as_read(path: Path) -> list[dict[str, Any]]:
    """The rows of this file, read by other hands than ours."""
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True))
    if path.suffix == ".parquet":
        import pyarrow.parquet

        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        return rows
    return [json.loads(line) for line in path.read_bytes().decode().split("\n") if line]


def folder_holds(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# What spreadsheets, parsers and type guessers like to change; every one of them may be an answer.
TRICKY = (
    "NA", "N/A", "None", "null", "nan", "NaN", "inf", "-", "", " ", "true", "TRUE",
    "1e5", "1.10", "007", "+49 30", "1_000", "0x1F", "12/05/2001", "2001-05-12", "=1+1", "@x", "-3", "'",
    "a,b", "a;b", "a|b", "a\tb", 'say "x"', '"', '""', '"quoted"', "it's", "\\", "\\n", "\\N", "#", "[1]", '{"a": 1}',
    "two\nlines", "two\r\nlines", "lone\rreturn", "\n", "\r", " spaces around ", "no\u00a0break", "line\u2028separator",
    "\x0b\x0c\x1c\x85", "Zürich", "Zu\u0308rich", "北京", "القاهرة", "😀", "\ufeffmark", "\u200b", "\U0010ffff",
)  # fmt: skip


@every("here", SUFFIXES)
def test_every_value_survives_from_every_format_to_every_other(here, tmp_path):
    rows = [{"id": str(i), "gold": entry, "nötes, and more": f"{entry}{entry}"} for i, entry in enumerate(TRICKY)]
    cells = [{name: guarded(text) for name, text in row.items()} for row in rows]
    table = read(as_written(rows, tmp_path / f"in{here}"))
    assert (table.columns, table.rows) == (("id", "gold", "nötes, and more"), rows)
    for there in SUFFIXES:
        write(table, tmp_path / f"out{there}")
        assert as_read(tmp_path / f"out{there}") == (cells if there in (".csv", ".tsv") else rows)
        assert read(tmp_path / f"out{there}").rows == rows


def test_parquet_with_text_that_is_not_utf8_is_refused_by_name(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra 'tables'")
    import pyarrow.parquet

    bad = pyarrow.StringArray.from_buffers(1, pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0"), pyarrow.py_buffer(b"a\xff"))
    path = tmp_path / "bad.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"gold": bad, "pred": ["b"]}), path)
    with pytest.raises(ValueError, match=r"bad\.parquet cannot be read as Parquet"):
        read(path)


FORMULAS = (
    *("=1+1", "+SUM(A1)", "-1+2", "@x", "\t=1", "\r=1", "\n=1", " =1"),
    *("-1-1", "- Rome", "\uff1d1+1", "'=1", "''=1"),
)
PLAIN = ("-5", "+3.5", "-1,000.25", "-5%", "-1e-3", "-", "'tis", "'", "it's", "a=1", "1-1", "")


@every("suffix", [".csv", ".tsv"])
def test_no_text_in_a_csv_file_is_a_formula_and_reading_restores_it(suffix, tmp_path):
    rows = [{"gold": text, "=HYPERLINK(1)": text, "score": -0.5} for text in FORMULAS + PLAIN]
    path = tmp_path / f"out{suffix}"
    write(Table(("gold", "=HYPERLINK(1)", "score"), rows), path)
    result = as_read(path)
    assert list(result[0]) == ["gold", "'=HYPERLINK(1)", "score"]
    assert [row["gold"] for row in result] == ["'" + text for text in FORMULAS] + list(PLAIN)
    assert {row["score"] for row in result} == {"-0.5"}
    assert read(path).rows == [row | {"score": "-0.5"} for row in rows]


@every(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "names no columns"),
        ("bom_only.csv", b"\xef\xbb\xbf", "names no columns"),
        ("blank.tsv", b"\n\n", "names no columns"),
        ("commas.csv", b",,\n", "names no columns"),
        ("twice.csv", b"gold,pred,gold\na,b,c\n", "has the column 'gold' twice"),
        ("short.csv", b"gold,pred\na,b\nc\n", "line 3: 1 values for 2 columns"),
        ("long.csv", b"gold,pred\na,b,c\n", "line 2: 3 values for 2 columns; quote values that contain the delimiter"),
        ("far.csv", b'gold,pred\n"a\nb",c\n\nd\n', "line 5: 1 values for 2 columns"),
        ("spread.csv", b'gold,pred\n"a\nb\nc"\n', "lines 2 to 4: 1 values for 2 columns"),
        ("open.csv", b'gold,pred\na,b\n"c,d\ne,f\n', "lines 3 to 4: a quote is opened here and never closed"),
        ("after.csv", b'gold,pred\n"a"b,c\n', "line 2: text follows a closing quote"),
        ("mac.csv", b"gold,pred\ra,b\r", "line 1: a carriage return without a line feed"),
        ("sjis.csv", "question,gold\nWhat is it called in Japan?,とうきょう\n".encode("cp932"), "is not UTF-8"),
        ("kanji.csv", "question,gold\nWhat is this thing called in Japan?,日本\n".encode("cp932"), "is not UTF-8"),
        ("kana.csv", "question,gold\nWhat is this thing called?,カタカナ\n".encode("cp932"), "--encoding"),
        ("gbk.csv", "question,gold\nWhat is the capital of China, please?,北京\n".encode("gbk"), "is not UTF-8"),
        ("korean.csv", "question,gold\nWhat is the capital of Korea, please?,서울\n".encode("euc_kr"), "is not UTF-8"),
        ("big.jsonl", b'{"gold": "a", "x": 1e400}\n', "line 1: not JSON (the number 1e400 is beyond the range"),
        ("damaged.csv", "gold,pred\nZürich,".encode() + b"\xff\n", "is not UTF-8: byte 0xff at position 18"),
        ("greek.csv", "gold,pred\nΑθήνα,b\n".encode("iso-8859-7"), "is not UTF-8: byte 0xc1 at position 10"),
        ("undefined.csv", b"gold,pred\nZ\x81rich,b\n", "is not UTF-8: byte 0x81 at position 11"),
        ("object.json", b'{\n  "gold": "a"\n}\n', "line 1: not JSON"),
        ("texts.json", b'["a"]', "row 1: it is of type str, but every element must be an object"),
        ("open.json", b'[{"gold": "a"}', "not JSON"),
        ("text.xlsx", b"gold,pred\na,b\n", "cannot be read as an Excel file"),
        ("array.jsonl", b'[{"gold": "a"}]\n', "line 1: it is of type list, but every line must be an object"),
        ("text.jsonl", b'{"gold": "a"}\n"b"\n', "line 2: it is of type str, but every line must be an object"),
        ("cut.jsonl", b'{"gold": "a"}\n\n{"gold": "b"\n', "line 3: not JSON"),
        ("pretty.jsonl", b'{\n  "gold": "a"\n}\n', "line 1: not JSON"),
        ("twice.jsonl", b'{"gold": "a", "gold": "b"}\n', "line 1: not JSON (the name 'gold' is in it twice)"),
        ("deep.jsonl", b"[" * 200_000, "line 1: not JSON"),
        ("text.parquet", b"gold,pred\na,b\n", "cannot be read as Parquet"),
        ("empty.parquet", b"", "cannot be read as Parquet"),
    ],
)
def test_the_error_for_an_unreadable_file_has_place_and_reason(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=r".") as error:
        read(tmp_path / name)
    assert str(tmp_path / name) in str(error.value)
    assert message in str(error.value)


@every("part", ["end", "middle"])
def test_a_damaged_parquet_file_is_an_error(part, tmp_path):
    path = as_written([{"gold": f"answer {i}"} for i in range(2000)], tmp_path / "t.parquet")
    whole = path.read_bytes()
    path.write_bytes(whole[:-200] if part == "end" else whole[:200] + bytes(400) + whole[600:])
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read as Parquet; it is damaged"):
        read(path)


@every("name", ["gone.csv", "gone", "a_folder.csv"])
def test_no_file_at_a_path_is_an_error_that_names_it(name, tmp_path):
    (tmp_path / "a_folder.csv").mkdir(exist_ok=True)
    problem = "is a folder" if name == "a_folder.csv" else "no file at"
    with pytest.raises(OSError, match=problem) as raised:
        read(tmp_path / name)
    assert name in str(raised.value)


@every("name", ["t.txt", "t.xls", "t.csv.gz", "t"])
def test_an_unknown_suffix_is_an_error_that_lists_the_known_ones(name, tmp_path):
    (tmp_path / name).write_text("gold,pred\n")
    with pytest.raises(ValueError, match=r"read from: \.csv, \.tsv, \.jsonl, \.ndjson, \.parquet, \.json, \.xlsx"):
        read(tmp_path / name)


def test_without_pyarrow_the_error_names_the_extra(tmp_path, monkeypatch):
    path = as_written([{"gold": "a"}], tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[tables\]"):
        read(path)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[tables\]"):
        files.check_writable(tmp_path / "out.parquet", Table(("gold",), []))


@every("suffix", [".csv", ".jsonl", ".parquet"])
def test_new_columns_come_last_overwrite_none_and_leave_the_table_unchanged(suffix, tmp_path):
    table, path = Table(("b", "a"), [{"b": "1", "a": "2"}]), tmp_path / f"t{suffix}"
    write(table, path, {"z": [0.5], "verdict": ["right"]})
    longer = read(path)
    assert longer.columns == ("b", "a", "z", "verdict")
    number = "0.5" if suffix == ".csv" else 0.5
    assert longer.rows == [{"b": "1", "a": "2", "z": number, "verdict": "right"}]
    assert table.rows == [{"b": "1", "a": "2"}]
    with pytest.raises(ValueError, match=r"already has a column 'a'; choose another name with --prefix"):
        files.check_new(table, ["a"])
    with pytest.raises(ValueError, match=r"shorter|length"):
        write(Table(("gold",), [{"gold": "a"}, {"gold": "b"}]), path, {"em": [1.0]})


def test_parquet_keeps_types_and_metadata_and_gets_numbers(tmp_path):
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema(
        [
            ("gold", pyarrow.large_string()),
            ("kind", pyarrow.dictionary(pyarrow.int32(), pyarrow.string())),
            ("n", pyarrow.int8()),
            ("when", pyarrow.timestamp("ms", tz="UTC")),
            ("raw", pyarrow.binary()),
            ("all", pyarrow.list_(pyarrow.string())),
        ],
        metadata={"from": "a test"},
    )
    row = {"gold": "a", "kind": "x", "n": 3, "when": datetime.datetime(2020, 1, 1), "raw": b"\xff", "all": ["a", None]}
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row], schema), tmp_path / "t.parquet")
    write(read(tmp_path / "t.parquet"), tmp_path / "t.parquet", {"em": [1.0]})
    result = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert result.schema.remove_metadata() == schema.append(pyarrow.field("em", pyarrow.float64())).remove_metadata()
    assert result.schema.metadata[b"from"] == b"a test"
    assert result.to_pylist()[0]["raw"] == b"\xff"


def test_dates_and_decimals_of_parquet_become_text_in_json_and_csv(tmp_path):
    row = {"gold": "a", "day": datetime.date(2020, 2, 29), "price": decimal.Decimal("1.10")}
    row["days"] = [datetime.date.min]
    table = read(as_written([row], tmp_path / "t.parquet"))
    write(table, tmp_path / "t.jsonl")
    text = {"gold": "a", "day": "2020-02-29", "price": "1.10", "days": ["0001-01-01"]}
    assert as_read(tmp_path / "t.jsonl") == [text]
    write(table, tmp_path / "t.csv")
    assert as_read(tmp_path / "t.csv") == [text | {"days": '["0001-01-01"]'}]


@every(
    ("rows", "suffix", "message"),
    [
        ([{"x": 1}, {"x": "a"}], ".parquet", "column 'x' have no common type in Parquet"),
        ([{"x": 2**70}], ".parquet", "column 'x' have no common type in Parquet"),
        ([{"x": {}}, {"x": []}], ".parquet", "column 'x' have no common type in Parquet"),
        ([{"x": "\ud83d"}], ".parquet", "column 'x' have no common type in Parquet"),
        ([{"x": "\ud83d"}], ".csv", "surrogates not allowed"),
        ([{"x": b"\xff"}], ".csv", "is bytes, not text"),
        ([{"x": b"\xff"}], ".jsonl", "is bytes, not text"),
        ([{"x": [b"\xff"]}], ".tsv", "is bytes, not text"),
    ],
)
def test_values_that_a_format_cannot_contain_are_refused_before_any_work(rows, suffix, message, tmp_path):
    path = tmp_path / f"out{suffix}"
    with pytest.raises(ValueError, match=f"out{suffix} cannot contain this table: .*{message}"):
        files.check_writable(path, Table(("x",), rows))
    assert folder_holds(tmp_path) == []


@every(
    ("name", "encoding", "delimiter", "warnings"),
    cases_of(__file__)["encoding_and_delimiter_are_detected_with_a_warning"],
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


@every(("name", "options", "words"), cases_of(__file__)["an_option_without_effect_is_refused"])
def test_an_option_without_effect_is_refused(name, options, words, tmp_path):
    (tmp_path / name).write_bytes(b"{}")
    with pytest.raises((ValueError, LookupError), match=words), read_options(**options):
        read(tmp_path / name)


LONG = "plain words, " * 20_000


@every(
    ("content", "encoding"),
    [
        (b"", "utf-8"),
        (b"gold,pred\n", "utf-8"),
        ("Zürich – “Genf”".encode(), "utf-8"),
        ("Zürich".encode("utf-8-sig"), "utf-8"),
        ("Zürich – “Genf”".encode("cp1252"), "cp1252"),
        ((LONG + "Zürich").encode("cp1252"), "cp1252"),
        ((LONG + "Zürich" + LONG).encode(), "utf-8"),
        ("Zürich".encode() + b"\xff", "utf-8"),  # damaged
        ("Αθήνα".encode("iso-8859-7"), "utf-8"),  # neither
        (b"Z\x81rich", "utf-8"),  # undefined in cp1252
        ("gold".encode("utf-16"), "utf-16-le"),
        (b"\xfe\xff" + "gold".encode("utf-16-be"), "utf-16-be"),
        ("gold,pred\nZürich".encode("utf-16-be"), "utf-16-be"),
        ("東京,大阪".encode("utf-16"), "utf-16-le"),
        ("gold".encode("utf-32"), "utf-32-le"),
    ],
)
def test_all_bytes_decide_the_encoding_and_a_guess_is_a_warning(content, encoding, tmp_path):
    (tmp_path / "t.csv").write_bytes(content)
    with deferred_warnings() as message:
        assert encoding_of(tmp_path / "t.csv") == encoding
    assert [type(warning) for warning in message] == ([] if encoding == "utf-8" else [DetectedFormatWarning])


@every(
    ("text", "usual", "delimiter"),
    [
        ("gold,pred\na,b\n", ",", ","),
        ("gold;pred\na,x;b\n", ",", ";"),
        ("gold;pred, given;more\na;b;c\n", ",", ";"),
        ("gold\tpred\na,x\tb\n", ",", "\t"),
        ("gold|pred\na|b\n", ",", "|"),
        ("gold,pred\na,b\n", "\t", ","),
        ("gold\na;b\n", ",", ","),
        ("gold,pred\na,b,c\n", ",", ","),  # malformed, which the reader reports
        ('gold,pred\n"a;b","c;d"\n', ",", ","),
        ('"gold";"pred"\n"a\n,b";c\n', ",", ";"),
        ("", ",", ","),
        ("gold;pred\n" + "a;b\n" * 40_000 + "half;", ",", ";"),
    ],
)
def test_the_first_rows_decide_the_delimiter(text, usual, delimiter, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with deferred_warnings() as message:
        assert delimiter_of(tmp_path / "t.csv", "utf-8", usual) == delimiter
    assert len(message) == (delimiter != usual)


def test_what_is_stated_is_used_without_a_word(tmp_path):
    path = Path(tmp_path / "t.csv")
    path.write_text("gold;pred\nZürich;x\n", encoding="cp1252")
    with deferred_warnings() as message, read_options("latin-1", "semicolon"):
        assert text_format() == ("iso8859-1", ";")
        assert encoding_of(path) == "iso8859-1"
        assert delimiter_of(path, "iso8859-1", ",") == ";"
    assert message == []
    assert text_format() == (None, None)


@every(("name", "encoding"), [("utf-16", "utf-16-be"), ("utf-8-sig", "utf-8"), ("UTF8", "utf-8")])
def test_a_mark_gives_the_byte_order_of_a_stated_encoding(name, encoding, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"\xfe\xff" + "gold".encode("utf-16-be"))
    with read_options(name):
        assert encoding_of(tmp_path / "t.csv") == encoding


@pytest.mark.parametrize("error", [errno.EFBIG, errno.ENOSPC])
def test_a_full_disk_is_reported_with_the_file(error, tmp_path, monkeypatch):
    def full(*_: Any) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(files, "_write", full)
    with pytest.raises(OSError, match=rf"{os.strerror(error)}: '.*out\.csv'"):
        write(Table(("gold",), [{"gold": "a"}]), tmp_path / "out.csv")


@every(
    ("name", "kind", "message"),
    [
        ("out.txt", ValueError, "has the suffix '.txt'; a table is written as: .csv"),
        ("out", ValueError, "has no suffix; a table is written as: .csv"),
        ("gone/out.csv", FileNotFoundError, "there is no folder"),
        ("file.csv/out.csv", FileNotFoundError, "there is no folder"),
        ("folder.csv", IsADirectoryError, "it is a folder"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_any_work(name, kind, message, tmp_path):
    (tmp_path / "folder.csv").mkdir(exist_ok=True)
    (tmp_path / "file.csv").touch()
    with pytest.raises(kind) as error:
        files.check_writable(tmp_path / name, Table(("gold",), []))
    assert message in str(error.value)


def test_a_folder_without_permission_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # the superuser may write anywhere
    with pytest.raises(PermissionError, match=r"out\.csv cannot be written: no file can be created in"):
        files.check_writable(tmp_path / "out.csv", Table(("gold",), []))


@pytest.mark.parametrize(("suffix", "old"), [(".csv", None), (".jsonl", "old"), (".parquet", None), (".csv", "old")])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(suffix, old, tmp_path, monkeypatch):
    path = tmp_path / f"out{suffix}"
    if old:
        path.write_text(old)
    calls = []

    def full(value: Any) -> Any:
        calls.append(value)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return "{}"

    monkeypatch.setattr(files, {".csv": "cell", ".jsonl": "to_json", ".parquet": "to_arrow"}[suffix], full)
    if suffix == ".parquet":
        calls.append("the first")
    with pytest.raises(OSError, match="No space left"):
        write(Table(("gold",), [{"gold": "a"}, {"gold": "b"}]), path)
    assert folder_holds(tmp_path) == ([path.name] if old else [])
    assert not old or path.read_text() == old


def test_an_interrupted_write_leaves_no_draft(tmp_path, monkeypatch):
    def interrupt(value: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "to_json", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(Table(("gold",), [{"gold": "a"}]), tmp_path / "out.jsonl")
    assert folder_holds(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links are of another kind there")
def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path):
    path, table = tmp_path / "out.csv", Table(("gold",), [])
    before = os.umask(0o027)
    try:
        write(table, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write(table, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    path.chmod(0o600)
    with output_files.atomic_write(path) as draft:  # private from its beginning
        assert stat.S_IMODE(draft.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such devices there")
@pytest.mark.parametrize("linked", [True, False])
def test_a_device_or_pipe_is_written_to_and_never_replaced(linked, tmp_path):
    import threading

    device, pipe, got = tmp_path / "null.csv", tmp_path / "real" / "pipe.csv", []
    device.symlink_to(os.devnull)
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    (tmp_path / "link.csv").symlink_to(pipe)
    threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True).start()
    for path in (device, tmp_path / "link.csv" if linked else pipe):
        files.check_writable(path, Table(("gold",), []))
        write(Table(("gold",), [{"gold": "a"}]), path)
    for _ in range(600):
        if got:
            break
        time.sleep(0.05)
    assert got == ["gold\na\n"]
    assert pipe.is_fifo()
    assert device.is_char_device()
    assert folder_holds(tmp_path) == ["link.csv", "null.csv", "real"]
    assert folder_holds(pipe.parent) == ["pipe.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets there")
def test_a_socket_is_refused(tmp_path, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as caught:
        caught.bind("s.csv")
        with pytest.raises(OSError, match=r"s\.csv cannot be written: it is a socket"):
            files.check_writable(Path("s.csv"), Table(("gold",), []))
        with pytest.raises(OSError, match="it is a socket"):
            write(Table(("gold",), []), Path("s.csv"))


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_in_a_circle_are_an_error(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(OSError, match="its links lead in a circle"):
        files.check_writable(tmp_path / "a.csv", Table(("gold",), []))
    with pytest.raises(OSError, match="its links lead in a circle"):
        write(Table(("gold",), []), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("how", ["same", "other spelling", "symbolic link", "hard link", "link as input"])
def test_an_output_that_is_an_input_is_refused(how, tmp_path):
    path, second = tmp_path / "in.csv", tmp_path / "other.csv"
    path.write_text("gold,pred\n")
    if how in ("symbolic link", "link as input"):
        second.symlink_to(path)
    elif how == "hard link":
        os.link(path, second)
    else:
        second = path if how == "same" else tmp_path / "." / "x" / ".." / "in.csv"
        (tmp_path / "x").mkdir()
    first, two = (second, path) if how == "link as input" else (path, second)
    with pytest.raises(ValueError, match=r"the output .* is the input .*; choose another name"):
        output_files.refuse_overwriting_input([None, tmp_path / "gone", first], two)
    with pytest.raises(ValueError, match="is the input"):
        output_files.refuse_overwriting_input(first, two)
