"""What a network reads: padded texts with their masks, pairs of questions and answers, and the vectors of ids."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


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


class Embedding(nn.Module):
    """Vectors of words.

    A frozen table is not part of the state dict: it is the same for every network that uses it, and is found by its
    fingerprint.
    """

    table: Tensor

    def __init__(self, table: Tensor, *, trainable: bool = False, dim: int = 0, normalise: bool = False) -> None:
        """Build a layer on this table.

        Args:
            table: One row per word, float32, (words, d); row 0 is padding.
            trainable: Whether training may change it.
            dim: The dimension of the returned vectors, by a trained linear projection. 0 means d, without a projection.
            normalise: Whether to normalize the rows to length 1 first.
        """
        super().__init__()
        start = nn.functional.normalize(table.float(), dim=-1) if normalise else table.float().clone()
        if trainable:
            self.table = nn.Parameter(start)
        else:
            self.register_buffer("table", start, persistent=False)
        self.projection = nn.Linear(table.shape[1], dim) if dim else None
        self.dim = dim or table.shape[1]

    def forward(self, ids: Tensor) -> Tensor:
        """Return the vectors of these ids, (n, length) -> (n, length, dim). Values at padding have no meaning."""
        vectors = nn.functional.embedding(ids, self.table)
        return vectors if self.projection is None else self.projection(vectors)


def random_table(words: int, dim: int, generator: torch.Generator) -> Tensor:
    """Return a random initial table, (words, dim): normal with standard deviation .1. Row 0, padding, is 0."""
    table = torch.randn(words, dim, generator=generator) * 0.1
    table[0] = 0
    return table
