"""What a network reads, padded texts with their masks, and its scores of pairs, which do not depend on the batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from answersim._base.runtime.concurrency import forward_pass
from rankers.modules.vocabulary import Vocabulary
from rankers.types import FloatArray


class Texts(NamedTuple):
    """Padded texts. Each has at least one word (an empty text has the unknown word). All padding is on the right."""

    ids: Tensor  # the indices of the words in the vocabulary, int64, (n, length); 0 is padding
    mask: Tensor  # true at words, False at padding, bool, (n, length)


def pad_ids(sequences: Sequence[Sequence[int]]) -> Texts:
    """Return ids as one tensor with its mask, padded on the right to the longest."""
    width = max(map(len, sequences), default=1)
    ids = torch.zeros(len(sequences), width, dtype=torch.int64)
    for row, sequence in zip(ids, sequences, strict=True):
        row[: len(sequence)] = torch.tensor(sequence)
    length = torch.tensor([len(sequence) for sequence in sequences])
    return Texts(ids, torch.arange(width)[None] < length[:, None])


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
        """Build a layer on this table, float32, (words, d); row 0 is padding.

        ``dim`` is the dimension of a trained linear projection; 0 for none. ``normalise``: whether the rows get length
        1 first.
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


Indices = NDArray[np.int64]


class Encoded(NamedTuple):
    """The ids of questions and of answers, in order."""

    questions: list[list[int]]
    answers: list[list[int]]


class Lengths(NamedTuple):
    """The numbers of words of a question and of an answer that are read."""

    question: int
    answer: int


def encode(vocabulary: Vocabulary, questions: Sequence[str], answers: Sequence[str], lengths: Lengths) -> Encoded:
    """Return the ids of these texts."""
    return Encoded(vocabulary.ids(questions, lengths.question), vocabulary.ids(answers, lengths.answer))


def batch(texts: Encoded, questions: Indices, answers: Indices, device: torch.device | None = None) -> Batch:
    """Return the pairs of these rows of questions and answers, with each distinct text once."""
    question, question_of = np.unique(questions, return_inverse=True)
    answer, answer_of = np.unique(answers, return_inverse=True)
    result = Batch(
        pad_ids([texts.questions[i] for i in question]),
        pad_ids([texts.answers[i] for i in answer]),
        torch.from_numpy(question_of.reshape(-1)),
        torch.from_numpy(answer_of.reshape(-1)),
    )
    return result if device is None or device.type == "cpu" else to_device(result, device)


def to_device(source: Batch, device: torch.device) -> Batch:
    """Return the same batch on this device."""
    return Batch(
        Texts(*(tensor.to(device) for tensor in source.questions)),
        Texts(*(tensor.to(device) for tensor in source.answers)),
        source.question_of.to(device),
        source.answer_of.to(device),
    )


def scores(
    network: nn.Module, texts: Encoded, questions: Indices, answers: Indices, batch_words: int = 4096
) -> FloatArray:
    """Return the scores of the pairs of these rows, (pairs,), without dropout and without a gradient.

    The mode of the network is restored. A batch has at least one pair, and at most ``batch_words`` words of answers,
    with padding.
    """
    values = np.empty(len(questions), dtype=np.float64)
    was_training = network.training
    if was_training:  # never written for a ranker, which threads may share
        network.eval()
    try:
        with torch.inference_mode():
            for places in _like_long(texts, answers, batch_words):
                with forward_pass():
                    inputs = batch(texts, questions[places], answers[places], device_of(network))
                    values[places] = network(inputs).double().cpu().numpy()
    finally:
        if was_training:
            network.train()
    return values


def device_of(network: nn.Module) -> torch.device:
    """Return the device of the weights of a network."""
    parameter: Tensor | None = next(network.parameters(), None)
    return torch.device("cpu") if parameter is None else parameter.device


def _like_long(texts: Encoded, answers: Indices, batch_words: int) -> Iterator[Indices]:
    """Yield indices of pairs in batches of answers of similar length, to reduce padding. Equal answers are together."""
    long = np.array([len(tokens) for tokens in texts.answers], dtype=np.int64)[answers]
    order = np.lexsort((answers, long))
    start = 0
    while start < len(order):
        ahead = long[order[start : start + batch_words]]  # the last of what is taken is the longest
        taken = np.searchsorted(ahead * np.arange(1, len(ahead) + 1), batch_words, side="right")
        size = max(1, int(taken))
        yield order[start : start + size]
        start += size
