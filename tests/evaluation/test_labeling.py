"""Sheets of rows to label: blind, reproducible, read back by key, and labeled on a terminal that may stop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from answersim.evaluation import labeling, sheets
from answersim.evaluation.labeling import KEY, LABEL
from answersim.io import files
from tests.cases import every
from tests.evaluation.made_sheets import COLUMNS, drawn, made


def test_a_sheet_shows_the_texts_and_neither_score_nor_system_nor_place() -> None:
    sheet = drawn()
    assert list(sheet.rows[0]) == [KEY, "question", "gold", "pred", LABEL]
    assert sheet.positions != sorted(sheet.positions)
    assert len({row[KEY] for row in sheet.rows}) == 20
    assert sheet.n_open == 20


def test_a_seed_gives_the_same_sheet() -> None:
    assert drawn(rng=4) == drawn(rng=4)
    assert drawn(rng=4).positions != drawn(rng=5).positions


def test_labels_come_back_by_key_in_any_order(tmp_path: Path) -> None:
    table, sample = made()[0], labeling.choose(np.arange(200) % 10, 20, strata=5)
    sheet, path = labeling.sheet_of(table, sample, COLUMNS, 0), tmp_path / "sheet.csv"
    given = {row[KEY]: str(i % 2) for i, row in enumerate(sheet.rows) if i != 3}
    sheets.write(sheet.labeled(given), path)
    again = sheets.read(path)
    shuffled = replace(again, rows=again.rows[::-1])
    sheets.save(shuffled, path)
    found = labeling.labels_of(sheets.read(path), table, COLUMNS, Path("table"))
    assert found.n_open == 1
    for i, (row, position) in enumerate(zip(sheet.rows, sheet.positions, strict=True)):
        label = found.labels[position]
        assert np.isnan(label) if i == 3 else label == float(given[row[KEY]])
        assert np.isnan(found.inclusion[position]) if i == 3 else found.inclusion[position] == 0.1
        assert np.isnan(found.strata[position]) if i == 3 else found.strata[position] == position % 10 // 2
    assert np.isnan(found.labels).sum() == 181


def test_labels_of_another_table_are_refused() -> None:
    table, sheet = made()[0], drawn()
    with pytest.raises(ValueError, match="has 199 rows, but the sheet was drawn from 200"):
        labeling.labels_of(sheet, table._replace(rows=table.rows[1:]), COLUMNS, Path("x.csv"))
    with pytest.raises(ValueError, match=r"x.csv, row \d+: its texts are not those that were labeled"):
        labeling.labels_of(sheet, table._replace(rows=table.rows[::-1]), COLUMNS, Path("x.csv"))


@every(
    ("given", "error", "message"),
    [
        ({"n": 0}, ValueError, "n is 0"),
        ({"n": 201}, ValueError, "n is 201, but the file has 200 rows to draw from"),
        ({"n": 5, "strata": 0}, ValueError, "strata is 0"),
        ({"n": 5, "rng": -1}, ValueError, "rng is -1"),
        ({"n": 5, "allocation": "some"}, LookupError, "no allocation is called 'some'"),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_refused(given, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        labeling.choose(made()[1], **given)


def test_a_score_that_is_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="the score of row 2 is nan"):
        labeling.choose([0.1, np.nan], 1)


def test_the_samples_of_two_files_are_independent() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 1000))
    drawn = [set(labeling.choose(scores, 300, rng=7).rows.tolist()) for scores in (one, other)]
    assert 60 < len(drawn[0] & drawn[1]) < 120  # 90 by chance
    assert set(labeling.choose(one, 300, rng=7).rows.tolist()) == drawn[0]


def test_the_sheet_of_another_system_has_the_same_questions(tmp_path: Path) -> None:
    rows = [{"question": f"q{i}", "gold": ["Rome", f"g{i}"], "pred": f"a{i}"} for i in range(50)]
    names = ("question", "gold", "pred")
    first = labeling.sheet_of(
        files.Table(names, rows), labeling.choose(np.arange(50) % 4, 20, allocation="equal"), COLUMNS, 0
    )
    sheets.write(first, tmp_path / "a.csv")
    mine = files.Table(names, [row | {"pred": "b"} for row in rows])
    other = labeling.sheet_like(sheets.read(tmp_path / "a.csv"), mine, COLUMNS, Path("b.jsonl"))
    places = dict(zip(first.positions, first.inclusion, strict=True))
    assert dict(zip(other.positions, other.inclusion, strict=True)) == places
    assert dict(zip(other.positions, other.strata, strict=True)) == {at: at % 4 for at in first.positions}
    assert other.positions != first.positions
    assert not {row["key"] for row in other.rows} & {row["key"] for row in first.rows}
    assert {row["pred"] for row in other.rows} == {"b"}
    changed = files.Table(names, [row | {"gold": "x"} for row in rows])
    with pytest.raises(ValueError, match="both files must have the same questions in the same order"):
        labeling.sheet_like(sheets.read(tmp_path / "a.csv"), changed, COLUMNS, Path("b.jsonl"))
    with pytest.raises(ValueError, match="has 49 rows, but the sheet was drawn from 50"):
        labeling.sheet_like(first, files.Table(names, rows[1:]), COLUMNS, Path("b.jsonl"))


def test_nan_is_no_label() -> None:
    assert labeling.is_open(float("nan"))
    assert np.isnan(labeling.value_of(float("nan"), "here"))
    with pytest.raises(ValueError, match="the label is 'nan'"):
        labeling.value_of("nan", "here")
