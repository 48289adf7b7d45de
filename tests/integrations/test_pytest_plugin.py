"""The pytest plug-in, in sessions of its own: fixture, function, options, failures, collection, processes of xdist."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest

import answersim
from answersim._base.io import files
from answersim.evaluation.comparison import gating
from answersim.integrations.pytest_plugin import assert_equivalent, assert_gate

ROOT = Path(__file__).parent.parent.parent
INSTALLED = any(point.name == "answersim" for point in entry_points(group="pytest11"))
GOOD = """
from answersim.evaluation.comparison import gating
from answersim.integrations.pytest_plugin import assert_equivalent as function

def test_fixture(assert_equivalent):
    assert_equivalent("in Rome", "Rome", metric="recall", question="Which city?")

def test_function():
    function("in Rome", ["Milan", "Rome"], metric="f1", threshold=0.5)
"""


def session(
    folder: Path, code: str, *arguments: str, ini: str = "", alone: bool = True
) -> subprocess.CompletedProcess[str]:
    """The result of pytest in this folder with one test file. Other plug-ins take half of the time: ``alone``."""
    (folder / "test_answers.py").write_text(code)
    (folder / "pytest.ini").write_text(f"[pytest]\n{ini}")
    return run(folder, *arguments, alone=alone)


def run(folder: Path, *arguments: str, alone: bool = False) -> subprocess.CompletedProcess[str]:
    plugin = ["-p", "answersim.integrations.pytest_plugin"] if alone or not INSTALLED else []
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if alone else {}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=300)


def test_fixture_and_function_pass(tmp_path):
    result = session(tmp_path, GOOD, alone=False)
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout


def test_a_failure_lists_what_decides_it_and_no_line_of_this_package(tmp_path):
    code = """
def test_it(assert_equivalent):
    assert_equivalent("Milan", ["Roma", "Rome"], question="Which city?", metric="recall")
"""
    result = session(tmp_path, code)
    assert result.returncode == 1
    for part in (
        "not equivalent to the gold answer",
        "question   'Which city?'",
        "prediction 'Milan'",
        "gold       'Roma'",
        "score      0.0000 (recall)",
        "verdict    different (probability 0.",
        "signature  recall|text:en|rev:",
    ):
        assert part in result.stdout
    assert "pytest_plugin.py" not in result.stdout


@pytest.mark.parametrize("metric", ["f1", "rouge-l", "meteor"])
def test_a_metric_of_shared_words_needs_a_threshold(metric):
    with pytest.raises(
        ValueError, match=f"^{metric} has no verdicts for predictions of fewer than 12 words.*threshold="
    ):
        assert_equivalent("Michelle Obama", "Barack Obama", metric=metric)
    with pytest.raises(AssertionError, match="not equivalent"):
        assert_equivalent("Michelle Obama", "Barack Obama", metric=metric, threshold=0.8)
    assert_equivalent("Barack Obama", "Barack Obama", metric=metric, threshold=0.8)


@pytest.mark.parametrize(
    ("ini", "arguments", "status"),
    [
        ("answersim_metric = em\nanswersim_threshold = 1", (), 1),
        ("answersim_threshold = 1.5", ("--answersim-metric=recall", "--answersim-threshold=1"), 0),
    ],
)
def test_options_and_ini_values_choose_the_metric(tmp_path, ini, arguments, status):
    code = "def test_it(assert_equivalent):\n    assert_equivalent('in Rome', 'Rome')\n"
    assert session(tmp_path, code, *arguments, ini=ini).returncode == status


def test_a_wrong_option_is_an_error_of_usage(tmp_path):
    result = session(tmp_path, GOOD, "--answersim-metric=f2")
    assert result.returncode == 4
    assert "no metric is called 'f2'" in result.stderr


def test_collection_imports_no_network_and_the_plug_in_alone_nothing_of_answersim(tmp_path):
    code = """
import sys

def test_it(assert_equivalent):
    heavy = {"torch", "transformers", "scipy", "pandas"} & set(sys.modules)
    assert not heavy
    assert "answersim.integrations.shared.base" not in sys.modules
"""
    assert session(tmp_path, code).returncode == 0
    code = code.replace('assert "answersim.integrations.shared.base" not in sys.modules', "")
    assert session(tmp_path, code, "--answersim-metric=sas").returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(find_spec("xdist") is None, reason="could not import 'xdist'")
def test_processes_of_xdist_have_the_options_too(tmp_path):
    code = "def test_it(assert_equivalent):\n    assert_equivalent('in Rome', 'Rome')\n"
    result = session(tmp_path, code, "-n", "1", "--answersim-metric=recall", alone=False)
    assert result.returncode == 0, result.stdout
    words = ("-n", "1", "--answersim-metric=em", "--answersim-threshold=1")
    assert session(tmp_path, code, *words, alone=False).returncode == 1


def test_the_entry_point_is_called_answersim():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"answersim": "answersim.integrations.pytest_plugin"}


@pytest.mark.skipif(not INSTALLED, reason="this environment has no entry point of answersim: install the tree again")
def test_p_answersim_works_in_an_empty_folder(tmp_path):
    result = run(tmp_path, "-p", "answersim", "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert "--answersim-metric" in result.stdout


def answers(folder: Path, name: str, right: int, n: int = 100) -> Path:
    """A file of answers with this number of right ones."""
    path = folder / f"{name}.csv"
    rows = [f"q{i},{'Rome' if i < right else 'Oslo'}" for i in range(n)]
    path.write_text("\n".join(["id,gold,pred", *(row.replace(",", ",Rome,") for row in rows)]) + "\n")
    return path


def test_a_file_passes_fails_or_is_undecided_by_its_interval(tmp_path):
    path = answers(tmp_path, "new", 90)
    assert_gate(path, min_right=0.8, metric="em")
    with pytest.raises(AssertionError) as failed:
        assert_gate(path, min_right=0.97, metric="em")
    assert str(failed.value) == answersim.gate(path, min_right=0.97, metric="em").to_markdown()
    assert "### Fail: new" in str(failed.value)
    with pytest.raises(
        AssertionError, match=r"(?s)### Undecided: .*if the true share is 90\.0 %, about [\d,]+ answers"
    ):
        assert_gate(path, min_right=0.87, metric="em")
    with pytest.raises(pytest.skip.Exception, match="### Undecided"):
        assert_gate(path, min_right=0.87, metric="em", undecided="skip")
    with pytest.raises(LookupError, match="did you mean 'skip'"):
        assert_gate(path, min_right=0.8, metric="em", undecided="skipp")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no bar"):
        assert_gate(path, metric="em")


def test_a_file_is_compared_with_a_baseline(tmp_path):
    old, new, worse = (answers(tmp_path, name, right) for name, right in (("old", 90), ("new", 90), ("worse", 60)))
    assert_gate(new, old, metric="em")
    with pytest.raises(AssertionError, match="### Fail: worse"):
        assert_gate(worse, old, metric="em", max_drop=0.1)
    rows = {"gold": ["Rome"] * 50, "july": ["Rome"] * 50, "august": ["Oslo"] * 50}
    with pytest.raises(AssertionError, match="### Fail: august"):
        assert_gate(rows, pred=["july", "august"], metric="em")
    with pytest.raises(AssertionError, match="### Fail: candidate"):
        assert_gate(files.read(worse), files.read(old), metric="em", max_drop=0.1, id="id")
    lists = [[{"id": i, "gold": "Rome", "pred": pred} for i in range(50)] for pred in ("Oslo", "Rome")]
    with pytest.raises(AssertionError, match="### Fail: candidate"):
        assert_gate(*lists, metric="em")


def test_scores_of_a_gate_are_in_the_score_cache(tmp_path, monkeypatch):
    settings = {}
    decide = gating.gate
    monkeypatch.setattr(gating, "gate", lambda data, **given: settings.update(given) or decide(data, **given))
    assert_gate(answers(tmp_path, "new", 90), answers(tmp_path, "old", 90), metric="em")
    assert settings["cache"] is True


def test_an_error_of_a_gate_has_no_line_of_the_package(tmp_path):
    answers(tmp_path, "new", 90)
    result = session(tmp_path, "def test_it(assert_gate):\n    assert_gate('new.csv', pred='a,b', min_right=.9)\n")
    assert "--pred A,B (pred=['A', 'B'])" in result.stdout
    assert "answersim/" not in result.stdout


def test_the_fixture_of_a_file_has_the_options_and_prints_the_summary(tmp_path):
    answers(tmp_path, "new", 90)
    code = "def test_it(assert_gate):\n    assert_gate('new.csv', min_right=0.97)\n"
    result = session(tmp_path, code, "--answersim-metric=em")
    assert result.returncode == 1
    assert "- Fail (at least 97 % right): the 95% interval" in result.stdout
    assert "pytest_plugin.py" not in result.stdout


def test_a_missing_prediction_fails():
    with pytest.raises(AssertionError, match=r"(?s)prediction None\n.*verdict +different \(no prediction\)"):
        assert_equivalent(None, "Rome", metric="recall")
    with pytest.raises(ValueError, match=r"no calibration ships for bleu .*threshold="):
        assert_equivalent("Rome", "Rome", metric="bleu")
    assert_equivalent("Rome", "Rome", metric="bleu", threshold=0.9)


def test_a_metric_of_0_and_1_needs_no_threshold():
    assert_equivalent("Rome", "Rome", metric="em")
    with pytest.raises(AssertionError, match=r"different \(a score of 0 or 1\)"):
        assert_equivalent("Oslo", "Rome", metric="em")
