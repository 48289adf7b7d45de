"""The comparison that chose the default of rankers.rank."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import rankers
from benchmarks import reranking
from rankers.types import Run

pytest.importorskip("torch")
RESULTS = Path(reranking.__file__).parent / "results" / "reranking.md"


def test_a_fused_run_has_the_sum_of_reciprocal_ranks() -> None:
    questions = rankers.data.load("toy", "dev")
    two = replace(questions, items=questions.items[:2])
    first = Run("a", {q.id: {c.id: float(i) for i, c in enumerate(q.candidates)} for q in two})
    run = reranking.fused([first, first], two, "both")
    for question in two:
        n = len(question.candidates)
        expected = {c.id: 2 / (60 + n - i) for i, c in enumerate(question.candidates)}
        assert run.scores[question.id] == pytest.approx(expected)


def test_each_collection_counts_the_same_in_a_difference() -> None:
    ours = {"small": np.array([1.0, 1.0]), "large": np.zeros(100)}
    theirs = {"small": np.array([0.0, 0.0]), "large": np.zeros(100)}
    assert reranking.macro_difference(ours, theirs) == (0.5, 0.5, 0.5)
    noisy = {"small": np.array([1.0, 0.0, np.nan] * 20), "large": np.zeros(100)}
    value, low, high = reranking.macro_difference(noisy, {"small": np.zeros(60), "large": np.zeros(100)})
    assert value == pytest.approx(0.25)
    assert low < 0.25 < high


def test_questions_are_drawn_by_the_seed_in_their_order() -> None:
    questions = rankers.data.load("toy", "dev")
    some = reranking.some(questions, 10)
    assert [q.id for q in some] == [q.id for q in reranking.some(questions, 10)]
    assert [q.id for q in questions if q in some.items] == [q.id for q in some]
    assert len(some) == 10
    assert reranking.some(questions, 60) is questions


def test_a_table_compares_every_ranker_with_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "RANKERS", ("word-overlap", "random"))
    monkeypatch.setattr(reranking, "FUSED", {"both": ("word-overlap", "random")})
    monkeypatch.setattr(reranking, "DEFAULT_TO_RANK", "word-overlap")
    app = typer.Typer()
    app.command()(reranking.main)
    result = CliRunner().invoke(app, ["--datasets", "toy", "--limit", "20"])
    assert result.exit_code == 0, result.output
    for name in ("bm25", "word-overlap", "random", "both"):
        assert f"\n{name}" in result.output
    assert "toy 20 questions (at most 20, seed 0)" in result.output
    assert CliRunner().invoke(app, ["--split", "train"]).exit_code != 0


def test_no_ranker_of_the_page_is_better_than_the_default() -> None:
    """No interval of a difference from the default is above 0."""
    rows = [line.split("|") for line in RESULTS.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [row[-2].strip() for row in rows if "[" in row[-2]]
    assert len(cells) >= 10
    assert all(float(cell.split("[")[1].split(",")[0]) <= 0 for cell in cells)
