"""The batches that a network reads: padded texts with their masks, and pairs of questions and answers."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Texts(NamedTuple):
    """Padded texts. Each has at least one word (an empty text has the unknown word). All padding is on the right."""

    ids: Tensor  # the indices of the words in the vocabulary, int64, (n, length); 0 is padding
    mask: Tensor  # true at words, False at padding, bool, (n, length)


class Batch(NamedTuple):
    """Pairs of a question and an answer. A text of several pairs is stored once and encoded once."""

    questions: Texts  # the distinct questions, (q, question length)
    answers: Texts  # the distinct answers, (a, answer length)
    question_of: Tensor  # the row of each pair's question, int64, (pairs,)
    answer_of: Tensor  # the row of each pair's answer, int64, (pairs,)

    def pairs(self) -> tuple[Texts, Texts]:
        """Return the question and the answer of each pair, row by row, for networks that read both texts together."""
        return rows(self.questions, self.question_of), rows(self.answers, self.answer_of)


def rows(texts: Texts, places: Tensor) -> Texts:
    """Return these rows of texts, in this order, padded as they were."""
    return Texts(texts.ids[places], texts.mask[places])
