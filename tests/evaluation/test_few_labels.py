"""Few labels: the sheet of a file, a table or a log; a second call returns it; and the share that its labels give."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import answersim
from answersim.evaluation import sheets
from answersim.evaluation.labeling import LABEL

N = 200
GOLD = ["Rome"] * N
PRED = ["in Rome" if i % 4 else f"Oslo {i}" for i in range(N)]


def fill(sheet: answersim.Sheet) -> None:
    """Label each row as an annotator would."""
    assert sheet.path is not None
    rows = [row | {LABEL: str(int("Rome" in row["pred"]))} for row in sheet.rows]
    sheets.save(replace(sheet, rows=rows), sheet.path)


def test_a_share_is_estimated_from_columns_and_a_sheet(tmp_path: Path) -> None:
    data = {"gold": GOLD, "pred": PRED}
    sheet = answersim.label(data, tmp_path / "sheet.csv", "recall", rows=40, rng=3)
    assert (len(sheet.rows), sheet.n_open, sheet.seed) == (40, 40, 3)
    assert answersim.label(data, tmp_path / "sheet.csv") == sheet
    fill(sheet)
    found = answersim.estimate_share(data, tmp_path / "sheet.csv", "recall")
    assert found.share.ppi.value == pytest.approx(0.75)
    assert (found.right, found.n, found.labels.n_open) == (150, N, 0)
    (also,) = answersim.evaluate(data, "recall", labels=tmp_path / "sheet.csv", progress=False).labeled
    assert found.share.ppi.value == also.ppi.value
    labels = found.labels.records()
    assert sum(row["label"] is not None for row in labels) == 40
    assert {row["inclusion"] for row in labels} == {None, 0.2}


def test_bad_rows_keep_their_places(tmp_path: Path) -> None:
    preds = ["x", *PRED]
    data = {"gold": [None, *GOLD], "pred": preds}
    answers = answersim.read_answers(data, skip_bad=True)
    with pytest.warns(UserWarning, match="1 of 201 rows"):
        sheet = answersim.label(answers, tmp_path / "sheet.csv", "recall", rows=20)
    assert sheet.table == 201
    assert all(preds[place] == row["pred"] for place, row in zip(sheet.positions, sheet.rows, strict=True))
    fill(sheet)
    with pytest.warns(UserWarning, match="1 of 201 rows"):
        assert answersim.estimate_share(answers, tmp_path / "sheet.csv", "recall").n == N


def test_a_log_of_another_tool_is_labeled(tmp_path: Path) -> None:
    rows = [
        {"doc_id": i, "doc": {"question": f"q{i}"}, "target": "Rome", "resps": [[pred]]} for i, pred in enumerate(PRED)
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answers = answersim.read_answers(tmp_path / "log.jsonl", format="lm-eval", question="question")
    sheet = answersim.label(answers, tmp_path / "sheet.csv", "recall", rows=20)
    assert sheet.rows[0]["question"].startswith("q")


def test_two_systems_and_arguments_without_effect_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    with pytest.raises(ValueError, match=r"there are 2 systems \(a, b\), but a sheet is of one"):
        answersim.label(answersim.read_answers({"gold": GOLD, "a": PRED, "b": PRED}, pred=["a", "b"]), path)
    data = {"gold": GOLD, "pred": PRED, "s": range(N)}
    with pytest.raises(ValueError, match=r"metric is 'f1' .*, but score= names a column"):
        answersim.label(data, path, "f1", score="s")
    with pytest.raises(ValueError, match=r"rows is 5 .*, but like="):
        answersim.label(data, path, like="other.csv", rows=5)
    with pytest.raises(FileNotFoundError, match="no sheet at"):
        answersim.estimate_share(data, path, score="s")
    assert list(tmp_path.iterdir()) == []


def test_a_sheet_shows_the_final_answer_that_a_rule_reads(tmp_path: Path) -> None:
    data = {"gold": GOLD, "pred": [f"It is either. \\boxed{{{pred}}}" for pred in PRED]}
    metric = answersim.metric("recall", extract="auto")
    sheet = answersim.label(data, tmp_path / "sheet.csv", metric, rows=20)
    assert all(row["pred"] == f"It is either. \\boxed{{{row['final answer']}}}" for row in sheet.rows)
    assert [row["final answer"] for row in sheets.read(tmp_path / "sheet.csv").rows] == [
        row["final answer"] for row in sheet.rows
    ]
    fill(sheet)
    assert answersim.estimate_share(data, tmp_path / "sheet.csv", metric).share.ppi.n_labeled == 20
