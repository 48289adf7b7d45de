"""Tables in every format are read unchanged, and an error names the place."""

import sys

import pytest

from answersim._base.errors import MissingExtraError
from answersim._base.io import files
from answersim._base.io.files import Table, read, write
from answersim._base.io.spreadsheets import guarded
from tests._base.io.tables import SUFFIXES, as_read, as_written
from tests.cases import every

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
    rows = [{"id": str(i), "gold": each, "nötes, and more": f"{each}{each}"} for i, each in enumerate(TRICKY)]
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
    found = as_read(path)
    assert list(found[0]) == ["gold", "'=HYPERLINK(1)", "score"]
    assert [row["gold"] for row in found] == ["'" + text for text in FORMULAS] + list(PLAIN)
    assert {row["score"] for row in found} == {"-0.5"}
    assert read(path).rows == [row | {"score": "-0.5"} for row in rows]


@every("suffix", SUFFIXES)
def test_numbers_keep_all_their_digits(suffix, tmp_path):
    numbers = [1 / 3, 0.1 + 0.2, 5e-324, 1.0, 0.0, -1e-17]
    write(Table(("gold",), [{"gold": str(i)} for i in range(6)]), tmp_path / f"out{suffix}", {"f1": numbers})
    assert [float(row["f1"]) for row in as_read(tmp_path / f"out{suffix}")] == numbers


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


def test_a_parquet_file_has_its_own_columns_once(tmp_path):
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table([["a"], ["b"]], names=["gold", "gold"]), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="has the column 'gold' twice"):
        read(tmp_path / "t.parquet")
    (tmp_path / "split=test").mkdir()  # a folder named like a partition adds no column
    assert read(as_written([{"gold": "a"}], tmp_path / "split=test" / "t.parquet")).columns == ("gold",)


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
