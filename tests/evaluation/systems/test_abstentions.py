"""Answers that attempt nothing: by phrases, by the grade of a judge, and for questions without an answer."""

from __future__ import annotations

from typing import Any

import pytest

import answersim
from tests.cases import every
from tests.evaluation.pairs import compare_all

GOLD: list[Any] = ["Rome", "Oslo", "", ["unanswerable", "none"], "Lima", "Bern"]
PRED = ["Rome", "I don't know.", "No answer", "There is not enough information.", "", "Quito"]
VERDICTS = ["right", "not attempted", "right", "right", "not attempted", "wrong"]


def table(times: int = 1, **more: list[Any]) -> dict[str, list[Any]]:
    return {name: values * times for name, values in ({"gold": GOLD, "pred": PRED} | more).items()}


@every("metric", ["em", "recall"])
def test_an_abstention_is_right_only_if_there_is_no_answer(metric: str) -> None:
    found = answersim.evaluate(table(), metric, keep=("right", "wrong", "unsure", "not attempted"))
    assert [answer.verdict for answer in sorted(found.answers, key=lambda answer: answer.row)] == VERDICTS
    row = found.row()
    assert (row.right, row.wrong, row.unsure, row.not_attempted) == (3, 1, 0, 2)
    assert [round(rate.value, 3) for rate in row.attempts] == [0.667, 0.75, 0.6]
    assert "1 wrong, 0 unsure, 2 not attempted" in found.summary()[0]
    assert any("2 abstentions are right, because the gold answer" in note for note in found.notes)
    (attempts,) = [part for part in found.tables() if part.title == "Attempts"]
    assert attempts.header == ("system", "attempted", "right of attempted", "F1")
    assert found.to_dict()["rows"][0]["f1"]["value"] == pytest.approx(0.6)


def test_a_right_abstention_has_the_probability_1() -> None:
    found = answersim.evaluate(table(), "recall", keep=("right",))
    assert [answer.probability for answer in found.answers if answer.row in "34"] == [1.0, 1.0]


def test_an_answer_that_the_metric_counts_as_right_was_attempted() -> None:
    data = {"gold": ["Rome"], "pred": ["I do not know whether it is Rome."]}
    assert not answersim.answers.extraction.attempted(data["pred"][0])
    assert answersim.evaluate(data, "recall").row().right == 1


def test_without_abstentions_nothing_is_said_of_them() -> None:
    found = answersim.evaluate({"gold": ["Rome", "Oslo"], "pred": ["Rome", "Bergen"]}, "em")
    assert "attempted" not in str(found)
    row = found.row()
    assert (row.attempts.attempted.value, *row.attempts[1:], row.not_attempted) == (1, row.share, row.share, 0)


def test_the_final_answer_decides_if_a_rule_reads_it() -> None:
    data = {"gold": ["Rome"] * 2, "pred": ["It may be Oslo. \\boxed{unknown}", "I was not sure. \\boxed{Rome}"]}
    found = answersim.evaluate(data, "em", extract="boxed").row()
    assert (found.right, found.not_attempted) == (1, 1)


def test_abstentions_are_read_in_any_language() -> None:
    data = {"gold": ["Rom", "Rome"], "pred": ["Das weiß ich leider nicht", "Je ne sais pas"]}
    assert answersim.evaluate(data, "em").row().not_attempted == 2


def test_two_systems_differ_in_each_rate() -> None:
    data = table(20, other=["Rome", "Oslo", "No answer", "x", "Lima", "no idea"])
    found = answersim.compare(data, "em", pred=["pred", "other"])
    attempts = found.pair.attempts
    assert attempts is not None
    assert attempts.not_attempted == (40, 20)
    for name in ("attempted", "accuracy", "f1"):
        rows = answersim.evaluate(data, "em", pred=["pred", "other"]).rows
        before, after = (getattr(row.attempts, name) for row in rows)
        assert getattr(attempts, name).value == pytest.approx(after.value - before.value)
    text = "\n".join(found.summary())
    assert "went wrong (are wrong, unsure or not attempted now)" in text
    assert "83 % [75, 90] attempted against 67 % [57, 75], +16.7 points" in text
    assert found.records()[0]["difference_f1"] == attempts.f1.value
    assert found.to_dict()["pairs"][0]["attempts"]["not_attempted"] == [40, 20]


def test_numbers_have_no_attempts() -> None:
    assert compare_all({"a": [1, 0] * 20, "b": [0, 1] * 20}).pair.attempts is None
