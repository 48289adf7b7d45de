"""Columns of a table, and which values a format can hold."""

import datetime
import decimal
import json

import pytest

from answersim._base.io import files
from answersim._base.io.files import Table, read, write
from tests._base.io.tables import as_read, as_written, folder_holds
from tests.cases import every


def test_a_json_row_may_lack_what_others_have_but_not_its_answer(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"gold": "a", "note": "x"}\n{"gold": "b"}\n{"note": null}\n')
    table = read(path)
    assert table.columns == ("gold", "note")
    assert table.values("gold", path) == ["a", "b", None]
    assert table.rows[1] == {"gold": "b"}  # what lacks, lacks in the JSON that comes out
    write(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "gold,note\na,x\nb,\n,\n"


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


def test_a_parquet_table_without_rows_gets_columns_of_numbers(tmp_path):
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"gold": pyarrow.array([], "string")}), tmp_path / "t.parquet")
    write(read(tmp_path / "t.parquet"), tmp_path / "out.parquet", {"em": []})
    assert pyarrow.parquet.read_schema(tmp_path / "out.parquet").field("em").type == pyarrow.float64()


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
