"""answersim audit: draw, label, and read the errors of a verifier."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import pytest

from tests.command_line import combined

run = partial(combined, "audit")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "answers.jsonl"
    rows = [{"q": f"q{i}", "gold": "1/2", "pred": ["1/2", "0.5", "2"][i % 3], "judge": i % 3 < 1} for i in range(90)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_a_sheet_is_drawn_labeled_and_read(table: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    code, text = run("em", table, "--question", "q", "--draw", sheet, "-n", 40)
    assert code == 0, text
    assert "40 rows to label" in text
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows([row | {"label": int(row["pred"] != "2")} for row in rows])
    page = tmp_path / "audit.html"
    code, text = run("em", table, "--question", "q", "--labels", sheet, "--attacked", 0, "--report", page)
    assert code == 0, text
    assert text.startswith("em accepts 0.0 % [")
    assert "by 40 labels of 90 answers" in text
    assert "em accepts 0.0 % [" in page.read_text(encoding="utf-8")


def test_a_column_of_verdicts_and_json(table: Path) -> None:
    code, text = run("judge", table, "--format", "json")
    assert code == 0, text
    found = json.loads(text)
    assert found["verifier"] == "column:judge"
    assert found["rates"][0]["accepted"] == pytest.approx(1 / 3)


def test_markdown_and_options_of_a_metric(table: Path) -> None:
    code, text = run("em", table, "--attacked", 0, "--extract", "last-line", "--format", "markdown")
    assert code == 0, text
    assert "## Errors of the verdicts" in text
    assert "extract:last-line" in text


def test_mistakes_end_with_one_line(table: Path) -> None:
    code, text = run("rules", table, "--option", "layer=3")
    assert (code, "--option is for a metric" in text) == (2, True)
    assert run("nothing-like-this", table)[0] == 2
    code, text = run("em", table, "-o", "out.txt")
    assert (code, "is written as: .json, .md, .tex, .csv" in text) == (2, True)
