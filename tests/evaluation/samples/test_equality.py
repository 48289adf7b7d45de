"""Equality of answers by the rules of rewards, and by a metric."""

from __future__ import annotations

import pytest

from answersim.evaluation.samples.equality import AnswerPair, abstains, by_metric, by_rules
from answersim.scoring.reward.reading import Answer
from tests.cases import every


@every(
    ("golds", "answer", "outcome"),
    [
        (("1/2",), "0.5", 1),
        (("12 m",), "12 cm", -1),
        (("car",), "automobile", 0),
        (("Oslo", "Rome"), "It is Rome.", 1),
        (("Rome",), "", -1),
    ],
)
def test_rules_find_answers_equal_different_or_open(golds: tuple[str, ...], answer: str, outcome: int) -> None:
    assert by_rules("en").compare([AnswerPair(golds, Answer(answer, ""), "")]).tolist() == [outcome]


def test_a_metric_decides_by_its_verdicts() -> None:
    rows = [AnswerPair(("a b", "c"), Answer("c", ""), ""), AnswerPair(("a b",), Answer("c", ""), "")]
    assert by_metric("em").compare(rows).tolist() == [1, -1]
    threshold = by_metric("f1", calibration=None, threshold=0.5)
    assert threshold.compare([AnswerPair(("x y",), Answer("x", ""), "")]).tolist() == [1]
    assert threshold.compare([]).tolist() == []
    assert threshold.signature.startswith("f1|")


def test_a_metric_without_verdicts_is_an_error_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="--threshold"):
        by_metric("bleu")


def test_refusals_and_repeated_questions_abstain() -> None:
    assert abstains(Answer("I don't know.", ""), "")
    assert abstains(Answer("Who wrote it? ", ""), "Who wrote it?")
    assert not abstains(Answer("Unknown Pleasures", ""), "")
