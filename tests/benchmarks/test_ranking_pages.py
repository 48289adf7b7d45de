"""Tables that were made from archived runs: made again, every figure is the same to the last digit."""

from __future__ import annotations

import csv
import os
import re
import shlex
from pathlib import Path

import pytest

from benchmarks import ranking
from benchmarks.ranking_tables import table
from benchmarks.tables import to_csv
from tests.benchmarks.programs import invoke

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

RESULTS = Path(ranking.__file__).parent / "results"
COMMAND = re.compile(r"python -m benchmarks\.ranking (.*?) \(cpu ")
QUICK = {"trecdl19"}
SWEEPS = {"insuranceqa-sweeps", "wikiqa-sweeps"}
OTHER_RUN = ("table", "scoring (s)", "note")  # some seconds are from before the archive


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


def arguments(name: str) -> list[str]:
    """The arguments that a CSV states, without its own files and folders of trainings."""
    notes = [match[1] for row in read(RESULTS / f"{name}.csv") if (match := COMMAND.search(row["note"]))]
    words = shlex.split(notes[0]) if notes else []
    for option in ("--output", "--folder", "--format"):
        if option in words:
            del words[words.index(option) : words.index(option) + 2]
    return words


NAMES = sorted(path.stem for path in RESULTS.glob("*.csv") if "--archive" in arguments(path.stem))


def test_all_tables_with_archived_runs_are_known() -> None:
    insuranceqa = {f"insuranceqa{end}" for end in ("", "-committee", "-multihop", "-sweeps")}
    disjoint = {"fiqa-disjoint", *(f"yahoocqa-disjoint{end}" for end in ("", "-one-seed", "-paper"))}
    wikiqa = {f"wikiqa{end}" for end in ("", "-committee-k", "-controls", "-equation-5", "-no-all", "-sweeps")}
    assert {"antique", "selqa", "trecdl19"} | wikiqa | insuranceqa | disjoint == set(NAMES)
    assert all(len(figures(read(RESULTS / f"{name}.csv"))) > 9 for name in NAMES)


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
    outcome = invoke("ranking", *arguments(name), *more)
    assert outcome.exit_code == 0, outcome.output
    assert not list(tmp_path.rglob("history.json"))  # nothing was trained
    assert figures(read(output)) == figures(read(RESULTS / f"{name}.csv"))


@pytest.mark.data
@pytest.mark.skipif("ANSWERSIM_DATA" not in os.environ, reason="reads the corpora")
@pytest.mark.parametrize(
    "name", [*sorted(QUICK), *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES if name not in QUICK)]
)
def test_archived_runs_have_the_ranking_measures_of_their_table(name: str, tmp_path: Path) -> None:
    """Without encoders, so that it takes seconds."""
    words = arguments(name)
    stated = dict(zip(words[::2], words[1::2], strict=True))
    systems = [system for system in stated["--systems"].split(",") if not system.startswith("minilm")]
    split_results = ranking.results(
        stated["--dataset"],
        systems,
        range(int(stated["--seeds"])),
        preset := stated.get("--preset", "cpu"),
        (),
        tmp_path,
        ranking.parsed([stated["--change"]] if "--change" in stated else []),
        stated.get("--trained-on", ""),
        RESULTS.parents[1] / stated["--archive"],
    )
    known = figures(read(RESULTS / f"{name}.csv"))
    for questions, results in split_results:
        shown = table("title", ranking.DATASETS[stated["--dataset"]], questions, results, [], preset)
        (tmp_path / "part.csv").write_text(to_csv([shown]), encoding="utf-8")
        measured = [
            {cell: value for cell, value in row.items() if not cell.startswith(("training", "parameters"))}
            for row in figures(read(tmp_path / "part.csv"))
        ]
        assert len(measured) == len(systems)
        assert [row for row in measured if not any(row.items() <= one.items() for one in known)] == []
    assert not list(tmp_path.rglob("history.json"))  # nothing was trained
