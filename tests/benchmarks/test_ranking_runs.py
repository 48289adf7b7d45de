"""The runs of a baseline that learns from labels: fitted once, archived, and never fitted to the questions it ranks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.ranking_archive import Archive, Key
from benchmarks.ranking_runs import RunSource
from rankers import data
from rankers.evaluation.evaluate import evaluate
from rankers.models.baselines import AnswerOnly
from rankers.types import Questions

pytest.importorskip("sklearn")
pytest.importorskip("pyarrow")
KEY = Key("answer-only", 0, "test")


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


def test_the_run_of_answer_only_is_archived_and_not_fitted_again(
    tmp_path: Path, test: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = source(tmp_path).runs("answer-only", 0, {"test": test})["test"]
    assert list(Archive(tmp_path / "toy.parquet").rows) == [KEY]

    def refused(train: Questions) -> AnswerOnly:
        raise AssertionError("it is fitted again")

    monkeypatch.setattr(AnswerOnly, "fit", refused)
    again = source(tmp_path)
    timed = again.runs("answer-only", 0, {"test": test})["test"]
    assert not list(again.notes())  # they are on trained systems
    assert timed.parameters == first.parameters
    assert evaluate(timed.run, test, ["MRR"]).values["MRR"].tolist() == pytest.approx(
        evaluate(first.run, test, ["MRR"]).values["MRR"].tolist()
    )


def test_a_run_of_other_labels_is_refused(tmp_path: Path, test: Questions) -> None:
    source(tmp_path).runs("answer-only", 0, {"test": test})
    train = data.load("toy", "train")
    fewer = replace(train, items=train.items[1:])
    with pytest.raises(ValueError, match=r"answer-only, seed 0, test\) is a run of other settings \(train\)"):
        source(tmp_path, train=fewer).archived("answer-only", 0, {"test": test})


def test_without_a_train_split_answer_only_is_refused(tmp_path: Path, test: Questions) -> None:
    with pytest.raises(ValueError, match="answer-only has to be trained, but this dataset has no train and dev split"):
        source(tmp_path, train=None, dev=None).runs("answer-only", 0, {"test": test})
