"""The program that compares cascades with their last stage: its rows, tables and records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import answersim
from answersim.composite.cascade import Cascade
from answersim.types import Pair
from benchmarks import cascade
from benchmarks.cascade import Fit, Recorded, by_annotators, cascade_of, fit_on, fit_table, recorded, row, timed
from benchmarks.judged_sets import SETS
from tests.benchmarks.judged_samples import ANSWERS, answered
from tests.benchmarks.programs import invoke

MANY = [
    answered(f"q{i}", (f"gold {i}", "x"), "one", f"it is gold {i}" if i % 10 else "nothing", bool(i % 10), "dev")
    for i in range(400)
]


@pytest.fixture(scope="module")
def annotators() -> Cascade:
    return cascade_of({"stages": ["typed", "recall", recorded(MANY)]})


def test_recorded_verdicts_are_replayed_by_question_and_answer() -> None:
    metric = Recorded({("q", "a"): 1.0, ("r", "a"): 0.0})
    assert metric([Pair("x", "a"), Pair("y", "a")], ["q", "r"]).tolist() == [1.0, 0.0]
    with pytest.raises(KeyError):
        metric([Pair("x", "a")])
    assert answersim.types.capabilities(metric).cost == "remote"


def test_a_row_compares_a_cascade_with_its_last_stage(annotators: Cascade) -> None:
    found = row("evouna-dev", "annotators", annotators, MANY, None)
    assert (found.n, found.pairs) == (400, 800)
    assert found.decided["recall"] == 0.9
    assert (found.accuracy, found.alone) == (1.0, 1.0)
    assert found.agreement[0] == 1.0
    assert found.saved == 1 - 80 / 800  # both gold answers of each wrong prediction
    assert found.signature.startswith("cascade|stages:typed,recall,recorded|")


def test_fits_are_checked_on_other_answers(annotators: Cascade) -> None:
    fit = fit_on(annotators, MANY, 0.01, None)
    other = [answer._replace(verdict=True) for answer in MANY[:100]] + [
        answer._replace(question=f"{answer.question}?", verdict=False) for answer in MANY[100:200]
    ]
    (found,) = fit_table([Fit("annotators: x", fit)], other, None)
    assert (found.n, found.added, found.independent) == (400, 0.0, 400.0)
    assert found.checked == 0.5  # recall accepts 90 answers that these annotators reject, and rejects 10 others
    assert found.checked_early == 1.0
    (title,) = by_annotators(
        [Fit("annotators: x", fit), Fit("annotators: x", replace(fit, risk=0.02)), Fit("fitted", fit)], other
    )
    assert title == "annotators: x"


def test_speed_is_of_the_cascade_and_of_its_last_stage() -> None:
    metric = cascade_of({"stages": "typed,recall,f1"})
    found = list(timed(metric, ANSWERS))
    assert [line.metric for line in found] == ["cascade", "f1"]
    assert all((line.answers, line.pairs) == (40, 80) and line.pairs_per_cpu_second > 0 for line in found)


def test_tables_and_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, annotators: Cascade) -> None:
    fit = fit_on(annotators, MANY, 0.01, None)
    monkeypatch.setitem(SETS, "evouna-dev", SETS["evouna-dev"]._replace(load=lambda: MANY))
    monkeypatch.setattr(cascade, "fitted", lambda cache: ({"default": fit.metric}, [Fit("annotators: x", fit)]))
    monkeypatch.setattr(cascade, "load_evouna", lambda part: MANY)
    records = tmp_path / "cascade.json"
    command = ["--sets", "evouna-dev", "--no-simulations", "--format", "markdown", "--records", str(records)]
    done = invoke("cascade", *command)
    assert done.exit_code == 0, done.output
    assert "| annotators: x (" in done.stdout
    assert "| annotators: x | 1.00 % | 0.45, 0.55 | 400 (400) | 0.00 % | 0.57 % |" in done.stdout
    lines = json.loads(records.read_text(encoding="utf-8"))
    assert [line["table"] for line in lines] == ["CascadeRow"] * 2 + ["FitRow"] + ["SpeedRow"] * 2
    assert lines[0]["more_errors"][0] == 0.0
