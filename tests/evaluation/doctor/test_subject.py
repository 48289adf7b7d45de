"""What the doctor examines: metrics, rewards, several gold answers, and the files that it reads."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim import Reward
from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.doctor import checks, rewards
from answersim.evaluation.doctor.attacks import attacks
from answersim.evaluation.doctor.rewards import (
    REWARD_PATTERNS,
    SPELLINGS,
    RewardExamination,
    examine_reward,
)
from answersim.evaluation.doctor.subject import as_subject
from answersim.metrics.testing import properties
from answersim.types import Pair
from tests.cases import every

MOST_ACCEPTED, MOST_REJECTED = 0.01, 0.10  # the bars of the default reward
PAIRS = [Pair("Rome", "in Rome"), Pair("Rome", "Milan")]


def overlap(golds: list[str], preds: list[str]) -> list[float]:
    return [float(gold in pred) for gold, pred in zip(golds, preds, strict=True)]


def test_a_function_with_questions_gets_them_by_name():
    stated: list[Any] = []

    def judge(golds: list[str], preds: list[str], questions: list[str] | None) -> Any:
        stated.append(questions)
        return np.zeros(len(golds))

    subject = as_subject(judge)
    assert subject.reads_questions
    subject(PAIRS, ["Where?", ""])
    subject(PAIRS)
    assert stated == [["Where?", ""], None]
    assert not as_subject(overlap).reads_questions


def test_a_function_is_found_in_a_module_of_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "my_metric_of_a_test.py").write_text(
        "class Metrics:\n"
        "    @staticmethod\n"
        "    def same(golds, preds):\n"
        "        return [g == p for g, p in zip(golds, preds)]\n"
        "number = 5\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    subject = as_subject("my_metric_of_a_test:Metrics.same")
    assert subject([Pair("a", "a"), Pair("a", "b")]).tolist() == [1.0, 0.0]
    assert subject.signature == "my_metric_of_a_test:Metrics.same"
    with pytest.raises(LookupError, match=r"'Metric'; did you mean 'Metrics'"):
        as_subject("my_metric_of_a_test:Metric")
    with pytest.raises(TypeError, match="it must be a function"):
        as_subject("my_metric_of_a_test:number")


@every(
    ("subject", "error", "message"),
    [
        ("gone", LookupError, "no metric is called 'gone'"),
        ("gone_module:f", LookupError, "no module that can be imported"),
        ("autoevals:", LookupError, "write module:function"),
        (":f", LookupError, "write module:function"),
        (5, TypeError, "a metric to examine is 5"),
    ],
)
def test_what_cannot_be_examined_is_an_error(subject, error, message):
    with pytest.raises(error, match=message):
        as_subject(subject)


def pasted(block: int, **names: Any) -> dict[str, Any]:
    """Run a block of the section on other libraries of docs/choosing.md, and return all names after that."""
    page = (Path(__file__).parents[3] / "docs/choosing.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"^## Metrics of other libraries\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    exec(compile(re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[block], "docs", "exec"), names)
    return names


def test_rouge_score_as_on_the_page():
    subject = as_subject(pasted(0)["rouge_l"])
    assert subject([Pair("red fox", "red bear"), Pair("red fox", "red fox")]).tolist() == [0.5, 1.0]


@pytest.mark.filterwarnings("ignore")
def test_bert_score_as_on_the_page_fails_on_an_empty_answer(tiny):
    """The fault that docs/choosing.md lists. Its scores do not depend on the batch."""
    pytest.importorskip("bert_score")
    subject = as_subject(pasted(1, MODEL=str(tiny("bert")), LAYER=2)["bert_f1"])
    same, other = subject([Pair("cortex", "cortex"), Pair("cortex", "eleven")])
    assert other < same == pytest.approx(1.0, abs=1e-5)
    assert properties.batch(subject, [*PAIRS, Pair("eleven", "11")], None, 1e-4).holds
    with pytest.raises((AttributeError, IndexError)):  # by the version of transformers
        subject([Pair("Rome", "")])


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


def test_the_wrong_answer_of_an_attack_is_of_the_same_kind_and_shares_no_word() -> None:
    numbers = [("number", gold) for gold in ("eleven", "the eleven men", "twelve")]
    golds = [numbers[0], ("name", "Ada"), ("negation", "Yes"), *numbers[1:]]
    families = [
        PAIR._replace(kind=kind, gold=gold, same=f"{gold} it is", different="close", family=f"en-{kind}-{i}")
        for i, (kind, gold) in enumerate(golds)
    ]
    changed = [pair.different for pair in rewards._with_other_answers(families)]
    # The next one of the same kind, else the next one of another kind; never an answer of yes or no.
    assert changed == ["twelve", "the eleven men", "the eleven men", "twelve", "eleven"]
    assert rewards._with_other_answers(families[:1]) == families[:1]  # there is no other answer
    assert rewards._with_other_answers([families[4], families[4]._replace(gold="12")])[0].different == "close"


def test_one_reward_per_completion_is_needed() -> None:
    with pytest.raises(ValueError, match="returns 1 rewards for"):
        examine_reward(lambda golds, preds, questions: [1.0], questions=2)


def rejected(result: RewardExamination) -> list[object]:
    """The spellings of which too many are rejected. An undecided row counts as rejected."""
    # The rewrites and the close misses, which are last, measure the metric.
    return [spelled for spelled in result.spellings[:-2] if spelled.rejected.value > MOST_REJECTED]


def test_the_rules_accept_at_most_one_of_all_attacks_on_a_few_questions() -> None:
    result = examine_reward(Reward("rules"), part="dev", questions=25)
    assert sum(round(row.accepted.value * row.n) for row in result.attacks) <= 1
    assert rejected(result) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", ["dev", "test"])
@pytest.mark.parametrize("by", ["rules", None])
def test_the_reward_keeps_the_bars(by: str | None, part: str) -> None:
    pytest.importorskip("torch", reason="needs torch")
    result = examine_reward(Reward(by), part=part, questions=150)  # type: ignore[arg-type] # one of two
    assert [row for row in result.attacks if row.accepted.value > MOST_ACCEPTED] == []
    assert rejected(result) == []


def f1(gold: str, pred: str) -> float:

    return float(answersim.score(gold, pred, metric="f1"))


def best(golds: list[Any], preds: list[str]) -> list[float]:
    listed = [[gold] if isinstance(gold, str) else gold for gold in golds]
    return [max(f1(gold, pred) for gold in several) for several, pred in zip(listed, preds, strict=True)]


def any_counts_as_one(golds: list[Any], preds: list[str]) -> list[float]:
    """A harness that scores each gold answer and turns any credit into 1, if there are several of them."""
    return [
        f1(gold, pred) if isinstance(gold, str) else float(any(f1(entry, pred) for entry in gold))
        for gold, pred in zip(golds, preds, strict=True)
    ]


def first_counts(golds: list[Any], preds: list[str]) -> list[float]:
    return [f1(gold if isinstance(gold, str) else gold[0], pred) for gold, pred in zip(golds, preds, strict=True)]


def strings_only(golds: list[str], preds: list[str]) -> list[float]:
    return [f1(gold.strip(), pred) for gold, pred in zip(golds, preds, strict=True)]


def test_the_best_reference_in_any_order_holds():
    for subject in (as_subject(best), as_subject("f1"), as_subject("rouge-l")):
        assert checks.best_reference(subject, 1e-4).holds
        assert checks.order_of_references(subject, 1e-4).holds


def test_a_harness_that_turns_a_part_into_one_is_found():
    finding = checks.best_reference(as_subject(any_counts_as_one), 1e-4)
    assert finding.holds is False
    assert finding.largest > 0.4
    assert "have 1, the best gold answer alone 0." in finding.detail


def test_a_metric_that_reads_the_first_reference_only_is_found():
    assert checks.order_of_references(as_subject(first_counts), 1e-4).holds is False
    assert checks.best_reference(as_subject(first_counts), 1e-4).holds is False


@every("check", [checks.best_reference, checks.order_of_references])
def test_a_function_that_refuses_lists_is_not_judged(check):
    finding = check(as_subject(strings_only), 1e-4)
    assert finding.holds is None
    assert "one gold answer only (AttributeError)" in finding.detail
    assert check(replace(as_subject(strings_only), references=False), 1e-4).holds is None


@every("check", [checks.best_reference, checks.order_of_references])
def test_a_function_that_claims_to_accept_lists_must(check):
    with pytest.raises(AttributeError):
        check(replace(as_subject(strings_only), references=True), 1e-4)
