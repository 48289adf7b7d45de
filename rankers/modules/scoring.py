"""From pairs of texts to the scores of a network. The scores do not depend on the batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from answersim._base.runtime.concurrency import forward_pass
from rankers.modules.batch import Batch, Texts
from rankers.modules.vocabulary import Vocabulary, pad_ids
from rankers.types import FloatArray

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

    Args:
        network: A function from a ``Batch`` to scores, (pairs,). Its mode is restored.
        texts: The ids of all questions and answers.
        questions: The row of the question of each pair, (pairs,).
        answers: The row of the answer of each pair, (pairs,).
        batch_words: The maximum number of words of answers per batch, including padding. A batch has at least one pair.
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
