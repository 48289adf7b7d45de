"""The comparison that chose the default of rankers.rank."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankers
from benchmarks import reranking
from rankers.models.minilm import Parts
from rankers.types import Run

pytest.importorskip("torch")
RESULTS = Path(reranking.__file__).parent / "results"


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
    assert reranking.macro_difference(ours, theirs)[:3] == (0.5, 0.5, 0.5)
    noisy = {"small": np.array([1.0, 0.0, np.nan] * 20), "large": np.zeros(100)}
    found = reranking.macro_difference(noisy, {"small": np.zeros(60), "large": np.zeros(100)})
    assert found.value == pytest.approx(0.25)
    assert found.low < 0.25 < found.high
    assert found.p < 0.001
    assert reranking.macro_difference(noisy, noisy).p == 1.0


class MadeParts:
    """The parts of a hybrid without an encoder: the length of a candidate, and its first letter."""

    signature = "made"
    calls = 0

    def parts(self, questions: Any, candidates: Any) -> list[Parts]:
        self.calls += 1
        return [
            Parts(np.array([float(len(text)) for text in pool]), np.array([ord(text[0]) / 7 for text in pool]))
            for pool in candidates
        ]


def test_stored_scores_are_read_back_to_the_last_digit(tmp_path: Path) -> None:
    questions, made = reranking.load("toy", "dev", 10), MadeParts()
    first = reranking.both_parts(made, questions, tmp_path)  # type: ignore[arg-type] # it has parts
    second = reranking.both_parts(made, questions, tmp_path)  # type: ignore[arg-type]
    assert made.calls == 1
    assert [run.scores for run in first] == [run.scores for run in second]
    other = reranking.load("toy", "dev", 12)
    reranking.both_parts(made, other, tmp_path)  # type: ignore[arg-type]
    assert made.calls == 2  # other questions


def test_runs_of_one_pass_are_weighted_sums_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "MiniLmHybrid", MadeParts)
    monkeypatch.setattr(reranking, "resolve", lambda name: MadeParts())
    questions = reranking.load("toy", "dev", 10)
    runs = reranking.shared("any", {"one": (1.0, 0.0), "both": (1.0, 2.0)}, questions)
    candidate = questions.items[0].candidates[0]
    assert runs["one"].scores[questions.items[0].id][candidate.id] == len(candidate.text)
    both = runs["both"].scores[questions.items[0].id][candidate.id]
    assert both == pytest.approx(len(candidate.text) + 2 * ord(candidate.text[0]) / 7)


def rows(name: str, title: str) -> list[dict[str, str]]:
    """The rows of a table of a study."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["table"] == title and not row["note"]]


def test_no_ranker_of_the_page_is_better_than_the_default() -> None:
    """No interval of a mean difference from the default is above 0."""
    found = [
        row["minus minilm-hybrid"]
        for measure in reranking.MEASURES
        for row in rows("reranking", f"Dev: {measure} of rankers that need no training")
        if row["minus minilm-hybrid"]
    ]
    assert len(found) >= 10
    assert all(float(cell.split("[")[1].split(",")[0]) <= 0 for cell in found)


def test_the_shipped_reranker_is_better_than_the_cosine_on_three_test_splits() -> None:
    compared = rows("reranking-test", f"MRR of {reranking.RERANKER}, collection by collection")
    ours = [row for row in compared if row["other ranker"] == reranking.BI_ENCODER and row["collection"] != "selqa"]
    assert len(ours) >= 6
    assert sum(float(row["difference"].split("[")[0]) > 0 for row in ours) >= 3
