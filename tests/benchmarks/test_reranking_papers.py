"""The table with the systems of the papers: archived runs, on the questions and candidates at hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import rankers
from benchmarks import reranking_papers as beside
from benchmarks.ranking_archive import Archive, ArchivedRun, Key
from rankers.models.baselines import RandomOrder, WordOverlap
from rankers.types import Questions

pytest.importorskip("pyarrow")


@pytest.fixture
def some() -> Questions:
    """Twenty questions of the toy set, with five candidates each."""
    toy = rankers.data.load("toy", "test")
    return replace(toy, items=tuple(item._replace(candidates=item.candidates[:5]) for item in toy.items[:20]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An archive with three trainings of ``scan`` on all questions."""
    toy, archive = rankers.data.load("toy", "test"), Archive(tmp_path / "toy" / "cpu.parquet")
    for seed in (2, 0, 1):
        run = rankers.run(RandomOrder(seed), toy, "scan")
        archive.put(Key("scan", seed, "test"), ArchivedRun(run, 1, 2.0, 0.6, "here"), toy, {"seed": seed})
    return tmp_path


def test_archived_runs_are_evaluated_on_the_candidates_at_hand(folder: Path, some: Questions) -> None:
    found = beside.archived("toy", some, folder, "MRR")
    assert list(found) == ["scan"]
    expected = [
        rankers.evaluate(rankers.run(RandomOrder(seed), some), some, measures=["MRR"]).mean("MRR") for seed in range(3)
    ]
    assert [one.mean("MRR") for one in found["scan"].evaluations] == pytest.approx(expected)
    assert found["scan"].milliseconds == pytest.approx(600 / 120)


def test_the_tables_have_means_times_and_differences(folder: Path, some: Questions) -> None:
    papers = {"toy": beside.archived("toy", some, folder, "MRR")}
    evaluation = rankers.evaluate(rankers.run(WordOverlap(), some), some, measures=["MRR"])
    untrained = {("toy", name): evaluation for name in beside.UNTRAINED}
    means, against = beside.tables(untrained, papers, dict.fromkeys(beside.UNTRAINED, 1.25), "MRR")
    by_name = {row[0]: row for row in means.rows}
    assert by_name["bm25"][2] == by_name["minilm-hybrid"][2] == beside._mean([evaluation], "MRR")
    assert by_name["bm25"][3] == "1.2"
    assert by_name["addax"][2] == ""
    (row,) = against.rows
    scan = beside._mean(papers["toy"]["scan"].evaluations, "MRR")
    difference = float(scan.split()[0]) - evaluation.mean("MRR")
    assert float(str(row[3]).split()[0]) == pytest.approx(difference, abs=1e-3)


def test_a_question_is_timed_after_a_first_call(some: Questions) -> None:
    assert 0 <= beside.milliseconds(WordOverlap(), some) < 1000
