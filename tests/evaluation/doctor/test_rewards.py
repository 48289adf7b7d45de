"""Attacks on rewards: the patterns, the shares, and the bars that the default keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from answersim import Reward
from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.doctor.attacks import attacks
from answersim.evaluation.doctor.rewards import (
    MOST_ACCEPTED,
    MOST_REJECTED,
    REWARD_PATTERNS,
    SPELLINGS,
    RewardExamination,
    examine_reward,
)
from tests.cases import every

PAIR = MinimalPair("en", "number", "en-number-1", "dev", "How many?", "eleven", "11", "12")
OTHERS = [PAIR._replace(family=f"en-x-{i}", gold=gold) for i, gold in enumerate("abcde")]


def containment(golds: Sequence[str], preds: Sequence[str], questions: Sequence[str]) -> list[float]:
    return [float(gold in pred) for gold, pred in zip(golds, preds, strict=True)]


@every("name", REWARD_PATTERNS)
def test_no_wording_of_an_attack_is_the_right_answer(name: str) -> None:
    for wording in REWARD_PATTERNS[name]:
        built = attacks([PAIR, *OTHERS], {name: [wording]})
        results = [attack.pred for attack in built if attack.gold == PAIR.gold or not attack.question]
        assert results
        assert all(pred.strip() not in (PAIR.gold, PAIR.same) for pred in results)
        assert not any(mark in pred for pred in results for mark in ("{gold}", "{wrong}", "{other}", "{question}"))


def test_there_are_twenty_spellings_with_the_gold_answer() -> None:
    assert len(set(SPELLINGS.values())) == len(SPELLINGS) == 20
    assert all("{gold}" in form for form in SPELLINGS.values())


def test_a_verifier_by_containment_is_fooled_and_the_report_shows_it() -> None:
    result = examine_reward(containment, name="containment", questions=10)
    accepted = {row.pattern: row.accepted.value for row in result.attacks}
    assert accepted["several boxes"] == 1.0
    assert accepted["openers"] == 0.0
    assert {row.spelling: row.rejected.value for row in result.spellings}["bold"] == 0.0
    assert json.loads(result.to_json())["name"] == "containment"
    assert "several boxes" in result.to_markdown()
    assert str(result).startswith("containment accepts")
    assert result.unscored == 0


def test_one_reward_per_completion_is_needed() -> None:
    with pytest.raises(ValueError, match="returns 1 rewards for"):
        examine_reward(lambda golds, preds, questions: [1.0], questions=2)


def bars(result: RewardExamination) -> None:
    """An undecided row counts as rejected."""
    for row in result.attacks:
        assert row.accepted.value <= MOST_ACCEPTED, row
    for spelled in result.spellings[:-2]:  # the rewrites and the close misses measure the metric
        assert spelled.rejected.value <= MOST_REJECTED, spelled


@every("part", ["dev", "test"])
def test_the_rules_keep_the_bars(part: str) -> None:
    bars(examine_reward(Reward("rules"), part=part, questions=100))  # type: ignore[arg-type] # one of two


@pytest.mark.slow
@pytest.mark.parametrize("part", ["dev", "test"])
def test_the_default_keeps_the_bars(part: str) -> None:
    pytest.importorskip("torch", reason="needs torch")
    bars(examine_reward(Reward(), part=part, questions=150))  # type: ignore[arg-type] # one of two
