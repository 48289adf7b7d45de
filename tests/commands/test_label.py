"""``answersim label``: a sheet, a session on the terminal that goes on, plans, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from answersim._base.io import files
from tests.cases import cases_of
from tests.command_line import combined

N = 300


@pytest.fixture(autouse=True)
def _recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --metric, the metric is recall: no network runs."""
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")


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
    table = files.read(sheet)
    files.write(table._replace(rows=[row | {"label": int("Rome" in row["pred"])} for row in table.rows]), sheet)


@pytest.mark.parametrize("allocation", ["proportional", "equal"])
def test_a_sheet_is_drawn_filled_in_and_evaluated(table: Path, tmp_path: Path, allocation: str) -> None:
    sheet = tmp_path / "sheet.csv"
    settings = ("--question", "question")
    status, text = combined("label", table, "-n", 60, "--allocation", allocation, "--sheet", sheet, *settings)
    assert status == 0
    assert "60 rows to label, 0 of them labeled" in text
    assert "score" not in sheet.read_text(encoding="utf-8")
    fill(sheet)
    status, text = combined("label", table, "--sheet", sheet, *settings)
    assert f"to estimate the share of correct answers: answersim evaluate {table} --labels {sheet}" in text
    status, text = combined("evaluate", table, "--labels", sheet, *settings)
    assert status == 0
    assert text.splitlines()[0].startswith("240 of 300 right")
    assert text.splitlines()[1].startswith("80.")
    assert "] right by 60 labels, which are worth " in text.splitlines()[1]


def test_a_sheet_of_a_verifier_has_both_verdicts(table: Path) -> None:
    status, text = combined("label", table, "-n", 40, "--verifier", "tests.commands.test_label:accepts")
    assert status == 0, text
    rows = files.read(table.with_suffix(".labels.csv")).rows
    assert sum("Rome" in row["pred"] for row in rows) == 20


def accepts(golds: list[str], preds: list[str]) -> list[bool]:
    return ["Rome" in pred for pred in preds]


def test_the_same_command_goes_on(table: Path) -> None:
    command = ("label", table, "-n", 12, "--seed", 3, "--allocation", "equal", "--ask")
    assert "2 of them labeled" in combined(*command, typed="y\nn\n")[1]
    assert "12 of them labeled" in combined(*command, typed="y\n" * 10)[1]
    sheet = table.with_suffix(".labels.csv")
    assert "right by 12 labels" in combined("evaluate", table, "--labels", sheet)[1]


@pytest.mark.parametrize(("words", "message"), cases_of(__file__)["another_sample_is_not_the_same_command"])
def test_another_sample_is_not_the_same_command(table, monkeypatch, words, message):
    monkeypatch.chdir(table.parent)
    combined("label", table.name, "-n", 12, "--seed", 7, "--sheet", "other.csv")
    combined("label", table.name, "-n", 12, "--ask", typed="y\n")
    status, output = combined("label", table.name, *words)
    assert status == 2
    assert message in output


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
