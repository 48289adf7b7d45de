"""Outputs of promptfoo: files that promptfoo 0.123.1 wrote (tests/integrations/hosts), and variations of a result."""

import copy
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from answersim.logs import promptfoo
from tests.cases import every

DATA = Path(__file__).parent / "data"
LOG = json.loads((DATA / "promptfoo-0.123.1.json").read_text(encoding="utf-8"))
RESULTS: list[dict[str, Any]] = LOG["results"]["results"]


def result(asserts: list[dict[str, Any]], output: Any = "in Rome", **variables: Any) -> dict[str, Any]:
    """The first result of the log, with other assertions, output and variables."""
    changed = copy.deepcopy(RESULTS[0])
    changed |= {"vars": variables, "response": changed["response"] | {"output": output}}
    changed["testCase"] |= {"vars": variables, "assert": asserts}
    changed["gradingResult"]["componentResults"] = [{"pass": True, "assertion": one} for one in asserts]
    return changed


def written(path: Path, *results: dict[str, Any], lines: bool = False, **config: Any) -> Path:
    whole = LOG | {"results": LOG["results"] | {"results": list(results)}, "config": LOG["config"] | config}
    path.write_text("".join(json.dumps(item) + "\n" for item in results) if lines else json.dumps(whole, indent=2))
    return path


@every("suffix", ["json", "jsonl"])
def test_each_result_is_a_row_also_if_the_provider_failed(suffix):
    found = list(promptfoo.rows(DATA / f"promptfoo-0.123.1.{suffix}"))
    row = {"prompt": 0, "provider": "recorded", "question": "Which city?"}
    assert found[0] == row | {"id": "0", "gold": ["Rome"], "pred": "in Rome"}
    assert found[1] == row | {"id": "1", "gold": ["Rome", "Roma"], "pred": "Roma"}
    assert [row["pred"] for row in found[3:]] == [
        *("", "Milan"),
        *(None, None, None),  # the provider was down, raised, gave null
        *('{"city": "Rome"}', "7", "in Rome", "in Rome"),
    ]


def test_values_of_assertions_are_read_as_promptfoo_rendered_them():
    found = list(promptfoo.rows(DATA / "promptfoo-0.123.1.json"))[10]
    assert found["gold"] == ["rome", "Which city?", "the Which city?", "Rome", "Roma"]


def test_a_template_that_was_never_rendered_is_no_gold_answer(tmp_path):
    asserts = [{"type": "equals", "value": "the {{answer}}"}, {"type": "equals", "value": "{{answer}}"}]
    found = promptfoo.rows(written(tmp_path / "x.json", result(asserts, answer=["Rome", "Roma"])))
    assert [row["gold"] for row in found] == [["Rome", "Roma"]]


@every("lines", [False, True])
@every(
    ("asserts", "variables", "gold"),
    [
        ([{"type": "equals", "value": "Rome"}], {}, ["Rome"]),
        ([{"type": "icontains", "value": "Rome"}, {"type": "similar", "value": "Roma"}], {}, ["Rome", "Roma"]),
        ([{"type": "contains-any", "value": ["Rome", "Roma"]}], {}, ["Rome", "Roma"]),
        ([{"type": "contains-any", "value": '"Rome, Italy", Roma,'}], {}, ["Rome, Italy", "Roma"]),
        ([{"type": "not-equals", "value": "Milan"}], {"answer": "Rome"}, ["Rome"]),
        ([{"type": "javascript", "value": "output.length"}], {"reference": "Rome", "answer": "Milan"}, ["Rome"]),
        ([{"type": "equals", "value": "file://gold.txt"}], {"expected": "Rome"}, ["Rome"]),
    ],
)
def test_gold_answers_are_in_assertions_or_in_variables(tmp_path, asserts, variables, gold, lines):
    path = written(tmp_path / "x.json", result(asserts, question="Which city?", **variables), lines=lines)
    (row,) = promptfoo.rows(path)
    assert (row["question"], row["gold"], row["pred"]) == ("Which city?", gold, "in Rome")


def test_without_a_question_the_prompt_is_read_and_other_outputs_become_text(tmp_path):
    asserts = [{"type": "equals", "value": 7}]
    items = [result(asserts), result(asserts, output={"n": 7}), result(asserts) | {"response": None}]
    found = list(promptfoo.rows(written(tmp_path / "x.json", *items)))
    assert [row["pred"] for row in found] == ["in Rome", '{"n": 7}', None]
    assert (found[0]["question"], found[0]["gold"]) == ("Q: Which city? A:", ["7"])


def test_a_list_of_gold_answers_that_became_several_tests_is_reported(tmp_path):
    results = [result([], answer="Rome"), result([], answer="Roma")]
    tests = [{"vars": {"answer": ["Rome", "Roma"]}}, {"vars": {"answer": ["Rome"]}}, "file://more.csv"]
    with pytest.warns(UserWarning, match="'answer' is a list in 1 test, .* set disableVarExpansion: true"):
        found = list(promptfoo.rows(written(tmp_path / "x.json", *results, tests=tests, defaultTest={})))
    assert [row["gold"] for row in found] == [["Rome"], ["Roma"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(promptfoo.rows(written(tmp_path / "x.json", *results, tests=tests)))  # its defaultTest expands nothing


def test_the_error_for_a_test_without_a_gold_answer_has_the_remedy(tmp_path):
    path = written(tmp_path / "x.json", result([{"type": "llm-rubric", "value": "is polite"}], question="?"))
    with pytest.raises(ValueError, match=r"result 1: no gold answer is recorded; .*\(equals, contains"):
        list(promptfoo.rows(path))
    path.write_text('{"results": {}}')
    with pytest.raises(ValueError, match="results: there must be an object with the field 'results'"):
        list(promptfoo.rows(path))
    path.write_text(json.dumps({key: value for key, value in RESULTS[0].items() if key != "response"}))
    with pytest.raises(ValueError, match="the field 'response', but there is"):
        list(promptfoo.rows(path))
