"""The words of padded texts as rows without padding, and back, for modules that treat each word alone."""

from __future__ import annotations

import torch
from torch import Tensor


class Packing:
    """The mapping of the rows of a matrix to the words of texts, text after text, with words in order.

    Attributes:
        mask: True at words, (n, length); padding on the right only.
        text_of: The text of each row, int64, (words,).
        position: The position of each row in its text, from 0, int64, (words,).
    """

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask
        self._at = mask.flatten().nonzero()[:, 0]  # (words,)
        self.text_of = self._at // mask.shape[1]
        self.position = self._at % mask.shape[1]

    def rows(self, x: Tensor) -> Tensor:
        """Return the vectors of the words of padded texts, (n, length, ...) -> (words, ...)."""
        return x.flatten(0, 1).index_select(0, self._at)

    def texts(self, rows: Tensor) -> Tensor:
        """Return the padded texts of these words, (words, ...) -> (n, length, ...); 0 at padding."""
        n, length = self.mask.shape
        return (
            rows.new_zeros(n * length, *rows.shape[1:]).index_copy(0, self._at, rows).view(n, length, *rows.shape[1:])
        )

    def means(self, rows: Tensor) -> Tensor:
        """Return the mean over the words of each text, (words, d) -> (n, d), or 0 for a text without words."""
        return self.texts(rows).sum(dim=1) / self.mask.sum(dim=1, keepdim=True).clamp_min(1)

    def spread(self, vectors: Tensor) -> Tensor:
        """Return the vector of a text at each of its words, (n, d) -> (words, d)."""
        return vectors.index_select(0, self.text_of)

    def take(self, rows: Tensor, texts: Tensor) -> tuple[Tensor, Packing]:
        """Return the words of these texts, in this order, and their packing. A text may occur several times."""
        chosen = Packing(self.mask[texts])
        lengths = self.mask.sum(dim=1)  # (n,)
        first = torch.cumsum(lengths, dim=0) - lengths  # the row at which each text begins, (n,)
        return rows.index_select(0, first[texts][chosen.text_of] + chosen.position), chosen
