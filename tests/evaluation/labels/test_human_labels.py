"""Human labels: read once from a sheet, table or mapping; asked for, and calibrations from them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import answersim
from answersim._base.io import files
from answersim.answers.tables.system_columns import is_open
from answersim.calibration import fitting
from answersim.calibration.storing import find
from answersim.evaluation.labels import sheets
from answersim.evaluation.labels.asking import ask
from answersim.evaluation.labels.human_labels import HumanLabels, Label, shown, value_of
from answersim.evaluation.labels.sheets import KEY, Sheet, ShownColumns
from tests.cases import every
from tests.evaluation.made import drawn, sheet_of

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
BY_ID = {f"q{i}": TRUE[i] for i in LABELED}
ARRAY = np.where(np.isin(np.arange(N), LABELED), TRUE, np.nan)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return table(tmp_path / "answers.jsonl", ROWS)


def run(data: Any, labels: Any, **more: Any) -> answersim.Evaluation:
    return answersim.evaluate(data, "recall", labels=labels, **more)


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def with_labels(**more: Any) -> list[dict[str, Any]]:
    return [{"id": f"q{i}", "label": TRUE[i], **more} for i in reversed(LABELED)]


def sheet(path: Path, target: Path, **how: Any) -> Path:
    """Draw a sheet from the file and label all its rows."""
    drawn = answersim.label(path, target, "recall", rows=24, allocation="equal", **how)
    labels = {
        row["key"]: str(TRUE[int(id_.removeprefix("q"))])
        for row, (id_, *_) in zip(drawn.rows, drawn.drawn, strict=True)
    }
    sheets.save(drawn.labeled(labels), target)
    return target


def test_each_form_of_labels_gives_the_same_share(path: Path, tmp_path: Path) -> None:
    columns = {"id": list(BY_ID), "label": list(BY_ID.values())}
    stated = {
        "by id": BY_ID,
        "words": {key: "yes" if value else "No" for key, value in BY_ID.items()},
        "a table": table(tmp_path / "l.jsonl", with_labels()),
        "its name": str(tmp_path / "l.jsonl"),
        "columns": columns,
        "a frame": pd.DataFrame(columns),
        "labels": HumanLabels({key: Label(value) for key, value in BY_ID.items()}),
        "by system": {"answers": columns},
        "a list": [tmp_path / "l.jsonl"],
    }
    by_name = {name: run(path, labels).labeled for name, labels in stated.items()}
    (expected,) = by_name["by id"]
    assert {name: repr(labeled) for name, labeled in by_name.items()} == dict.fromkeys(stated, repr((expected,)))
    held = [row | {"mine": None if np.isnan(value) else value} for row, value in zip(ROWS, ARRAY.tolist(), strict=True)]
    (of_column,) = run(table(tmp_path / "answers2.jsonl", held), "mine").labeled
    assert repr(of_column._replace(system="answers")) == repr(expected)  # nan is not equal to itself
    without_ids = [{name: value for name, value in row.items() if name != "id"} for row in ROWS]
    by_number = {i + 1: TRUE[i] for i in LABELED}
    assert run(table(tmp_path / "no.jsonl", without_ids), by_number).labeled[0].ppi == expected.ppi
    scores = [answersim.score([row["gold"]], [row["pred"]], "recall").values[0] for row in ROWS]
    probabilities = find("recall").probability(scores)
    assert expected.ppi == answersim.estimate_mean(probabilities, ARRAY)
    assert repr(expected.rogan_gladen) == repr(
        answersim.estimate_mean(probabilities >= 0.7, ARRAY, method="rogan-gladen")
    )


def test_inclusion_and_questions_decide_the_interval(path: Path, tmp_path: Path) -> None:
    labels = table(tmp_path / "l.jsonl", [row | {"inclusion": 0.1 + 0.02 * i} for i, row in enumerate(with_labels())])
    (plain,), (drawn,) = (run(path, rows).labeled for rows in (BY_ID, labels))
    assert plain.ppi.value != drawn.ppi.value
    result = run(path, labels, question="question")
    assert result.labeled[0].ppi == drawn.ppi  # every question has one row
    assert "no inclusion" not in "\n".join(result.notes)
    assert "no inclusion probabilities" in "\n".join(run(path, BY_ID).notes)
    twice = [row | {"question": f"Who {i // 2}?"} for i, row in enumerate(ROWS)]
    (clustered,) = run(table(tmp_path / "t.jsonl", twice), labels, question="question").labeled
    assert clustered.ppi.value == drawn.ppi.value
    assert (clustered.ppi.low, clustered.ppi.high) != (drawn.ppi.low, drawn.ppi.high)


@pytest.mark.parametrize("how", [{}, {"question": "question"}, {"id": "id"}])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_sheet_belongs_to_the_system_whose_texts_it_has(path, tmp_path, how, suffix):
    drawn = sheet(path, tmp_path / f"s{suffix}", **how)
    result = run(path, drawn, pred=["other", "pred"], question="question")
    (share,) = result.labeled
    assert (share.system, share.ppi.n_labeled) == ("pred", 24)
    (alone,) = run(path, [drawn]).labeled  # the question is in the sheet, if it was drawn with it
    assert alone.ppi.value == share.ppi.value
    held = sheets.read(drawn).labels.labels
    columns = {name: [held.get(row["id"], Label(np.nan))[i] for row in ROWS] for i, name in enumerate(Label._fields)}
    values = [answersim.score([row["gold"]], [row["pred"]], "recall").values[0] for row in ROWS]
    how = {"inclusion": columns["inclusion"], "strata": columns["stratum"]}
    assert alone.ppi == answersim.estimate_mean(find("recall").probability(values), columns["value"], **how)


def test_drawn_rows_without_a_label_are_counted(path: Path, tmp_path: Path) -> None:
    drawn = sheet(path, tmp_path / "s.csv")
    rows = files.read(drawn).rows
    files.write(
        files.Table(tuple(rows[0]), [row | {"label": ""} if i < 3 else row for i, row in enumerate(rows)]), drawn
    )
    result = run(path, drawn)
    assert result.labeled[0].ppi.n_labeled == 21
    assert "3 drawn rows without a label" in "\n".join(result.notes)


def test_labels_of_several_systems(path: Path, tmp_path: Path) -> None:
    systems = {"pred": ["pred", "other"]}
    opposite = {key: 1 - value for key, value in BY_ID.items()}
    result = run(path, {"pred": BY_ID, "other": opposite}, **systems)
    assert [share.system for share in result.labeled] == ["pred", "other"]
    assert result.labeled[1].ppi.labels_alone.value == pytest.approx(1 - result.labeled[0].ppi.labels_alone.value)
    rows = with_labels(system="other") + with_labels(system="pred")
    assert {share.system for share in run(path, table(tmp_path / "l.jsonl", rows), **systems).labeled} == {
        "pred",
        "other",
    }
    both = [row | {"l1": TRUE[i], "l2": 1 - TRUE[i]} for i, row in enumerate(ROWS)]
    of_columns = run(table(tmp_path / "both.jsonl", both), ["l1", "l2"], **systems).labeled
    assert [share.ppi.value for share in of_columns] == pytest.approx([np.mean(TRUE), 1 - np.mean(TRUE)])
    with pytest.raises(ValueError, match="unclear which system these labels belong to"):
        run(path, BY_ID, **systems)
    with pytest.raises(LookupError, match="labels of the system 'third'"):
        run(path, table(tmp_path / "l.jsonl", with_labels(system="third")), **systems)
    with pytest.raises(LookupError, match="labels are given for 'third'"):
        run(path, {"third": tmp_path / "l.jsonl"}, **systems)
    with pytest.raises(ValueError, match="1 column of labels for 2 systems"):
        run(tmp_path / "both.jsonl", "l1", **systems)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda rows: rows[:9], ValueError, "answers has 9 labels, but at least 10 are needed"),
        (lambda rows: [*rows, rows[0]], ValueError, "occurs more than once"),
        (lambda rows: [*rows, {"id": "gone", "label": 1}], LookupError, r"labels for 1 id \('gone'\), but the answers"),
        (lambda rows: [row | {"label": 2} for row in rows], ValueError, "row 1: the label is '2', but a label is 1"),
        (lambda rows: [row | {"label": -0.1} for row in rows], ValueError, "the label is '-0.1'"),
        (lambda rows: [row | {"label": "perhaps"} for row in rows], ValueError, "the label is 'perhaps'"),
        (lambda rows: [{"id": row["id"]} for row in rows], LookupError, "has no column 'label'"),
        (lambda rows: [{"label": row["label"]} for row in rows], LookupError, "has no column 'id'.*found by the ids"),
        (lambda rows: [row | {"inclusion": 0} for row in rows], ValueError, "probability is '0', but it must be from"),
        (lambda rows: [row | {"inclusion": 9e-7} for row in rows], ValueError, "probability is '9e-07'"),
        (lambda rows: [rows[0] | {"inclusion": 0.5}, *rows[1:]], ValueError, "23 of the 24 labels .* have no incl"),
        (lambda rows: [{"label": 1, "id": None}, *rows], ValueError, "'id' is empty in row 1"),
    ],
)
def test_bad_labels_are_refused(path: Path, tmp_path: Path, change: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(path, table(tmp_path / "l.jsonl", change(with_labels())))


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (ARRAY.tolist(), TypeError, r"labels are 1.0 \(float\), but labels are found by the ids of the answers: give"),
        (ARRAY, TypeError, "found by the ids of the answers"),
        (5, TypeError, "found by the ids of the answers"),
        ("gone.csv", FileNotFoundError, "no file at gone.csv"),
        ("gone", LookupError, "answers has no column 'gone' of labels"),
        ({"q1": 1.0, "q999": 1.0}, LookupError, r"labels for 1 id \('q999'\)"),
        ({"q1": 2.0}, ValueError, "the label is '2.0'"),
        ([BY_ID, BY_ID], ValueError, "24 answers of answers labeled twice"),
    ],
)
def test_labels_that_are_none_are_refused(path: Path, labels: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(path, labels)


def test_a_sheet_of_other_answers_is_refused_and_other_rows_in_another_order_are_not(path, tmp_path):
    drawn = sheet(path, tmp_path / "s.csv")
    expected = run(path, drawn).labeled[0].ppi.value
    turned = run(table(tmp_path / "turned.jsonl", ROWS[::-1]), drawn).labeled[0].ppi.value
    assert turned == pytest.approx(expected)  # found by id
    with pytest.raises(ValueError, match="its texts are not those that were labeled"):
        run(table(tmp_path / "answers2.jsonl", [row | {"pred": "Bergen"} for row in ROWS]), drawn)
    with pytest.raises(
        (LookupError, ValueError), match=r"from a table of 60 rows, but this table has 59|labels for 1 id"
    ):
        run(table(tmp_path / "answers3.jsonl", ROWS[:-1]), drawn)
    sheets.plan_path(drawn).unlink()
    with pytest.raises(FileNotFoundError, match="has no plan"):
        run(path, drawn)


def test_labels_of_one_class_are_a_stated_result(path: Path) -> None:
    result = run(path, dict.fromkeys(BY_ID, 1))
    (share,) = result.labeled
    assert (share.ppi.value, share.ppi.high) == pytest.approx((1.0, 1.0), abs=1e-12)
    assert share.rogan_gladen is None
    notes = "\n".join(result.notes)
    assert "all 24 labels are 1" in notes
    assert "no estimate of Rogan-Gladen: no labeled row is negative" in notes
    assert "100.0 % [" in result.summary()[1]
    assert json.loads(result.to_json())["labeled"][0]["ppi"]["labels_alone"]["value"] == 1.0
    for text in (result.to_text(), result.to_markdown(), result.to_latex(), result._repr_html_()):
        assert "Corrected by human labels" in text


def test_nan_is_no_label_and_grades_are_labels_only_where_a_cut_follows() -> None:
    assert is_open(float("nan"))
    assert np.isnan(value_of(float("nan"), "here"))
    assert [value_of(value, "here") for value in ("1", "No", 0.5, True)] == [1.0, 0.0, 0.5, 1.0]
    assert value_of("2", "here", grades=True) == 2.0
    for value, grades in (("nan", False), ("2", False), ("inf", True)):
        with pytest.raises(ValueError, match=rf"here: the label is '{value}'"):
            value_of(value, "here", grades=grades)


FEW = answersim.Bootstrap(resamples=20)
RNG = np.random.default_rng(1)
LABELS = RNG.integers(2, size=120)
GOLD = [f"a{i} b{i} c{i}" for i in range(120)]
PRED = [
    " ".join(gold.split()[: 1 + label + (i % 3 == 0)]) if label or i % 4 else "x"
    for i, (gold, label) in enumerate(zip(GOLD, LABELS.tolist(), strict=True))
]
DATA: dict[str, Any] = {"gold": GOLD, "pred": PRED, "label": LABELS.tolist(), "q": [f"q{i // 2}" for i in range(120)]}


def arrays(metric: Any = "recall", **settings: Any) -> answersim.Calibration:
    scores = answersim.score(GOLD, PRED, metric)
    return fitting.calibrate(scores, LABELS, bootstrap=FEW, **settings)


def test_a_table_gives_the_calibration_of_its_scores_and_how_the_metric_is_built() -> None:
    calibration = answersim.calibrate(DATA, metric="recall", group="q", bootstrap=FEW)
    assert calibration.curve == arrays().curve
    assert calibration.provenance.groups == 60
    assert calibration.metric == {"name": "recall", "lang": "en", "profile": None, "options": {}}
    assert answersim.score("Rome", "in Rome", calibration=calibration).signature == calibration.signature


def test_a_column_of_scores_needs_no_texts() -> None:
    scores = answersim.score(GOLD, PRED, "recall").values.tolist()
    calibration = answersim.calibrate({"mine": scores, "label": DATA["label"]}, score="mine", bootstrap=FEW)
    assert (calibration.signature, calibration.metric, calibration.curve) == (
        "column|name:mine",
        {"column": "mine"},
        arrays().curve,
    )


@every(
    ("given", "error", "message"),
    [
        ({}, ValueError, "give either metric="),
        ({"metric": "f1", "score": "mine"}, ValueError, "give either metric="),
        ({"metric": "f1", "group": "label"}, ValueError, "is the column 'label', which contains labels"),
        ({"data": [0.5, 1.0], "label": [0, 1], "group": "q"}, TypeError, "group names a column, but scores are given"),
    ],
)
def test_arguments_without_effect_are_errors(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        answersim.calibrate(**({"data": DATA} | given))


def answered(sheet: Sheet, answers: list[str]) -> tuple[dict[str, str], int, list[str]]:
    """What a terminal session gives: labels, how often it saved, and the lines it printed."""
    lines: list[str] = []
    saved: list[dict[str, str]] = [{}]
    left = iter(answers)

    def read_line(prompt: str) -> str:
        lines.append(prompt)
        answer = next(left, None)
        if answer is None:
            raise EOFError
        return answer

    def save(labels: Mapping[str, str]) -> Sheet:
        saved.append({**saved[-1], **labels})
        return sheet.labeled(saved[-1])

    result = ask(sheet, save, read_line, lines.append)
    assert result == sheet.labeled(saved[-1])
    return saved[-1], len(saved) - 2, lines  # without the first state, and without the last call, which adds nothing


def test_a_session_labels_skips_goes_back_and_stops() -> None:
    sheet = drawn(4)
    keys = [row[KEY] for row in sheet.rows]
    stated, saved, lines = answered(sheet, ["y", "what", "n", "b", "0.5", "s", "Y", "q"])
    assert stated == {keys[0]: "1", keys[1]: "0.5", keys[3]: "1"}
    assert saved == 4
    assert any(line.startswith("question:  question ") for line in lines)
    assert sum("y: correct" in line for line in lines) == 2  # at the start and after "what"


def test_a_session_that_ends_keeps_what_was_given_and_a_later_one_goes_on() -> None:
    sheet = drawn(4)
    stated, _, _ = answered(sheet, ["y"])
    rest, _, lines = answered(sheet.labeled(stated), ["n", "n", "n"])
    assert lines[0].startswith("3 of 4 rows are open")
    assert len(stated | rest) == 4
    assert sheet.labeled(stated | rest).n_open == 0
    assert sheet.n_open == 4  # the sheet itself is unchanged


def test_texts_cannot_control_the_terminal() -> None:
    columns = {"gold": [shown(["a\x1b[2J", "b"])], "pred": ["x\ny"]}
    sheet = sheet_of(columns, [0.5], 1, ShownColumns(None, None, "gold", "pred"))
    lines = answered(sheet, [])[2]
    assert "gold:      a\N{REPLACEMENT CHARACTER}[2J or b" in lines
    assert "pred:      x y" in lines
