"""Tables with names, and their ids: what is one table, what is one per system, and which ids are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answersim._base.io import files
from answersim.answers.tables import sources
from answersim.answers.tables.sources import Source, rows_by_id
from tests.cases import every

TABLE = files.Table(("id", "a"), [{"id": 1, "a": {"b": "x"}}, {"id": "2", "a": {"b": "y"}}])


@every("data", [TABLE, Source(TABLE, Path("t.csv")), {"a": [1], "b": [2]}, "t.csv", Path("t.csv")])
def test_one_table_is_of_no_system(data: Any) -> None:
    assert sources.by_system(data) is None


def test_tables_have_the_names_of_their_systems() -> None:
    assert list(sources.by_system({"x": "a.csv", "y": TABLE}) or ()) == ["x", "y"]
    assert list(sources.by_system(("r/a.csv", "s/a.csv")) or ()) == ["r/a.csv", "s/a.csv"]


def test_a_source_has_columns_and_fields_inside_objects() -> None:
    table = sources.read(TABLE, "the table")
    assert (table.values("a.b"), table.has("a.b"), table.has("a.c"), table.has("c")) == (["x", "y"], True, False, False)
    assert sources.read(table, "another name").path == Path("the table")
    with pytest.raises(TypeError, match="data is 5"):
        sources.read(5, "the table")


def test_ids_are_found_once() -> None:
    assert rows_by_id(Source(TABLE, Path("t")), "id") == {"1": 0, "2": 1}
    twice = files.Table(("id",), [{"id": key} for key in (1, "two", "three", "1")])
    with pytest.raises(ValueError, match=r"t.csv: 1 id in 'id' occurs more than once: '1' \(rows 1, 4\)"):
        rows_by_id(Source(twice, Path("t.csv")), "id")


def test_many_ids_are_counted_and_ten_are_listed() -> None:
    assert sources.listed_ids([str(i) for i in range(12)]).endswith("'9' and 2 more)")
    with pytest.raises(ValueError, match="'id' is empty in the 12 rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;"):
        rows_by_id(Source(files.Table(("id",), [{}] * 12), Path("t.csv")), "id")
