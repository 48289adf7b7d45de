"""``answersim report``: one file, from a table, with the command that makes it again."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.command_line import combined

pytest.importorskip("matplotlib", reason="needs the extra `report`")
pytest.importorskip("jinja2", reason="needs the extra `report`")
pytestmark = pytest.mark.usefixtures("small_files")


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


def test_a_report_holds_computed_metrics_and_columns_of_the_file(table: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    code, text = combined("report", table, "--metric", "f1,em", "-o", output, "--resamples", 20, "--title", "Mine")
    assert code == 0, text
    assert "40 pairs" in text
    html = output.read_text(encoding="utf-8")
    assert "<h1>Mine</h1>" in html
    for name in ("f1", "em", "other"):
        assert f'<th scope="row">{name}' in html
    assert "--metric f1,em --resamples 20 --title Mine --output" in html
    assert "<i>no" not in html
    assert "SHA-256 of the file" in html


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--output", "report.txt"], "a report is an HTML file"),
        (["--label", "verdict"], "no column of"),
        (["--by", "wehn"], "wehn"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(table: Path, words: list[str], complaint: str) -> None:
    code, output = combined("report", table, *words)
    assert code == 2
    assert complaint in output
    assert len(output.strip().splitlines()) == 1


@pytest.fixture
def systems(tmp_path: Path) -> list[Path]:
    """Two files of systems without labels, joined by id."""
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for k, path in enumerate(paths):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "question", "gold", "pred"])
            for i in range(40):
                right = i % (2 + 3 * k)
                writer.writerow([i, f"what is {i}?", f"red stone {i}", f"a red stone {i}" if right else "brick"])
    return paths


def test_a_file_without_labels_is_a_report_on_its_answers(systems: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "out.html"
    code, text = combined("report", systems[0], "-m", "recall,f1", "-o", output)
    assert code == 0, text
    html = output.read_text(encoding="utf-8")
    assert '<p class="lead">20 of 40 right, 50 % [' in html
    assert "answersim report" in html
    assert "--metric recall,f1 --output" in html
    assert '"name":"f1"' in html


def test_several_files_are_compared_and_figures_go_to_a_folder(systems: list[Path], tmp_path: Path) -> None:
    output, folder = tmp_path / "out.html", tmp_path / "figures"
    words = ("report", *systems, "-m", "recall", "--question", "question", "-o", output, "--figures", folder)
    code, text = combined(*words)
    assert code == 0, text
    html = output.read_text(encoding="utf-8")
    assert "new is better than old: +30.0 points [" in html
    assert {path.suffix for path in folder.iterdir()} == {".svg", ".png", ".pdf"}
    assert 'href="figures/differences.pdf"' in html
    assert "data:image" not in html


def test_a_metric_without_a_calibration_is_a_report_with_all_scores(systems: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "out.html"
    code, text = combined("report", systems[0], "-m", "bleu", "-o", output)
    assert code == 0, text
    html = output.read_text(encoding="utf-8")
    assert "not counted as right or wrong" in html
    assert "All 40 answers, to search" in html


def test_labels_in_files_of_systems_correct_the_share(systems: list[Path], tmp_path: Path) -> None:
    for path in systems:
        lines = path.read_text(encoding="utf-8").splitlines()
        labeled = [
            f"{line},{int('stone' in line.rsplit(',', 1)[1]) if i % 2 else ''}" for i, line in enumerate(lines[1:])
        ]
        path.write_text("\n".join([f"{lines[0]},label", *labeled]) + "\n", encoding="utf-8")
    output = tmp_path / "out.html"
    code, text = combined("report", *systems, "-m", "recall", "-o", output)
    assert code == 0, text
    html = output.read_text(encoding="utf-8")
    assert html.count("by 20 human labels, ") == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--label-from", "1"], "--label-from is given, but it has no effect on a report of the kind 'answers'"),
        (["--score", "other"], "--score is given, but"),
        (["--kind", "anwsers"], "did you mean 'answers'?"),
        (["--figures", "old.csv"], "is a file; give the name of a folder"),
    ],
)
def test_what_does_not_fit_answers_is_refused(
    systems: list[Path], words: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = combined("report", "old.csv", "-m", "recall", *words)
    assert code == 2
    assert complaint in output
    assert len(output.strip().splitlines()) == 1
    assert not (tmp_path / "report.html").exists()


def test_a_study_refuses_what_is_for_answers(table: Path, tmp_path: Path) -> None:
    code, output = combined("report", table, "-m", "f1", "--low", "0.1", "-o", tmp_path / "out.html")
    assert code == 2
    assert "--low is given, but it has no effect on a report of the kind 'study'" in output


def test_a_column_of_labels_that_is_empty_is_no_study(systems: list[Path], tmp_path: Path) -> None:
    lines = systems[0].read_text(encoding="utf-8").splitlines()
    systems[0].write_text("\n".join([f"{lines[0]},label", *(f"{line}," for line in lines[1:])]), encoding="utf-8")
    code, text = combined("report", systems[0], "-m", "recall", "-o", tmp_path / "out.html")
    assert code == 0, text
    assert "20 of 40 right" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_evaluate_writes_the_same_page_beside_its_output(systems: list[Path], tmp_path: Path) -> None:
    page, wrong = tmp_path / "page.html", tmp_path / "wrong.csv"
    words = (
        "evaluate",
        systems[0],
        "-m",
        "recall",
        "--keep",
        "wrong",
        "--report",
        page,
        "-o",
        wrong,
    )
    code, text = combined(*words)
    assert code == 0, text
    assert "20 of 40 right, 50 % [" in page.read_text(encoding="utf-8")
    with wrong.open(newline="", encoding="utf-8") as file:
        assert {row["verdict"] for row in csv.DictReader(file)} == {"wrong"}
    code, text = combined("evaluate", systems[0], "-m", "recall", "--report", tmp_path / "page.txt")
    assert code == 2
    assert "a report is an HTML file" in text
