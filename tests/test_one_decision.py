"""Metric, rules and reward decide alike: the cases that other authors found, by each caller."""

import json
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.answers.relation import relate

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
