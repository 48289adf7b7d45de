"""Pages of results that were made from archived runs: made again, every figure is the same to the last digit."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from benchmarks import ranking
from benchmarks.ranking_tables import table
from benchmarks.tables import render
from tests.benchmarks.programs import invoke

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

RESULTS = Path(ranking.__file__).parent / "results"
COMMAND = re.compile(r"`python -m benchmarks\.ranking (.*?) \(cpu ")


def _arguments(page: Path) -> list[str]:
    """The arguments that the page states, without its own files and folders of trainings."""
    match = COMMAND.search(page.read_text(encoding="utf-8"))
    assert match is not None, page
    words = shlex.split(match[1])
    for option in ("--output", "--folder", "--results"):
        if option in words:
            del words[words.index(option) : words.index(option) + 2]
    return words


PAGES = {
    page.name
    for page in RESULTS.glob("*.md")
    if (command := COMMAND.search(page.read_text(encoding="utf-8"))) is not None and "--archive" in command[1]
}
QUICK = {"trecdl19.md"}
SWEEPS = {"insuranceqa-sweeps.md", "wikiqa-sweeps.md"}


def figures(page: str) -> list[str]:
    """The rows of all tables, without the seconds of scoring: some pages have them from before the archive."""
    rows, has_seconds = [], False
    for line in page.splitlines():
        if not line.startswith("|"):
            has_seconds = False
            continue
        cells = line.strip("|").split("|")
        has_seconds = has_seconds or cells[-1].strip() == "scoring (s)"
        rows.append("|".join(cells[:-1] if has_seconds else cells))
    return rows


def test_all_pages_with_archived_runs_are_known() -> None:
    insuranceqa = {f"insuranceqa{end}.md" for end in ("", "-committee", "-multihop", "-sweeps")}
    disjoint = {"fiqa-disjoint.md", *(f"yahoocqa-disjoint{end}.md" for end in ("", "-one-seed", "-paper"))}
    wikiqa = {f"wikiqa{end}.md" for end in ("", "-committee-k", "-controls", "-equation-5", "-no-all", "-sweeps")}
    others = {"antique.md", "selqa.md", "trecdl19.md"}
    assert others | wikiqa | insuranceqa | disjoint == PAGES
    assert all(len(figures((RESULTS / name).read_text(encoding="utf-8"))) > 20 for name in PAGES)


def test_every_page_has_the_baseline_that_never_reads_the_question() -> None:
    for name in sorted({*PAGES, "toy.md"} - SWEEPS):
        page = (RESULTS / name).read_text(encoding="utf-8")
        n_splits = len(re.findall(r"\((?:cpu|paper)\)\*\*$", page, re.MULTILINE))
        assert n_splits >= 1
        assert len(re.findall(r"^\| answer-only \| 1 \|", page, re.MULTILINE)) == n_splits, name
        assert page.count("by the train labels of a candidate alone P@1 is") == n_splits, name


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.filterwarnings("ignore::answersim.errors.TruncationWarning")  # of long answers, at each run
@pytest.mark.skipif("ANSWERSIM_DATA" not in os.environ, reason="reads the corpora")
@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_made_again_has_the_same_figures(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RESULTS.parents[1])  # the archive is stated relative to the project
    output = tmp_path / name
    arguments = [*_arguments(RESULTS / name), "--folder", str(tmp_path / "none"), "--output", str(output)]
    outcome = invoke("ranking", *arguments)
    assert outcome.exit_code == 0, outcome.output
    assert not list(tmp_path.rglob("history.json"))  # nothing was trained
    assert figures(output.read_text(encoding="utf-8")) == figures((RESULTS / name).read_text(encoding="utf-8"))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _measured(page: str) -> set[tuple[str, ...]]:
    """The rows of the tables of systems, up to the last ranking measure."""
    rows, width = set(), 0
    for line in page.splitlines():
        if not line.startswith("|"):
            width = 0
        elif _cells(line)[0] == "system":
            width = max((i + 1 for i, cell in enumerate(_cells(line)) if cell.startswith("ranking ")), default=0)
        elif width and not line.startswith("| ---"):
            rows.add(tuple(_cells(line)[:width]))
    return rows


@pytest.mark.data
@pytest.mark.skipif("ANSWERSIM_DATA" not in os.environ, reason="reads the corpora")
@pytest.mark.parametrize(
    "name", [*sorted(QUICK), *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(PAGES - QUICK))]
)
def test_archived_runs_have_the_ranking_measures_of_their_page(name: str, tmp_path: Path) -> None:
    """Without encoders, so that it takes seconds."""
    words = _arguments(RESULTS / name)
    stated = dict(zip(words[::2], words[1::2], strict=True))
    systems = [system for system in stated["--systems"].split(",") if not system.startswith("minilm")]
    archive = RESULTS.parents[1] / stated["--archive"]
    split_results = ranking.results(
        stated["--dataset"],
        systems,
        range(int(stated["--seeds"])),
        preset := stated.get("--preset", "cpu"),
        (),
        tmp_path,
        ranking.settings_of([stated["--change"]] if "--change" in stated else []),
        ranking.EvaluationSettings(trained_on=stated.get("--trained-on", "")),
        archive,
    )
    on_page = _measured((RESULTS / name).read_text(encoding="utf-8"))
    for questions, results in split_results:
        shown = table("title", ranking.DATASETS[stated["--dataset"]], questions, results, [], preset)
        measured = _measured(render([shown], [], "markdown"))
        assert len(measured) == len(systems)
        assert measured <= on_page
    assert not list(tmp_path.rglob("history.json"))  # nothing was trained
