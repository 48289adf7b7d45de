"""Rows of CSV and JSON lines: the text is unchanged, values of any length, in threads."""

import csv
import gzip
from concurrent.futures import ThreadPoolExecutor

import pytest

from answersim._base.io import files
from answersim._base.io.files import Table, read, write
from answersim._base.io.text_rows import lines_of, located_rows, records
from tests.cases import every


@every(
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


def test_a_value_of_a_million_characters_is_read_and_written(tmp_path):
    long = "word " * 250_000
    write(Table(("gold",), [{"gold": long}]), tmp_path / "t.csv")
    before = csv.field_size_limit(1000)
    try:
        assert read(tmp_path / "t.csv").rows == [{"gold": long}]
        assert csv.field_size_limit() == 1000  # the limit of the process is not ours to change
    finally:
        csv.field_size_limit(before)


def test_long_values_are_read_in_threads(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n" + ("x" * 200_000 + "\n") * 5)
    limit = csv.field_size_limit()
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: files.read(path), range(8)))
    assert {len(table.rows) for table in tables} == {5}
    assert csv.field_size_limit() == limit


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
