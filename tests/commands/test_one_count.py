"""One count: every command and function says the same number of right answers of the same file."""

from __future__ import annotations

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
from answersim.evaluation.comparison.gating import gate
from answersim.integrations.base import Scorer
from answersim.types import capabilities
from tests.command_line import output as run

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
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers whose scores are spread over the whole scale, two per question."""
    rng = np.random.default_rng(4)
    golds = ["red green blue white", "one two three", "Rome", "a b"]

    def pred(gold: str, share: float) -> str:
        kept = [word for word in gold.split() if rng.random() < share]
        return " ".join(kept) or "nothing"

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
def test_all_commands_count_the_same_right_answers(
    table: Path, tmp_path: Path, metric: str, rule: dict[str, Any]
) -> None:
    held, settings = files.read(table), Verdicts(**rule)
    expected = []
    built = answersim.metric(metric)
    for name in SYSTEMS:
        scores = answersim.score(held.values("gold", table), held.values(name, table), built)
        verdicts = verdict_rule(scores.signature, scale=capabilities(built).scale, **rule).verdicts(scores)
        expected.append(int((verdicts == "equivalent").sum()))
        if metric == "recall" and not rule:
            calibrated = answersim.score(
                held.values("gold", table), held.values(name, table), metric, calibration="shipped"
            )
            assert (calibrated.verdicts == "equivalent").sum() == expected[-1]
    assert len({0, N, *expected}) > 2  # a count that tells rules apart
    counts = tuple(expected)
    words = ["-m", metric, "--question", "question"]
    words += options_of(rule)
    both = [*words, "--pred", ",".join(SYSTEMS)]

    found = answersim.evaluate(table, metric, pred=SYSTEMS, question="question", calibration=settings)
    assert tuple(found.row(name).right for name in SYSTEMS) == counts
    assert numbers(r"(?m)^\w+: ([\d,]+) of 120 right", run("evaluate", table, *both)) == counts
    compared = compare(table, metric, pred=SYSTEMS, question="question", calibration=settings).pair
    assert compared.points is not None
    assert compared.points.right == counts
    assert compared.counts("became right") - compared.counts("went wrong") == counts[1] - counts[0]
    printed = run("compare", table, *both)
    assert numbers(r"([\d,]+) right answers against", printed) + numbers(r"against (\d+):", printed) == counts[::-1]
    summary = run("compare", table, *both, "--max-drop", 0.01, "--format", "markdown", status=(0, 1, 3))
    assert numbers(r"([\d,]+) right answers against", summary) + numbers(r"against (\d+):", summary) == counts[::-1]
    assert summary.startswith("### ")
    run("evaluate", table, *both, "--report", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for name, count in zip(SYSTEMS, counts, strict=True):
        assert f"{name}: {count} of 120 right" in page
    if "low" not in rule:  # an integration has no band
        scorer = Scorer(metric, rule.get("threshold"))
        rows = [scorer.score_batch((row["question"], row["gold"], row[name]) for row in held.rows) for name in SYSTEMS]
        assert tuple(sum(bool(row.passed) for row in of_system) for of_system in rows) == counts


def test_labels_give_one_estimate_in_evaluate_and_in_the_library(table: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    words = ["-m", "recall", "--question", "question", "--pred", "july"]
    run("label", table, *words, "-n", 50, "--sheet", sheet, "--allocation", "equal")
    filled = files.read(sheet)
    rows = [row | {"label": int(row["gold"].split()[0] in row["july"])} for row in filled.rows]
    files.write(filled._replace(rows=rows), sheet)
    printed = run("evaluate", table, *words, "--labels", sheet)
    (share,) = answersim.evaluate(table, "recall", pred="july", question="question", labels=sheet).labeled
    assert str(share) in printed.splitlines()
    assert "right by 50 labels, which are worth" in str(share)


def test_the_interval_of_the_bar_is_that_of_evaluate(table: Path) -> None:
    found = answersim.evaluate(table, "recall", pred=SYSTEMS, question="question")
    compared = compare(table, "recall", pred=SYSTEMS, question="question").pair
    assert compared.points is not None
    for name, share in zip(SYSTEMS, compared.points.shares, strict=True):
        assert share == found.row(name).share
    alone = answersim.evaluate(table, "recall", pred="august", question="question")
    assert gate(alone, min_right=0.3).share == gate(compared, min_right=0.3).share


def test_a_binary_metric_prints_no_probabilities(table: Path) -> None:
    text = run("evaluate", table, "-m", "em", "--pred", "july")
    assert "expected right" not in text
    result = answersim.evaluate(table, "em", pred="july", keep={"wrong": 2})
    assert result.answers[0].probability is None
    assert "score" in result.to_text()
    assert json.loads(result.to_json())["answers"][0]["probability"] is None
