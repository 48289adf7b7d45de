"""``answersim report``: one file, from a table, with the command that makes it again."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("matplotlib", reason="needs the extra `report`")
pytest.importorskip("jinja2", reason="needs the extra `report`")

from answersim.__main__ import app


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "judged.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["gold", "pred", "label", "other"])
        for i in range(40):
            right = i % 2
            writer.writerow(
                [f"answer {i}", f"answer {i}" if right else f"<i>no {i}", 2 * right, 0.5 + 0.01 * i * right]
            )
    return path


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


def test_a_report_holds_computed_metrics_and_columns_of_the_file(table: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    code, text = run("report", table, "--metrics", "f1,em", "-o", output, "--resamples", 20, "--title", "Mine")
    assert code == 0, text
    assert "40 pairs" in text
    html = output.read_text(encoding="utf-8")
    assert "<h1>Mine</h1>" in html
    for name in ("f1", "em", "other"):
        assert f'<th scope="row">{name}' in html
    assert "--metrics f1,em --title Mine --resamples 20 --output" in html
    assert "<i>no" not in html
    assert "SHA-256 of the file" in html


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--output", "report.txt"], "a report is an HTML file"),
        (["--output", "nowhere/report.html"], "no folder to write it in"),
        (["--label", "verdict"], "no column of"),
        (["--metrics", "f2"], "no metric is called 'f2'"),
        (["--by", "wehn"], "wehn"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(table: Path, words: list[str], complaint: str) -> None:
    code, output = run("report", table, *words)
    assert code == 2
    assert complaint in output
    assert len(output.strip().splitlines()) == 1


def test_an_unreadable_file_leaves_an_old_report(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    output.write_text("old")
    code, text = run("report", tmp_path / "none.csv", "-o", output)
    assert code == 2
    assert "no file at" in text
    assert output.read_text() == "old"
