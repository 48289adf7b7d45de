"""``answersim label``: a sheet, a session on the terminal that goes on, the estimate, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from answersim.io import files
from tests.command_line import combined

N = 300


@pytest.fixture(autouse=True)
def _recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --metric, the metric is recall: no network runs."""
    monkeypatch.setattr("answersim.catalog.lookup.DEFAULT_METRIC", "recall")


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
    how = ("--sheet", sheet, "--question", "question")
    status, text = combined("label", table, "-n", 60, "--allocation", allocation, *how)
    assert status == 0
    assert "60 rows to label, 0 of them labeled" in text
    assert "score" not in sheet.read_text(encoding="utf-8")
    fill(sheet)
    status, text = combined("label", table, "--read", "-o", output, *how)
    assert status == 0
    assert text.startswith("80.")
    assert "] right by 60 labels, which are worth " in text
    assert "by the scores: 240 of 300 right" in text
    rows = files.read(output).rows
    assert sum(row["label"] is not None for row in rows) == 60
    assert all(row["label"] == int("Rome" in row["pred"]) for row in rows if row["label"] is not None)
    assert all((row["label"] is None) == (row["inclusion"] is None) for row in rows)


def test_unlabeled_rows_are_counted(table: Path) -> None:
    combined("label", table, "-n", 30, "--ask", typed="y\n" * 11)
    status, text = combined("label", table, "--read", "--metric", "f1")
    assert status == 0
    assert "note: 19 drawn rows without a label" in text
    assert ": all 11 labels are 1" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "301"], "n is 301, but the file has 300 rows to draw from"),
        (["--ask", "--read"], "--ask and --read are both given"),
        (["--read"], "no sheet at answers.labels.csv; 'answersim label' without --read draws one"),
        (["-o", "x.csv"], "--output is given, but it is for --read"),
        (["--gold", "label"], "gold and the labels both name the column 'label'"),
        (["--id", "key"], "id and the sheet both name the column 'key'"),
        (["--sheet", "sheet.md"], "sheet.md has the suffix '.md'"),
        (["--sheet", "answers.jsonl"], "is the input"),
    ],
)
def test_bad_input_ends_with_one_line_and_status_2(
    table: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(table.parent)
    status, output = combined("label", "answers.jsonl", *words)
    assert status == 2
    assert message in output
    assert [path.name for path in table.parent.iterdir()] == ["answers.jsonl"]


def test_a_sheet_is_never_drawn_over(table: Path) -> None:
    combined("label", table, "-n", 12, "--ask", typed="y\n")
    sheet = table.with_suffix(".labels.csv")
    moved = sheet.rename(sheet.with_suffix(".moved"))
    status, output = combined("label", table)
    assert status == 2
    assert "is the plan of the sheet" in output
    moved.rename(sheet)
    table.write_text(table.read_text(encoding="utf-8").replace("Rome", "Bonn"), encoding="utf-8")
    status, output = combined("label", table)
    assert status == 2
    assert "its texts are not those that were labeled" in output


def test_the_same_command_goes_on(table: Path) -> None:
    command = ("label", table, "-n", 12, "--seed", 3, "--strata", 4, "--allocation", "equal", "--ask")
    assert "2 of them labeled" in combined(*command, typed="y\nn\n")[1]
    assert "12 of them labeled" in combined(*command, typed="y\n" * 10)[1]
    assert "the labels alone:" in combined(*command[:-1], "--read")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", 50], "rows is 50, but the sheet"),
        (
            ["-n", 50, "--read"],
            "was drawn with 12; leave it out to continue with the sheet, or name",
        ),
        (["--seed", 1], "rng (--seed) is 1"),
        (["--rows-of", "other.csv"], "like (--rows-of) is other.csv, but the sheet answers.labels.csv has other rows"),
    ],
)
def test_another_sample_is_not_the_same_command(
    table: Path, monkeypatch: pytest.MonkeyPatch, words: list[object], message: str
) -> None:
    monkeypatch.chdir(table.parent)
    combined("label", table.name, "-n", 12, "--seed", 7, "--sheet", "other.csv")
    combined("label", table.name, "-n", 12, "--ask", typed="y\n")
    status, output = combined("label", table.name, *words)
    assert status == 2
    assert message in output


def test_the_sheet_shows_golds_as_text_and_the_id(table: Path) -> None:
    status, text = combined("label", table, "-n", 1, "--id", "question", "--ask", typed="y\n")
    assert status == 0
    (row,) = files.read(table.with_suffix(".labels.csv")).rows
    assert list(row) == ["key", "question", "gold", "pred", "label"]
    assert row["gold"] == "Rome or Roma"
    assert f"question:  {row['question']}" in text
    assert "1 row to label, 1 of them labeled" in text


def session(table: Path) -> subprocess.Popen[str]:
    """Label the sheet of this table in another process."""
    command = [sys.executable, "-m", "answersim", "label", str(table), "-m", "recall", "-n", "12", "--ask"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    )


def answer(process: subprocess.Popen[str], text: str, sheet: Path, labels: int) -> None:
    """Type one line, and wait until the sheet has so many labels."""
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()
    stop = time.monotonic() + 60
    while sum(row["label"] != "" for row in files.read(sheet).rows) != labels:
        assert time.monotonic() < stop, "the label is not in the sheet"
        time.sleep(0.02)


def test_no_label_is_lost_if_two_processes_and_a_spreadsheet_label_one_sheet(table: Path) -> None:
    combined("label", table, "-n", 12, "-m", "recall")
    sheet = table.with_suffix(".labels.csv")
    with session(table) as first:
        answer(first, "y", sheet, 1)
        with session(table) as second:  # while the first is open
            output = second.communicate("n\n" * 12)[0]
        assert second.returncode == 2
        assert "another 'answersim label' has the sheet" in output
        assert "Traceback" not in output
        held = files.read(sheet)
        rows = [row | {"label": "0"} if i >= 6 else row for i, row in enumerate(held.rows)]
        files.write(held._replace(rows=rows), sheet)  # a spreadsheet program saves 6 labels
        answer(first, "y", sheet, 8)
        output = first.communicate("q\n")[0]
    assert first.returncode == 0
    assert "8 of them labeled" in output
    assert [row["label"] for row in files.read(sheet).rows] == ["1"] * 2 + [""] * 4 + ["0"] * 6
    assert sorted(path.name for path in table.parent.iterdir()) == [
        "answers.jsonl",
        "answers.labels.csv",
        "answers.labels.csv.plan.json",
    ]


def test_a_column_of_scores_and_of_clusters_can_be_named(table: Path) -> None:
    combined("label", table, "-n", 40, "--score", "s")
    fill(table.with_suffix(".labels.csv"))
    status, text = combined("label", table, "--read", "--score", "s", "--group", "question")
    assert status == 0
    assert "right by 40 labels, which are worth" in text
