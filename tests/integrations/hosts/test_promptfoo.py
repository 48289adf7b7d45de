"""promptfoo: ``promptfoo eval`` with the Python assertion and recorded answers, and the function called alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from answersim.integrations.promptfoo import assertion, get_assert
from tests.integrations.hosts.contract import (
    F1,
    PASSED,
    ROWS,
    THRESHOLD,
    VALUES,
    Constant,
    HostRow,
    Raising,
    lines_of,
)

# A provider of promptfoo that gives the answer in the variable "recorded", or fails as it says.
REPLAY = """
module.exports = class {
  id() { return "recorded"; }
  async callApi(prompt, context) {
    const { raise, ...response } = context.vars.recorded;
    if (raise) { throw raise; }
    return response;
  }
};
"""
FAILURES = [{"error": "the provider is down"}, {"raise": "the provider raised"}, {"output": None}]
OTHER_OUTPUTS = [{"output": {"city": "Rome"}}, {"output": 7}]
COMPARED = [  # assertions of promptfoo itself, from which gold answers are read
    {"type": "icontains", "value": "rome"},
    {"type": "equals", "value": "{{ question }}"},
    {"type": "equals", "value": "the {{ question }}"},
    {"type": "assert-set", "assert": [{"type": "contains-any", "value": ["Rome", "Roma"]}]},
    {"type": "contains-any", "value": "Rome, Roma, "},
    {"type": "not-equals", "value": "Milan"},
    {"type": "javascript", "value": "output.length"},
]
SWITCHES = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "HTTP_PROXY": "http://127.0.0.1:9",  # nobody listens there: what needs a network fails
    "HTTPS_PROXY": "http://127.0.0.1:9",
}


def program() -> str | None:
    """The path of promptfoo: in this environment (see ``__main__``), or elsewhere."""
    here = Path(sys.prefix, "npm", "node_modules", ".bin")
    return shutil.which("promptfoo", path=str(here)) or shutil.which("promptfoo")


def config() -> dict[str, Any]:
    """The configuration of a user, with the lines of the page."""
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    recorded = [{"output": row.prediction} for row in ROWS]
    tests = [
        {"vars": {"question": row.question, "answer": row.golds, "recorded": answer}}
        for row, answer in zip(ROWS, recorded, strict=True)
    ]
    tests += [
        {"vars": {"question": "Which city?", "answer": "Rome", "recorded": answer}}
        for answer in [*FAILURES, *OTHER_OUTPUTS]
    ]
    texts = {"question": "Which city?", "recorded": {"output": "in Rome"}}
    tests.append({"vars": texts, "options": {"disableDefaultAsserts": True}, "assert": COMPARED})
    without_verdict = {"type": "python", "value": "file://check.py", "config": {"metric": "bleu"}}
    tests.append({"vars": texts | {"answer": "Rome"}, "assert": [without_verdict]})
    prompts, providers = ["Q: {{question}} A:"], ["file://replay.cjs"]
    return {"prompts": prompts, "providers": providers, **yaml.safe_load(lines_of("promptfoo")), "tests": tests}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The logs of one evaluation, in JSON and in JSON lines."""
    found = program()
    if found is None:
        pytest.skip("needs promptfoo, a program of npm; `make test-hosts HOSTS=promptfoo` installs it")
    folder = tmp_path_factory.mktemp("promptfoo")
    (folder / "check.py").write_text("from answersim.integrations.promptfoo import get_assert\n", encoding="utf-8")
    (folder / "replay.cjs").write_text(REPLAY, encoding="utf-8")
    (folder / "promptfooconfig.json").write_text(json.dumps(config()), encoding="utf-8")
    written = [folder / "log.json", folder / "log.jsonl"]
    environment = (
        os.environ
        | SWITCHES
        | {
            "PROMPTFOO_PYTHON": sys.executable,
            "PROMPTFOO_CONFIG_DIR": str(folder / "home"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),  # node is there
        }
    )
    options = ["--no-cache", "--no-table", "--no-progress-bar", "--max-concurrency", "1"]
    outputs = [part for path in written for part in ("--output", path.name)]
    command = [found, "eval", "--config", "promptfooconfig.json", *options, *outputs]
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=600)
    assert all(path.is_file() for path in written), run.stdout + run.stderr
    assert run.returncode == 100, run.stdout + run.stderr  # the status of promptfoo if tests fail
    return written


def results(logs: list[Path]) -> list[dict[str, Any]]:
    found = json.loads(logs[0].read_text(encoding="utf-8"))["results"]["results"]
    return sorted(found, key=lambda result: result["testIdx"])


def test_an_evaluation_has_scores_verdicts_reasons_and_signatures(logs):
    found = results(logs)[: len(ROWS)]
    parts = [result["gradingResult"]["componentResults"][0] for result in found]
    assert [result["score"] for result in found] == pytest.approx(VALUES)
    assert [result["success"] for result in found] == PASSED
    assert [result["namedScores"]["f1"] for result in found] == pytest.approx(VALUES)
    assert [part["score"] for part in parts] == pytest.approx(VALUES)
    assert {part["metadata"]["signature"] for part in parts} == {F1}
    assert all(F1 in part["reason"] for part in parts)
    assert "nearest of 2 gold answers: 'Roma'" in parts[1]["reason"]  # promptfoo did not make a test of each
    assert "'Rome'" in found[4]["error"]


def test_a_failed_provider_leaves_the_others_as_they_are(logs):
    down, raised, without, structured, number, _, unsure = results(logs)[len(ROWS) :]
    assert [one["success"] for one in (down, raised, without, structured, number, unsure)] == [False] * 6
    assert down["error"] == "the provider is down"
    assert "the provider raised" in raised["error"]
    assert without["error"] == "No output"
    assert "an answer is a string" in structured["error"]
    assert number["score"] == 0
    assert "an assertion passes or fails, but no calibration ships for bleu" in unsure["error"]


def context(row: HostRow, **config: Any) -> dict[str, Any]:
    texts = {"question": row.question, "answer": row.golds}
    return {"prompt": f"Q: {row.question}", "vars": texts, "test": {"vars": texts}, "config": config}


def check(found: list[dict[str, Any]]) -> None:
    assert [one["score"] for one in found] == pytest.approx(VALUES)
    assert [one["pass"] for one in found] == [row.verdict == "equivalent" for row in ROWS]
    assert {one["metadata"]["signature"] for one in found} == {F1}
    assert [one["namedScores"]["f1"] for one in found] == pytest.approx(VALUES)
    assert "nearest of 2 gold answers: 'Roma'" in found[1]["reason"]


def test_an_assertion_has_pass_score_reason_and_signature():
    check([get_assert(row.prediction, context(row, metric="f1", threshold=THRESHOLD)) for row in ROWS])
    chosen = assertion("f1", threshold=THRESHOLD, gold="answer", question="question")
    check([chosen(row.prediction, context(row)) for row in ROWS])


def test_a_missing_output_fails_with_the_reason():
    found = get_assert(None, context(ROWS[0], metric="f1", threshold=0.0))
    assert (found["pass"], found["score"]) == (False, 0.0)
    assert "there is no prediction" in found["reason"]


def test_a_score_is_passed_on_or_clipped_and_errors_reach_promptfoo():
    for limits, expected in (("any", 1.5), ("clip", 1.0)):
        assert assertion(Constant(1.5), threshold=0.5, limits=limits)("x", context(ROWS[0]))["score"] == expected
    with pytest.raises(RuntimeError, match="this prediction is broken"):
        assertion(Raising(), threshold=0.5)("broken", context(ROWS[0]))


def test_without_a_verdict_there_is_no_assertion():
    with pytest.raises(ValueError, match="no calibration ships for bleu"):
        get_assert("Rome", context(ROWS[0], metric="bleu"))
    assert get_assert("Rome", context(ROWS[0], metric="em"))["pass"] is True


def test_the_lines_of_the_page_work():
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    (stated,) = yaml.safe_load(lines_of("promptfoo"))["defaultTest"]["assert"]
    assert (stated["type"], stated["value"]) == ("python", "file://check.py")
    check([get_assert(row.prediction, context(row, **stated["config"])) for row in ROWS])
