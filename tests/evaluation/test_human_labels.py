"""Labels for evaluate: each way to give them finds the same rows, and labels of other rows are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.storing import find
from answersim.evaluation import labeling, sheets
from answersim.evaluation.systems import evaluate
from answersim.io import files

N = 60
ROWS: list[dict[str, Any]] = [
    {
        "id": f"q{i}",
        "question": f"Who {i}?",
        "gold": ["Rome", "Roma"] if i % 2 else "Oslo",
        "pred": "Rome" if i % 3 else "Oslo",
        "other": "Oslo",
    }
    for i in range(N)
]
TRUE = [float((row["pred"] == "Rome") == bool(i % 2)) for i, row in enumerate(ROWS)]
LABELED = [*range(0, N, 3), 1, 4, 7, 10]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "answers.jsonl"
    target.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return target


def run(data: Any, labels: Any, **more: Any) -> answersim.Evaluation:
    return evaluate(data, "recall", labels=labels, **more)


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def with_labels(**more: Any) -> list[dict[str, Any]]:
    return [{"id": f"q{i}", "label": TRUE[i], **more} for i in reversed(LABELED)]


def sheet(path: Path, target: Path, columns: labeling.Columns) -> Path:
    """Draw a sheet from the file and label all its rows."""
    held = files.read(path)
    drawn = labeling.sheet_of(held, labeling.choose(np.arange(N) % 3, 24, allocation="equal"), columns, 0)
    rows = [row | {"label": TRUE[at]} for row, at in zip(drawn.rows, drawn.positions, strict=True)]
    sheets.write(replace(drawn, rows=rows), target)
    return target


def test_a_table_and_an_array_give_the_same_share(path: Path, tmp_path: Path) -> None:
    array = np.full(N, np.nan)
    array[LABELED] = np.array(TRUE)[LABELED]
    (by_array,) = run(path, array).labeled
    (by_id,) = run(path, table(tmp_path / "l.jsonl", with_labels())).labeled
    (by_list,) = run(path, [None if value != value else value for value in array.tolist()]).labeled
    (by_frame,) = run(path, {"id": [f"q{i}" for i in LABELED], "label": np.array(TRUE)[LABELED].tolist()}).labeled
    columns = {name: [row[name] for row in ROWS] for name in ("id", "gold", "pred")}
    (of_columns,) = run(columns, tmp_path / "l.jsonl").labeled
    assert of_columns.ppi == by_id.ppi
    assert by_array.ppi == by_id.ppi == by_list.ppi == by_frame.ppi
    assert repr(by_array) == repr(by_id) == repr(by_list) == repr(by_frame)  # nan is not equal to itself
    assert by_id.system == "answers"
    recall = answersim.score(["Rome"] * 2, ["Rome", "Oslo"], "recall")
    assert recall.values.tolist() == [1, 0]
    found = answersim.evaluate(path, "recall")
    probabilities = find("recall").probability(
        [answersim.score([row["gold"]], [row["pred"]], "recall").values[0] for row in ROWS]
    )
    assert found.row().probability.value == pytest.approx(probabilities.mean())
    assert by_id.ppi == answersim.estimate_mean(probabilities, array)
    assert repr(by_id.rogan_gladen) == repr(answersim.estimate_mean(probabilities >= 0.7, array, method="rogan-gladen"))


def test_inclusion_and_questions_decide_the_interval(path: Path, tmp_path: Path) -> None:
    labels = table(tmp_path / "l.jsonl", [row | {"inclusion": 0.1 + 0.02 * i} for i, row in enumerate(with_labels())])
    (plain,), (drawn,) = (run(path, rows).labeled for rows in (table(tmp_path / "m.jsonl", with_labels()), labels))
    assert plain.ppi.value != drawn.ppi.value
    result = run(path, labels, question="question")
    assert result.labeled[0].ppi == drawn.ppi  # every question has one row
    assert "no inclusion" not in "\n".join(result.notes)
    assert "no inclusion probabilities" in "\n".join(run(path, tmp_path / "m.jsonl").notes)
    twice = [row | {"question": f"Who {i // 2}?"} for i, row in enumerate(ROWS)]
    (clustered,) = run(table(tmp_path / "t.jsonl", twice), labels, question="question").labeled
    assert clustered.ppi.value == drawn.ppi.value
    assert (clustered.ppi.low, clustered.ppi.high) != (drawn.ppi.low, drawn.ppi.high)


@pytest.mark.parametrize("question", [None, "question"])
@pytest.mark.parametrize(("suffix", "id_"), [(".csv", None), (".jsonl", None), (".csv", "id")])
def test_a_sheet_belongs_to_the_system_whose_texts_it_has(
    path: Path, tmp_path: Path, question: str | None, suffix: str, id_: str | None
) -> None:
    drawn = sheet(path, tmp_path / f"s{suffix}", labeling.Columns("gold", "pred", question, id_))
    result = run(path, drawn, pred=["other", "pred"], question="question")
    (share,) = result.labeled
    assert (share.system, share.ppi.n_labeled) == ("pred", 24)
    (alone,) = run(path, [drawn]).labeled  # the question is in the sheet, if it was drawn with it
    assert alone.ppi.value == share.ppi.value
    held = labeling.labels_of(sheets.read(drawn), files.read(path), labeling.Columns("gold", "pred", question), path)
    values = [answersim.score([row["gold"]], [row["pred"]], "recall").values[0] for row in ROWS]
    probabilities = find("recall").probability(values)
    how = {"inclusion": held.inclusion, "strata": held.strata}
    assert alone.ppi == answersim.estimate_mean(probabilities, held.labels, **how)


@pytest.mark.filterwarnings("ignore::answersim.errors.EmptyReferencesWarning")
def test_a_sheet_of_golds_with_separators_is_found(tmp_path: Path) -> None:
    rows = [row | {"gold": f"Rome|R{i}|"} for i, row in enumerate(ROWS)]
    path = table(tmp_path / "answers.jsonl", rows)
    drawn = sheet(path, tmp_path / "s.csv", labeling.Columns())
    (share,) = run(answersim.read_answers(path, split_gold="|"), drawn).labeled
    assert share.ppi.n_labeled == 24


def test_labels_of_several_systems(path: Path, tmp_path: Path) -> None:
    array = np.where(np.isin(np.arange(N), LABELED), TRUE, np.nan)
    systems = {"pred": ["pred", "other"]}
    result = run(path, {"pred": array, "other": 1 - array}, **systems)
    assert [share.system for share in result.labeled] == ["pred", "other"]
    assert result.labeled[1].ppi.labels_alone.value == pytest.approx(1 - result.labeled[0].ppi.labels_alone.value)
    rows = with_labels(system="other") + with_labels(system="pred")
    assert {share.system for share in run(path, table(tmp_path / "l.jsonl", rows), **systems).labeled} == {
        "pred",
        "other",
    }
    with pytest.raises(ValueError, match="unclear which system these labels belong to"):
        run(path, array, **systems)
    with pytest.raises(LookupError, match="labels of the system 'third'"):
        run(path, table(tmp_path / "l.jsonl", with_labels(system="third")), **systems)
    with pytest.raises(LookupError, match="labels are given for 'third'"):
        run(path, {"third": tmp_path / "l.jsonl"}, **systems)


def test_a_table_without_ids_must_repeat_the_predictions(path: Path, tmp_path: Path) -> None:
    rows = [{"pred": row["pred"], "label": TRUE[i] if i in LABELED else None} for i, row in enumerate(ROWS)]
    (share,) = run(path, table(tmp_path / "l.jsonl", rows)).labeled
    assert share.ppi.n_labeled == len(LABELED)
    with pytest.raises(ValueError, match="row 2: the prediction is 'Oslo', but answers answers 'Rome'"):
        run(path, table(tmp_path / "l.jsonl", [rows[0], rows[3], *rows[2:]]))
    with pytest.raises(ValueError, match="has 59 labels for 60 rows"):
        run(path, table(tmp_path / "l.jsonl", rows[:-1]))
    with pytest.raises(LookupError, match="has no column 'id' to find the rows by"):
        run(path, table(tmp_path / "l.jsonl", [{"label": 1}]))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda rows: rows[:9], ValueError, "answers has 9 labels, but an interval needs at least 10"),
        (lambda rows: [*rows, rows[0]], ValueError, "occurs more than once"),
        (lambda rows: [*rows, {"id": "gone", "label": 1}], LookupError, r"labels for 1 id \('gone'\) of answers"),
        (lambda rows: [row | {"label": 7} for row in rows], ValueError, "the label is '7'"),
        (lambda rows: [row | {"label": "perhaps"} for row in rows], ValueError, "the label is 'perhaps'"),
        (lambda rows: [{"id": row["id"]} for row in rows], LookupError, "has no column 'label'"),
        (lambda rows: [row | {"inclusion": 0} for row in rows], ValueError, "the inclusion probability is '0'"),
        (
            lambda rows: [rows[0] | {"inclusion": 0.5}, *rows[1:]],
            ValueError,
            "23 of the 24 labels .* have no inclusion",
        ),
        (lambda rows: [{"label": 1, "id": None}, *rows], ValueError, "'id' is empty in row 1"),
    ],
)
def test_bad_labels_are_refused(path: Path, tmp_path: Path, change: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(path, table(tmp_path / "l.jsonl", change(with_labels())))


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ([1.0] * 59, ValueError, "labels has 59 labels for 60 rows"),
        (np.ones((N, 2)), ValueError, "labels have the shape"),
        (np.full(N, np.inf), ValueError, "contain infinity"),
        (5, ValueError, "labels have the shape"),
        ("gone.csv", FileNotFoundError, "no file at gone.csv"),
        (np.full(N, np.nan), ValueError, "has 0 labels"),
    ],
)
def test_labels_that_are_none_are_refused(path: Path, labels: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(path, labels)


def test_a_sheet_of_other_rows_is_refused(path: Path, tmp_path: Path) -> None:
    drawn = sheet(path, tmp_path / "s.csv", labeling.Columns("gold", "pred"))
    changed = table(tmp_path / "answers2.jsonl", [row | {"pred": "Bergen"} for row in ROWS])
    with pytest.raises(ValueError, match="not those of any system here"):
        run(changed, drawn)
    with pytest.raises(ValueError, match="was drawn from a table of 60 rows, but this table has 59"):
        run(table(tmp_path / "answers3.jsonl", ROWS[:-1]), drawn)
    sheets.plan_path(drawn).unlink()
    with pytest.raises(FileNotFoundError, match="has no plan"):
        run(path, drawn)


def test_labels_of_one_class_are_a_stated_result(path: Path) -> None:
    result = run(path, np.where(np.isin(np.arange(N), LABELED), 1.0, np.nan))
    (share,) = result.labeled
    assert (share.ppi.value, share.ppi.high, share.rogan_gladen) == (1.0, 1.0, None)
    notes = "\n".join(result.notes)
    assert "all 24 labels are 1" in notes
    assert "no estimate of Rogan-Gladen: no labeled row is negative" in notes
    assert "100.0 % [" in result.summary()[1]
    assert json.loads(result.to_json())["labeled"][0]["ppi"]["labels_alone"]["value"] == 1.0
    for text in (result.to_text(), result.to_markdown(), result.to_latex(), result._repr_html_()):
        assert "Corrected by human labels" in text
