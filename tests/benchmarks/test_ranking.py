"""Benchmarks of rankers on toy, and the archived runs behind their pages."""

from __future__ import annotations

import csv
import functools
import json
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import answersim
import rankers
from benchmarks import ranking, ranking_archive, ranking_runs, reranking
from benchmarks.published import numbers
from benchmarks.ranking_archive import Archive, ArchivedRun, Key, read_rows
from benchmarks.ranking_datasets import DATASETS
from benchmarks.ranking_runs import RunSource, is_trained
from rankers import data
from rankers.evaluation import comparison
from rankers.evaluation.evaluate import evaluate
from rankers.systems import catalog, fit
from rankers.types import Candidate, Question, Questions, Run
from tests.benchmarks.made import invoke
from tests.cases import every

pytest.importorskip("torch")

SMOKE = ("--preset", "smoke", "--metrics", "f1", "--folder")


def page(folder: Path, *arguments: str) -> str:
    result = invoke("ranking", *SMOKE, str(folder), *arguments)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy set, cut to a few questions a split."""
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


RESULTS = Path(reranking.__file__).parent / "results"


def rows(name: str, title: str) -> list[dict[str, str]]:
    """The rows of a table of a study."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["table"] == title and not row["note"]]


def test_the_shipped_reranker_is_better_than_the_cosine_on_three_test_splits() -> None:
    compared = rows("reranking-test", f"MRR of {reranking.RERANKER}, collection by collection")
    ours = [row for row in compared if row["other ranker"] == reranking.BI_ENCODER and row["collection"] != "selqa"]
    assert len(ours) >= 6
    assert sum(float(row["difference"].split("[")[0]) > 0 for row in ours) >= 3


PROVENANCE = {"ranks": "model", "net": {"recipe": {"epochs": 3, "reads": "positives"}}}
MEASURES = ("MAP", "MRR", "P@1", "nDCG@5")
KEY = Key("ggsa", 0, "test")


@pytest.fixture
def questions() -> Questions:
    rng = np.random.default_rng(0)
    results = [
        Question(
            f"q{i}",
            f"question {i}",
            tuple(Candidate(f"c{j}", f"answer {i} {j}", int(rng.integers(3))) for j in range(1 + i * 40)),
        )
        for i in range(8)
    ]
    return Questions("made", "test", (*results, Question("none", "without candidates", ())))


@pytest.fixture
def archived(questions: Questions) -> ArchivedRun:
    rng = np.random.default_rng(1)
    scores = {
        question.id: {candidate.id: float(rng.integers(60)) / 7 - 3 for candidate in question.candidates}
        for question in questions
    }  # many are equal
    return ArchivedRun(Run("ggsa", scores, "ggsa|seed:0"), 123, 4.56, 0.78, "cpu (a machine)")


def test_order_ties_costs_and_signature_come_back(tmp_path: Path, questions: Questions, archived: ArchivedRun) -> None:
    Archive(tmp_path / "a" / "x.parquet").put(KEY, archived, questions, PROVENANCE)
    result = Archive(tmp_path / "a" / "x.parquet").get(KEY, questions, PROVENANCE)
    assert result is not None
    assert result[1:] == archived[1:]
    assert (result.run.name, result.run.signature) == ("ggsa", "ggsa|seed:0")
    for question in questions:
        ours, back = archived.run.scores[question.id], result.run.scores[question.id]
        assert list(back) == [candidate.id for candidate in question.candidates]
        for left in ours:
            for right in ours:
                assert np.sign(ours[left] - ours[right]) == np.sign(back[left] - back[right])
    first, second = (evaluate(run, questions, MEASURES) for run in (archived.run, result.run))
    for name in MEASURES:
        np.testing.assert_array_equal(first.values[name], second.values[name])
        np.testing.assert_array_equal(first.tie_averaged[name], second.tie_averaged[name])


def test_runs_of_two_processes_are_both_kept(tmp_path: Path, questions: Questions, archived: ArchivedRun) -> None:
    first, second = Archive(tmp_path / "x"), Archive(tmp_path / "x")
    assert first.rows == second.rows == {}  # both have looked before either writes
    first.put(KEY, archived, questions, PROVENANCE)
    second.put(Key("dmn", 0, "test"), archived, questions, PROVENANCE)
    assert set(Archive(tmp_path / "x").rows) == {KEY, Key("dmn", 0, "test")}


@pytest.mark.parametrize(
    ("provenance", "says"),
    [
        ({**PROVENANCE, "ranks": "committee"}, "(ranks)"),
        ({**PROVENANCE, "net": {"recipe": {"epochs": 4, "reads": "positives"}}}, "(net recipe)"),
        ({**PROVENANCE, "net": {"recipe": {"epochs": 3, "reads": "positives"}, "pool": 3}}, "(net pool)"),
        ({**PROVENANCE, "start": {}}, "(start)"),
    ],
)
def test_another_provenance_is_refused(provenance, says, tmp_path, questions, archived):
    Archive(tmp_path / "x").put(KEY, archived, questions, PROVENANCE)
    assert Archive(tmp_path / "x").get(Key("dmn", 0, "test"), questions, PROVENANCE) is None
    with pytest.raises(
        ValueError, match=re.escape(f"x (ggsa, seed 0, test) is a run of other settings {says}: give another")
    ):
        Archive(tmp_path / "x").get(KEY, questions, provenance)


def test_a_damaged_file_and_one_of_a_later_format_are_refused(tmp_path, questions, archived):
    path = tmp_path / "x"
    Archive(path).put(KEY, archived, questions, PROVENANCE)
    whole = path.read_bytes()
    for damaged in (whole[:-40], whole[:300] + b"xxxx" + whole[304:], b""):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"x is damaged .*: remove it, or fetch it again"):
            Archive(path).get(KEY, questions, PROVENANCE)
    path.write_bytes(whole)
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({"answersim.archive": "3"}), path)
    with pytest.raises(ValueError, match="has the format 3, but this version reads 2"):
        Archive(path).get(KEY, questions, PROVENANCE)


def _rows(*arguments: str) -> list[dict[str, Any]]:
    words = "--preset smoke --format json --metrics f1,bi-encoder --seeds 2".split()
    result = invoke("ranking", *words, *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_page_is_made_again_without_trainings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "archive"
    systems = ("--systems", "bm25,qa-lstm,man-advcom,scan-rate-1-noisy", "--archive", str(archive))
    first = _rows(*systems, "--folder", str(tmp_path / "trained"))
    names = ("man-advcom", "qa-lstm", "scan-rate-1-noisy")
    path = archive / "toy" / "smoke.parquet"
    keys = [Key(name, seed, "test") for name in names for seed in (0, 1)]
    assert [path for path in archive.rglob("*") if path.is_file()] == [path]
    assert list(read_rows(path)) == keys
    train_system, trained = fit.fit, []

    def counted(name: str, *others: Any, **more: Any) -> Any:
        trained.append((name, more["seed"]))
        return train_system(name, *others, **more)

    taken: list[Key] = []
    get = Archive.get

    def watched(self: Archive, key: Key, *others: Any) -> Any:
        taken.append(key)
        return get(self, key, *others)

    monkeypatch.setattr(fit, "fit", counted)
    monkeypatch.setattr(Archive, "get", watched)
    again = _rows(*systems, "--folder", str(tmp_path / "none"))
    assert again == first
    assert trained == []
    assert sorted(taken) == keys  # each of them once
    rows = read_rows(path)
    del rows["qa-lstm", 1, "test"]
    ranking_archive.write_rows(path, rows)
    again = _rows(*systems, "--folder", str(tmp_path / "trained"))
    assert again == first
    assert trained == [("qa-lstm", 1)]
    trained.clear()
    page = invoke("ranking", *["--preset", "smoke", "--metrics", "", "--folder", str(tmp_path / "none"),
                                       "--systems", "qa-lstm", "--archive", str(archive)])  # fmt: skip
    assert "1 runs of trained systems come from the archive" in " ".join(page.stdout.split())
    other = invoke("ranking", *["--preset", "smoke", "--metrics", "", "--folder", str(tmp_path / "none"),
                                        "--systems", "global,qa-lstm", "--archive", str(archive),
                                        "--change", "learning_rate=0.002"])  # fmt: skip
    assert other.exit_code == 2  # before the first of them is trained
    assert "is a run of other settings (qa-lstm recipe)" in " ".join(other.output.split())
    assert trained == []


HOMES: dict[str, dict[str, Any]] = {"runs": {}, "runs-limit-300": {"limit": 300}}  # and what is changed in every recipe
PLACES = sorted(
    (*path.relative_to(RESULTS).parts[:2], path.stem) for home in HOMES for path in (RESULTS / home).glob("*/*.parquet")
)


@every(("home", "dataset", "preset"), PLACES)
def test_archived_runs_are_whole(home: str, dataset: str, preset: str) -> None:
    rows = read_rows(RESULTS / home / dataset / f"{preset}.parquet")
    assert {key.seed for key in rows if is_trained(key.system)} in ({0, 1, 2}, set())
    assert {key.system for key in rows} <= set(catalog.names())
    for key, row in rows.items():  # the seed and the preset of a row are those of its trainings
        if not is_trained(key.system):
            assert key.seed == 0
            assert set(json.loads(row["provenance"])) == {"system", "train"}
            continue
        trainings = [value for value in json.loads(row["provenance"]).values() if isinstance(value, dict)]
        assert {training["recipe"]["seed"] for training in trainings} == {row["seed"]}
        assert {training["preset"] for training in trainings} == {preset}


_learned_from = functools.lru_cache(ranking._learned_from)  # two archives are of one corpus


@functools.lru_cache
def _questions(corpus: str, split: str) -> Questions:
    return ranking.rankers.data.load(corpus, split, **ranking.DATASETS[corpus].options)


@pytest.mark.skipif("ANSWERSIM_DATA" not in os.environ, reason="reads the corpora")
@pytest.mark.parametrize(
    ("home", "dataset", "preset", "step"),
    [
        *((*place, 3) for place in PLACES if place[1] == "wikiqa"),
        *(pytest.param(*place, 1, marks=pytest.mark.slow) for place in PLACES),
    ],
)
def test_archived_runs_are_of_the_present_settings_and_texts(home: str, dataset: str, preset: str, step: int) -> None:
    """A change of a recipe or a reader that makes the pages obsolete fails here."""
    known = ranking.DATASETS[dataset]
    train, dev = _learned_from(dataset)
    assert train is not None
    assert dev is not None
    changes = {"dev_measure": known.dev_measure, **known.overrides, **HOMES[home]}
    archive = Archive(RESULTS / home / dataset / f"{preset}.parquet")
    tests: dict[str, Questions] = {}
    provenance: dict[str, Any] = {}
    for key in [key for key in archive.rows if key.seed == 0][::step]:
        source, _, split = key.texts.rpartition(".")
        if key.texts not in tests:
            tests[key.texts] = _questions(source or dataset, split)
        if key.system not in provenance:
            changed = ranking_runs.with_row_limit(key.system, changes, known.row_limit)
            changed |= {"precision": "bfloat16"} if (key.system, dataset) in IN_BFLOAT16 else {}  # as the pages state
            stated = ranking_runs.provenance(key.system, train, dev, preset=preset, seed=0, overrides=changed)
            provenance[key.system] = stated
        archived = archive.get(key, tests[key.texts], provenance[key.system])
        assert archived is not None
        assert archived.run.name == key.system
    assert provenance


IN_BFLOAT16 = {("hybrid", "antique"), ("hybrid", "fiqa-disjoint")}
COMMAND = re.compile(r"python -m benchmarks\.ranking (.*?) \(cpu ")
SWEEPS = {"insuranceqa-sweeps", "wikiqa-sweeps"}
OTHER_RUN = ("table", "scoring (s)", "note")  # some seconds are from before the archive
UNTRAINED_NETWORKS = {"minilm-biencoder", "minilm-maxsim", "minilm-hybrid"}  # the archive has trained systems only
ENCODED_AGAIN = {"fiqa-disjoint", "yahoocqa-disjoint", "yahoocqa-disjoint-paper"}  # the other corpora take an hour


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def figures(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows of all tables of a run, without the pairs that a former program compared."""
    return [
        {name: cell for name, cell in row.items() if cell and name not in OTHER_RUN}
        for row in rows
        if not row["note"] and "pairs that the papers compare" not in row["table"]
    ]


def without_encoders(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows of single systems, without untrained networks; a corrected p of a pair depends on all pairs."""
    return [row for row in rows if row["system"] not in UNTRAINED_NETWORKS and "against" not in row]


def commands(name: str) -> list[list[str]]:
    """The arguments of each command that a CSV states, without its own files and folders of trainings."""
    notes = [match[1] for row in read(RESULTS / f"{name}.csv") if (match := COMMAND.search(row["note"]))]
    listed = [shlex.split(note) for note in dict.fromkeys(notes)]
    for words in listed:
        for option in ("--output", "--folder", "--format"):
            if option in words:
                del words[words.index(option) : words.index(option) + 2]
    return listed


NAMES = sorted(
    path.stem for path in RESULTS.glob("*.csv") if any("--archive" in words for words in commands(path.stem))
)
NUMBERS = {"one": 1, "two": 2, "three": 3}
STATED = [  # where a number of trainings of `hybrid` is stated beside its corpus
    ("wikiqa", "docs/answer-selection.md", r"(\w+) trainings on 873 questions of WikiQA"),
    ("antique", "docs/answer-selection.md", r"\(267 questions, (\w+) trainings"),
    ("antique", "benchmarks/results/antique.md", r"`hybrid` has a MAP of [\d.]+ \((\w+) trainings"),
    ("fiqa-disjoint", "docs/answer-selection.md", r"\(190 questions, (\w+)\)"),
    ("fiqa-disjoint", "benchmarks/results/fiqa-disjoint.md", r"`hybrid` has an nDCG@5 of [\d.]+ \((\w+) trainings"),
]


@every(("name", "page", "pattern"), STATED)
def test_the_stated_trainings_of_hybrid_are_archived_and_in_the_csv(name: str, page: str, pattern: str) -> None:
    (stated,) = re.findall(pattern, (RESULTS.parents[1] / page).read_text(encoding="utf-8"))
    seeds = {key.seed for key in read_rows(RESULTS / "runs" / name / "cpu.parquet") if key.system == "hybrid"}
    assert seeds == set(range(NUMBERS[stated]))
    listed = {row["seeds"] for row in read(RESULTS / f"{name}.csv") if row["system"] == "hybrid" and row["seeds"]}
    assert listed == {str(NUMBERS[stated])}


def test_every_corpus_has_the_baseline_that_never_reads_the_question() -> None:
    for name in sorted({*NAMES, "toy"} - SWEEPS):
        rows = read(RESULTS / f"{name}.csv")
        titles = {row["table"] for row in rows if re.search(r"\((?:cpu|paper)\)$", row["table"])}
        control = [row["table"] for row in rows if row["system"] == "answer-only" and row["seeds"] == "1"]
        assert sorted(control) == sorted(titles), name
        assert sum("by the train labels of a candidate alone P@1 is" in row["note"] for row in rows) == len(titles)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")  # of long answers, at each run
@pytest.mark.skipif("ANSWERSIM_DATA" not in os.environ, reason="reads the corpora")
@pytest.mark.parametrize("name", NAMES)
def test_tables_made_again_have_the_same_figures(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RESULTS.parents[1])  # the archive is stated relative to the project
    output = tmp_path / "again.csv"
    more = ("--folder", str(tmp_path / "none"), "--format", "csv", "--output", str(output))
    again: list[dict[str, str]] = []
    if name not in ENCODED_AGAIN:
        monkeypatch.setattr(comparison, "randomization", lambda *_: 1.0)  # takes seconds, and no pair is compared here
    for words in commands(name):
        if name not in ENCODED_AGAIN:
            place = words.index("--systems") + 1
            words[place] = ",".join(system for system in words[place].split(",") if system not in UNTRAINED_NETWORKS)
        outcome = invoke("ranking", *words, *more)
        assert outcome.exit_code == 0, outcome.output
        again += [row for row in figures(read(output)) if row not in again]
    assert not list(tmp_path.rglob("history.json"))  # nothing was trained
    listed = figures(read(RESULTS / f"{name}.csv"))
    if name not in ENCODED_AGAIN:
        listed, again = without_encoders(listed), without_encoders(again)
    in_order = functools.partial(sorted, key=lambda row: sorted(row.items()))  # a table may be of two commands
    assert again
    assert in_order(again) == in_order(listed)
