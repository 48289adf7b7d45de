"""Tables of answers in files: every value survives every format, and nothing is ever half there."""

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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from answersim.errors import DetectedFormatWarning, EmptyReferencesWarning, MissingExtraError, deferred_warnings
from answersim.io import files
from answersim.io.chunks import count_lines, pieces
from answersim.io.detection import read_options
from answersim.io.files import Table, buffer_stdin, read, write
from answersim.io.spreadsheets import guarded

# What spreadsheets, parsers and type guessers like to change; every one of them may be an answer.
TRICKY = (
    "NA", "N/A", "None", "null", "nan", "NaN", "inf", "-", "", " ", "true", "TRUE",
    "1e5", "1.10", "007", "+49 30", "1_000", "0x1F", "12/05/2001", "2001-05-12", "=1+1", "@x", "-3", "'",
    "a,b", "a;b", "a|b", "a\tb", 'say "x"', '"', '""', '"quoted"', "it's", "\\", "\\n", "\\N", "#", "[1]", '{"a": 1}',
    "two\nlines", "two\r\nlines", "lone\rreturn", "\n", "\r", " spaces around ", "no\u00a0break", "line\u2028separator",
    "\x0b\x0c\x1c\x85", "Zürich", "Zu\u0308rich", "北京", "القاهرة", "😀", "\ufeffmark", "\u200b", "\U0010ffff",
)  # fmt: skip

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


@pytest.mark.parametrize("here", SUFFIXES)
def test_every_value_survives_from_every_format_to_every_other(here, tmp_path):
    rows = [{"id": str(i), "gold": each, "nötes, and more": f"{each}{each}"} for i, each in enumerate(TRICKY)]
    cells = [{name: guarded(text) for name, text in row.items()} for row in rows]
    table = read(as_written(rows, tmp_path / f"in{here}"))
    assert (table.columns, table.rows) == (("id", "gold", "nötes, and more"), rows)
    for there in SUFFIXES:
        write(table, tmp_path / f"out{there}")
        assert as_read(tmp_path / f"out{there}") == (cells if there in (".csv", ".tsv") else rows)
        assert read(tmp_path / f"out{there}").rows == rows


@pytest.mark.parametrize("error", [errno.EFBIG, errno.ENOSPC])
def test_a_full_disk_is_reported_with_the_file(error, tmp_path, monkeypatch):
    def full(*_: Any) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(files, "_write", full)
    with pytest.raises(OSError, match=rf"{os.strerror(error)}: '.*out\.csv'"):
        write(Table(("gold",), [{"gold": "a"}]), tmp_path / "out.csv")


def test_parquet_with_text_that_is_not_utf8_is_refused_by_name(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra 'tables'")
    import pyarrow.parquet

    bad = pyarrow.StringArray.from_buffers(1, pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0"), pyarrow.py_buffer(b"a\xff"))
    path = tmp_path / "bad.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"gold": bad, "pred": ["b"]}), path)
    for reader in (read, lambda path: list(pieces(path)), lambda path: list(pieces(path, ["gold"]))):
        with pytest.raises(ValueError, match=r"bad\.parquet cannot be read as Parquet"):
            reader(path)


def test_empty_parts_of_gold_answers_are_left_out_and_counted():
    with pytest.warns(
        EmptyReferencesWarning, match=r"x.csv: 4 empty parts of gold answers left out, the first in row 8"
    ):
        split = files.split_references(["a|b", "a|b|", "|a| |b", "", "|", ["c|"]], "|", Path("x.csv"), range(7, 13))
    assert split == [["a", "b"], ["a", "b"], ["a", "b"], [""], [""], ["c|"]]
    assert files.split_references(["a|"], None, Path("x.csv")) == ["a|"]


FORMULAS = (
    *("=1+1", "+SUM(A1)", "-1+2", "@x", "\t=1", "\r=1", "\n=1", " =1"),
    *("-1-1", "- Rome", "\uff1d1+1", "'=1", "''=1"),
)
PLAIN = ("-5", "+3.5", "-1,000.25", "-5%", "-1e-3", "-", "'tis", "'", "it's", "a=1", "1-1", "")


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_no_text_in_a_csv_file_is_a_formula_and_reading_restores_it(suffix, tmp_path):
    rows = [{"gold": text, "=HYPERLINK(1)": text, "score": -0.5} for text in FORMULAS + PLAIN]
    path = tmp_path / f"out{suffix}"
    write(Table(("gold", "=HYPERLINK(1)", "score"), rows), path)
    found = as_read(path)
    assert list(found[0]) == ["gold", "'=HYPERLINK(1)", "score"]
    assert [row["gold"] for row in found] == ["'" + text for text in FORMULAS] + list(PLAIN)
    assert {row["score"] for row in found} == {"-0.5"}
    assert read(path).rows == [row | {"score": "-0.5"} for row in rows]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_numbers_keep_all_their_digits(suffix, tmp_path):
    numbers = [1 / 3, 0.1 + 0.2, 5e-324, 1.0, 0.0, -1e-17]
    table = Table(("gold",), [{"gold": str(i)} for i in range(6)]).extended({"f1": numbers})
    write(table, tmp_path / f"out{suffix}")
    assert [float(row["f1"]) for row in as_read(tmp_path / f"out{suffix}")] == numbers


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("crlf.csv", "gold,pred\r\na,b\r\n", [("a", "b")]),
        ("no_last_end.csv", "gold,pred\na,b", [("a", "b")]),
        ("bom.csv", "\ufeffgold,pred\na,b\n", [("a", "b")]),
        ("two_boms.csv", "\ufeff\ufeffgold,pred\na,b\n", [("a", "b")]),
        ("joined.csv", "\ufeffgold,pred\na,b\n\ufeffc,d\n", [("a", "b"), ("c", "d")]),
        ("joined.jsonl", '{"gold": "a", "pred": "b"}\n\ufeff{"gold": "c", "pred": "d"}', [("a", "b"), ("c", "d")]),
        ("bom_and_quotes.csv", '\ufeff"gold","pred"\na,b\n', [("a", "b")]),
        ("empty_values.csv", 'gold,pred\n,\n"",b\n', [("", ""), ("", "b")]),
        ("empty_lines.csv", "gold,pred\na,b\n\n\r\nc,d\n\n", [("a", "b"), ("c", "d")]),
        ("inner_quote.csv", 'gold,pred\n5" disk,say ""x""\n', [('5" disk', 'say ""x""')]),
        ("spaces.csv", "gold,pred\n a , b \n", [(" a ", " b ")]),
        ("quoted_ends.csv", 'gold,pred\r\n"a\r\nb","c\nd"\r\n', [("a\r\nb", "c\nd")]),
        ("separator.csv", "gold,pred\na\u2028b,c\x0bd\x85\n", [("a\u2028b", "c\x0bd\x85")]),
        ("commas.tsv", "gold\tpred\na,b\tc\n", [("a,b", "c")]),
        ("header_only.csv", "gold,pred\n", []),
        ("header_without_end.tsv", "gold\tpred", []),
        ("UPPER.CSV", "gold,pred\na,b\n", [("a", "b")]),
        ("spaced.jsonl", '\ufeff\n{"gold": "a", "pred": "b"}\r\n  \n{"pred": "", "gold": ""}', [("a", "b"), ("", "")]),
        ("u2028.jsonl", '{"gold": "a\u2028b", "pred": "\\u00e9\\ud83d\\ude00"}\n', [("a\u2028b", "é😀")]),
        ("empty.jsonl", "", []),
    ],
)  # fmt: skip
def test_text_is_read_unchanged(name, text, rows, tmp_path):
    (tmp_path / name).write_bytes(text.encode())
    assert [(row["gold"], row["pred"]) for row in read(tmp_path / name).rows] == rows
    assert [row for piece in pieces(tmp_path / name) for row in piece.table.rows] == read(tmp_path / name).rows


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("part", ["end", "middle"])
def test_a_damaged_parquet_file_is_an_error(part, tmp_path):
    path = as_written([{"gold": f"answer {i}"} for i in range(2000)], tmp_path / "t.parquet")
    whole = path.read_bytes()
    path.write_bytes(whole[:-200] if part == "end" else whole[:200] + bytes(400) + whole[600:])
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read as Parquet; it is damaged"):
        read(path)


def test_a_parquet_file_has_its_own_columns_once(tmp_path):
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table([["a"], ["b"]], names=["gold", "gold"]), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="has the column 'gold' twice"):
        read(tmp_path / "t.parquet")
    (tmp_path / "split=test").mkdir()  # a folder named like a partition adds no column
    assert read(as_written([{"gold": "a"}], tmp_path / "split=test" / "t.parquet")).columns == ("gold",)


@pytest.mark.parametrize("name", ["gone.csv", "gone", "a_folder.csv"])
def test_no_file_at_a_path_is_an_error_that_names_it(name, tmp_path):
    (tmp_path / "a_folder.csv").mkdir()
    with pytest.raises(FileNotFoundError, match=f"no file at .*{name}"):
        read(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=f"no file at .*{name}"):
        count_lines(tmp_path / name)


@pytest.mark.parametrize("name", ["t.txt", "t.xls", "t.csv.gz", "t"])
def test_an_unknown_suffix_is_an_error_that_lists_the_known_ones(name, tmp_path):
    (tmp_path / name).write_text("gold,pred\n")
    with pytest.raises(ValueError, match=r"read from: \.csv, \.tsv, \.jsonl, \.ndjson, \.parquet, \.json, \.xlsx"):
        read(tmp_path / name)


def test_a_value_of_a_million_characters_is_read_and_written(tmp_path):
    long = "word " * 250_000
    write(Table(("gold",), [{"gold": long}]), tmp_path / "t.csv")
    before = csv.field_size_limit(1000)
    try:
        assert read(tmp_path / "t.csv").rows == [{"gold": long}]
        assert csv.field_size_limit() == 1000  # the limit of the process is not ours to change
    finally:
        csv.field_size_limit(before)


# --- answers


@pytest.mark.parametrize(
    "value", [None, 5, 0.5, True, float("nan"), {"text": "a"}, b"a", [], [None], ["a", 1], [["a"]]]
)
def test_what_is_no_answer_is_named_with_its_row(value):
    table = Table(("gold",), [{"gold": "a"}, {"gold": value}])
    with pytest.raises(ValueError, match=r"t\.jsonl, row 2: 'gold' is .*but an answer is text"):
        table.answers("gold", Path("t.jsonl"), several=True)


def test_a_list_of_texts_is_an_answer_only_where_several_may_be():
    table = Table(("gold",), [{"gold": ["a", "b"]}])
    assert table.answers("gold", Path("t.jsonl"), several=True) == [["a", "b"]]
    with pytest.raises(ValueError, match=r"row 1: 'gold' is \['a', 'b'\], but an answer is text; for"):
        table.answers("gold", Path("t.jsonl"))


def test_a_missing_column_is_an_error_that_lists_the_columns():
    with pytest.raises(LookupError, match=r"t\.csv has no column 'gold'; its columns are: Gold, pred"):
        Table(("Gold", "pred"), []).answers("gold", Path("t.csv"))
    with pytest.raises(LookupError, match=r"its columns are: \(none\)"):
        Table((), []).answers("gold", Path("t.jsonl"))


def test_a_json_row_may_lack_what_others_have_but_not_its_answer(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"gold": "a", "note": "x"}\n{"gold": "b"}\n{"note": null}\n')
    table = read(path)
    assert table.columns == ("gold", "note")
    with pytest.raises(ValueError, match=r"row 3: 'gold' is null, or missing"):
        table.answers("gold", path)
    assert table.rows[1] == {"gold": "b"}  # what lacks, lacks in the JSON that comes out
    write(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "gold,note\na,x\nb,\n,\n"


# --- columns


def test_new_columns_come_last_overwrite_none_and_leave_the_table_unchanged():
    table = Table(("b", "a"), [{"b": "1", "a": "2"}])
    longer = table.extended({"z": [0.5], "em": [1.0]})
    assert longer.columns == ("b", "a", "z", "em")
    assert longer.rows == [{"b": "1", "a": "2", "z": 0.5, "em": 1.0}]
    assert table.rows == [{"b": "1", "a": "2"}]
    with pytest.raises(ValueError, match=r"already has a column 'em'; choose another name with --prefix"):
        longer.extended({"em": [1.0]})
    with pytest.raises(ValueError, match="shorter"):
        Table(("gold",), [{"gold": "a"}, {"gold": "b"}]).extended({"em": [1.0]})


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
    table = read(tmp_path / "t.parquet").extended({"em": [1.0]})
    write(table, tmp_path / "t.parquet")
    result = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert result.schema.remove_metadata() == schema.append(pyarrow.field("em", pyarrow.float64())).remove_metadata()
    assert result.schema.metadata[b"from"] == b"a test"
    assert result.to_pylist()[0]["raw"] == b"\xff"


def test_a_parquet_table_without_rows_gets_columns_of_numbers(tmp_path):
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"gold": pyarrow.array([], "string")}), tmp_path / "t.parquet")
    write(read(tmp_path / "t.parquet").extended({"em": []}), tmp_path / "out.parquet")
    assert pyarrow.parquet.read_schema(tmp_path / "out.parquet").field("em").type == pyarrow.float64()


# --- writing


def test_json_values_keep_their_types_and_csv_has_them_as_json(tmp_path):
    row = {"gold": ["a", "ü"], "meta": {"n": 1.5, "ok": None}, "big": 2**70, "yes": True, "no": None, "x": 0.1}
    (tmp_path / "t.jsonl").write_text(json.dumps(row) + "\n")
    table = read(tmp_path / "t.jsonl")
    write(table, tmp_path / "out.jsonl")
    assert as_read(tmp_path / "out.jsonl") == [row]
    write(table, tmp_path / "out.csv")
    assert as_read(tmp_path / "out.csv") == [
        {"gold": '["a", "ü"]', "meta": '{"n": 1.5, "ok": null}', "big": str(2**70), "yes": "True", "no": "", "x": "0.1"}
    ]


def test_dates_and_decimals_of_parquet_become_text_in_json_and_csv(tmp_path):
    row = {"gold": "a", "day": datetime.date(2020, 2, 29), "price": decimal.Decimal("1.10")}
    row["days"] = [datetime.date.min]
    table = read(as_written([row], tmp_path / "t.parquet"))
    write(table, tmp_path / "t.jsonl")
    text = {"gold": "a", "day": "2020-02-29", "price": "1.10", "days": ["0001-01-01"]}
    assert as_read(tmp_path / "t.jsonl") == [text]
    write(table, tmp_path / "t.csv")
    assert as_read(tmp_path / "t.csv") == [text | {"days": '["0001-01-01"]'}]


def test_half_a_surrogate_pair_in_json_is_unchanged(tmp_path):
    (tmp_path / "t.jsonl").write_bytes(b'{"gold": "a", "note": "\\ud83d", "more": "\xc3\xbc"}\n')
    write(read(tmp_path / "t.jsonl"), tmp_path / "out.jsonl")
    assert as_read(tmp_path / "out.jsonl") == [{"gold": "a", "note": "\ud83d", "more": "ü"}]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_check_of_the_output_leaves_no_file(suffix, tmp_path):
    files.check_writable(tmp_path / f"out{suffix}", Table(("gold",), [{"gold": "a"}]))
    assert folder_holds(tmp_path) == []
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("out.txt", ValueError, "has the suffix '.txt'; a table is written as: .csv"),
        ("out", ValueError, "has the suffix ''"),
        ("gone/out.csv", FileNotFoundError, "there is no folder"),
        ("file.csv/out.csv", FileNotFoundError, "there is no folder"),
        ("folder.csv", IsADirectoryError, "it is a folder"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_any_work(name, kind, message, tmp_path):
    (tmp_path / "folder.csv").mkdir()
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
    with files.atomic_write(path) as draft:  # private from its beginning
        assert stat.S_IMODE(draft.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be replaced there")
def test_a_reader_of_the_old_file_reads_the_old_file(tmp_path):
    (tmp_path / "out.csv").write_text("old")
    with (tmp_path / "out.csv").open() as reader:
        write(Table(("gold",), [{"gold": "a"}]), tmp_path / "out.csv")
        assert reader.read() == "old"
    assert (tmp_path / "out.csv").read_text() == "gold\na\n"


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links are of another kind there")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "behind").mkdir()
    (tmp_path / "out.csv").symlink_to(tmp_path / "behind" / "real.csv")
    write(Table(("gold",), [{"gold": "a"}]), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").is_symlink()
    assert (tmp_path / "behind" / "real.csv").read_text() == "gold\na\n"
    assert folder_holds(tmp_path / "behind") == ["real.csv"]


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
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("s.csv")
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
def test_a_named_draft_follows_no_link_and_takes_over_what_a_kill_left(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "draft").symlink_to(tmp_path / "victim")
    for _ in range(2):
        with files.atomic_write(tmp_path / "out.csv", "draft") as draft:
            assert not draft.is_symlink()
            draft.write_text("new")
        assert (tmp_path / "out.csv").read_text() == "new"
        (tmp_path / "draft").write_text("left by a kill")
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_name_of_the_greatest_length_can_be_written(tmp_path):
    name = "n" * 250 + ".csv"
    write(Table(("gold",), []), tmp_path / name)
    assert folder_holds(tmp_path) == [name]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("how", ["same", "other spelling", "symbolic link", "hard link", "link as input"])
def test_an_output_that_is_an_input_is_refused(how, tmp_path):
    path, other = tmp_path / "in.csv", tmp_path / "other.csv"
    path.write_text("gold,pred\n")
    if how in ("symbolic link", "link as input"):
        other.symlink_to(path)
    elif how == "hard link":
        os.link(path, other)
    else:
        other = path if how == "same" else tmp_path / "." / "x" / ".." / "in.csv"
        (tmp_path / "x").mkdir()
    one, two = (other, path) if how == "link as input" else (path, other)
    with pytest.raises(ValueError, match=r"the output .* is the input .*; choose another name"):
        files.refuse_overwriting_input([None, tmp_path / "gone", one], two)
    with pytest.raises(ValueError, match="is the input"):
        files.refuse_overwriting_input(one, two)


def test_another_output_a_new_one_or_a_device_is_no_input(tmp_path):
    (tmp_path / "in.csv").touch()
    (tmp_path / "other.csv").touch()
    for output in (None, tmp_path / "new.csv", tmp_path / "other.csv"):
        files.refuse_overwriting_input([tmp_path / "in.csv"], output)
    files.refuse_overwriting_input(Path(os.devnull), Path(os.devnull))


def test_without_pyarrow_the_error_names_the_extra(tmp_path, monkeypatch):
    path = as_written([{"gold": "a"}], tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[tables\]"):
        read(path)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[tables\]"):
        files.check_writable(tmp_path / "out.parquet", Table(("gold",), []))


# --- lines


def test_long_values_are_read_in_threads(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n" + ("x" * 200_000 + "\n") * 20)
    limit = csv.field_size_limit()
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: files.read(path), range(8)))
    assert {len(table.rows) for table in tables} == {20}
    assert csv.field_size_limit() == limit


# --- files as people have them


@pytest.mark.parametrize(
    ("name", "encoding", "delimiter", "warnings"),
    [
        ("t.csv", "utf-8", ",", []),
        ("t.csv", "utf-8-sig", ",", []),
        ("t.tsv", "utf-8", "\t", []),
        ("t.csv", "utf-8", ";", ["delimiter ';'"]),
        ("t.csv", "utf-8", "\t", ["delimiter tab"]),
        ("t.tsv", "utf-8", ",", ["delimiter ','"]),
        ("t.csv", "cp1252", ";", ["Windows-1252 (cp1252)", "delimiter ';'"]),
        ("t.csv", "utf-16", ",", ["UTF-16-LE"]),
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

    def streamed(path: Path) -> list[dict[str, Any]]:
        return [row for piece in pieces(path) for row in piece.table.rows]

    for again in (lambda path: read(path).rows, streamed):
        with deferred_warnings() as message:
            assert again(tmp_path / name) == expected
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
        (piece,) = pieces(tmp_path / name)
        assert piece.table.rows == rows


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
    assert table.with_fields(["a.text", "b.c", "none", None], path).columns == ("a", "b.c", "a.text")
    assert table.with_fields(["a"], path) is table
    assert table.columns == ("a", "b.c")


def test_all_rows_without_an_answer_are_reported_at_once(tmp_path):
    values = ["a", None, "b", 5, None, *[None] * 200]
    table = Table(("pred",), [{"pred": value} for value in values])
    with pytest.raises(ValueError, match="203 rows cannot be scored") as error:
        table.answers("pred", tmp_path, first=11)
    message = str(error.value)
    assert "row 12: 'pred' is null, or missing" in message
    assert "row 14: 'pred' is 5" in message
    assert "and the rows 23, 24, 25" in message
    assert "and 103 more" in message
    assert len(message) < 1000


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


@pytest.mark.parametrize(
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
