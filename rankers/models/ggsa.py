"""Gated group self-attention, its parts, and the global and local self-attention it is compared with.

Xu, Ji, Huang, Deng and Li, "Gated group self-attention for answer selection" (2019). One network, ``SelfAttention``;
its ``Config`` decides which words attend to which, whether a gate adds global information, whether answers are read
with the question (iGGSA), and how the states are composed and compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn

from rankers.modules.composition import Matching, States, check_matching
from rankers.modules.pooling import Packing
from rankers.modules.scoring import Batch, Embedding, Texts
from rankers.modules.self_attention import (
    Kernel,
    MultiHead,
    global_attention,
    group_attention,
    local_attention,
    sinusoids,
)
from rankers.settings import Presets, check_choices, check_least

ATTENTIONS = ("global", "local", "group")


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network. The defaults are GGSA with max pooling and cosine as published."""

    # D 300, feed-forward layers of 1200; word vectors times sqrt(D)
    PAPER: ClassVar[dict[str, Any]] = {"word_scale": 300**0.5}
    # D 192, feed-forward 2 D, word vectors times sqrt(D)
    CPU: ClassVar[dict[str, Any]] = {"dim": 192, "dff": 384, "word_scale": 192**0.5}

    attention: str = "group"  # the words that a word attends to: "global", "local" or "group" (section 3.1)
    # the dimension of word vectors and of all states, D; 300 (section 4.2). The embedding must have this dimension.
    dim: int = 300
    heads: int = 6  # the number of heads; 6 (section 4.2). ``dim`` must be a multiple of it.
    group: int = 10  # the number of words per group, l; 10 (section 4.2)
    # offsets of the groups; each applies to an equal share of the heads, in order: (0, 5) with 6 heads is the published
    # 0, 0, 0, 5, 5, 5 (section 4.2). (0,) is group attention without the offset strategy.
    offsets: tuple[int, ...] = (0, 5)
    # the number of words to each side in local attention. The paper does not state it. The default 5 is about a group
    # of 10.
    reach: int = 5
    gate: bool = True  # whether the global information gate is used (equation 1 and Figure 6)
    interaction: bool = False  # whether the question-aware residual of the answer is used (equations 5 to 7): iGGSA
    # the inner size of feed-forward layers. "The same as [Vaswani et al.]" is either 2048 or 4 D; here it is 4 D, 1200.
    dff: int = 1200
    blocks: int = 1  # the number of encoder blocks. The paper does not state it. The default 1 follows Figure 7.
    # whether a block ends with layer normalization: as in Vaswani et al. for global attention, "not necessary" for
    # group attention (section 3.1.3). The paper does not state it for local attention, which follows group attention.
    final_norm: bool = False
    # the dropout rate of word vectors, before positions are added; .3 (keep probability .7, section 4.2)
    dropout: float = 0.3
    # the factor of word vectors before positions, of length sqrt(D / 2), are added. The paper does not state it. The
    # value 1 suits vectors as long as those of GloVe. Vaswani et al. use sqrt(D), which vectors of length 1 need,
    # because otherwise the positions dominate. ``paper()`` and ``cpu()`` also use sqrt(D), because the vectors of
    # ``inputs.words`` have length 1.
    word_scale: float = 1.0
    # the composition of states to vectors, one of ``rankers.modules.composition.COMPOSITIONS``
    composition: str = "max"
    similarity: str = "cosine"  # "cosine" for pairwise losses, "mlp" (a logit) for pointwise ones (section 3.3)
    hops: int = 2  # the number of hops of multihop compositions, after the mean; 2 (Tran & Niederee 2018)

    def __post_init__(self) -> None:
        check_matching(self)
        check_choices(self, attention=ATTENTIONS)
        check_least(self, 1, "dim", "heads", "group", "dff", "blocks")
        check_least(self, 0, "reach")
        if self.dim % self.heads:
            raise ValueError(
                f"dim {self.dim} is not a multiple of heads {self.heads}, but each head needs an equal share"
            )
        if not self.offsets or not all(0 <= offset < self.group for offset in self.offsets):
            raise ValueError(f"offsets are {self.offsets}, but they must be between 0 and group - 1, {self.group - 1}")

    @property
    def head_offsets(self) -> tuple[int, ...]:
        """The offset of each head.

        >>> Config().head_offsets, Config(heads=1).head_offsets
        ((0, 0, 0, 5, 5, 5), (0,))
        """
        return tuple(self.offsets[head * len(self.offsets) // self.heads] for head in range(self.heads))


class FeedForward(nn.Sequential):
    """Two layers with ReLU between them, applied to each word alone (Vaswani et al. 2017, section 3.3)."""

    def __init__(self, dim: int, inner: int) -> None:
        super().__init__(nn.Linear(dim, inner), nn.ReLU(), nn.Linear(inner, dim))


class Block(nn.Module):
    """An encoder block (Figure 7 c): gate, attention and normalization give Y; the feed-forward layer gives H."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.gate = nn.Linear(config.dim, config.dim) if config.gate else None
        self.attention = MultiHead(config.dim, config.heads, kernel(config))
        self.norm = nn.LayerNorm(config.dim)
        self.feed_forward = FeedForward(config.dim, config.dff)
        self.final_norm = nn.LayerNorm(config.dim) if config.final_norm else nn.Identity()

    def attend(self, x: Tensor, packing: Packing) -> Tensor:
        """Return Y = LN(X + C), (words, D): attention reads the gated X, the residual is the ungated X (equation 2)."""
        read = x
        if self.gate is not None:
            whole = packing.spread(packing.means(x))  # the mean of each word's text, (words, D)
            read = x * torch.sigmoid(self.gate(x * whole))  # equation 1
        return self.norm(x + self.attention(read, packing))

    def finish(self, y: Tensor) -> Tensor:
        """Return H = Y + FFN(Y), (words, D), normalized if the block ends with it (equations 3 and 4)."""
        return self.final_norm(y + self.feed_forward(y))


class Interaction(nn.Module):
    """Y~ = LN(Y + FFN(Y * c)), where c is the mean of the states of the question: words in view of the question."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.feed_forward = FeedForward(config.dim, config.dff)
        self.norm = nn.LayerNorm(config.dim)

    def forward(self, y: Tensor, question: Tensor) -> Tensor:
        """Combine answer words with the mean of the question, (words, D), (words, D) -> (words, D)."""
        return self.norm(y + self.feed_forward(y * question))


class SelfAttention(nn.Module):
    """The score of each pair by self-attention. The steps that do not depend on the question run once per answer.

    Questions and answers share their encoder, which the paper does not state. The interaction belongs to the answer.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        """Build a new network on these word vectors.

        Raise ValueError if the embedding has another dimension than ``config.dim``.
        """
        super().__init__()
        if embedding.dim != config.dim:
            raise ValueError(
                f"the embedding gives vectors of {embedding.dim} numbers, but the network has dim {config.dim}: "
                f"project them, Embedding(table, dim={config.dim}), or set dim={embedding.dim}"
            )
        self.config = config
        self.embedding = embedding
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.blocks))
        self.interactions = nn.ModuleList(Interaction(config) for _ in range(config.blocks * config.interaction))
        self.matching = Matching(config.dim, config.composition, config.similarity, config.hops)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each pair, (pairs,)."""
        blocks = cast("list[Block]", list(self.blocks))
        h, question_packing = self._encoded(batch.questions, blocks)
        questions = States(question_packing.texts(h), question_packing.mask)
        if not self.config.interaction:
            h, packing = self._encoded(batch.answers, blocks)
            return self.matching(questions, States(packing.texts(h), packing.mask), batch.question_of, batch.answer_of)
        h, packing = self._answers(batch, blocks, question_packing.means(h)[batch.question_of])
        pairs = torch.arange(len(batch.answer_of), device=h.device)
        return self.matching(questions, States(packing.texts(h), packing.mask), batch.question_of, pairs)

    def _encoded(self, texts: Texts, blocks: list[Block]) -> tuple[Tensor, Packing]:
        """Return H of the words of each text, (words, D)."""
        x, packing = self._words(texts)
        for block in blocks:
            x = block.finish(block.attend(x, packing))
        return x, packing

    def _answers(self, batch: Batch, blocks: list[Block], question_means: Tensor) -> tuple[Tensor, Packing]:
        """Return H of the words of the answer of each pair, given the mean of the question, (pairs, D)."""
        x, packing = self._words(batch.answers)
        y = blocks[0].attend(x, packing)  # independent of the question: once per answer
        y, packing = packing.take(y, batch.answer_of)
        context = packing.spread(question_means)  # (words, D)
        x = blocks[0].finish(self.interactions[0](y, context))
        for block, interaction in zip(blocks[1:], self.interactions[1:], strict=True):
            x = block.finish(interaction(block.attend(x, packing), context))
        return x, packing

    def _words(self, texts: Texts) -> tuple[Tensor, Packing]:
        """Return X: word vectors after dropout, with their positions, (words, D)."""
        packing = Packing(texts.mask)
        vectors = self.dropout(self.embedding(packing.rows(texts.ids)[None])[0])  # (words, D)
        places = sinusoids(texts.mask.shape[1], self.config.dim).to(vectors)
        return vectors * self.config.word_scale + places[packing.position], packing


def kernel(config: Config) -> Kernel:
    """Return which words attend to which."""
    if config.attention == "local":
        return partial(local_attention, reach=config.reach)
    if config.attention == "group":
        return partial(group_attention, size=config.group, offsets=config.head_offsets)
    return global_attention
