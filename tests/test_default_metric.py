"""The metric if none is named: the same in every installation, and without its extra an error with both remedies."""

import json
import re
import subprocess
import sys

import pytest

from answersim._base.errors import NO_NETWORK
from answersim.metrics.catalog import lookup
from tests.cases import every

COMMANDS = {
    "score": ["score", "a.csv"],
    "evaluate": ["evaluate", "a.csv"],
    "compare": ["compare", "a.csv", "b.csv"],
    "label": ["label", "a.csv", "-n", "10", "--sheet", "sheet.csv"],
    "verdicts": ["score", "a.csv", "-c", "shipped"],
}
CALLS = {
    "answersim.score": "answersim.score('a', 'b')",
    "score of a sequence": "answersim.score(['a'], ['b'])",
    "answersim.score_pairs": "answersim.score_pairs([('a', 'b')])",
    "answersim.evaluate": "answersim.evaluate({'gold': ['a'] * 30, 'pred': ['b'] * 30})",
    "answersim.compare": "answersim.compare({'gold': ['c'] * 30, 'a': ['a'] * 30, 'b': ['b'] * 30}, pred=['a', 'b'])",
    "a Scorer": "base.Scorer().score(None, 'a', 'b')",
    "evaluate.load": "hf_evaluate.compute(['a'], ['b'])",
    "score_file": "answersim.score_file(pandas.DataFrame({'gold': ['a'], 'pred': ['b']}))",
    "a scorer of batches": "arrow.scorer()",
}
PROGRAM = """
import importlib.util, json, sys
find = importlib.util.find_spec
lacking = ("torch", "transformers", "tokenizers")
importlib.util.find_spec = lambda name, package=None: None if name in lacking else find(name, package)
import pandas
from typer.testing import CliRunner
import answersim
from answersim.__main__ import app
from answersim.integrations import arrow, base, hf_evaluate
output = {}
for name, words in json.loads(sys.argv[1]).items():
    result = CliRunner().invoke(app, words)
    output[name] = f"exit status {result.exit_code}: {result.output}"
for name, call in json.loads(sys.argv[2]).items():
    try:
        output[name] = repr(eval(call))
    except Exception as error:
        output[name] = f"{type(error).__name__}: {error}"
print(json.dumps(output))
"""
ROWS = "id,gold,pred\n" + "".join(f"{i},Rome,The capital of Italy is Rome.\n" for i in range(30))


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command and call answers if no engine for networks is installed."""
    pytest.importorskip("pandas")
    folder = tmp_path_factory.mktemp("without-torch")
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text(ROWS, encoding="utf-8")
    words = [sys.executable, "-c", PROGRAM, json.dumps(COMMANDS), json.dumps(CALLS)]
    run = subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder)
    return dict(json.loads(run.stdout))


@every("name", [*COMMANDS, *CALLS])
def test_without_its_extra_the_default_metric_is_an_error_with_both_remedies(output, name):
    assert output[name].startswith("exit status 2: " if name in COMMANDS else "MissingExtraError: "), output[name]
    text = " ".join(output[name].split())
    assert "the metric answersim needs 'torch', which is not installed" in text
    assert 'run pip install -c constraints.txt ".[embedded]" in a checkout of answersim' in text
    assert '".[embedded-numpy]"' in text
    assert 'such as typed+recall (-m typed+recall, metric="typed+recall")' in text


def test_the_alternative_needs_no_network():
    (name,) = set(re.findall(r'-m (\S+),|metric="(\S+)"', NO_NETWORK)[0]) - {""}
    assert lookup.entry(name).kind == "lexical"
