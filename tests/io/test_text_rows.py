"""Rows of CSV and JSON lines: the text is unchanged, values of any length, in threads."""

import csv
from concurrent.futures import ThreadPoolExecutor

from answersim.io import files
from answersim.io.chunks import pieces
from answersim.io.files import Table, read, write
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
    assert [row for piece in pieces(tmp_path / name) for row in piece.table.rows] == read(tmp_path / name).rows


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
