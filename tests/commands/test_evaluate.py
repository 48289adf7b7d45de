"""``evaluate``: the count, the tables, and what is refused; three commands count the same right answers."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.io import files
from answersim.calibration.verdicts import Verdicts, verdict_rule
from answersim.evaluation.comparison.compare import compare
from answersim.integrations.shared.base import Scorer
from answersim.types import capabilities
from tests.cases import cases_of
from tests.command_line import output as run_main
from tests.command_line import run, succeed

TABLE = "id,question,gold,a,b\n1,Who?,Rome,in Rome,Rome\n2,Who?,Oslo,Bergen,Oslo\n3,What?,a/b c d,b,x\n"
RECALL = ("-m", "recall", "--split-gold", "/")


@pytest.fixture
def table(tmp_path):
    (tmp_path / "answers.csv").write_text(TABLE)
    return tmp_path / "answers.csv"


def test_columns_are_systems_and_the_numbers_are_those_of_the_library(table):
    out = succeed("evaluate", table, "--pred", "a,b", "--question", "question", "--by", "question", *RECALL, "-v")
    result = answersim.evaluate(
        answersim.read_answers(table, pred=["a", "b"], question="question", split_gold="/"), "recall", by=["question"]
    )
    assert out.splitlines()[:2] == result.summary()
    for system in "ab":
        rows = out.split(f"{system} by subset")[1].splitlines()[3:6]
        assert [row.split()[0] for row in rows] == ["all", "question=what", "question=who"]
    assert "95% intervals over questions" in out


def test_listed_answers_are_written_and_the_first_line_names_the_file(table, tmp_path):
    output = tmp_path / "wrong.csv"
    first = succeed("evaluate", table, "--pred", "a,b", "-o", output, *RECALL).splitlines()[0]
    assert first.endswith(f"unsure: see {output}")
    with output.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["system"], row["verdict"]) for row in rows] == [
        *(("2", "a", "wrong"), ("3", "a", "unsure"), ("3", "b", "wrong"))
    ]
    assert json.loads(rows[1]["gold"]) == ["a", "b c d"]
    assert (rows[1]["input gold"], rows[1]["a"], rows[1]["b"]) == ("a/b c d", "b", "x")  # the columns of the input
    succeed("evaluate", table, "--pred", "a,b", "-o", output, "--keep", "unsure", *RECALL)
    assert len(output.read_text().splitlines()) == 2


@pytest.mark.parametrize("form", ["markdown", "latex", "text"])
def test_every_format_begins_with_the_result_and_controls_no_terminal(form, tmp_path):
    (tmp_path / "t.jsonl").write_text(json.dumps({"gold": "a", "p\x1b[31m": "b\x1b[2J"}) + "\n")
    out = succeed("evaluate", tmp_path / "t.jsonl", "-m", "recall", "--pred", "p\x1b[31m", "--format", form)
    assert out.removeprefix("% ").startswith("0 of 1 right, 0 ")
    assert "\x1b" not in out


def test_standard_input_is_a_table(table, monkeypatch):
    code, out, _ = run("evaluate", "-", "--pred", "a", *RECALL, typed=TABLE)
    assert code == 0
    assert out.splitlines()[0] == succeed("evaluate", table, "--pred", "a", *RECALL).splitlines()[0]
    assert "standard input (-) is given twice" in run("evaluate", "-", "-", "-m", "recall", typed=TABLE)[2]


def test_labels_correct_the_share(tmp_path):
    rows = [{"id": i, "gold": "Rome", "pred": "Rome" if i % 3 else "Oslo"} for i in range(60)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = [{"id": i, "label": "yes" if i % 3 else "no"} for i in range(20)]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    settings = ("evaluate", tmp_path / "t.jsonl", "-m", "recall", "-v")
    out = succeed(*settings, "--labels", tmp_path / "l.jsonl")
    assert "right by 20 labels, which are worth" in out.splitlines()[1]
    assert "Corrected by human labels" in out
    assert succeed(*settings, "--labels", f"t={tmp_path / 'l.jsonl'}") == out


@pytest.fixture
def system(tmp_path):
    """160 of 200 answers are right; a column records other verdicts, in words."""
    rows = [
        {"id": i, "gold": "Rome", "pred": "Rome" if i < 160 else f"Oslo {i}", "judge": "yes" if i < 150 else "no"}
        for i in range(200)
    ]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = [{"id": i, "label": int(i < 160)} for i in range(0, 200, 4)]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    return tmp_path / "new.jsonl"


@pytest.mark.parametrize(
    ("least", "status", "title"),
    cases_of(__file__)["a_share_of_right_answers_is_decided_by_the_exit_status"],
)
def test_a_share_of_right_answers_is_decided_by_the_exit_status(system, tmp_path, least, status, title):
    settings = ("evaluate", system, "-m", "em", "--min-right", least)
    code, out, err = run(*settings, "-o", tmp_path / "decision.json")
    assert (code, err) == (status, "")
    verdict = {0: "passed", 1: "failed", 3: "undecided"}[status]
    assert out.splitlines()[-1].startswith(f"gate {verdict}: the 95% interval of the share of right answers, [")
    record = json.loads((tmp_path / "decision.json").read_text())
    assert (record["gate"]["status"], record["gate"]["bars"][0]["name"]) == (status, "min_right")
    assert record["rows"][0]["share"]["value"] == record["gate"]["share"]["value"] == 0.8
    code, out, _ = run(*settings, "--format", "markdown")
    assert (code, out.startswith(title)) == (status, True)
    assert "160 of 200 right, 80 %" in out


def test_a_verifier_is_evaluated_by_labels(system, tmp_path):
    settings = ("evaluate", system, "--labels", tmp_path / "l.jsonl", "--rows", 0)
    out = succeed(*settings, "--verifier", "column:judge")  # "judge" is a metric
    assert "150 of 200 right" in out.splitlines()[0]
    assert "accepts 0.0 % [0.0" in out.splitlines()[2]
    assert out.splitlines()[2].endswith(" of the right ones, by the same labels")
    assert "Errors of the verdict right" in succeed(*settings, "--verifier", "column:judge", "-v")
    rows = [json.loads(line) for line in system.read_text().splitlines()]
    system.write_text("".join(json.dumps(row | {"mine": row["judge"]}) + "\n" for row in rows))
    by_name = succeed(*settings, "--verifier", "mine").replace("column:mine", "column:judge").replace("mine|", "judge|")
    assert by_name.splitlines()[:3] == out.splitlines()[:3]
    code, out, err = run(*settings, "--verifier", "tests.commands.test_evaluate:equal", "--threshold", 0.9)
    assert (code, out.startswith("160 of 200 right"), err) == (0, True, "loading\n")
    assert "160 of 200 right" in succeed(*settings, "--verifier", "rules")


def equal(golds, preds):
    """A verifier that prints."""
    print("loading")  # noqa: T201 # what is tested
    return [float(gold == pred) for gold, pred in zip(golds, preds, strict=True)]


N = 120
SYSTEMS = ("july", "august")
WAYS: list[tuple[str, dict[str, Any]]] = [
    ("recall", {}),  # calibrated
    ("em", {}),  # 0 and 1
]
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("recall", {"threshold": 0.3}),
    ("recall", {"low": 0.5, "high": 0.5}),  # nothing is unsure
    ("containment", {}),
    ("bleu", {"threshold": 0.25}),
]


@pytest.fixture(scope="module")
def counted_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers whose scores are spread over the whole scale, two per question."""
    rng = np.random.default_rng(4)
    golds = ["red green blue white", "one two three", "Rome", "a b"]

    def pred(gold: str, share: float) -> str:
        remaining = [word for word in gold.split() if rng.random() < share]
        return " ".join(remaining) or "nothing"

    rows = [
        {"id": f"r{i}", "question": f"q{i // 2}", "gold": golds[i % 4]}
        | {name: pred(golds[i % 4], share) for name, share in zip(SYSTEMS, (0.7, 0.85), strict=True)}
        for i in range(N)
    ]
    path = tmp_path_factory.mktemp("one") / "both.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def options_of(rule: dict[str, Any]) -> list[Any]:
    """Return a rule for verdicts as options of a command."""
    return [word for name, value in rule.items() for word in (f"--{name.replace('_', '-')}", value)]


def numbers(pattern: str, text: str) -> tuple[int, ...]:
    return tuple(int(number.replace(",", "")) for number in re.findall(pattern, text))


@pytest.mark.parametrize(
    ("metric", "rule"), [*WAYS, *(pytest.param(*other, marks=pytest.mark.slow) for other in OTHERS)]
)
def test_all_commands_count_the_same_right_answers(counted_table, tmp_path, metric, rule):
    held, settings = files.read(counted_table), Verdicts(**rule)
    expected = []
    built = answersim.metric(metric)
    for name in SYSTEMS:
        scores = answersim.score(held.values("gold", counted_table), held.values(name, counted_table), built)
        verdicts = verdict_rule(scores.signature, scale=capabilities(built).scale, **rule).verdicts(scores)
        expected.append(int((verdicts == "equivalent").sum()))
        if metric == "recall" and not rule:
            calibrated = answersim.score(
                held.values("gold", counted_table), held.values(name, counted_table), metric, calibration="shipped"
            )
            assert (calibrated.verdicts == "equivalent").sum() == expected[-1]
    assert len({0, N, *expected}) > 2  # a count that tells rules apart
    counts = tuple(expected)
    words = ["-m", metric, "--question", "question"]
    words += options_of(rule)
    both = [*words, "--pred", ",".join(SYSTEMS)]

    evaluation = answersim.evaluate(counted_table, metric, pred=SYSTEMS, question="question", calibration=settings)
    assert tuple(evaluation.row(name).right for name in SYSTEMS) == counts
    assert numbers(r"(?m)^\w+: ([\d,]+) of 120 right", run_main("evaluate", counted_table, *both)) == counts
    compared = compare(counted_table, metric, pred=SYSTEMS, question="question", calibration=settings).pair
    assert compared.points is not None
    assert compared.points.right == counts
    assert compared.counts("became right") - compared.counts("went wrong") == counts[1] - counts[0]
    printed = run_main("compare", counted_table, *both)
    assert numbers(r"([\d,]+) right answers against", printed) + numbers(r"against (\d+):", printed) == counts[::-1]
    summary = run_main("compare", counted_table, *both, "--max-drop", 0.01, "--format", "markdown", status=(0, 1, 3))
    assert numbers(r"([\d,]+) right answers against", summary) + numbers(r"against (\d+):", summary) == counts[::-1]
    assert summary.startswith("### ")
    run_main("evaluate", counted_table, *both, "--report", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for name, count in zip(SYSTEMS, counts, strict=True):
        assert f"{name}: {count} of 120 right" in page
    if "low" not in rule:  # an integration has no band
        scorer = Scorer(metric, rule.get("threshold"))
        rows = [scorer.score_batch((row["question"], row["gold"], row[name]) for row in held.rows) for name in SYSTEMS]
        assert tuple(sum(bool(row.passed) for row in of_system) for of_system in rows) == counts


def test_json_holds_all_listed_answers(table):
    content = json.loads(succeed("evaluate", table, "--pred", "a,b", "--format", "json", *RECALL))
    assert next(iter(content)) == "summary"
    assert [answer["row"] for answer in content["answers"]] == ["2", "3", "3"]
