"""Sheets on disk: read back by key, compared with their plan, and labeled while other programs save them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from answersim._base.errors import AlteredSheetWarning
from answersim.evaluation.labels import labeling, sheets
from answersim.evaluation.labels.sheets import KEY, Sheet, ShownColumns
from tests.evaluation.made_sheets import drawn, sheet_of

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
        (
            lambda rows: moved(rows, "key"),
            ValueError,
            "20 rows have other texts than those that were drawn with the key",
        ),
        (
            lambda rows: moved(rows, "pred"),
            ValueError,
            "row 1: 'pred' is 'pred .*', but the row of the key k.* has 'pred",
        ),
        (
            lambda rows: swapped(rows),
            ValueError,
            "2 rows have other texts .* row 4: 'question' is .*; row 6: 'question'",
        ),
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
def test_a_spoiled_sheet_is_refused(
    tmp_path: Path, change: Callable[[Rows], Rows], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        sheets.read(spoiled(tmp_path, change))


def test_a_sheet_needs_its_plan(tmp_path: Path) -> None:
    path = spoiled(tmp_path, lambda rows: rows)
    sheets.plan_path(path).write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="is not a plan of a sheet"):
        sheets.read(path)
    sheets.plan_path(path).unlink()
    with pytest.raises(FileNotFoundError, match="has no plan"):
        sheets.read(path)


def test_a_plan_of_another_format_is_refused(tmp_path: Path) -> None:
    path = spoiled(tmp_path, lambda rows: rows)
    plan = json.loads(sheets.plan_path(path).read_text(encoding="utf-8"))
    sheets.plan_path(path).write_text(json.dumps(plan | {"format": 9}), encoding="utf-8")
    with pytest.raises(ValueError, match="its format is 9, but this version reads 4"):
        sheets.read(path)


def moved(rows: Rows, name: str) -> Rows:
    """The cells of one column, one row further down."""
    return [row | {name: rows[i - 1][name]} for i, row in enumerate(rows)]


def swapped(rows: Rows) -> Rows:
    keys = {3: rows[5]["key"], 5: rows[3]["key"]}
    return [row | {"key": keys.get(i, row["key"])} for i, row in enumerate(rows)]


def test_keys_are_no_numbers() -> None:
    keys = [labeling.key_of(str(i), ["a", "b"], 0) for i in range(3000)]
    assert all(key.startswith("k") for key in keys)
    assert len(set(keys)) == len(keys)


def test_a_sheet_has_no_formulas_and_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    sheet = odd()
    sheets.write(sheet, path)
    assert [row["pred"] for row in cells(path)] == ["1984", "yes", "'=1+1", "'tis", "", "-5", "1"]
    assert sheets.read(path) == sheet
    assert sheets.read(path).rows[2]["pred"] == "=1+1"


@pytest.mark.parametrize(
    ("row", "name", "text"),
    [
        (1, "gold", "0.5"),
        (1, "pred", "YES"),
        (6, "gold", "1"),
        (5, "gold", "a\nb"),
        (2, "pred", "=1+1"),
        (3, "pred", "tis"),
    ],
)
def test_what_spreadsheet_programs_often_change_is_no_other_text(
    tmp_path: Path, row: int, name: str, text: str
) -> None:
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
    found = sheets.read(path)
    assert [row[KEY] for row in found.rows] == [row[KEY] for row in drawn().rows]
    sheets.LabelWriter(path).save({found.rows[0][KEY]: "1"})
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
    found = writer.save({})
    assert [row["label"] for row in cells(path)] == ["0"] + [""] * 6 + ["0.5"] + [""] * 12
    assert found.n_open == 18


def test_a_label_that_is_saved_while_the_sheet_is_read_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sheet.csv"
    sheets.write(drawn(), path)
    keys, read, times = [row[KEY] for row in drawn().rows], sheets.read, []

    def slow(path: Path) -> Sheet:
        found = read(path)
        if not times:
            put([row | {"label": "0.5"} if i == 7 else row for i, row in enumerate(cells(path))], path)
        times.append(1)
        return found

    monkeypatch.setattr(sheets, "read", slow)
    sheets.LabelWriter(path).save({keys[0]: "1"})
    assert [row["label"] for row in cells(path)] == ["1"] + [""] * 6 + ["0.5"] + [""] * 12
    assert len(times) == 2


def test_the_plan_is_written_last_and_a_full_disk_leaves_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, written = tmp_path / "sheet.csv", []

    def full(target: Path) -> Any:
        written.append(sorted(place.name for place in tmp_path.iterdir()))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("answersim.evaluation.labels.sheets.output_files.atomic_write", full)
    with pytest.raises(OSError, match="No space left"):
        sheets.write(drawn(), path)
    assert written == [["sheet.csv"]]
    assert list(tmp_path.iterdir()) == []
