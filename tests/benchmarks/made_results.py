"""Results of made-up systems on made-up questions."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.ranking_datasets import Dataset
from benchmarks.ranking_tables import Result
from rankers.evaluation.evaluate import evaluate
from rankers.types import Candidate, Question, Questions, Run

DATASET = Dataset("Made", ("test",), ("MRR", "P@1"), "MRR")


def questions(n: int = 40) -> Questions:
    """Four candidates each: right in the very words, right in other words, wrong in nearly the same, wrong."""
    texts = (("r", "red apple pie", 1), ("o", "crimson fruit tart", 1), ("n", "red apple cake", 0), ("w", "stone", 0))
    items = tuple(
        Question(f"q{i}", f"what {i}?", tuple(Candidate(*text) for text in texts), ("red apple pie",)) for i in range(n)
    )
    return Questions("made", "test", items)


def result(name: str, firsts: Sequence[str], signature: str = "") -> Result:
    """A system that puts these candidates first, question by question, and the others in one order behind them."""
    scores = {
        f"q{i}": {each: 9.0 if each == first else float(3 - "rwno".index(each)) for each in "rwno"}
        for i, first in enumerate(firsts)
    }
    run = Run(name, scores, signature)
    return Result(name, [evaluate(run, questions(len(firsts)), DATASET.measures, ["f1"])], None, None, 0.1)


def made(n: int = 40) -> list[Result]:
    """By P@1 "words" is first; by f1 it falls behind "near", which is wrong in nearly the right words."""
    return [
        result("words", ["o"] * n),
        result("near", ["n"] * n),
        result("half", ["w", "o"] * (n // 2)),
        result("none", ["w"] * n),
    ]
