"""Outputs of promptfoo, made after the types of its version 0.123: gold answers in assertions or variables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answersim.logs import promptfoo


def result(asserts: list[dict[str, Any]], output: Any = "in Rome", **variables: Any) -> dict[str, Any]:
    """One result, with the fields that promptfoo writes."""
    return {
        "promptIdx": 0,
        "testIdx": 3,
        "testCase": {"vars": variables, "assert": asserts},
        "provider": {"id": "echo", "label": ""},
        "prompt": {"raw": "Answer: Which city?", "label": "Answer: {{question}}"},
        "vars": variables,
        "response": {"output": output},
        "success": True,
        "score": 1,
        "gradingResult": {"pass": True, "componentResults": [{"pass": True, "assertion": a} for a in asserts]},
    }


def written(path: Path, *results: dict[str, Any], lines: bool = False) -> Path:
    whole = {"evalId": "eval-1", "results": {"version": 3, "prompts": [], "results": list(results)}, "config": {}}
    path.write_text("".join(json.dumps(item) + "\n" for item in results) if lines else json.dumps(whole, indent=2))
    return path


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize(
    ("asserts", "variables", "gold"),
    [
        ([{"type": "equals", "value": "Rome"}], {}, ["Rome"]),
        ([{"type": "icontains", "value": "Rome"}, {"type": "similar", "value": "Roma"}], {}, ["Rome", "Roma"]),
        ([{"type": "contains-any", "value": ["Rome", "Roma"]}], {}, ["Rome", "Roma"]),
        ([{"type": "not-equals", "value": "Milan"}], {"answer": "Rome"}, ["Rome"]),
        ([{"type": "javascript", "value": "output.length"}], {"reference": "Rome", "answer": "Milan"}, ["Rome"]),
        ([{"type": "equals", "value": "file://gold.txt"}], {"expected": "Rome"}, ["Rome"]),
    ],
)
def test_gold_answers_are_in_assertions_or_in_variables(
    tmp_path: Path, asserts: list[Any], variables: dict[str, Any], gold: Any, lines: bool
) -> None:
    path = written(tmp_path / "x.json", result(asserts, question="Which city?", **variables), lines=lines)
    (row,) = promptfoo.rows(path)
    assert row == {
        "id": "3",
        "prompt": 0,
        "provider": "echo",
        "question": "Which city?",
        "gold": gold,
        "pred": "in Rome",
    }


def test_without_a_question_the_prompt_is_read_and_other_outputs_become_text(tmp_path: Path) -> None:
    asserts = [{"type": "equals", "value": 7}]
    items = [result(asserts), result(asserts, output={"n": 7}), result(asserts) | {"response": None}]
    found = list(promptfoo.rows(written(tmp_path / "x.json", *items)))
    assert [row["pred"] for row in found] == ["in Rome", '{"n": 7}', None]
    assert (found[0]["question"], found[0]["gold"]) == ("Answer: Which city?", ["7"])


def test_a_test_without_a_gold_answer_says_where_it_belongs(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", result([{"type": "llm-rubric", "value": "is polite"}], question="?"))
    with pytest.raises(ValueError, match=r"result 1: no gold answer is recorded; .*\(equals, contains"):
        list(promptfoo.rows(path))
    path.write_text('{"results": {}}')
    with pytest.raises(ValueError, match="results: an object with the field 'results'"):
        list(promptfoo.rows(path))
