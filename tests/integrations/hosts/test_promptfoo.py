"""promptfoo: the Python assertion, called with what promptfoo passes. The program of npm itself is not run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from answersim.integrations.promptfoo import assertion, get_assert
from tests.integrations.hosts.contract import F1, ROWS, THRESHOLD, VALUES, Constant, HostRow, Raising, lines_of

# What promptfoo's wrapper does: it imports the file, calls the function, and stores what it returns as JSON.
WRAPPER = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("user_module", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
output, context = json.loads(sys.argv[2])
print(json.dumps(module.get_assert(output, context)))
"""
ROOT = Path(__file__).parents[3]


def context(row: HostRow, **config: Any) -> dict[str, Any]:
    texts = {"question": row.question, "answer": row.golds}
    return {"prompt": f"Q: {row.question}", "vars": texts, "test": {"vars": texts}, "config": config}


def check(found: list[dict[str, Any]]) -> None:
    assert [one["score"] for one in found] == pytest.approx(VALUES)
    assert [one["pass"] for one in found] == [row.verdict == "equivalent" for row in ROWS]
    assert {one["metadata"]["signature"] for one in found} == {F1}
    assert [one["namedScores"]["f1"] for one in found] == pytest.approx(VALUES)
    assert "nearest of 2 gold answers: 'Roma'" in found[1]["reason"]


def test_an_assertion_has_pass_score_reason_and_signature() -> None:
    check([get_assert(row.prediction, context(row, metric="f1", threshold=THRESHOLD)) for row in ROWS])
    chosen = assertion("f1", threshold=THRESHOLD, gold="answer", question="question")
    check([chosen(row.prediction, context(row)) for row in ROWS])


def test_a_file_of_a_user_gives_json(tmp_path: Path) -> None:
    path = tmp_path / "check.py"
    path.write_text("from answersim.integrations.promptfoo import get_assert\n", encoding="utf-8")
    given = json.dumps([ROWS[0].prediction, context(ROWS[0], metric="f1", threshold=THRESHOLD)])
    command = [sys.executable, "-c", WRAPPER, str(path), given]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert json.loads(run.stdout)["score"] == pytest.approx(2 / 3)


def test_a_missing_output_fails_with_the_reason() -> None:
    found = get_assert(None, context(ROWS[0], metric="f1", threshold=0.0))
    assert (found["pass"], found["score"]) == (False, 0.0)
    assert "there is no prediction" in found["reason"]


def test_a_score_is_passed_on_or_clipped_and_errors_reach_promptfoo() -> None:
    for limits, expected in (("any", 1.5), ("clip", 1.0)):
        assert assertion(Constant(1.5), threshold=0.5, limits=limits)("x", context(ROWS[0]))["score"] == expected
    with pytest.raises(RuntimeError, match="this prediction is broken"):
        assertion(Raising(), threshold=0.5)("broken", context(ROWS[0]))


def test_without_a_verdict_there_is_no_assertion() -> None:
    with pytest.raises(ValueError, match="give a threshold"):
        get_assert("Rome", context(ROWS[0], metric="em"))


def test_the_lines_of_the_page_work() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    (stated,) = yaml.safe_load(lines_of("promptfoo"))["assert"]
    assert (stated["type"], stated["value"]) == ("python", "file://check.py")
    check([get_assert(row.prediction, context(row, **stated["config"])) for row in ROWS])
