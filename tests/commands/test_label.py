"""``answersim label``: a sheet, a session on the terminal that goes on, the estimate, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from answersim import files
from answersim.__main__ import app

N = 300


@pytest.fixture(autouse=True)
def _recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --metric, the metric is recall: no network runs."""
    monkeypatch.setattr("answersim.scoring.default_metric", lambda profile: "recall")


def run(*words: object, typed: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words], input=typed)
    return result.exit_code, result.output


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"gold": ["Rome", "Roma"], "pred": "in Rome" if i % 5 else f"Oslo {i}", "question": f"q{i}", "s": i % 5}
        for i in range(N)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def fill(sheet: Path) -> None:
    """Label every row of a sheet as an annotator would."""
    found = files.read(sheet)
    files.write(found._replace(rows=[row | {"label": int("Rome" in row["pred"])} for row in found.rows]), sheet)


@pytest.mark.parametrize("allocation", ["proportional", "equal"])
def test_a_sheet_is_drawn_filled_in_and_read_back(table: Path, tmp_path: Path, allocation: str) -> None:
    sheet, output = tmp_path / "sheet.csv", tmp_path / "labeled.jsonl"
    status, text = run("label", table, "-n", 60, "--sheet", sheet, "--allocation", allocation, "--question", "question")
    assert status == 0
    assert "60 rows to label, 0 of them labeled" in text
    assert "score" not in sheet.read_text(encoding="utf-8")
    fill(sheet)
    status, text = run("label", table, "--sheet", sheet, "--read", "-o", output, "--question", "question")
    assert status == 0
    assert text.startswith("80.")
    assert "] right by 60 labels, which are worth " in text
    assert "by the scores: 240 of 300 right" in text
    rows = files.read(output).rows
    assert sum(row["label"] is not None for row in rows) == 60
    assert all(row["label"] == int("Rome" in row["pred"]) for row in rows if row["label"] is not None)
    assert all((row["label"] is None) == (row["inclusion"] is None) for row in rows)


def test_a_session_on_the_terminal_stops_and_goes_on(table: Path) -> None:
    sheet = table.with_suffix(".labels.csv")
    status, text = run("label", table, "-n", 12, "--ask", typed="y\nn\nq\n")
    assert status == 0
    assert "12 rows to label, 2 of them labeled" in text
    status, text = run("label", table, "--ask", typed="y\n" * 10)
    assert "10 of 12 rows are open" in text
    assert "12 rows to label, 12 of them labeled" in text
    assert [row["label"] for row in files.read(sheet).rows] == ["1", "0"] + ["1"] * 10


def test_unlabeled_rows_are_counted(table: Path) -> None:
    run("label", table, "-n", 30, "--ask", typed="y\n" * 11)
    status, text = run("label", table, "--read", "--metric", "f1")
    assert status == 0
    assert "note: 19 drawn rows without a label" in text
    assert ": all 11 labels are 1" in text


def test_a_column_of_scores_and_of_clusters_can_be_named(table: Path) -> None:
    run("label", table, "-n", 40, "--score", "s")
    fill(table.with_suffix(".labels.csv"))
    status, text = run("label", table, "--read", "--score", "s", "--cluster", "question")
    assert status == 0
    assert "right by 40 labels, which are worth" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "0"], "n is 0"),
        (["-n", "301"], "n is 301"),
        (["--ask", "--read"], "--ask and --read are both given"),
        (["--read"], "no file at"),
        (["--read", "-n", "5"], "--rows is given, but the sample is drawn already"),
        (["-o", "x.csv"], "--output is given, but it is for --read"),
        (["--gold", "pred"], "--gold and --pred both name"),
        (["--question", "gone"], "has no column 'gone'"),
        (["--allocation", "some"], "no allocation is called 'some'"),
        (["--score", "pred"], "'pred' is"),
        (["--sheet", "sheet.md"], "sheet.md has the suffix '.md'"),
        (["--sheet", "answers.jsonl"], "is the input"),
    ],
)
def test_bad_input_ends_with_one_line_and_status_2(
    table: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(table.parent)
    status, output = run("label", "answers.jsonl", *words)
    assert status == 2
    assert message in output
    assert [path.name for path in table.parent.iterdir()] == ["answers.jsonl"]


def test_a_sheet_is_never_drawn_over(table: Path) -> None:
    run("label", table, "-n", 12, "--ask", typed="y\n")
    status, output = run("label", table, "-n", 50)
    assert status == 2
    assert "exists already; leave it out to continue with the sheet" in output
    sheet = table.with_suffix(".labels.csv")
    moved = sheet.rename(sheet.with_suffix(".moved"))
    status, output = run("label", table)
    assert status == 2
    assert "is the plan of the sheet" in output
    moved.rename(sheet)
    table.write_text(table.read_text(encoding="utf-8").replace("Rome", "Bonn"), encoding="utf-8")
    status, output = run("label", table)
    assert status == 2
    assert "its texts are not those that were labeled" in output
