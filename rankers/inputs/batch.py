"""What a network reads: padded texts with their masks, and which answer is to be matched with which question."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Texts(NamedTuple):
    """Padded texts. Each has at least one word (an empty one has the unknown word); all padding is on the right.

    Attributes:
        ids: The words' places in the vocabulary, int64, (n, length); 0 if padded.
        mask: True at words, False at padding, bool, (n, length).
    """

    ids: Tensor
    mask: Tensor


class Batch(NamedTuple):
    """Pairs of a question and an answer. A text of several pairs is here once, and is encoded once.

    Attributes:
        questions: The distinct questions, (q, question length).
        answers: The distinct answers, (a, answer length).
        question_of: The row of each pair's question, int64, (pairs,).
        answer_of: The row of each pair's answer, int64, (pairs,).
    """

    questions: Texts
    answers: Texts
    question_of: Tensor
    answer_of: Tensor

    def pairs(self) -> tuple[Texts, Texts]:
        """Return the question and the answer of each pair, row by row: for networks in which each reads the other."""
        return rows(self.questions, self.question_of), rows(self.answers, self.answer_of)


def rows(texts: Texts, places: Tensor) -> Texts:
    """Return these rows of texts, in this order, padded as they were."""
    return Texts(texts.ids[places], texts.mask[places])
