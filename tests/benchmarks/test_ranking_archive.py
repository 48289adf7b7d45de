"""Runs that are kept for good: what they keep, what they are never taken for, and pages without trainings."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import ranking, ranking_archive
from benchmarks.ranking_archive import Kept, read, write
from rankers.evaluation.evaluation import evaluate
from rankers.fitting import fitting
from rankers.systems import catalog
from rankers.types import Candidate, Question, Questions, Run

pytest.importorskip("torch")

FACTS = {"ranks": "model", "net": {"recipe": {"epochs": 3, "reads": "right"}}}
MEASURES = ("MAP", "MRR", "P@1", "nDCG@5")


@pytest.fixture
def questions() -> Questions:
    rng = np.random.default_rng(0)
    made = [
        Question(
            f"q{i}",
            f"question {i}",
            tuple(Candidate(f"c{j}", f"answer {i} {j}", int(rng.integers(3))) for j in range(1 + i * 40)),
        )
        for i in range(8)
    ]
    return Questions("made", "test", (*made, Question("none", "without candidates", ())))


@pytest.fixture
def kept(questions: Questions) -> Kept:
    rng = np.random.default_rng(1)
    scores = {
        each.id: {one.id: float(rng.integers(60)) / 7 - 3 for one in each.candidates} for each in questions
    }  # many are equal
    return Kept(Run("ggsa", scores, "ggsa|seed:0"), 123, 4.56, 0.78, "cpu (a machine)")


def test_order_ties_costs_and_signature_come_back(tmp_path: Path, questions: Questions, kept: Kept) -> None:
    write(tmp_path / "a" / "x.npz", kept, questions, FACTS)
    found = read(tmp_path / "a" / "x.npz", questions, FACTS)
    assert found is not None
    assert found[1:] == kept[1:]
    assert (found.run.name, found.run.signature) == ("ggsa", "ggsa|seed:0")
    for each in questions:
        own, back = kept.run.scores[each.id], found.run.scores[each.id]
        assert list(back) == [one.id for one in each.candidates]
        for one in own:
            for other in own:
                assert np.sign(own[one] - own[other]) == np.sign(back[one] - back[other])
    first, second = (evaluate(run, questions, MEASURES) for run in (kept.run, found.run))
    for name in MEASURES:
        np.testing.assert_array_equal(first.values[name], second.values[name])
        np.testing.assert_array_equal(first.expected[name], second.expected[name])


def test_more_than_256_places_are_kept(tmp_path: Path) -> None:
    long = Questions("made", "test", (Question("q", "?", tuple(Candidate(f"c{j}", "a", 0) for j in range(700))),))
    run = Run("x", {"q": {f"c{j}": float(j) for j in range(700)}})
    write(tmp_path / "x.npz", Kept(run, 1, 1.0, 1.0, ""), long, {})
    found = read(tmp_path / "x.npz", long, {})
    assert found is not None
    assert sorted(found.run.scores["q"], key=found.run.scores["q"].__getitem__) == [f"c{j}" for j in range(700)]


def test_the_same_is_the_same_file_whatever_order_texts_were_loaded_in(
    tmp_path: Path, questions: Questions, kept: Kept
) -> None:
    turned = replace(
        questions, items=tuple(each._replace(candidates=each.candidates[::-1]) for each in questions.items[::-1])
    )
    write(tmp_path / "a.npz", kept, questions, FACTS)
    write(tmp_path / "b.npz", kept, turned, FACTS)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    found = read(tmp_path / "a.npz", turned, FACTS)
    assert found is not None
    assert list(found.run.scores) == [each.id for each in turned]


def _with(questions: Questions, **changes: Any) -> Questions:
    """The same with another first candidate of the first question."""
    first = questions.items[0]
    other = (first.candidates[0]._replace(**changes), *first.candidates[1:])
    return replace(questions, items=(first._replace(candidates=other), *questions.items[1:]))


@pytest.mark.parametrize(
    "change",
    [
        lambda each: _with(each, text="another"),
        lambda each: _with(each, id="another"),
        lambda each: replace(each, items=each.items[1:]),
        lambda each: replace(each, items=(each.items[0]._replace(text="?"), *each.items[1:])),
    ],
)
def test_other_texts_are_refused(
    change: Callable[[Questions], Questions], tmp_path: Path, questions: Questions, kept: Kept
) -> None:
    write(tmp_path / "x.npz", kept, questions, FACTS)
    with pytest.raises(ValueError, match=r"x\.npz is a run on other questions or candidates: give another archive"):
        read(tmp_path / "x.npz", change(questions), FACTS)


def test_grades_may_be_judged_anew(tmp_path: Path, questions: Questions, kept: Kept) -> None:
    write(tmp_path / "x.npz", kept, questions, FACTS)
    assert read(tmp_path / "x.npz", _with(questions, grade=2), FACTS) is not None


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({**FACTS, "ranks": "committee"}, "(ranks)"),
        ({**FACTS, "net": {"recipe": {"epochs": 4, "reads": "right"}}}, "(net recipe)"),
        ({**FACTS, "net": {"recipe": {"epochs": 3, "reads": "right"}, "pool": 3}}, "(net pool)"),
        ({**FACTS, "start": {}}, "(start)"),
    ],
)
def test_other_facts_are_refused(
    facts: dict[str, Any], says: str, tmp_path: Path, questions: Questions, kept: Kept
) -> None:
    write(tmp_path / "x.npz", kept, questions, FACTS)
    assert read(tmp_path / "y.npz", questions, FACTS) is None
    with pytest.raises(ValueError, match=re.escape(f"x.npz is a run of other settings {says}: give another archive")):
        read(tmp_path / "x.npz", questions, facts)


def test_a_setting_that_came_later_has_its_value_of_before(tmp_path: Path, questions: Questions, kept: Kept) -> None:
    write(tmp_path / "x.npz", kept, questions, {"ranks": "model", "net": {"recipe": {"epochs": 3}}})
    assert read(tmp_path / "x.npz", questions, FACTS) is not None


def test_a_damaged_file_and_one_of_a_later_format_are_refused(tmp_path: Path, questions: Questions, kept: Kept) -> None:
    path = tmp_path / "x.npz"
    write(path, kept, questions, FACTS)
    whole = path.read_bytes()
    for damaged in (whole[:-40], whole[:300] + b"xxxx" + whole[304:], b""):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"x\.npz is damaged .*: remove it, or fetch it again"):
            read(path, questions, FACTS)
    story = json.dumps({"format": ranking_archive.FORMAT + 1}).encode()
    np.savez(path, places=np.zeros(1), story=np.frombuffer(story, dtype=np.uint8))
    with pytest.raises(ValueError, match="is of format 2, this reads 1"):
        read(path, questions, FACTS)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    load = ranking.rankers.data.load
    monkeypatch.setattr(
        ranking.rankers.data,
        "load",
        lambda *asked, **options: replace(found := load(*asked, **options), items=found.items[:12]),
    )


def _asked(*arguments: str) -> tuple[list[dict[str, Any]], str]:
    app = typer.Typer()
    app.command()(ranking.main)
    made = ("--preset", "smoke", "--format", "json", "--metrics", "f1,bi-encoder", "--seeds", "2", *arguments)
    found = CliRunner().invoke(app, list(made))
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout), found.stderr


@pytest.mark.usefixtures("few")
def test_a_page_is_made_again_without_trainings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "archive"
    systems = ("--systems", "bm25,qa-lstm,man-advcom,scan-noisy", "--archive", str(archive))
    first, _ = _asked(*systems, "--folder", str(tmp_path / "trained"))
    names = ("man-advcom", "qa-lstm", "scan-noisy")
    files = [f"toy/smoke/seed-{seed}/{name}.test.npz" for seed in (0, 1) for name in names]
    assert sorted(str(each.relative_to(archive)) for each in archive.rglob("*.npz")) == files
    fit, trained = fitting.fit, []

    def counted(name: str, *others: Any, **more: Any) -> Any:
        trained.append((name, more["seed"]))
        return fit(name, *others, **more)

    taken: list[str] = []

    def watched(path: Path, *others: Any) -> Any:
        taken.append(str(path.relative_to(archive)))
        return read(path, *others)

    monkeypatch.setattr(fitting, "fit", counted)
    monkeypatch.setattr(ranking_archive, "read", watched)
    again, _ = _asked(*systems, "--folder", str(tmp_path / "none"))
    assert again == first
    assert trained == []
    assert sorted(taken) == files  # each of them once
    (archive / "toy/smoke/seed-1/qa-lstm.test.npz").unlink()
    again, _ = _asked(*systems, "--folder", str(tmp_path / "trained"))
    assert again == first
    assert trained == [("qa-lstm", 1)]
    trained.clear()
    page = CliRunner().invoke(_app(), ["--preset", "smoke", "--metrics", "", "--folder", str(tmp_path / "none"),
                                       "--systems", "qa-lstm", "--archive", str(archive)])  # fmt: skip
    assert "1 runs of trained systems come from the archive" in " ".join(page.stdout.split())
    other = CliRunner().invoke(_app(), ["--preset", "smoke", "--metrics", "", "--folder", str(tmp_path / "none"),
                                        "--systems", "global,qa-lstm", "--archive", str(archive),
                                        "--change", "learning_rate=0.002"])  # fmt: skip
    assert other.exit_code == 2  # before the first of them is trained
    assert "is a run of other settings (qa-lstm recipe)" in " ".join(other.output.split())
    assert trained == []


def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(ranking.main)
    return app


def test_facts_tell_all_that_decides_a_system() -> None:
    import rankers

    train, dev = rankers.data.load("toy", "train"), rankers.data.load("toy", "dev")
    found = fitting.facts("dmn-advcom", train, dev, preset="smoke", seed=3)
    assert (found["ranks"], found["calibration"]) == ("committee", "question")
    assert {"dmn-adv", "dmn"} == set(found) - {"ranks", "calibration"}
    assert found["dmn"]["recipe"]["seed"] == found["dmn-adv"]["recipe"]["seed"] == 3
    assert json.loads(json.dumps(found)) == found
    others = [
        fitting.facts("dmn-adv", train, dev, preset="smoke", seed=3),
        fitting.facts("dmn-advcom", train, dev, preset="smoke", seed=4),
        fitting.facts("dmn-advcom", train, dev, preset="cpu", seed=3),
        fitting.facts("dmn-advcom", dev, dev, preset="smoke", seed=3),
        fitting.facts("dmn-advcom", train, train, preset="smoke", seed=3),
        fitting.facts("dmn-advcom", train, dev, preset="smoke", seed=3, changes={"adversary.reward": "literal"}),
    ]
    assert found not in others
    with pytest.raises(ValueError, match="bm25 is not trained"):
        fitting.facts("bm25", train, dev)
    with pytest.raises(LookupError):
        fitting.facts("dmn", train, dev, preset="large")


RESULTS = Path(ranking.__file__).parent / "results"
HOMES: dict[str, dict[str, Any]] = {"runs": {}, "runs-limit-300": {"limit": 300}}  # and what is changed in every recipe
PLACES = sorted(each.relative_to(RESULTS).parts for home in HOMES for each in (RESULTS / home).glob("*/*"))


def named(path: Path) -> tuple[str, str, str]:
    """The system, dataset and split of a kept run; "" for the dataset that was learned from. Systems have dots too."""
    system = max((each for each in catalog.names() if path.name.startswith(f"{each}.")), key=len)
    dataset, _, split = path.stem.removeprefix(f"{system}.").rpartition(".")
    return system, dataset, split


def test_every_folder_of_kept_runs_is_looked_at() -> None:
    assert {each.name for each in RESULTS.iterdir() if each.is_dir()} == set(HOMES)


@pytest.mark.skipif("ANSWERSIM_DATA" not in os.environ, reason="reads the corpora")
@pytest.mark.parametrize(("home", "dataset", "preset"), PLACES)
def test_runs_in_the_tree_are_of_todays_settings_and_texts(home: str, dataset: str, preset: str) -> None:
    """Who changes a recipe or a reader is told here that its pages are to be made again."""
    known = ranking.DATASETS[dataset]
    train, dev = ranking._learned_from(dataset)
    assert train is not None
    assert dev is not None
    changes = {"dev_measure": known.dev_measure, **known.changes, **HOMES[home]}
    tests: dict[tuple[str, str], Questions] = {}
    facts: dict[str, Any] = {}
    paths = sorted((RESULTS / home / dataset / preset / "seed-0").glob("*.npz"))
    for path in paths:
        system, of, split = named(path)
        if (of, split) not in tests:
            judged = ranking.DATASETS[of or dataset]
            tests[of, split] = ranking.rankers.data.load(of or dataset, split, **judged.options)
        if system not in facts:
            facts[system] = fitting.facts(system, train, dev, preset=preset, seed=0, changes=changes)
        found = read(path, tests[of, split], facts[system])
        assert found is not None
        assert found.run.name == system
    assert paths
