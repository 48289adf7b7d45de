"""The codes of the words of an answer in ADDAX, as the heat map of Figure 4 d shows them."""

from __future__ import annotations

from typing import NamedTuple

import torch

from answersim.runtime.concurrency import forward_pass
from rankers.inputs.batch import Batch
from rankers.inputs.scoring import device_of, to_device
from rankers.inputs.vocabulary import pad_ids
from rankers.models.addax import Network
from rankers.models.neural_ranker import NeuralRanker
from rankers.types import FloatArray


class HeatMap(NamedTuple):
    """A picture of an answer: one row per word piece, one column per number of its code."""

    tokens: list[str]  # the word pieces, for the rows
    values: FloatArray  # (tokens, bits), float64; between -1 and 1 with hashing


def heat_map(ranker: NeuralRanker, question: str, answer: str) -> HeatMap:
    """Return the codes of the words of an answer for a question, or without hashing the vectors that replace them.

    Both texts are truncated to the lengths of the ranker. Raise TypeError if the ranker is not ADDAX.

    Source: ADDAX, Figure 4 d, which shows w/o HD above and ADDAX below.
    """
    network = ranker.network
    if not isinstance(network, Network):
        raise TypeError(f"a {ranker.kind} ranker has no codes to show: give a trained addax, or a variant of it")
    (question_ids,) = ranker.inputs.vocabulary.ids([question], ranker.lengths.question)
    (answer_ids,) = ranker.inputs.vocabulary.ids([answer], ranker.lengths.answer)
    first = torch.zeros(1, dtype=torch.int64)
    batch = to_device(Batch(pad_ids([question_ids]), pad_ids([answer_ids]), first, first), device_of(network))
    was_training = network.training
    if was_training:
        network.eval()
    try:
        with forward_pass(), torch.inference_mode():
            bits = network.matched(batch).answers.vectors[0]  # (tokens, bits)
    finally:
        if was_training:
            network.train()
    return HeatMap(network.encoder.tokens(answer_ids), bits.double().cpu().numpy())
