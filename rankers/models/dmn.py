"""Deep Matching Network: similarities of word vectors and of contextual states, as two channels of a small image.

Yang et al. 2018, "Response ranking with deep matching networks", for a single turn as in the
committee paper (Gupta & Carvalho 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from rankers.modules.composition import BiGRU
from rankers.modules.scoring import Batch, Embedding, Texts
from rankers.settings import Presets, check_least


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network. The defaults are those of the code of the authors."""

    # PAPER: the settings of the code of the authors
    # shorter texts and less dropout, for frozen word vectors
    CPU: ClassVar[dict[str, Any]] = {"dropout": 0.2, "question_length": 32, "answer_length": 64}

    hidden: int = 100  # the number of features of the BiGRU in each direction
    channels: int = 2  # the number of kernels of the convolution
    kernel: int = 3  # the height and width of the kernels, without padding ("valid")
    pool: int = 3  # the height, width and stride of the max pooling
    dense: int = 50  # the number of units of the layer after the pooling
    dropout: float = 0.6  # the dropout rate of word vectors before the BiGRU
    question_length: int = 90  # the maximum number of words of a question that are read
    answer_length: int = 90  # the maximum number of words of an answer that are read

    def __post_init__(self) -> None:
        """Check that the network can be built from the settings."""
        check_least(self, 1, "hidden", "channels", "kernel", "pool", "dense")
        shortest = self.kernel + self.pool - 1
        if min(self.question_length, self.answer_length) < shortest:
            raise ValueError(
                f"question_length is {self.question_length} and answer_length is {self.answer_length}, but a kernel of "
                f"{self.kernel} and a pool of {self.pool} need at least {shortest} words"
            )

    @property
    def grid(self) -> tuple[int, int]:
        """The height and width of the map after the pooling."""
        lengths = (self.question_length, self.answer_length)
        return tuple((length - self.kernel + 1) // self.pool for length in lengths)  # type: ignore[return-value]


class Network(nn.Module):
    """DMN without the accumulation of turns: two matching channels, convolution, max pooling, dense, one number.

    The code of the authors has one BiGRU for the question and one for the answer. Their paper describes one for both,
    and this network has one. The output of a kernel is kept if its first cell is one of two words, and is 0 elsewhere.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        super().__init__()
        self.config = config
        self.embedding = embedding
        self.dropout = nn.Dropout(config.dropout)
        self.reader = BiGRU(embedding.dim, config.hidden)
        self.convolution = nn.Conv2d(2, config.channels, config.kernel)
        self.dense = nn.Linear(config.channels * config.grid[0] * config.grid[1], config.dense)
        self.score = nn.Linear(config.dense, 1)

    def forward(self, batch: Batch) -> Tensor:
        """Return one score per pair, (pairs,)."""
        words_q, states_q, mask_q = self._read(batch.questions, self.config.question_length)
        words_a, states_a, mask_a = self._read(batch.answers, self.config.answer_length)
        q, a = batch.question_of, batch.answer_of
        channels = [words_q[q] @ words_a[a].transpose(1, 2), states_q[q] @ states_a[a].transpose(1, 2)]
        present = (mask_q[q][:, :, None] & mask_a[a][:, None])[:, None]  # (pairs, 1, q, a)
        pooled = self._pooled(torch.stack(channels, dim=1), present)  # (pairs, channels, *grid)
        return self.score(self.dense(pooled.flatten(1)).tanh()).squeeze(-1)

    def _read(self, texts: Texts, length: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return word vectors (n, l, d) and states (n, l, 2h), 0 at padding, and the mask (n, l); l <= ``length``."""
        mask = texts.mask[:, :length]
        words = self.embedding(texts.ids[:, :length]).masked_fill(~mask[..., None], 0)
        return words, self.reader(self.dropout(words), mask), mask

    def _pooled(self, channels: Tensor, present: Tensor) -> Tensor:
        """Pool the channels: (pairs, 2, q, a), (pairs, 1, q, a) -> (pairs, channels, *grid).

        The result is as if the matrix were padded with 0 to its full size. Everything beyond the longest texts is 0 and
        is not computed.
        """
        rim = self.config.kernel - 1
        maps = self.convolution(nn.functional.pad(channels, (0, rim, 0, rim))).relu()  # (pairs, channels, q, a)
        maps = maps.masked_fill(~present, 0)
        pooled = nn.functional.max_pool2d(maps, self.config.pool, ceil_mode=True)
        height, width = self.config.grid
        pooled = pooled[:, :, :height, :width]
        return nn.functional.pad(pooled, (0, width - pooled.shape[3], 0, height - pooled.shape[2]))
