"""Files of several systems: joined by id, and each fault named with its ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.evaluation.answers import Fields, read_systems

ROWS: list[dict[str, Any]] = [
    {"id": 1, "question": "Capital of Italy?", "gold": ["Rome", "Roma"], "pred": "Rome", "label": 1},
    {"id": "b", "question": "Capital of Norway?", "gold": "Oslo", "pred": "Bergen", "label": None},
]


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_are_joined_by_id_in_the_order_of_the_first_file(tmp_path: Path) -> None:
    one = table(tmp_path / "one.jsonl", ROWS)
    other = table(tmp_path / "other.jsonl", [ROWS[1] | {"pred": "Oslo"}, ROWS[0] | {"id": "1", "pred": "Roma"}])
    found = read_systems([one, other])
    assert found.ids == ["1", "b"]
    assert found.golds == [["Rome", "Roma"], "Oslo"]
    assert found.questions == ["Capital of Italy?", "Capital of Norway?"]
    assert found.preds == {"one": ["Rome", "Bergen"], "other": ["Roma", "Oslo"]}
    np.testing.assert_array_equal(found.labels["one"], [1, np.nan])


def test_gold_answers_may_be_in_a_file_of_their_own(tmp_path: Path) -> None:
    bare = [{"id": row["id"], "pred": row["pred"]} for row in ROWS]
    paths = [table(tmp_path / f"{name}.jsonl", bare) for name in "ab"]
    found = read_systems(paths, gold_file=table(tmp_path / "gold.jsonl", ROWS[::-1]))
    assert found.golds == [["Rome", "Roma"], "Oslo"]
    assert found.questions is None
    assert found.labels == {}


def test_files_of_one_name_are_named_by_their_paths(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    paths = [table(tmp_path / name / "run.jsonl", ROWS) for name in "ab"]
    assert list(read_systems(paths).preds) == [str(path) for path in paths]
    with pytest.raises(ValueError, match="is given twice"):
        read_systems([paths[0], paths[0]])


def test_a_column_of_scores_is_read_as_numbers(tmp_path: Path) -> None:
    paths = [
        table(tmp_path / f"{name}.jsonl", [row | {"s": value} for row in ROWS])
        for name, value in (("a", 0.5), ("b", "0.25"))
    ]
    found = read_systems(paths)
    assert found.numbers("b", "s").tolist() == [0.25, 0.25]
    with pytest.raises(LookupError, match="a has no column 't'"):
        found.numbers("a", "t")
    with pytest.raises(ValueError, match="a, id '1': the score 'pred' is 'Rome'"):
        found.numbers("a", "pred")


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([*ROWS, ROWS[0]], ValueError, r"other.jsonl has the id '1' in rows 1 and 3"),
        (ROWS[:1], ValueError, "other lacks 1 of the ids of one: 'b'"),
        ([*ROWS, ROWS[0] | {"id": "c"}], ValueError, "one lacks 1 of the ids of other: 'c'"),
        ([ROWS[0], ROWS[1] | {"id": None}], ValueError, "other.jsonl, row 2: the id is None"),
        ([ROWS[0], ROWS[1] | {"id": " "}], ValueError, "row 2: the id is ' '"),
        (
            [ROWS[0], ROWS[1] | {"gold": "Kiel"}],
            ValueError,
            "gold answer of the id 'b' is 'Oslo' in one and 'Kiel'",
        ),
        ([ROWS[0], ROWS[1] | {"question": "?"}], ValueError, "the question of the id 'b' is"),
        ([ROWS[0], ROWS[1] | {"question": 3}], ValueError, "other, id 'b': the question is 3"),
        ([ROWS[0], ROWS[1] | {"pred": None}], ValueError, "other.jsonl, row 2: 'pred' is null"),
        ([ROWS[0], ROWS[1] | {"label": 7}], ValueError, "other, id 'b': the label is '7'"),
        ([{"id": 1, "gold": "x"}, {"id": "b", "gold": "x"}], ValueError, "gold answer of the id '1'"),
        ([{"key": 1}], LookupError, "other.jsonl has no column 'id' to join files by; its columns are: key"),
    ],
)
def test_each_fault_is_named(tmp_path: Path, rows: list[dict[str, Any]], error: type[Exception], message: str) -> None:
    one, other = table(tmp_path / "one.jsonl", ROWS), table(tmp_path / "other.jsonl", rows)
    with pytest.raises(error, match=message):
        read_systems([one, other])


def test_many_missing_ids_are_counted_and_three_are_listed(tmp_path: Path) -> None:
    rows = [{"id": i, "gold": "x", "pred": "y"} for i in range(9)]
    one, other = table(tmp_path / "one.jsonl", rows), table(tmp_path / "other.jsonl", rows[:2])
    with pytest.raises(ValueError, match=r"other lacks 7 of the ids of one: '2', '3', '4' \.\.\.;"):
        read_systems([one, other])


def test_no_rows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("id,gold,pred\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has no rows"):
        read_systems([path], Fields())
