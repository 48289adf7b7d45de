"""``answersim gate``: exit statuses 0, 1, 2 and 3, and the Markdown summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from answersim.__main__ import app


@pytest.fixture(autouse=True)
def _recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --metric, the metric is recall: no network runs."""
    monkeypatch.setattr("answersim.scoring.default_metric", lambda profile: "recall")


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


def system(path: Path, correct: int, n: int = 200, **more: object) -> Path:
    rows = [
        {"id": i, "gold": ["Rome", "Roma"], "pred": "Rome" if i < correct else f"Oslo {i}", **more} for i in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("correct", "drop", "status", "title"),
    [
        (170, 0.05, 0, "### Pass: new is not worse than old by 0.05 or more"),
        (120, 0.05, 1, "### Fail: new is worse than old by more than 0.05"),
        (155, 0.05, 3, "### Undecided: it is unclear whether new is worse than old by 0.05"),
        (160, 0, 0, "### Pass"),  # identical predictions
    ],
)
def test_the_exit_status_is_the_decision(tmp_path: Path, correct: int, drop: float, status: int, title: str) -> None:
    old, new = system(tmp_path / "old.jsonl", 160), system(tmp_path / "new.jsonl", correct)
    output = tmp_path / "decision.json"
    found, text = run("gate", old, new, "--metric", "recall", "--max-drop", drop, "-o", output)
    assert found == status
    assert text.startswith(title)
    record = json.loads(output.read_text(encoding="utf-8"))
    assert record["status"] == status
    assert len(record["changed"]) == abs(correct - 160)
    assert all(row["id"] == str(row["row"]) for row in record["changed"])


def test_verdicts_near_the_threshold_are_counted(tmp_path: Path) -> None:
    old, new = (system(tmp_path / f"{name}.jsonl", 100, s=0.501) for name in ("old", "new"))
    status, text = run("gate", old, new, "--score", "s", "--noise", 0.002, "--max-drop", 0.5)
    assert status == 0
    assert "verdict flicker: 200 questions have a score nearer to the threshold 0.5 than the numerical noise" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[1:], "new.jsonl lacks 1 id ('0') of"),
        (lambda rows: [*rows, rows[3]], "1 id in 'id' occurs more than once: '3' (rows 4, 201)"),
        (
            lambda rows: [row | {"pred": None} for row in rows],
            "200 rows cannot be scored: row 1: 'pred of new' is null",
        ),
        (lambda rows: [row | {"gold": "x"} for row in rows], "'gold' differs between"),
        (lambda rows: [], "new.jsonl has no rows"),
    ],
)
def test_faults_of_the_files_end_with_status_2(tmp_path: Path, change, message: str) -> None:
    old, new = system(tmp_path / "old.jsonl", 100), system(tmp_path / "new.jsonl", 100)
    rows = change([json.loads(line) for line in new.read_text(encoding="utf-8").splitlines()])
    new.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    status, output = run("gate", old, new)
    assert status == 2
    assert message in output


@pytest.mark.parametrize("drop", ["-0.1", "2", "nan"])
def test_an_allowed_drop_outside_0_to_1_ends_with_status_2(tmp_path: Path, drop: str) -> None:
    old, new = system(tmp_path / "old.jsonl", 100), system(tmp_path / "new.jsonl", 90)
    status, output = run("gate", old, new, "--max-drop", drop)
    assert status == 2
    assert "max_drop is" in output
