"""Benchmarks of rankers on toy: systems, data sets, runs, and reranking."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import answersim
import rankers
from benchmarks import ranking, reranking
from benchmarks.published import numbers
from benchmarks.ranking_archive import Archive
from benchmarks.ranking_datasets import DATASETS
from benchmarks.ranking_runs import RunSource
from rankers import data
from rankers.evaluation.evaluate import evaluate
from rankers.systems import catalog
from rankers.types import Questions
from tests.benchmarks.made import invoke

pytest.importorskip("torch")

SMOKE = ("--preset", "smoke", "--metrics", "f1", "--folder")


def page(folder: Path, *arguments: str) -> str:
    result = invoke("ranking", *SMOKE, str(folder), *arguments)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy set, cut to a few questions a split."""
    from dataclasses import replace

    load = rankers.data.load

    def few(corpus: str, split: str, **options: Any) -> Any:
        questions = load(corpus, split, **options)
        return replace(questions, items=questions.items[:12])

    monkeypatch.setattr(ranking.rankers.data, "load", few)


def rows_of(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    result = invoke("ranking", *SMOKE, str(folder), "--format", "json", *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.usefixtures("small")
def test_rows_and_page_of_a_toy_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All top candidates are scored in one call."""
    from benchmarks.machine import machine

    called: list[int] = []
    f1 = answersim.metric("f1")

    class Counting:
        signature = f1.signature

        def __call__(self, pairs: Sequence[Any], /) -> Any:
            called.append(len(pairs))
            return f1(pairs)

    monkeypatch.setattr(ranking.answersim, "metric", lambda name: Counting())
    chosen = ("--systems", "random,random,word-overlap,bm25", "--seeds", "2")
    output = page(tmp_path / "runs", *chosen)
    assert len(called) == 1
    assert called[0] > 12
    assert "wrong top candidates that are right in meaning" in output
    made_on = machine()
    rows = rows_of(tmp_path / "runs", *chosen)
    assert {(row["system"], row["seed"]) for row in rows} == {
        *(("random", 0), ("random", 1), ("word-overlap", 0), ("bm25", 0))
    }
    assert {row["measure"] for row in rows} == {"MAP", "MRR", "P@1", "nDCG@5", "f1", "f1 where P@1=0"}
    for row in rows:
        assert (row["dataset"], row["split"], row["preset"], row["device"]) == ("toy", "test", "smoke", made_on.device)
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert row["n_questions"] == 12 or row["measure"].endswith("P@1=0")


def test_published_numbers_are_of_systems_of_the_catalog_and_of_known_sets_and_measures() -> None:
    ranked = {key for key in numbers() if not key[0].startswith(("squad", "nq-open", "germanquad", "tax"))}
    assert {system for _, _, system in ranked} <= set(catalog.names())
    result = {
        (system, measure)
        for dataset in DATASETS.values()
        for split in dataset.tests
        for system, measure in dataset.published_numbers(split)
        if measure in dataset.measures
    }
    assert result == {(system, measure) for _, measure, system in ranked}
    assert DATASETS["wikiqa"].published_numbers("test")["scan-rate-1", "MAP"] == 0.9164
    assert DATASETS["insuranceqa-mini"].published_numbers("test2")["addax", "P@1"] > 0
    assert DATASETS["toy"].published_numbers("test") == {}


def test_nothing_is_trained_on_a_dataset_whose_dev_split_is_its_test() -> None:
    for name, dataset in DATASETS.items():
        assert not {"train", "dev"} & set(dataset.tests), name


pytest.importorskip("sklearn")
pytest.importorskip("pyarrow")


def source(folder: Path, **more: Any) -> RunSource:
    """Runs on the toy set, whose BM25 would count the words of the test split."""
    parts: dict[str, Any] = {
        "counted": data.load("toy", "test"),
        "train": data.load("toy", "train"),
        "dev": data.load("toy", "dev"),
        "home": folder / "trained",
        "archive": Archive(folder / "toy.parquet"),
        "preset": "cpu",
        "overrides": {},
    }
    return RunSource(**parts | more)


@pytest.fixture
def test() -> Questions:
    return data.load("toy", "test")


def test_answer_only_learns_from_train_and_not_from_what_bm25_counts(tmp_path: Path, test: Questions) -> None:
    timed = source(tmp_path).runs("answer-only", 0, {"test": test})["test"]
    assert timed.run.signature == f"answer-only|train:{data.load('toy', 'train').fingerprint}"
    assert timed.parameters == 2**16 + 6
    assert 0.2 < evaluate(timed.run, test, ["P@1"]).mean("P@1") < 0.55  # fitted to the test labels it would be near 1


def test_a_run_of_other_labels_is_refused(tmp_path: Path, test: Questions) -> None:
    source(tmp_path).runs("answer-only", 0, {"test": test})
    train = data.load("toy", "train")
    fewer = replace(train, items=train.items[1:])
    with pytest.raises(ValueError, match=r"answer-only, seed 0, test\) is a run of other settings \(train\)"):
        source(tmp_path, train=fewer).archived("answer-only", 0, {"test": test})


def test_without_a_train_split_answer_only_is_refused(tmp_path: Path, test: Questions) -> None:
    with pytest.raises(ValueError, match="answer-only has to be trained, but this dataset has no train and dev split"):
        source(tmp_path, train=None, dev=None).runs("answer-only", 0, {"test": test})


RESULTS = Path(reranking.__file__).parent / "results"


def rows(name: str, title: str) -> list[dict[str, str]]:
    """The rows of a table of a study."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["table"] == title and not row["note"]]


def test_no_ranker_of_the_page_is_better_than_the_default() -> None:
    """No interval of a mean difference from the default is above 0."""
    results = [
        row["minus minilm-hybrid"]
        for measure in reranking.MEASURES
        for row in rows("reranking", f"Dev: {measure} of rankers that need no training")
        if row["minus minilm-hybrid"]
    ]
    assert len(results) >= 10
    assert all(float(cell.split("[")[1].split(",")[0]) <= 0 for cell in results)


def test_the_shipped_reranker_is_better_than_the_cosine_on_three_test_splits() -> None:
    compared = rows("reranking-test", f"MRR of {reranking.RERANKER}, collection by collection")
    ours = [row for row in compared if row["other ranker"] == reranking.BI_ENCODER and row["collection"] != "selqa"]
    assert len(ours) >= 6
    assert sum(float(row["difference"].split("[")[0]) > 0 for row in ours) >= 3
