"""Labeled questions from files, DataFrames, Datasets, mappings and lists are the same questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rankers
from rankers.data import questions
from rankers.types import Questions
from tests.cases import every

ROWS = [
    {"question": "Who wrote it?", "candidate": "Ann wrote it.", "label": 1},
    {"question": "Who wrote it?", "candidate": "It rained.", "label": 0},
    {"question": "Where?", "candidate": "In Rome.", "label": 2},
]
LISTS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
POOLS = [
    {"question": "Who wrote it?", "candidates": ["Ann wrote it.", "It rained."], "labels": [1, 0]},
    {"question": "Where?", "candidates": ["In Rome."], "labels": [2]},
]


def content(result: Questions) -> dict[str, dict[str, int]]:
    return {item.text: {candidate.text: candidate.grade for candidate in item.candidates} for item in result}


EXPECTED = {"Who wrote it?": {"Ann wrote it.": 1, "It rained.": 0}, "Where?": {"In Rome.": 2}}


def of_file(folder: Path, kind: str) -> Any:
    path = folder / f"table.{kind}"
    if kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, ROWS)))
    elif kind == "json":
        path.write_text(json.dumps(ROWS))
    elif kind == "csv":
        path.write_text("question,candidate,label\n" + "\n".join(",".join(map(str, row.values())) for row in ROWS))
    else:
        pytest.importorskip("pyarrow")
        pytest.importorskip("pandas").DataFrame(ROWS).to_parquet(path)
    return path


@every("kind", ["csv", "jsonl", "json", "parquet"])
def test_a_file_is_read_as_a_path_or_text(kind: str, tmp_path: Path) -> None:
    path = of_file(tmp_path, kind)
    assert content(questions(path)) == content(questions(str(path))) == EXPECTED
    assert questions(path).corpus == "table"


def test_frames_datasets_mappings_and_lists_are_the_same_questions() -> None:
    pandas, datasets = pytest.importorskip("pandas"), pytest.importorskip("datasets")
    stated = [ROWS, LISTS, POOLS, pandas.DataFrame(ROWS), datasets.Dataset.from_list(ROWS), iter(ROWS)]
    assert [content(questions(data)) for data in stated] == [EXPECTED] * len(stated)
    assert len({questions(data).fingerprint for data in (ROWS, LISTS, pandas.DataFrame(ROWS))}) == 1


def test_questions_and_corpora_are_returned_as_they_are() -> None:
    toy = rankers.data.load("toy", "dev")
    assert questions(toy) is toy
    assert questions("toy", split="dev").fingerprint == toy.fingerprint
    assert questions(toy, relevant=1).relevant == 1


def test_columns_are_given_by_role_and_others_are_reported() -> None:
    renamed = [{"q": row["question"], "text": row["candidate"], "grade": row["label"], "more": 1} for row in ROWS]
    lines: list[str] = []
    loaded = questions(renamed, columns={"question": "q", "candidate": "text", "label": "grade"}, notice=lines.append)
    assert content(loaded) == EXPECTED
    assert lines == ["data: not read: 'more'"]


@every(
    ("data", "columns", "error", "complaint"),
    [
        ([{"question": "a", "candidat": "b", "label": 1}], None, LookupError, "did you mean 'candidat'"),
        (ROWS, {"questoin": "q"}, LookupError, "did you mean 'question'"),
        (ROWS, {"question": "candidate"}, ValueError, "is given for both"),
        ({"question": ["a"], "candidate": ["b", "c"], "label": [1]}, None, ValueError, "different lengths"),
        ({"question": "a", "candidate": ["b"], "label": [1]}, None, TypeError, "must be a list"),
        ([("a", "b", 1)], None, TypeError, "row 1 is"),
        ([{**ROWS[0], "label": "yes"}], None, ValueError, "data, row 1: the label is 'yes'"),
        ([ROWS[0], {**ROWS[1], "question": None}], None, ValueError, "data, row 2: 'question' is None"),
        ([], None, ValueError, "contains no rows"),
        (3, None, TypeError, "it must be a file, a corpus, a DataFrame"),
        ("wikiq", None, LookupError, "did you mean 'wikiqa"),
        ("none.csv", None, FileNotFoundError, "no file at none.csv"),
        ("toy", {"question": "q"}, ValueError, "toy is a corpus"),
        ([{**POOLS[0], "labels": [1]}], None, ValueError, "both must be lists of one length"),
    ],
)
def test_bad_data_is_named(data: Any, columns: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        questions(data, columns=columns)
