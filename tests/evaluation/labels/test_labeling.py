"""Sheets to label: drawn, written, resumed and read."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.errors import AlteredSheetWarning
from answersim.evaluation.labels import labeling, sheets
from answersim.evaluation.labels.human_labels import LABEL
from answersim.evaluation.labels.sheets import KEY, Sheet, ShownColumns
from tests.cases import cases_of, every
from tests.evaluation.made import drawn, made, sheet_of

N = 200
GOLD = ["Rome"] * N
PRED = ["in Rome" if i % 4 else f"Oslo {i}" for i in range(N)]
DATA: dict[str, list[Any]] = {"gold": GOLD, "pred": PRED}


def fill(sheet: answersim.Sheet) -> Path:
    """Label each row as an annotator would."""
    assert sheet.path is not None
    rows = [row | {LABEL: str(int("Rome" in row["pred"]))} for row in sheet.rows]
    sheets.save(replace(sheet, rows=rows), sheet.path)
    return sheet.path


def test_a_sheet_shows_the_texts_and_neither_score_nor_system_nor_place(tmp_path: Path) -> None:
    columns, scores = made()
    data = columns | {"s": scores.tolist()}
    sheet = answersim.label(data, tmp_path / "sheet.csv", score="s", question="question", rows=20)
    assert list(sheet.rows[0]) == [KEY, "question", "gold", "pred", LABEL]
    places = [int(id_) for id_, _, _ in sheet.drawn]
    assert places != sorted(places)
    assert all(row["pred"] == f"pred {place - 1}" for row, place in zip(sheet.rows, places, strict=True))
    assert len({row[KEY] for row in sheet.rows}) == sheet.n_open == 20


def test_a_share_is_estimated_from_columns_and_a_sheet(tmp_path: Path) -> None:
    sheet = answersim.label(DATA, tmp_path / "sheet.csv", "recall", rows=40, rng=3)
    assert (len(sheet.rows), sheet.n_open, sheet.drawing.rng) == (40, 40, 3)
    assert answersim.label(DATA, tmp_path / "sheet.csv") == sheet
    assert answersim.label(DATA, tmp_path / "other.csv", "recall", rows=40, rng=3).drawn == sheet.drawn
    (result,) = answersim.evaluate(DATA, "recall", labels=fill(sheet), progress=False).labeled
    assert result.ppi.value == pytest.approx(0.75)
    assert result.ppi.n_labeled == 40
    assert {share for _, share, _ in sheet.drawn} == {0.2}


def test_labels_come_back_by_key_in_any_order(tmp_path: Path) -> None:
    data = made()[0] | {"s": (np.arange(N) % 10).tolist()}
    sheet, path = answersim.label(data, tmp_path / "sheet.csv", score="s", rows=20), tmp_path / "sheet.csv"
    stated = {row[KEY]: str(i % 2) for i, row in enumerate(sheet.rows) if i != 3}
    again = sheets.read(path).labeled(stated)
    sheets.save(replace(again, rows=again.rows[::-1]), path)
    result = sheets.read(path).labels.labels
    for i, (row, (id_, *_)) in enumerate(zip(sheet.rows, sheet.drawn, strict=True)):
        value, inclusion, stratum = result[id_]
        assert np.isnan(value) if i == 3 else value == float(stated[row[KEY]])
        assert (inclusion, stratum) == (0.1, (int(id_) - 1) % 10 // 2)


def test_a_log_of_another_tool_is_labeled(tmp_path: Path) -> None:
    samples = [{"input": f"q{i}", "target": "Rome", "output": pred} for i, pred in enumerate(PRED)]
    rows = [
        {
            "doc_id": i,
            "doc": {"question": entry["input"]},
            "target": "Rome",
            "filtered_resps": [entry["output"]],
            "filter": "none",
        }
        for i, entry in enumerate(samples)
    ]
    (tmp_path / "samples_x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answers = answersim.read_answers(tmp_path / "samples_x.jsonl", format="lm-eval")
    sheet = answersim.label(answers, tmp_path / "sheet.csv", "recall", rows=20)
    assert {row["gold"] for row in sheet.rows} == {"Rome"}


def test_two_systems_and_arguments_without_effect_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    with pytest.raises(ValueError, match=r"there are 2 systems \(a, b\), but a sheet is of one"):
        answersim.label(answersim.read_answers({"gold": GOLD, "a": PRED, "b": PRED}, pred=["a", "b"]), path)
    data = DATA | {"s": range(N)}
    with pytest.raises(ValueError, match=r"metric is 'f1' .*, but score= names a column"):
        answersim.label(data, path, "f1", score="s")
    with pytest.raises(ValueError, match=r"rows is 5 .*, but like="):
        answersim.label(data, path, like="other.csv", rows=5)
    with pytest.raises(ValueError, match="gold and the labels both name the column 'label'"):
        answersim.label({"label": GOLD, "pred": PRED}, path, gold="label")
    with pytest.raises(ValueError, match="id and the sheet both name the column 'key'"):
        answersim.label(DATA | {"key": range(N)}, path, id="key")
    assert list(tmp_path.iterdir()) == []


def test_a_sheet_shows_the_final_answer_that_a_rule_reads(tmp_path: Path) -> None:
    data = {"gold": GOLD, "pred": [f"It is either. \\boxed{{{pred}}}" for pred in PRED]}
    metric = answersim.metric("recall", extract="auto")
    sheet = answersim.label(data, tmp_path / "sheet.csv", metric, rows=20)
    assert all(row["pred"] == f"It is either. \\boxed{{{row['final answer']}}}" for row in sheet.rows)
    assert [row["final answer"] for row in sheets.read(tmp_path / "sheet.csv").rows] == [
        row["final answer"] for row in sheet.rows
    ]
    (result,) = answersim.evaluate(data, metric, labels=fill(sheet)).labeled
    assert result.ppi.n_labeled == 20


def test_a_sheet_of_other_answers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    answersim.label(DATA, path, "recall", rows=40)
    with pytest.raises(ValueError, match=r"id '\d+': its texts are not those that were labeled \(the pred of pred is"):
        answersim.label({"gold": GOLD, "pred": PRED[::-1]}, path)
    with pytest.raises(ValueError, match="from a table of 200 rows, but this table has 199"):
        answersim.label({"gold": GOLD[1:], "pred": PRED[1:]}, path)
    with pytest.raises(ValueError, match=r"rows is 50, but the sheet .* was drawn with 40"):
        answersim.label(DATA, path, rows=50)
    path.unlink()
    with pytest.raises(ValueError, match=r"is the plan of the sheet .*, which is missing"):
        answersim.label(DATA, path)


def test_the_sheet_of_another_system_has_the_same_questions(tmp_path: Path) -> None:
    data = {"question": [f"q{i}" for i in range(50)], "gold": [["Rome", f"g{i}"] for i in range(50)]}
    mine = data | {"pred": [f"a{i}" for i in range(50)], "s": [i % 4 for i in range(50)]}
    settings: dict[str, Any] = {"question": "question"}
    first = answersim.label(mine, tmp_path / "a.csv", score="s", rows=20, allocation="equal", **settings)
    other = answersim.label(data | {"pred": ["b"] * 50}, tmp_path / "b.csv", like=tmp_path / "a.csv", **settings)
    assert sorted(other.drawn) == sorted(first.drawn)
    assert other.drawn != first.drawn
    assert not {row["key"] for row in other.rows} & {row["key"] for row in first.rows}
    assert {row["pred"] for row in other.rows} == {"b"}
    changed = data | {"gold": ["x"] * 50, "pred": ["b"] * 50}
    with pytest.raises(ValueError, match="the gold of pred is 'x', but the sheet has 'Rome or g"):
        answersim.label(changed, tmp_path / "c.csv", like=first, **settings)
    by_id = answersim.HumanLabels({"3": answersim.evaluation.labels.human_labels.Label(1.0, 0.5)})
    assert answersim.label(data | {"pred": ["b"] * 50}, tmp_path / "d.csv", like=by_id).drawn[0][:2] == ("3", 0.5)


@every(
    ("given", "error", "message"),
    [
        ({"n": 0}, ValueError, "n is 0"),
        ({"n": 201}, ValueError, "n is 201, but the file has 200 rows to draw from"),
        ({"n": 5, "strata": 0}, ValueError, "strata is 0"),
        ({"n": 5, "rng": -1}, ValueError, "rng is -1"),
        ({"n": 5, "allocation": "some"}, LookupError, "no allocation is called 'some'"),
        ({"n": 1, "scores": [0.1, np.nan]}, ValueError, "the score of row 2 is nan"),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_refused(given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        labeling.choose(**({"scores": made()[1]} | given))


Rows = list[dict[str, str]]
TEXTS = [
    ("1/2", "1984"),
    ("0.50", "yes"),
    ("Rome", "=1+1"),
    ("Oslo", "'tis"),
    ("Rome", ""),
    ("a\r\nb", "-5"),
    ("1.0", "1"),
]


def odd() -> Sheet:
    """A sheet of texts that spreadsheet programs rewrite or run, in the order of the table."""
    columns = {name: [texts[i] for texts in TEXTS] for i, name in enumerate(("gold", "pred"))}
    sheet = sheet_of(columns, [0.5] * len(TEXTS), len(TEXTS), ShownColumns(None, None, "gold", "pred"))
    order = sorted(range(len(TEXTS)), key=lambda i: sheet.drawn[i])
    return replace(sheet, rows=[sheet.rows[i] for i in order], drawn=sorted(sheet.drawn))


def cells(path: Path) -> Rows:
    """The cells of a sheet, read by other hands than ours."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def put(rows: Rows, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def spoiled(tmp_path: Path, change: Callable[[Rows], Rows]) -> Path:
    """A sheet on disk whose rows were changed in some way."""
    path = tmp_path / "sheet.csv"
    sheets.write(drawn(), path)
    put(change(cells(path)), path)
    return path


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda rows: moved(rows, "key"), ValueError, "20 rows have other texts than those that were drawn with the"),
        (lambda rows: moved(rows, "pred"), ValueError, "row 1: 'pred' is 'pred .*', but the row of the key k.* has"),
        (lambda rows: swapped(rows), ValueError, "2 rows have other texts .* row 4: 'question' is .*; row 6: 'quest"),
        (lambda rows: [rows[0] | {"gold": "", "pred": "", "question": "?"}, *rows[1:]], ValueError, "1 row has other"),
        (lambda rows: rows[1:], ValueError, "lacks 1 of 20 keys"),
        (lambda rows: [*rows, rows[0]], ValueError, "has the key '.*' twice"),
        (lambda rows: [rows[0] | {"key": "abc"}, *rows[1:]], ValueError, "has the key 'abc', which is not in"),
        (lambda rows: [rows[0] | {"label": "maybe"}, *rows[1:]], ValueError, "the label is 'maybe', but a label is 1"),
        (lambda rows: [rows[0] | {"label": "1.5"}, *rows[1:]], ValueError, "the label is '1.5'"),
        (lambda rows: [rows[0] | {"label": "nan"}, *rows[1:]], ValueError, "the label is 'nan'"),
        (lambda rows: [{"key": row["key"]} for row in rows], LookupError, "has no column 'label'"),
    ],
)
def test_a_spoiled_sheet_is_refused(tmp_path, change, error, message):
    with pytest.raises(error, match=message):
        sheets.read(spoiled(tmp_path, change))


def test_a_sheet_needs_its_plan(tmp_path: Path) -> None:
    path = spoiled(tmp_path, lambda rows: rows)
    plan = json.loads(sheets.plan_path(path).read_text(encoding="utf-8"))
    sheets.plan_path(path).write_text(json.dumps(plan | {"format": 9}), encoding="utf-8")
    with pytest.raises(ValueError, match="its format is 9, but this version reads 4"):
        sheets.read(path)
    sheets.plan_path(path).write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="is not a plan of a sheet"):
        sheets.read(path)
    sheets.plan_path(path).unlink()
    with pytest.raises(FileNotFoundError, match="has no plan"):
        sheets.read(path)


def moved(rows: Rows, name: str) -> Rows:
    """The cells of one column, one row further down."""
    return [row | {name: rows[i - 1][name]} for i, row in enumerate(rows)]


def swapped(rows: Rows) -> Rows:
    keys = {3: rows[5]["key"], 5: rows[3]["key"]}
    return [row | {"key": keys.get(i, row["key"])} for i, row in enumerate(rows)]


def test_a_sheet_has_no_formulas_and_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    sheet = odd()
    sheets.write(sheet, path)
    assert [row["pred"] for row in cells(path)] == ["1984", "yes", "'=1+1", "'tis", "", "-5", "1"]
    assert sheets.read(path) == sheet
    assert sheets.read(path).rows[2]["pred"] == "=1+1"


@pytest.mark.parametrize(
    ("row", "name", "text"), cases_of(__file__)["what_spreadsheet_programs_often_change_is_no_other_text"]
)
def test_what_spreadsheet_programs_often_change_is_no_other_text(tmp_path, row, name, text):
    path = tmp_path / "sheet.csv"
    sheets.write(odd(), path)
    put([held | {name: text} if i == row else held for i, held in enumerate(cells(path))], path)
    assert sheets.read(path) == odd()


def test_a_rewritten_text_is_a_warning_and_the_sheet_has_that_of_the_plan(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    sheets.write(odd(), path)
    put([row | {"gold": row["gold"].replace("1/2", "02-Jan")} for row in cells(path)], path)
    with pytest.warns(AlteredSheetWarning, match=r"1 row has a text .* \(row 1: 'gold' is '02-Jan', .* has '1/2'\)"):
        assert sheets.read(path) == odd()


def test_blank_rows_are_skipped_and_remarks_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    sheets.write(drawn(), path)
    rows = [row | {"remark": "hm"} for row in cells(path)]
    put(
        [dict.fromkeys(rows[0], ""), *rows[:5], dict.fromkeys(rows[0], " "), *rows[5:], dict.fromkeys(rows[0], "")],
        path,
    )
    table = sheets.read(path)
    assert [row[KEY] for row in table.rows] == [row[KEY] for row in drawn().rows]
    sheets.LabelWriter(path).save({table.rows[0][KEY]: "1"})
    assert [row["remark"] for row in cells(path)] == ["hm"] * 20


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({0: "2"}, "it must have rows with different ids"),
        ({1: 0.0}, "its probabilities must be from 1e-06 to 1"),
        ({1: 1.5}, "its probabilities must be from 1e-06 to 1"),
        ({2: "x"}, "could not convert string to float"),
    ],
)
def test_a_plan_that_was_altered_is_refused(tmp_path: Path, place: Mapping[int, Any], words: str) -> None:
    path = tmp_path / "sheet.csv"
    sheets.write(drawn(), path)
    plan = json.loads(sheets.plan_path(path).read_text(encoding="utf-8"))
    first, second = [*plan["rows"].values()][:2]
    second[0] = "2"
    for at, value in place.items():
        first[at] = value
    sheets.plan_path(path).write_text(json.dumps(plan), encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        sheets.read(path)


def test_labels_of_another_program_are_kept(tmp_path: Path) -> None:
    """It saves 15 labels between two of ours, two of them on rows that we label: one before us, and one after us."""
    path = tmp_path / "sheet.csv"
    sheets.write(drawn(), path)
    keys = [row[KEY] for row in drawn().rows]
    writer = sheets.LabelWriter(path)
    writer.save({keys[0]: "1"})
    writer.save({keys[1]: "1"})
    put([row | {"label": "0"} if 1 <= i <= 15 else row for i, row in enumerate(cells(path))], path)
    writer.save({keys[2]: "1"})
    writer.save({keys[19]: "1"})
    assert [row["label"] for row in cells(path)] == ["1"] + ["0"] * 15 + [""] * 3 + ["1"]


def test_labels_that_another_program_overwrote_are_written_again(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    sheets.write(drawn(), path)
    keys, older = [row[KEY] for row in drawn().rows], cells(path)
    writer = sheets.LabelWriter(path)
    writer.save({keys[0]: "1"})
    writer.save({keys[0]: "0"})  # a step back
    put([row | {"label": "0.5"} if i == 7 else row for i, row in enumerate(older)], path)
    result = writer.save({})
    assert [row["label"] for row in cells(path)] == ["0"] + [""] * 6 + ["0.5"] + [""] * 12
    assert result.n_open == 18


def test_a_label_that_is_saved_while_the_sheet_is_read_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sheet.csv"
    sheets.write(drawn(), path)
    keys, read, times = [row[KEY] for row in drawn().rows], sheets.read, []

    def slow(path: Path) -> Sheet:
        table = read(path)
        if not times:
            put([row | {"label": "0.5"} if i == 7 else row for i, row in enumerate(cells(path))], path)
        times.append(1)
        return table

    monkeypatch.setattr(sheets, "read", slow)
    sheets.LabelWriter(path).save({keys[0]: "1"})
    assert [row["label"] for row in cells(path)] == ["1"] + [""] * 6 + ["0.5"] + [""] * 12
    assert len(times) == 2


def test_the_plan_is_written_last_and_a_full_disk_leaves_neither(tmp_path, monkeypatch):
    path, written = tmp_path / "sheet.csv", []

    def full(target: Path) -> Any:
        written.append(sorted(place.name for place in tmp_path.iterdir()))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("answersim.evaluation.labels.sheets.output_files.atomic_write", full)
    with pytest.raises(OSError, match="No space left"):
        sheets.write(drawn(), path)
    assert written == [["sheet.csv"]]
    assert list(tmp_path.iterdir()) == []
