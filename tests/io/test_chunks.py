"""Pieces of a file: together they are the table that is read at once, and what they are written to is the same."""

import gzip
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from answersim.io import chunks, files
from answersim.io.chunks import Types, appending, count_lines, line_pieces, pieces
from answersim.io.files import Table
from tests.cases import every

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
ROWS = [{"id": str(i), "gold": name, "pred": f"{name}x"} for i, name in enumerate(
    ["NA", "", "a,b", "two\nlines", 'say "x"', "Zürich", "北京", "\ufeffmark", "line\u2028end", "lone\rreturn", "1e5"]
)]  # fmt: skip


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of three rows, and row groups of three pieces."""
    monkeypatch.setattr(chunks, "ROWS", 3)
    monkeypatch.setattr(chunks, "_GROUP", 3)


def table_file(path: Path, rows: Iterable[dict[str, Any]] = ROWS) -> Path:
    listed = list(rows)
    files.write(Table(tuple(listed[0]), listed), path)
    return path


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_pieces_are_the_table(suffix, tmp_path):
    path = table_file(tmp_path / f"t{suffix}")
    found = list(pieces(path))
    assert [len(each.table.rows) for each in found] == [3, 3, 3, 2]
    assert [each.first for each in found] == [1, 4, 7, 10]
    assert [row for each in found for row in each.table.rows] == ROWS
    assert {each.table.columns for each in found} == {("id", "gold", "pred")}
    shares = [each.share for each in found]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@every("suffix", SUFFIXES)
def test_a_file_without_rows_is_one_piece_without_rows(suffix, tmp_path):
    if suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table({"gold": pyarrow.array([], "string")}), tmp_path / "t.parquet")
    else:
        (tmp_path / f"t{suffix}").write_text("" if suffix == ".jsonl" else "gold\n")
    (piece,) = pieces(tmp_path / f"t{suffix}")
    assert (piece.table.rows, piece.first, piece.share) == ([], 1, 1.0)
    assert piece.table.columns == (() if suffix == ".jsonl" else ("gold",))


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("group", [1, 2, 5, 100])
def test_row_groups_of_a_parquet_file_change_no_piece(group, tmp_path):
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "t.parquet", row_group_size=group)
    for wanted, keep in ((None, False), (["gold"], False), (["gold", "gone", "gold"], True)):
        found = list(pieces(tmp_path / "t.parquet", wanted, keep=keep))
        assert [len(each.table.rows) for each in found] == [3, 3, 3, 2]
        names = ROWS[0] if wanted is None else ["gold"]
        rows = [row for each in found for row in each.table.rows]
        assert rows == [{name: row[name] for name in names} for row in ROWS]
        assert {tuple(each.table.arrow.column_names) for each in found} == {
            tuple(ROWS[0]) if wanted is None or keep else ("gold",)
        }
        assert {each.table.columns for each in found} == {tuple(ROWS[0])}


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_batches_of_any_size_make_pieces_of_one_size(size, tmp_path, monkeypatch):
    import pyarrow.parquet

    def batches(self: Any, batch_size: int, columns: Any) -> Any:  # as another pyarrow may cut them
        return iter(self.read(columns=columns).to_batches(max_chunksize=size))

    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "iter_batches", batches)
    found = list(pieces(table_file(tmp_path / "t.parquet")))
    assert [(each.first, len(each.table.rows)) for each in found] == [(1, 3), (4, 3), (7, 3), (10, 2)]
    assert [row for each in found for row in each.table.rows] == ROWS


def test_rows_of_many_characters_come_a_few_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "CHARACTERS", 250)
    rows = [{"gold": "x" * 100}] * 5
    for suffix in (".csv", ".jsonl"):
        found = [(piece.first, len(piece.table.rows)) for piece in pieces(table_file(tmp_path / f"t{suffix}", rows))]
        assert found == [(1, 3), (4, 2)]
    (tmp_path / "t.jsonl").write_text('{"gold": ["' + "x" * 300 + '"]}\n{"gold": "a"}\n')
    assert [len(piece.table.rows) for piece in pieces(tmp_path / "t.jsonl")] == [1, 1]
    rows = [{"gold": f"{i:0100}"} for i in range(50)]  # Parquet counts the characters of its pages
    assert max(len(piece.table.rows) for piece in pieces(table_file(tmp_path / "t.parquet", rows))) <= 3


@pytest.mark.usefixtures("three")
def test_a_later_row_may_bring_a_column(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n' * 3 + '{"b": 2}\n')
    assert [piece.table.columns for piece in pieces(tmp_path / "t.jsonl")] == [("a",), ("a", "b")]


@every("suffix", [".csv", ".jsonl"])
@every("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_that_is_no_utf_8_is_named_with_its_place(mark, suffix, tmp_path):
    head = b"gold,pred\na,b\n" if suffix == ".csv" else b'{"gold": "a"}\n'
    raw = mark + head + '{"gold": "ä'.encode() + b'\xff"}\n'
    (tmp_path / f"t{suffix}").write_bytes(raw)
    with pytest.raises(ValueError, match=f"not UTF-8: byte 0xff at position {raw.index(0xFF)}; convert it first"):
        list(pieces(tmp_path / f"t{suffix}"))


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "gold,pred\n" + "a,b\n" * 5 + "a\n", "line 7: 1 values for 2 columns"),
        ("t.csv", "gold,pred\n" + "a,b\n" * 5 + 'a,"b\nc\n', "lines 7 to 8: a quote is opened here and never closed"),
        ("t.jsonl", '{"gold": "a"}\n' * 5 + "\n[]\n", "line 7: it is of type list, but every line must be an object"),
        ("t.jsonl", '{"gold": "a"}\n' * 5 + "{", "line 6: not JSON"),
    ],
)
def test_a_flaw_is_reported_when_its_block_is_read(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    coming = pieces(tmp_path / name)
    assert len(next(coming).table.rows) == 3
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        next(coming)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"\xef\xbb\xbfa\r\nb\r\n", ["a", "b"]),
        (b" a \n\tb", [" a ", "\tb"]),
        ("a\u2028b\x0bc\x85d\n".encode(), ["a\u2028b\x0bc\x85d"]),
        (b'"a\nb"\n', ['"a', 'b"']),
        (b"a\rb\n", ["a\rb"]),
    ],
)
@pytest.mark.usefixtures("three")
def test_a_line_is_an_answer_unchanged(content, lines, tmp_path):
    (tmp_path / "t").write_bytes(content)
    assert count_lines(tmp_path / "t") == len(lines)
    rows = [row for piece in line_pieces(tmp_path / "t", tmp_path / "t", "g", "p") for row in piece.table.rows]
    assert rows == [{"g": line, "p": line} for line in lines]


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("here", "there"), [*zip(SUFFIXES, SUFFIXES, strict=True), *zip(SUFFIXES, SUFFIXES[::-1], strict=True)]
)
def test_a_table_that_is_appended_is_the_one_that_is_written_at_once(here, there, tmp_path):
    path = table_file(tmp_path / f"in{here}")
    whole = files.read(path)
    numbers = [[i / 3, float(i)] for i in range(len(ROWS))]
    columns = {"f1": [one for one, _ in numbers], "em": [other for _, other in numbers]}
    files.write(whole.extended(columns), tmp_path / f"whole{there}")
    types = Types()
    for each in pieces(path):
        types.add(each.table)
    schema = chunks.schema_of(path) if here == ".parquet" else types.schema(whole.columns)
    with appending(tmp_path / f"out{there}", there, whole.columns, ["f1", "em"], schema) as append:
        for each in pieces(path):
            append(each.table, numbers[each.first - 1 : each.first - 1 + len(each.table.rows)])
    if there != ".parquet":
        assert (tmp_path / f"out{there}").read_bytes() == (tmp_path / f"whole{there}").read_bytes()
        return
    import pyarrow.parquet

    found, expected = (pyarrow.parquet.read_table(tmp_path / f"{name}.parquet") for name in ("out", "whole"))
    assert found.equals(expected)
    assert pyarrow.parquet.ParquetFile(tmp_path / "out.parquet").metadata.num_row_groups == 2


@pytest.mark.usefixtures("three")
def test_a_dictionary_that_grows_from_piece_to_piece_is_written(tmp_path):
    import pyarrow
    import pyarrow.parquet

    kinds = pyarrow.array([f"kind {i}" for i in range(10)]).dictionary_encode()
    table = pyarrow.table({"gold": ["a"] * 10, "kind": kinds}).replace_schema_metadata({"from": "a test"})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=4)
    schema = chunks.schema_of(tmp_path / "t.parquet")
    with appending(tmp_path / "out.parquet", ".parquet", ("gold", "kind"), ["em"], schema) as append:
        for each in pieces(tmp_path / "t.parquet", ["gold"], keep=True):
            append(each.table, [[1.0]] * len(each.table.rows))
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert found.column("kind").to_pylist() == kinds.to_pylist()
    assert found.schema.field("kind").type == table.schema.field("kind").type
    assert found.schema.metadata[b"from"] == b"a test"


@every(
    "values",
    [
        [None, 1, 2.5],
        ["a", None, "b"],
        [["a"], [], [None, "b"]],
        [{"a": 1}, {"b": "x"}, {"a": 2.5}],
        [[{"a": 1}], [{"b": [1]}], None],
        [True, None, False],
    ],
)
def test_types_of_pieces_are_those_of_the_whole(values):
    import pyarrow

    types = Types()
    for each in values:
        types.add(Table(("x",), [{"x": each}]))
    assert types.schema(["x"]).field("x").type == pyarrow.array(values).type


@every("values", [[1, "a"], [["a"], "a"], [True, 1]])
def test_pieces_without_a_common_type_are_an_error(values):
    types, (first, later) = Types(), ([Table(("x",), [{"x": value}]) for value in values])
    types.add(first)
    with pytest.raises(ValueError, match=r"column 'x' have no common type in Parquet .*write \.jsonl"):
        types.add(later)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_memory_does_not_grow_with_the_file(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "ROWS", 100)

    def peak(n: int) -> int:
        path = table_file(tmp_path / f"t{suffix}", ({"gold": f"gold {i}", "pred": "x" * 50} for i in range(n)))
        tracemalloc.start()
        for _ in pieces(path):
            pass
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    small = peak(1_000)
    assert peak(5_000) < 1.2 * small


@every(("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t"), ("a.CSV.gz", ","), ("a.tsv.gz", "\t")])
def test_a_streamed_table_has_the_rows_of_a_whole_one_with_their_places(tmp_path, name, delimiter):
    text = '\ufeffgold,pred\n\nRome,"a\nb"\nNA,\n'.replace(",", delimiter).encode()
    path, plain = tmp_path / name, tmp_path / name.removesuffix(".gz")
    plain.write_bytes(text)
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    rows = list(chunks.located_rows(path))
    assert (
        [row for _, row in rows]
        == files.read(plain).rows
        == [{"gold": "Rome", "pred": "a\nb"}, {"gold": "NA", "pred": ""}]
    )
    assert [place for place, _ in rows] == [f"{path}, lines 3 to 4", f"{path}, line 5"]
    assert next(chunks.records(path)) == (f"{path}, line 1", ["gold", "pred"])


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
def test_a_streamed_table_with_a_flaw_is_an_error(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        list(chunks.located_rows(path))
