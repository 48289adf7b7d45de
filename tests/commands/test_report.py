"""``--report``: any result as one HTML page, beside what is printed, with the command that makes it again."""

from __future__ import annotations

import csv
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from tests.cases import every
from tests.command_line import refused, run

pytest.importorskip("jinja2", reason="needs the extra `report`")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Answers of two systems with labels."""
    path = tmp_path / "judged.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["gold", "a", "b", "label"])
        for i in range(40):
            right = i % 2
            writer.writerow([f"stone {i}", f"stone {i}" if right else "<b>brick", f"the stone {i}", right])
    return path


LONG = {"-m": "--metric"}
COMMANDS = {
    "evaluate": (("--pred", "a", "-m", "recall"), "20 of 40 right, 50 % ["),
    "compare": (("--pred", "a,b", "-m", "recall"), "b is better than a: 100.0 % right against 50.0 %"),
    "correlate": (("--pred", "a", "-m", "f1,em", "--resamples", "20"), "agrees best with the labels"),
    "doctor": (("f1", "--attacked", "2", "--no-properties"), "f1 orders 0.6"),
}


@every("command", COMMANDS)
def test_the_page_has_the_result_and_the_command(command: str, table: Path, tmp_path: Path) -> None:
    words, sentence = COMMANDS[command]
    page, paths = tmp_path / "page.html", () if command == "doctor" else (table,)
    plain = run(command, *paths, *words)
    code, out, err = run(command, *paths, *words, "--report", page, "--no-progress")
    assert (code, out) == (0, plain[1])
    assert err.endswith(f"written: {page} ({page.stat().st_size / 1e3:.0f} kB)\n")
    html = page.read_text(encoding="utf-8")
    assert sentence in html
    line = re.search(r"<code>(answersim .*)</code>", html)
    assert line is not None
    built = shlex.split(unescape(line[1]))
    assert set(built) == {
        "answersim",
        command,
        *map(str, paths),
        *(LONG.get(word, word) for word in words),
        "--report",
        str(page),
    }
    assert ("SHA-256 of judged.csv" in html) == bool(paths)
    assert "<b>" not in html


def test_a_page_lists_all_answers_and_the_output_the_requested_ones(table: Path, tmp_path: Path) -> None:
    page, wrong = tmp_path / "page.html", tmp_path / "wrong.csv"
    words = ("--pred", "a", "-m", "recall", "--keep", "wrong", "--report", page, "-o", wrong)
    assert run("evaluate", table, *words)[0] == 0
    assert "40 answers, to search" in page.read_text(encoding="utf-8")
    with wrong.open(newline="", encoding="utf-8") as file:
        assert {row["verdict"] for row in csv.DictReader(file)} == {"wrong"}


@every("command", COMMANDS)
def test_a_page_that_cannot_be_written_is_refused_before_any_work(command: str, table: Path, tmp_path: Path) -> None:
    words = (*(() if command == "doctor" else (table,)), *COMMANDS[command][0])
    assert "a report is an HTML file" in refused(command, *words, "--report", tmp_path / "page.txt")
    assert "no folder to write it in" in refused(command, *words, "--report", tmp_path / "no" / "page.html")
