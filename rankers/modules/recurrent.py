"""Bidirectional recurrent layers over texts of mixed lengths. The state of a word does not depend on padding."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class _Reader(nn.Module):
    """A recurrent layer of torch in both directions, over words without padding."""

    def __init__(self, cell: type[nn.LSTM] | type[nn.GRU], dim: int, hidden: int) -> None:
        """Build the layer for vectors of ``dim``, with ``hidden`` features in each direction."""
        super().__init__()
        self.cell = cell(dim, hidden, batch_first=True, bidirectional=True)
        self.dim = 2 * hidden

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the states of the words of each text, (n, length, d) -> (n, length, 2h), 0 at padding.

        The mask, (n, length), is true at words: at least one per text, and padding only on the right.
        """
        words = pack_padded_sequence(x, mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False)
        states, _ = self.cell(words)
        return pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])[0]


class BiLSTM(_Reader):
    """A long short-term memory in each direction (Hochreiter & Schmidhuber 1997)."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Build the layer."""
        super().__init__(nn.LSTM, dim, hidden)


class BiGRU(_Reader):
    """A gated recurrent unit in each direction (Cho et al. 2014)."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Build the layer."""
        super().__init__(nn.GRU, dim, hidden)
