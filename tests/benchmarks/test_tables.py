"""Tables of results, and the simulations of coverage behind one of them."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import benchmarks
from answersim.answers.typed.comparison import no_opinion
from benchmarks import math_pairs
from benchmarks.coverage import LABELS, Population, simulated
from benchmarks.interval_coverage import (
    differences_of_systems,
    means_of_populations,
    of_differences,
    of_labels,
    of_means,
    tables,
)
from benchmarks.interval_grids import Clustered, of_clusters
from benchmarks.rules import GROUPS
from benchmarks.tables import Column, Table, render
from tests.benchmarks.made import invoke, message
from tests.cases import cases_of, every

TABLES = cases_of(__file__)

TABLE = Table(
    title="Rank_100 & more",
    columns=(
        Column("metric"),
        Column("n"),
        Column("r", "F1=0 (n=3)"),
        Column("tau", "F1=0 (n=3)"),
        Column("tau", "F1!=0 (n=2)"),
    ),
    rows=(("f1", 942, 0.59361, -0.25, math.nan), ("[bold]|x|", 7, 1.0, None, -0.0001)),
    notes=("f1|text:en|v:0.2.0",),
)
RECORDS = [{"metric": "f1", "n": 942, "pearson": 0.5936123456789012, "kendall": math.nan}]


def test_text():
    assert render([TABLE], [], "text") == (
        "Rank_100 & more\n"
        "\n"
        "          |     | F1=0 (n=3) |        | F1!=0 (n=2)\n"
        "metric    |   n |          r |    tau |         tau\n"
        "----------+-----+------------+--------+------------\n"
        "f1        | 942 |      0.594 | -0.250 |         nan\n"
        "[bold]|x| |   7 |      1.000 |        |       0.000\n"
        "\n"
        "  f1|text:en|v:0.2.0\n"
    )


def test_markdown():
    assert render([TABLE], [], "markdown") == (
        "**Rank_100 & more**\n"
        "\n"
        "| metric | n | F1=0 (n=3) r | F1=0 (n=3) tau | F1!=0 (n=2) tau |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| f1 | 942 | 0.594 | -0.250 | nan |\n"
        "| [bold]\\|x\\| | 7 | 1.000 |  | 0.000 |\n"
        "\n"
        "- `f1|text:en|v:0.2.0`\n"
    )


def test_csv():
    other = Table.of("Other", ("n", "file", "n"), ((1, 'a, "b"', 2),))
    assert render([TABLE, other], [], "csv") == (
        "table,metric,n,F1=0 (n=3) r,F1=0 (n=3) tau,F1!=0 (n=2) tau,file,n 2,note\n"
        "Rank_100 & more,f1,942,0.594,-0.250,nan,,,\n"
        "Rank_100 & more,[bold]|x|,7,1.000,,0.000,,,\n"
        "Rank_100 & more,,,,,,,,f1|text:en|v:0.2.0\n"
        'Other,,1,,,,"a, ""b""",2,\n'
    )


def test_json_has_the_records_unrounded_and_null_for_nan():
    printed = render([TABLE], RECORDS, "json")
    assert json.loads(printed) == [{"metric": "f1", "n": 942, "pearson": 0.5936123456789012, "kendall": None}]
    assert "NaN" not in printed


RESULTS = Path(benchmarks.__file__).parent / "results"
LONGEST, ALL = 600, 50_000  # words
STUDIES = sorted(path.stem for path in RESULTS.glob("*.md") if path.name not in {"README.md"})
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_COMMAND = re.compile(r"(?:python -m |\$ |`)(benchmarks\.\w+|tools\.\w+(?:\.\w+)*|answersim \w+|make \w+)")
FORMER = re.compile(r"git checkout \w{8} && (?:[^`\n\\]|\\\n)*")


def page(name: str) -> str:
    return (RESULTS / f"{name}.md").read_text(encoding="utf-8")


def rows(name: str) -> list[dict[str, str]]:
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@every("name", STUDIES)
def test_a_page_has_a_question_a_command_a_csv_and_at_most_600_words(name: str) -> None:
    text = page(name)
    assert len(text.split()) <= LONGEST
    for heading in ("**Question.**", "**Sizes.**", "**What it means.**"):
        assert (heading in text) or (name == "ranking-protocol" and "**Training.**" in text), heading
    assert FORMER.search(text) or _COMMAND.search(text)
    assert f"[{name}.csv]({name}.csv)" in text
    assert rows(name)


def test_every_csv_has_a_page_and_all_pages_have_at_most_50_000_words() -> None:
    assert {path.stem for path in RESULTS.glob("*.csv")} == set(STUDIES)
    assert sum(len(path.read_text(encoding="utf-8").split()) for path in RESULTS.glob("*.md")) <= ALL
    assert all(f"]({name}.md)" in page("README") for name in STUDIES)


@every("name", STUDIES)
def test_a_command_is_of_a_program_of_this_tree_or_of_a_named_commit(name: str) -> None:
    for program in _COMMAND.findall(FORMER.sub("", page(name))):
        if "." in program:
            assert find_spec(program) is not None, program


@every("name", STUDIES)
def test_the_numbers_of_a_table_are_in_the_csv(name: str) -> None:
    known = set(_NUMBER.findall(" ".join(cell for row in rows(name) for cell in (*row, *row.values()) if cell)))
    table = [line for line in page(name).splitlines() if line.startswith("| ")]
    assert [number for line in table for number in _NUMBER.findall(line) if number not in known] == []


def test_the_differences_of_the_ablation_follow_from_its_coefficients() -> None:
    listed = rows("ablation")
    groups = [name for name in listed[0] if name in {row["group"] for row in listed if row["table"] == "Pearson"}]
    of_set = {row["set"]: row["group"] for row in listed if row["table"] == "Pearson"}
    judged = [name for name, group in of_set.items() if group == "judged"]
    members = {"judged and written answers": judged, "all sets": [*of_set], **{name: [name] for name in of_set}}
    members |= {f"own sets of {group}": [name for name in of_set if of_set[name] == group] for group in groups}
    for row in (row for row in listed if row["table"] == "Differences"):
        for group in groups:
            by_seed: dict[str, list[float]] = {}
            for one in listed:
                if one["table"] == "Pearson" and one["set"] in members[row["set"]]:
                    by_seed.setdefault(one["seed"], []).append(float(one["all groups"]) - float(one[group]))
            means = [float(np.mean(values)) for values in by_seed.values()]
            expected = (float(np.mean(means)), min(means), max(means))
            assert [float(number) for number in re.findall(r"[-+]?[\d.]+", row[group])] == pytest.approx(
                expected, abs=6e-4
            )


@pytest.mark.data
@every("name", ["sas-paper", "sas-paper-data", "sas-paper-relabeling"])
def test_no_page_has_a_text_of_the_data_sets(name: str, data_home: Path) -> None:
    from answersim.evaluation.data import load
    from benchmarks.paper_sets import PAPER_SETS

    text = page(name) + (RESULTS / f"{name}.csv").read_text(encoding="utf-8")
    answers = {answer for name in PAPER_SETS for pair in load(name, cleaning="none").pairs for answer in pair}
    assert not [answer for answer in answers if len(answer) > 25 and answer in text]


def test_the_pairs_of_mathematics_are_frozen() -> None:
    data = math_pairs.FILE.read_bytes()
    assert hashlib.sha256(data).hexdigest() == "1ce1547a56ff43424b1f15c9c9bb40ba7a12354e446e783d2d48609f9e52c728"
    assert [len(math_pairs.constructed(seed)) for seed in (39, 7)] == [384, 384]


@every(
    ("relation", "kind", "rule", "expected"),
    [
        ("equal", "ordinal", "", ["equal: numbers"]),
        ("equal", "color", "", ["equal: others"]),
        ("near", "money", "scale", ["near: a unit or scale"]),
        ("near", "date", "", ["near: others"]),
        ("different", "yes/no", "", ["different: yes, no, no answer"]),
        ("different", "text", "", []),
        ("none", "", "order", ["unsure: word order"]),
        ("none", "", "", []),
    ],
)
def test_a_relation_is_of_one_group_of_rules(relation: str, kind: str, rule: str, expected: list[str]) -> None:
    found = no_opinion("")._replace(relation=relation, kind=kind, rule=rule)
    assert [group.name for group in GROUPS if group.holds(found)] == expected


CASES = TABLES["cases"]


@pytest.mark.parametrize(("module", "arguments", "expected"), CASES)
def test_a_wrong_argument_is_an_error_that_names_it(no_data, module, arguments, expected, tmp_path, monkeypatch):
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    result = invoke(module, *arguments.split())
    assert result.exit_code == 2, result.output
    assert expected in message(result)
    assert "|text:" not in result.stdout  # no signature, so no table
    assert list(tmp_path.iterdir()) == []


def made(column: str = "recall", clusters: bool = False, good: float = 0.95) -> Population:
    rng = np.random.default_rng(0)
    labels = (rng.random(1200) < 0.8).astype(float)
    scores = np.where(rng.random(1200) < good, labels, 1 - labels)
    return Population(
        "made", "all" if clusters else "s", column, scores, labels, np.arange(1200) // 3 if clusters else None
    )


@pytest.mark.parametrize("clusters", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_intervals_of_a_made_population_cover_and_the_score_is_worth_labels(clusters: bool) -> None:
    rows = list(simulated(made(clusters=clusters), 60))
    assert {row.n for row in rows} == set(LABELS)
    assert all(0.88 <= row.covered <= 1 for row in rows)
    assert all(row.worth > 1.2 for row in rows if row.n > 50)
    assert all(np.isnan(row.published) for row in rows if clusters or row.target == "these rows")


@every(
    ("rows", "right", "weights", "share"),
    [("1", "alike", "lognormal", 0.8), ("1 to 30", "large", "equal", 0.8), ("1 to 30", "small", "lognormal", 0.95)],
)
def test_intervals_of_unequal_clusters_and_weights_cover(rows: str, right: str, weights: str, share: float) -> None:
    population = Clustered(rows, right, weights, share)
    assert min(of_clusters(population, n, 300).covered for n in (30, 100)) >= 0.93  # before, at worst 0.885


def test_intervals_of_made_populations_contain_their_means_and_the_tables_have_all_cells() -> None:
    populations = {population.name: population for population in means_of_populations()}
    name = "probabilities, 0.97 near .97, others near .05, 1 answer per question"
    rare = of_means(populations[name], 30, 100)
    assert rare.covered >= 0.93  # percentiles of the bootstrap: below 0.75
    gaps = {system.name: system for system in differences_of_systems()}
    noise = of_differences(gaps["scores, noise 0.03"], 100, 60)
    assert noise.covered >= 0.93
    assert noise.width < 0.04  # two virtual rows of a difference of 1: 0.11
    assert noise.more == 0
    tail = of_labels("exp(3 z + 2 y), share .5", 10, 100)
    assert tail.covered > 0.9  # without a bound on the leverage of a score: below 0.85
    assert abs(tail.more) < 0.05
    pairs = [(gaps["scores, noise 0.03"], noise), (list(gaps.values())[-1], noise._replace(covered=0.5))]
    printed = render(list(tables([rare], pairs, [tail], 100)), [], "markdown")
    assert name in printed
    assert "the least coverage of the 1 cells is 0.500" in printed
