"""Answers that attempt nothing: neither right nor wrong, unless the gold answer means that there is no answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.text_tables import counted
from answersim.answers.extraction.abstention import attempted, surely_refuses
from answersim.calibration.verdicts import ANSWER_VERDICTS, Decided
from answersim.evaluation.systems.tables import NOT_ATTEMPTED
from answersim.types import GradesAttempts, Metric

MISSING = frozenset(("NaN", "nan", "NA", "None", "NULL", "null", "<NA>", "NaT"))  # as programs write a missing value
_RIGHT, _NOT_ATTEMPTED = ANSWER_VERDICTS.index("right"), ANSWER_VERDICTS.index("not attempted")


class Abstentions:
    """Decides which answers were not attempted, and counts them.

    An answer that the metric counts as right was attempted. Of the other answers, a judge that offers the grade "not
    attempted" decides, and with other metrics the phrases of ``answersim.answers.extraction.attempted``. An abstention
    is right if a gold answer means that there is no answer: an empty text, or a text such as "unanswerable".
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.n = self.n_right = 0
        self._empty: int | None = None  # the number of empty gold answers; None before the first system
        self._empty_preds = 0  # of all systems
        self._missing: Counter[str] = Counter()  # answers that are the text of a missing value
        self._by_grade = False

    def decide(
        self,
        decided: Decided,
        golds: Sequence[Any],
        preds: Sequence[str],
        answers: Sequence[str],
        questions: Sequence[str] | None,
    ) -> Decided:
        """Return the same with the verdicts of abstentions, and 1 as the probability of those that are right.

        ``decided``: what the rule decided of the scores. If it counts no answers, it is returned unchanged.
        ``answers``: the final answers that were read out of the predictions, or the predictions.
        """
        self._count(golds, preds)
        if decided.verdicts is None:
            return decided
        codes, probabilities = decided.verdicts.copy(), decided.probabilities
        abstained = np.flatnonzero(self._abstained(codes != _RIGHT, golds, preds, answers, questions)).tolist()
        right = [i for i in abstained if _has_no_answer(golds[i])]
        codes[abstained] = _NOT_ATTEMPTED
        codes[right] = _RIGHT
        self.n += len(abstained) - len(right)
        self.n_right += len(right)
        if probabilities is not None:
            probabilities = probabilities.copy()
            probabilities[right] = 1.0
        return Decided(decided.scores, probabilities, codes)

    def _count(self, golds: Sequence[Any], preds: Sequence[str]) -> None:
        """Count the empty answers and the texts of missing values; those of gold answers once for all systems."""
        if self._empty is None:
            self._empty = len([gold for gold in golds if isinstance(gold, str) and not gold.strip()])
            self._missing.update([gold for gold in golds if isinstance(gold, str) and gold in MISSING])
        self._empty_preds += sum(not pred.strip() for pred in preds)
        self._missing.update(filter(MISSING.__contains__, preds))

    def _abstained(
        self,
        unless_right: NDArray[np.bool_],
        golds: Sequence[Any],
        preds: Sequence[str],
        answers: Sequence[str],
        questions: Sequence[str] | None,
    ) -> NDArray[np.bool_]:
        if isinstance(self.metric, GradesAttempts):
            graded = self.metric.not_attempted(list(zip(golds, preds, strict=True)), questions)
            if graded is not None:
                self._by_grade = True
                return graded & unless_right
        abstained = np.zeros(len(answers), dtype=bool)
        is_attempt: dict[str, bool] = {}  # by text: many answers are equal
        for i in np.flatnonzero(unless_right).tolist():
            if (answer := answers[i]) not in is_attempt:
                is_attempt[answer] = attempted(answer)
            abstained[i] = not is_attempt[answer]
        return abstained

    def notes(self) -> list[str]:
        """Return how many answers were not attempted and by which rule, and how many abstentions are right."""
        notes = []
        if self.n:
            rule = "by the grade of the judge" if self._by_grade else "by the classifier of abstentions"
            notes.append(
                f"{NOT_ATTEMPTED} {counted(self.n, 'answer')} {rule}; a right answer always counts as attempted"
            )
        if self.n_right:
            answers = f"{counted(self.n_right, 'abstention')} {_be(self.n_right)} right"
            notes.append(f"{answers}, because the gold answer is empty or means that there is no answer")
        for name, n in (("gold answer", self._empty), ("prediction", self._empty_preds)):
            if n:
                notes.append(f"{counted(n, name)} {_be(n)} empty: there is no answer")
        for text, n in self._missing.items():
            notes.append(f"{counted(n, 'text')} {text!r} {_be(n)} read as an answer, and not as a missing value")
        return notes


def _has_no_answer(gold: Any) -> bool:
    return any(isinstance(text, str) and surely_refuses(text) for text in ([gold] if isinstance(gold, str) else gold))


def _be(n: int) -> str:
    return "is" if n == 1 else "are"
