"""What only promptfoo does: ``promptfoo eval``, a program of npm, with the Python assertion and recorded answers."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, PASSED, ROWS, VALUES, lines_of

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
OTHERS = [{"error": "the provider is down"}, {"raise": "the provider raised"}, {"output": {"city": "Rome"}}]
SWITCHES = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "HTTP_PROXY": "http://127.0.0.1:9",  # nobody listens there: what needs a network fails
    "HTTPS_PROXY": "http://127.0.0.1:9",
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The results of an evaluation with the lines of the guide, in the order of its tests."""
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    here = Path(sys.prefix, "npm", "node_modules", ".bin")
    program = shutil.which("promptfoo", path=str(here)) or shutil.which("promptfoo")
    if program is None:
        pytest.skip("needs promptfoo, a program of npm; `make test-hosts HOSTS=promptfoo` installs it")
    rows = [(row.golds, {"output": row.prediction}) for row in ROWS] + [("Rome", answer) for answer in OTHERS]
    tests = [{"vars": {"question": "Which city?", "answer": golds, "recorded": answer}} for golds, answer in rows]
    without_verdict = {"type": "python", "value": "file://check.py", "config": {"metric": "bleu"}}
    tests.append({**tests[0], "assert": [without_verdict]})
    lines = yaml.safe_load(lines_of("promptfoo"))
    config = {"prompts": ["Q: {{question}} A:"], "providers": ["file://replay.cjs"], **lines, "tests": tests}
    folder = tmp_path_factory.mktemp("promptfoo")
    check = "from answersim.integrations.harnesses.promptfoo import get_assert\n"
    (folder / "check.py").write_text(check, encoding="utf-8")
    (folder / "replay.cjs").write_text(REPLAY, encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # node is there
    own = {"PROMPTFOO_PYTHON": sys.executable, "PROMPTFOO_CONFIG_DIR": str(folder / "home"), "PATH": path}
    options = ["--no-cache", "--no-table", "--no-progress-bar", "--max-concurrency", "1", "--output", "log.json"]
    run = subprocess.run(
        [program, "eval", "--config", "config.json", *options],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | SWITCHES | own,
        timeout=600,
    )
    assert run.returncode == 100, run.stdout + run.stderr  # the status of promptfoo if tests fail
    content = json.loads((folder / "log.json").read_text(encoding="utf-8"))["results"]["results"]
    return sorted(content, key=lambda result: result["testIdx"])


def test_an_evaluation_has_scores_verdicts_reasons_and_signatures(results: list[dict[str, Any]]) -> None:
    outcome = results[: len(ROWS)]
    parts = [result["gradingResult"]["componentResults"][0] for result in outcome]
    assert [result["score"] for result in outcome] == pytest.approx(VALUES)
    assert [result["success"] for result in outcome] == PASSED
    assert [result["namedScores"]["f1"] for result in outcome] == pytest.approx(VALUES)
    assert {part["metadata"]["signature"] for part in parts} == {F1}
    assert "nearest of 2 gold answers: 'Roma'" in parts[1]["reason"]  # promptfoo did not make a test of each


def test_a_failed_provider_and_a_metric_without_verdicts_leave_the_others_as_they_are(
    results: list[dict[str, Any]],
) -> None:
    down, raised, structured, unsure = results[len(ROWS) :]
    assert [entry["success"] for entry in (down, raised, structured, unsure)] == [False] * 4
    assert down["error"] == "the provider is down"
    assert "the provider raised" in raised["error"]
    assert "an answer is a string" in structured["error"]
    assert "an assertion passes or fails, but no calibration ships for bleu" in unsure["error"]
