"""MatchPyramid: a matrix of the similarities of the words of question and answer, read by convolutions like an image.

Pang et al. 2016, "Text matching as image recognition"; one of the three networks of the committee paper (Gupta &
Carvalho 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from rankers.modules.scoring import Batch, Embedding
from rankers.settings import Presets


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network. The defaults are the best settings of MatchZoo on WikiQA."""

    # PAPER: the settings of the MatchZoo tutorial on WikiQA, as the committee paper states none
    # a finer grid for the question, which is better if the word vectors stay frozen
    CPU: ClassVar[dict[str, Any]] = {"grid": (5, 10)}

    channels: tuple[int, ...] = (16, 32)  # the number of kernels of each convolution, in order
    kernel: int = 3  # the height and width of the kernels, which must be odd so that a map keeps its size
    # the numbers of bins of the question and of the answer that the last maps are pooled into (dynamic pooling)
    grid: tuple[int, int] = (3, 10)
    dropout: float = 0.1  # the dropout rate of pooled features
    normalise: bool = True  # whether words are compared by cosine. If not, they are compared by dot product.

    def __post_init__(self) -> None:
        """Check that the network can be built from the settings."""
        if not self.channels or min(*self.channels, *self.grid) < 1:
            raise ValueError(f"channels {self.channels} and grid {self.grid} must each contain numbers of at least 1")
        if self.kernel < 1 or self.kernel % 2 == 0:
            raise ValueError(f"kernel is {self.kernel}, but it must be odd to keep the size of a map; give 3 or 5")


class Network(nn.Module):
    """MatchPyramid: similarity matrix, convolutions, dynamic max pooling, one number.

    MatchZoo pools by the mean of the padded matrix. This network pools by the maximum, as published, over the true
    lengths only.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        super().__init__()
        self.config = config
        self.embedding = embedding
        sizes = (1, *config.channels)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(before, after, config.kernel, padding=config.kernel // 2)
            for before, after in zip(sizes, config.channels, strict=False)
        )
        self.dropout = nn.Dropout(config.dropout)
        self.score = nn.Linear(config.channels[-1] * config.grid[0] * config.grid[1], 1)

    def forward(self, batch: Batch) -> Tensor:
        """Return one score per pair, (pairs,)."""
        questions = self._vectors(batch.questions.ids)[batch.question_of]  # (pairs, q, d)
        answers = self._vectors(batch.answers.ids)[batch.answer_of]  # (pairs, a, d)
        rows, columns = batch.questions.mask[batch.question_of], batch.answers.mask[batch.answer_of]
        present = (rows[:, :, None] & columns[:, None])[:, None]  # (pairs, 1, q, a)
        maps = (questions @ answers.transpose(1, 2))[:, None]  # (pairs, 1, q, a)
        for convolution in self.convolutions:
            # Values at padding must be 0 for the next convolution, as beyond the edge of the map.
            maps = convolution(maps.masked_fill(~present, 0)).relu()  # (pairs, channels, q, a)
        pooled = dynamic_max_pool(maps, rows.sum(dim=1), columns.sum(dim=1), self.config.grid)
        return self.score(self.dropout(pooled.flatten(1))).squeeze(-1)

    def _vectors(self, ids: Tensor) -> Tensor:
        vectors = self.embedding(ids)  # (n, length, d)
        return nn.functional.normalize(vectors, dim=-1) if self.config.normalise else vectors


def dynamic_max_pool(x: Tensor, rows: Tensor, columns: Tensor, grid: tuple[int, int]) -> Tensor:
    """Return the maxima of each map in a grid over its true size, (n, channels, height, width) -> (n, channels, *grid).

    Rows and columns are the true sizes, int64, (n,), at least 1; values at padding are not read. Bin i of P of a side
    of true length n covers the positions from floor(i n / P) up to but not including ceil((i + 1) n / P), as in
    AdaptiveMaxPool2d of torch on the map cut to its true size. Bins overlap if n < P (Pang et al. 2016, "dynamic
    pooling").
    """
    narrow = _pooled(x, columns, grid[1])  # (n, channels, height, grid[1])
    return _pooled(narrow.transpose(2, 3), rows, grid[0]).transpose(2, 3)


def _pooled(x: Tensor, lengths: Tensor, bins: int) -> Tensor:
    """Return the maxima over bins of the true length, (n, c, h, length), (n,) -> (n, c, h, bins)."""
    starts = torch.arange(bins, device=x.device) * lengths[:, None] // bins  # (n, bins)
    ends = -(-torch.arange(1, bins + 1, device=x.device) * lengths[:, None] // bins)  # (n, bins)
    within = torch.arange(int((ends - starts).max()), device=x.device)  # (w,)
    # A short bin reads its last position several times, which does not change a maximum.
    places = torch.minimum(starts[..., None] + within, ends[..., None] - 1).flatten(1)  # (n, bins * w)
    taken = x.gather(3, places[:, None, None].expand(-1, *x.shape[1:3], -1))  # (n, c, h, bins * w)
    # Not amax, whose gradient is divided among equal positions, which takes a multiple of the time.
    return taken.view(*x.shape[:3], bins, len(within)).max(dim=-1).values
