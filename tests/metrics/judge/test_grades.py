"""The grade "not attempted" of a judge: which rows have it, by one gold answer or several, and through a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.metrics.judge.metric import CountedCalls, Judged
from answersim.metrics.judge.parsing import Outcome
from answersim.types import GradesAttempts, Pair


@dataclass(frozen=True)
class Grader(CountedCalls):
    """A judge whose replies are the words of the gold answer."""

    grades: tuple[str, ...] = ("correct", "incorrect", "NOT_ATTEMPTED")

    def judge(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> tuple[list[Judged], None]:
        return [Judged(tuple(Outcome(word, 0.0) for word in pair.gold.split())) for pair in pairs], None


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("not_attempted", True),
        ("incorrect", False),
        ("NOT_ATTEMPTED not_attempted incorrect", True),  # the majority of three replies
        ("not_attempted incorrect", False),
        (["incorrect", "not_attempted"], True),  # by one of two gold answers
    ],
)
def test_the_majority_of_replies_and_any_gold_answer_decide(gold: Any, expected: bool) -> None:
    rows = [(gold, "x"), ("correct", "y")]
    found = Grader().not_attempted(rows, ["q", "q"])
    assert found.tolist() == [expected, False]


def test_a_judge_without_the_grade_has_no_opinion() -> None:
    assert Grader(("yes", "no")).not_attempted([("yes", "x")]) is None
    assert not isinstance(answersim.metric("f1"), GradesAttempts)


@pytest.mark.parametrize("extract", [None, "boxed"])
def test_the_grade_counts_and_not_the_phrase(tmp_path: Path, extract: str | None) -> None:
    grades = ["correct", "not attempted", "incorrect", "NOT_ATTEMPTED", "incorrect", "incorrect"]
    gold = ["Rome", "Oslo", "Paris", "Lima", "Bern", "Kiel"]
    pred = ["Rome", "hm", "I don't know", "ask me later", "Basel", "x"]
    path = tmp_path / "grades.csv"
    rows = zip(gold, pred, grades, strict=True)
    path.write_text("gold,pred,verdict\n" + "".join(f"{g},{p},{v}\n" for g, p, v in rows))
    judge = answersim.metric("judge", verdicts=str(path), extract=extract)
    assert isinstance(judge, GradesAttempts)
    written = pred if extract is None else [f"\\boxed{{{text}}}" for text in pred]
    found = answersim.evaluate({"gold": gold, "pred": written}, judge)
    row = found.row()
    assert (row.right, row.wrong, row.not_attempted) == (1, 3, 2)
    assert any("by the grade of the judge" in note for note in found.notes)
