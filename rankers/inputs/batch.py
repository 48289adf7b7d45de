"""The batches that a network reads: padded texts with their masks, and pairs of questions and answers."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Texts(NamedTuple):
    """Padded texts. Each has at least one word (an empty text has the unknown word). All padding is on the right.

    Attributes:
        ids: The indices of the words in the vocabulary, int64, (n, length); 0 is padding.
        mask: True at words, False at padding, bool, (n, length).
    """

    ids: Tensor
    mask: Tensor


class Batch(NamedTuple):
    """Pairs of a question and an answer. A text of several pairs is stored once and encoded once.

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
        """Return the question and the answer of each pair, row by row, for networks that read both texts together."""
        return rows(self.questions, self.question_of), rows(self.answers, self.answer_of)


def rows(texts: Texts, places: Tensor) -> Texts:
    """Return these rows of texts, in this order, padded as they were."""
    return Texts(texts.ids[places], texts.mask[places])
