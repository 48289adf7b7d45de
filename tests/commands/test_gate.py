"""``answersim gate``: exit statuses 0, 1, 2 and 3, and the Markdown summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import combined


@pytest.fixture(autouse=True)
def _recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --metric, the metric is recall: no network runs."""
    monkeypatch.setattr("answersim.catalog.lookup.DEFAULT_METRIC", "recall")


def system(path: Path, correct: int, n: int = 200, **more: object) -> Path:
    rows = [
        {"id": i, "gold": ["Rome", "Roma"], "pred": "Rome" if i < correct else f"Oslo {i}", **more} for i in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("correct", "drop", "status", "title"),
    [
        (170, 0.05, 0, "### Pass: new\n\n- Pass (at most 5 points of right answers below old)"),
        (120, 0.05, 1, "### Fail: new\n\n- Fail (at most 5 points of right answers below old)"),
        (155, 0.05, 3, "### Undecided: new\n\n- Undecided (at most 5 points of right answers"),
    ],
)
def test_the_exit_status_is_the_decision(tmp_path: Path, correct: int, drop: float, status: int, title: str) -> None:
    old, new = system(tmp_path / "old.jsonl", 160), system(tmp_path / "new.jsonl", correct)
    output = tmp_path / "decision.json"
    found, text = combined("gate", old, new, "--metric", "recall", "--max-drop", drop, "-o", output)
    assert found == status
    assert text.startswith(title)
    record = json.loads(output.read_text(encoding="utf-8"))
    assert record["status"] == status
    assert len(record["comparison"]["changed"]) == abs(correct - 160)
    assert all(row["id"] == str(row["row"]) for row in record["comparison"]["changed"])


def test_the_summary_is_written_and_settings_of_the_metric_are_given(tmp_path: Path) -> None:
    old, new = system(tmp_path / "old.jsonl", 160), system(tmp_path / "new.jsonl", 160)
    words = ("-m", "typed+recall", "--option", "tolerance=0.01", "--threshold", 0.5, "-o", tmp_path / "summary.md")
    for paths in ((old, new), (new, "--min-right", 0.5)):
        status, text = combined("gate", *paths, *words)
        assert status == 0, text
        assert (tmp_path / "summary.md").read_text(encoding="utf-8") == text
        assert "- metric: `typed+recall`" in text
    status, text = combined("gate", old, new, "-o", tmp_path / "summary.txt")
    assert (status, "a result is written as: .json, .md, .tex, .csv" in text) == (2, True)


def test_verdicts_near_the_threshold_are_counted(tmp_path: Path) -> None:
    old, new = (system(tmp_path / f"{name}.jsonl", 100, s=0.501) for name in ("old", "new"))
    status, text = combined("gate", old, new, "--score", "s", "--noise", 0.002, "--max-drop", 0.5, "--threshold", 0.5)
    assert status == 0
    assert "verdict flicker: 200 questions with a score nearer to the threshold 0.5 than the numerical noise" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[1:], "new.jsonl lacks 1 id ('0') of"),
        (lambda rows: [*rows, rows[3]], "1 id in 'id' occurs more than once: '3' (rows 4, 201)"),
    ],
)
def test_faults_of_the_files_end_with_status_2(tmp_path: Path, change, message: str) -> None:
    old, new = system(tmp_path / "old.jsonl", 100), system(tmp_path / "new.jsonl", 100)
    rows = change([json.loads(line) for line in new.read_text(encoding="utf-8").splitlines()])
    new.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    status, output = combined("gate", old, new)
    assert status == 2
    assert message in output


@pytest.mark.parametrize(
    ("least", "status", "title"),
    [
        (0.6, 0, "### Pass: new\n\n- Pass (at least 60 % right): the 95% interval of the share of right answers"),
        (0.9, 1, "### Fail: new\n\n- Fail (at least 90 % right)"),
        (0.79, 3, "### Undecided: new\n\n- Undecided (at least 79 % right)"),
    ],
)
def test_a_share_of_right_answers_is_a_bar_without_a_baseline(
    tmp_path: Path, least: float, status: int, title: str
) -> None:
    new, output = system(tmp_path / "new.jsonl", 160), tmp_path / "decision.json"
    found, text = combined("gate", new, "-m", "recall", "--min-right", least, "-o", output)
    assert found == status, text
    assert text.startswith(title)
    assert "| right, % | 80.0 [" in text
    record = json.loads(output.read_text(encoding="utf-8"))
    assert (record["status"], record["bars"][0]["name"], record["share"]["value"]) == (status, "min_right", 0.8)


@pytest.mark.parametrize(("correct", "least", "status"), [(160, 0.6, 0), (160, 0.9, 1), (155, 0.5, 3)])
def test_both_bars_must_pass(tmp_path: Path, correct: int, least: float, status: int) -> None:
    old, new = system(tmp_path / "old.jsonl", 160), system(tmp_path / "new.jsonl", correct)
    found, text = combined("gate", old, new, "-m", "recall", "--max-drop", 0.05, "--min-right", least)
    assert found == status, text
    assert text.count("(at ") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there is no baseline"),
        (["--max-drop", "0.1", "--min-right", "0.5"], "there is no baseline"),
        (["--min-right", "1.5"], "min_right is 1.5"),
        (["--min-right", "0.5", "-m", "bleu"], "no calibration ships for bleu"),
        (["--pred", "pred,other,id"], "there are 3 pairs of systems, but a gate has a baseline and a candidate"),
    ],
)
def test_a_gate_without_a_bar_is_an_error(tmp_path: Path, words: list[str], message: str) -> None:
    row = {"gold": "Rome", "pred": "Rome", "other": "Rome"}
    rows = [json.dumps(row | {"id": f"x{i}"}) + "\n" for i in range(20)]
    (tmp_path / "new.jsonl").write_text("".join(rows), encoding="utf-8")
    status, output = combined("gate", tmp_path / "new.jsonl", *words)
    assert status == 2, output
    assert message in output


def test_one_table_with_two_columns_has_a_baseline(tmp_path: Path) -> None:
    rows = [{"gold": "Rome", "old": "Rome", "new": "Rome" if i % 4 else "Oslo"} for i in range(100)]
    path = tmp_path / "both.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    status, text = combined("gate", path, "--pred", "old,new", "-m", "em")
    assert status == 1
    assert text.startswith("### Fail: new")
    assert "| right answers | 100 | 75 | -25 |" in text


def test_a_number_of_questions_that_nobody_has_is_bounded(tmp_path: Path) -> None:
    old, new = system(tmp_path / "old.jsonl", 160), system(tmp_path / "new.jsonl", 159)
    status, text = combined("gate", old, new, "-m", "recall", "--max-drop", "1e-9")
    assert status == 3
    assert "more than 1,000,000 questions would decide in 8 of 10 cases" in text
