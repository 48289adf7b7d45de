"""Rows without answers, fields inside objects, and several systems in one file."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.errors import NonFiniteScoreError, SkippedRowsWarning
from answersim.io.partial_results import UnfinishedWarning
from answersim.scoring.streaming import score_file
from answersim.types import FloatArray, Pair
from tests.scoring.scored_files import Counting, lines, run, source

pytestmark = pytest.mark.usefixtures("_pieces_of_four")


class Odd:
    """No number for one gold answer."""

    signature = "odd|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        return np.array([np.nan if gold == "odd" else 0.5 for gold, _ in pairs])


def test_a_score_that_is_not_finite_is_named_by_its_row_in_the_file(tmp_path: Path) -> None:
    rows: list[Any] = [{"gold": ["a", "b"], "pred": "x"}] * 9 + [{"gold": ["a", "odd"], "pred": "x"}]
    with (
        pytest.warns(UnfinishedWarning, match="8 rows are scored and kept"),
        pytest.raises(NonFiniteScoreError, match=r"pair 10 \(gold 'odd'"),
    ):
        score_file(source(tmp_path / "in.jsonl", rows), {"odd": Odd()}, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def flawed() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"id": str(i), "gold": [f"g{i}"], "pred": f"p{i}"} for i in range(14)]
    rows[1]["pred"] = None
    rows[6]["gold"] = []
    for i in (8, 9, 10, 11):  # a whole piece
        del rows[i]["pred"]
    return rows


def test_rows_without_answers_are_reported_at_once(tmp_path: Path) -> None:
    path, metric = source(tmp_path / "in.jsonl", flawed()), Counting()
    with pytest.raises(ValueError, match="6 rows cannot be scored: row 2: 'pred' is null") as error:
        run(path, tmp_path / "out.csv", metric)
    for words in ("row 7: 'gold' is []", "row 9: ", "row 12: the same", "leave them out with --skip-bad"):
        assert words in str(error.value)
    assert metric.asked == 0
    assert not (tmp_path / "out.csv").exists()


def test_they_can_be_left_out_and_are_counted(tmp_path: Path) -> None:
    path = source(tmp_path / "in.jsonl", flawed())
    with pytest.warns(SkippedRowsWarning, match="6 of 14 rows are left out: row 2: 'pred' is null") as caught:
        scores = run(path, tmp_path / "out.jsonl", skip_bad=True)
    assert [(warning.message.count, warning.message.n) for warning in caught] == [(6, 14)]
    assert scores["counting"].n == 8
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["0", "2", "3", "4", "5", "7", "12", "13"]
    assert rows[-1]["counting"] == 6 / 7


def test_a_run_that_leaves_rows_out_is_resumed(tmp_path: Path) -> None:
    path, metric = source(tmp_path / "in.jsonl", flawed()), Counting(breaks_at=5)
    with pytest.warns(UnfinishedWarning), pytest.raises(RuntimeError, match="it broke"):
        run(path, tmp_path / "out.csv", metric, skip_bad=True)
    again = Counting()
    with pytest.warns((UnfinishedWarning, SkippedRowsWarning)):
        run(path, tmp_path / "out.csv", again, skip_bad=True)
    assert again.asked == 8 - 3  # the first piece has three rows with answers
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 9


def test_the_row_of_a_score_that_is_not_finite_is_that_of_the_file(tmp_path: Path) -> None:
    class Nan(Counting):
        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            return np.array([np.nan if pred == "p12" else 0.0 for _, pred in pairs])

    path = source(tmp_path / "in.jsonl", flawed())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(NonFiniteScoreError, match="the score of pair 13 "):
            run(path, tmp_path / "out.csv", Nan(), skip_bad=True)


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
def test_fields_inside_objects_are_scored_and_the_table_keeps_its_columns(suffix: str, tmp_path: Path) -> None:
    rows = [{"id": i, "answer": {"texts": ["a", "b"]}, "response": {"text": "b"}} for i in range(6)]
    path = tmp_path / f"in{suffix}"
    if suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), path)
    elif suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        source(path, rows)
    scores = run(path, tmp_path / "out.jsonl", gold="answer.texts", pred="response.text")
    assert scores["em"].mean == 1.0
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [list(row) for row in written] == [["id", "answer", "response", "em", "counting"]] * 6


def test_a_field_that_a_whole_piece_lacks_is_missing_in_its_rows(tmp_path: Path) -> None:
    rows = [{"gold": "a", "response": {"text": "a"} if i < 5 or i > 9 else {}} for i in range(12)]
    path = source(tmp_path / "in.jsonl", rows)
    with pytest.raises(ValueError, match=r"5 rows cannot be scored: row 6: 'response\.text' is null"):
        run(path, None, pred="response.text")
    with pytest.raises(LookupError, match=r"has no column 'response\.txt'"):
        run(path, None, pred="response.txt")


@pytest.mark.parametrize("is_file", [True, False])
def test_each_prediction_column_has_a_column_of_scores_and_a_broken_run_resumes(tmp_path: Path, is_file: bool) -> None:
    rows = [line | {"old": line["gold"]} for line in lines()]
    path = source(tmp_path / "t.jsonl", rows)
    data: Any = path if is_file else {name: [row[name] for row in rows] for name in rows[0]}
    with pytest.warns(UnfinishedWarning, match="8 rows are scored"), pytest.raises(RuntimeError):
        score_file(data, {"n": Counting(16)}, tmp_path / "out.jsonl", pred=["pred", "old"])
    with pytest.warns(UnfinishedWarning, match="8 scored rows are reused"):
        found = score_file(data, {"n": Counting()}, tmp_path / "out.jsonl", pred=["pred", "old"])
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    for name in ("pred", "old"):
        numbers = [(len(row["gold"]) + len(row[name])) / 7 for row in rows]
        assert [row[f"n:{name}"] for row in written] == numbers
        assert found[f"n:{name}"].mean == pytest.approx(np.mean(numbers))


def test_metrics_are_names_or_built_ones_and_two_of_one_name_are_an_error(tmp_path: Path) -> None:
    path = source(tmp_path / "t.jsonl")
    assert list(score_file(path, ["f1", answersim.metric("em")])) == ["f1", "em"]
    assert list(score_file(path, "recall")) == ["recall"]
    with pytest.raises(ValueError, match="two metrics are called 'f1'"):
        score_file(path, ["f1", answersim.metric("f1", profile="squad")])
