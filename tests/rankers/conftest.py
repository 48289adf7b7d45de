"""Small texts and a small table of word vectors, for the tests of every network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

WORDS = 50


@pytest.fixture
def texts() -> Callable[..., object]:
    """``texts([3, 1])`` is a text of three words and one of one, of words that follow from ``seed``.

    ``extra`` adds columns of padding; ``ids`` gives the words instead of drawing them.
    """
    import torch

    from rankers.batch import Texts

    def make(lengths: Sequence[int], *, seed: int = 0, extra: int = 0) -> Texts:
        generator = torch.Generator().manual_seed(seed)
        width = max(lengths) + extra
        mask = torch.arange(width) < torch.tensor(lengths)[:, None]  # (n, width)
        ids = torch.randint(1, WORDS, mask.shape, generator=generator)
        return Texts(ids.masked_fill(~mask, 0), mask)

    return make


@pytest.fixture
def embedding() -> Callable[..., object]:
    """``embedding(8)`` is a layer on a table of 50 random words of 8 numbers, whose padding row is not 0."""
    import torch

    from rankers.modules.embedding import Embedding

    def make(dim: int = 8, *, seed: int = 0, trainable: bool = False) -> Embedding:
        table = torch.randn(WORDS, dim, generator=torch.Generator().manual_seed(seed))
        return Embedding(table, trainable=trainable)  # a leak from padding would show, as row 0 is like any other

    return make
