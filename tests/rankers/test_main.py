"""The command line of rankers: what it prints, and one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankers.types import Candidate, Question, Questions
from tests.cases import every
from tests.rankers.commands.command_line import called

RUN = "q1 Q0 a 1 2.0 ours\nq1 Q0 b 2 1.0 ours\nq2 Q0 a 1 1.0 ours\nq2 Q0 b 2 1.0 ours\n"
OTHER = "q1 Q0 b 1 2.0 theirs\nq1 Q0 a 2 1.0 theirs\nq2 Q0 b 1 2.0 theirs\nq2 Q0 a 2 1.0 theirs\n"
STRANGERS = "s1 0 a 1\n"
QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq3 0 a 1\n"


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"run": RUN, "other": OTHER, "qrels": QRELS, "strangers": STRANGERS}.items():
        Path(name).write_text(text)
    Path("link").symlink_to("run")


def test_a_run_is_evaluated_by_qrels():
    result = called("evaluate --run run --qrels qrels --measure MRR,P@1")
    assert result.exit_code == 0, result.stderr
    first, _, *rows = result.stdout.splitlines()
    assert first.split("  ")[0] == "measure"
    assert [row.split()[:2] for row in rows] == [["MRR", "3"], ["P@1", "3"]]
    grades, *others = result.stderr.splitlines()
    assert "grades go up to 2" in grades
    assert others == [
        "rankers: 1 of 4 ranked documents have no grade; they count as not relevant",
        "rankers: 1 of 3 questions are not in the run; they count 0",
        "rankers: 2 of 3 questions have relevant answers only; they cannot be ranked wrongly",
        "rankers: 1 of 3 questions have a tie at the top, broken by the seed 0",
    ]


def test_documents_that_a_run_and_qrels_do_not_share_are_counted():
    Path("long").write_text(RUN + "q9 Q0 a 1 1.0 ours\n")
    result = called("evaluate --run long --qrels qrels --measure MRR --format json")
    assert result.exit_code == 0, result.stderr
    page = json.loads(result.stdout)
    assert page["warnings"][1:3] == [
        "1 of the 3 questions of the run are not among the 3 that have grades; they are left out",
        "1 of 4 ranked documents have no grade; they count as not relevant",
    ]
    assert {name: page["counts"][name] for name in ("unknown", "ranked", "unjudged")} == {
        "unknown": 1,
        "ranked": 4,
        "unjudged": 1,
    }
    assert called("evaluate --run long --qrels qrels --measure MRR --strict").exit_code == 2


def test_json_holds_rows_counts_and_warnings():
    content = json.loads(called("evaluate --run run --qrels qrels --measure RR(rel=2)@5 --format json").stdout)
    assert set(content) == {"rows", "counts", "false_negatives", "summary", "warnings"}
    (row,) = content["rows"]
    assert (row["dataset"], row["system"], row["measure"], row["value"]) == ("qrels", "ours", "RR(rel=2)@5", 1.0)
    assert row["n_questions"] == 1
    assert content["counts"]["missing"] == 1


def test_relevance_and_the_policy_can_be_chosen():
    line = "evaluate --run run --qrels qrels --measure P@1 --format json --relevant 2"
    (skipped,), (zero,) = (json.loads(called(line + more).stdout)["rows"] for more in ("", " --without-positives zero"))
    assert (skipped["value"], skipped["n_questions"]) == (1.0, 1)
    assert (zero["value"], zero["n_questions"]) == (pytest.approx(1 / 3), 3)


def test_ties_are_broken_by_the_seed():
    line = "evaluate --run run --qrels qrels --measure P@1 --format json --seed "
    values = {json.loads(called(line + str(seed)).stdout)["rows"][0]["value"] for seed in range(8)}
    assert len(values) == 2


def test_another_run_is_compared_with():
    content = json.loads(called("compare other run --qrels qrels --measure P@1 --format json").stdout)
    (comparison,) = content["comparisons"]
    assert (comparison["first"], comparison["second"]) == ("theirs", "ours")
    assert comparison["difference"] == content["rows"][1]["value"] > 0
    table = called("compare other run --qrels qrels --measure P@1").stdout
    assert "Differences from theirs" in table
    assert f"{comparison['p']:.4f}" in table


def test_a_corpus_gives_grades_and_texts(monkeypatch):
    candidates = (Candidate("a", "the Rome", 0), Candidate("b", "Rome", 1))
    questions = Questions("made", "dev", (Question("q1", "Where?", candidates),))
    asked = []

    def load(name, split):
        asked.append((name, split))
        return questions

    monkeypatch.setattr("rankers.data.catalog.load", load)
    Path("run").write_text("q1 Q0 a 1 2.0 ours\nq1 Q0 b 2 1.0 ours\n")
    line = "evaluate --run run --data toy --split dev --measure P@1 -m f1,em"
    result = called(line)
    assert asked == [("toy", "dev")]
    assert "f1 where P@1=0" in result.stdout
    assert "f1 >= 0.8, and counted as wrong" in result.stdout
    page = json.loads(called(line + " --format json").stdout)
    assert page["false_negatives"]["f1"][0]["choice"] == "the Rome"
    assert page["rows"][0]["dataset"] == "toy"


@every(
    ("line", "complaint"),
    [
        ("evaluate --run run", "there are no grades to measure by; give --qrels FILE, or --data"),
        ("evaluate --run none --qrels qrels", "no file at none"),
        ("evaluate --run qrels --qrels qrels", "qrels, line 1: 4 fields"),
        ("evaluate --run run --qrels qrels --measure MAPP", "no measure is called 'MAPP'; did you mean 'MAP'?"),
        ("evaluate --run run --qrels qrels --metric f1", "qrels contain none"),
        ("evaluate --run run --qrels qrels --strict", "ranks 'b' for the question 'q2'"),
        ("evaluate --run run --qrels qrels --relevant 0", "relevant is 0"),
        ("evaluate --run run --qrels qrels --split dev", "--split dev is the split of a corpus"),
        ("evaluate --run run --qrels qrels --threshold 0.5", "threshold is given, but without metrics"),
        ("compare run run --qrels qrels", "a run is given twice"),
        ("compare run link --qrels qrels", "a run is given twice"),
        ("evaluate --run run --qrels qrels --measure ,", "nothing to measure"),
        ("evaluate --run run --qrels strangers", "no question in common: the run has 'q1', 'q2', the grades have 's1'"),
        ("evaluate --run run --qrels strangers --no-strict", "no question in common"),
    ],
)
def test_an_error_is_one_line_and_status_2(line, complaint):
    result = called(line)
    assert result.exit_code == 2
    (output,) = result.stderr.splitlines()
    assert output.startswith("rankers: ")
    assert complaint in output
