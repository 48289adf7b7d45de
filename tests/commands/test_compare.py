"""``answersim compare``: its sentence, the changed answers, its files, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from answersim import files
from answersim.__main__ import app

GOLD = ["Rome", "Oslo", "Paris", "Lima"]


@pytest.fixture(autouse=True)
def _recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --metric, the metric is recall: no network runs."""
    monkeypatch.setattr("answersim.scoring.default_metric", lambda profile: "recall")


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


def system(path: Path, preds: list[str], **more: object) -> Path:
    rows = [
        {"id": i, "question": f"q{i}", "gold": GOLD[i % 4], "pred": preds[i % len(preds)], **more} for i in range(80)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return system(tmp_path / "old.jsonl", ["Rome", "Bergen", "Paris", "Quito"])


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return system(tmp_path / "new.jsonl", ["Milan", "Oslo", "Paris", "Lima"])


def test_the_first_line_names_the_better_system(old: Path, new: Path) -> None:
    status, output = run("compare", old, new)
    assert status == 0
    assert output.startswith("new is better than old: 0.750 against 0.500, difference +0.250 [")
    assert "better on 40, same on 20, worse on 20 questions; 20 went wrong and 40 became right" in output
    assert "metric: recall, signature: recall|text:en|rev:1" in output


def test_changed_answers_are_listed_and_written(old: Path, new: Path, tmp_path: Path) -> None:
    table, numbers = tmp_path / "changed.csv", tmp_path / "numbers.json"
    _, output = run("compare", old, new, "--rows", 2, "--changed", table, "-o", numbers)
    assert "... and 58 more" in output
    rows = files.read(table).rows
    assert [row["change"] for row in rows] == ["went wrong"] * 20 + ["became right"] * 40
    assert rows[0] | {"id": ""} == {
        "id": "", "change": "went wrong", "score old": "1.0", "score new": "0.0", "gold": "Rome", "old": "Rome",
        "new": "Milan",
    }  # fmt: skip
    record = json.loads(numbers.read_text(encoding="utf-8"))
    assert record["pairs"][0]["difference"]["value"] == 0.25
    assert record["soft_pairwise_accuracy"] is None


def test_several_systems_are_corrected_together(old: Path, new: Path, tmp_path: Path) -> None:
    third = system(tmp_path / "third.jsonl", ["Rome"])
    status, output = run("compare", old, new, third, "--rows", 0)
    assert status == 0
    assert "p after Holm's correction over 3 pairs" in output
    assert "went wrong   " not in output


def test_labels_and_columns_of_scores_are_used(tmp_path: Path) -> None:
    one, other = (system(tmp_path / f"{name}.jsonl", ["x"], s=i, label=i) for i, name in enumerate("ab"))
    _, output = run("compare", one, other, "--score", "s")
    assert "b is better than a: 1.000 against 0.000" in output
    assert "by human labels: +1.000" in output
    assert "soft pairwise accuracy with the human labels: 1.000" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["old.jsonl"], "1 file is given, but a comparison needs at least 2"),
        (["old.jsonl", "old.jsonl"], "is given twice"),
        (["old.jsonl", "gone.jsonl"], "no file at"),
        (["old.jsonl", "new.jsonl", "--id", "key"], "has no column 'key'"),
        (["old.jsonl", "new.jsonl", "--gold", "pred"], "--gold and --pred both name the column 'pred'"),
        (["old.jsonl", "new.jsonl", "-m", "recal"], "did you mean 'recall'"),
        (["old.jsonl", "new.jsonl", "--score", "pred"], "the score 'pred' is"),
        (["old.jsonl", "new.jsonl", "-o", "x.csv"], "x.csv has the suffix '.csv'; the numbers are written as .json"),
        (["old.jsonl", "new.jsonl", "--changed", "old.jsonl"], "is the input"),
        (["old.jsonl", "new.jsonl", "--level", "95"], "level is 95"),
        (["old.jsonl", "new.jsonl", "--question", "q"], "has no column 'q'"),
        (["old.jsonl", "new.jsonl", "--question", "question"], "reads no question"),
        (
            ["old.jsonl", "new.jsonl", "--question", "question", "--score", "id"],
            "--question and --score are both given",
        ),
    ],
)
def test_bad_input_ends_with_one_line_and_status_2(
    old: Path, new: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(old.parent)
    status, output = run("compare", *words)
    assert status == 2
    assert message in output
    assert len(output.strip().splitlines()) == 1
