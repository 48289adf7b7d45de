"""answersim samples: from a file with one row per sample to maj@k and pass@k."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.command_line import combined

run = partial(combined, "samples")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "samples.jsonl"
    preds = ["0.5", "The answer is \\boxed{1/2}", "2", "3"]
    rows = [{"q": f"q{i}", "gold": "1/2", "pred": pred} for i in range(3) for pred in preds]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_the_majority_and_the_best_of_k_are_printed(table: Path, tmp_path: Path) -> None:
    code, text = run(table, "--question", "q", "--k", "1,4", "-n", "1", "-o", tmp_path / "groups.csv")
    assert code == 0, text
    assert text.startswith("samples: 12 samples of 3 questions; maj@4 1.000 [0.292, 1.000], pass@4 1.000")
    assert "The questions with the highest entropy" in text
    assert len((tmp_path / "groups.csv").read_text(encoding="utf-8").splitlines()) == 1 + 3 * 3


def test_one_metric_alone_decides_and_json_has_all_groups(table: Path) -> None:
    code, text = run(table, "--question", "q", "-m", "em", "--format", "json", "--extract", "boxed")
    assert code == 0, text
    found = json.loads(text)
    assert found["signature"].endswith("|extract:boxed.2")
    assert found["at"][1]["majority"]["value"] == 0.25
    assert len(found["questions"][0]["groups"]) == 4


def test_mistakes_end_with_one_line(table: Path) -> None:
    assert run(table)[1].endswith("or another one with --group (group=)\n")
    code, text = run(table, "--question", "q", "--k", "8")
    assert code == 2
    assert "no question has more than 4 samples" in text
    assert run(table, "--question", "q", "--k", "many")[0] == 2
