"""Bidirectional recurrent layers. The state of a word depends on every word of its text, but not on padding."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from rankers.modules.lstm import bi_lstm


class BiLSTM(nn.Module):
    """A long short-term memory in each direction (Hochreiter & Schmidhuber 1997): (n, length, d) -> (n, length, 2h)."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Build the layer for vectors of ``dim``, with ``hidden`` features in each direction."""
        super().__init__()
        self.cell = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.dim = 2 * hidden

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the states of the words of each text, with both directions concatenated.

        Args:
            x: One vector per word, (n, length, d).
            mask: True at words, (n, length): at least one per text, and padding only on the right.

        Returns:
            The states, (n, length, 2h); 0 at padding.
        """
        return packed(self.cell, x, mask) if x.is_cuda else bi_lstm(self.cell, x, mask)


class BiGRU(nn.Module):
    """A gated recurrent unit in each direction (Cho et al. 2014): (n, length, d) -> (n, length, 2h)."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Build the layer for vectors of ``dim``, with ``hidden`` features in each direction."""
        super().__init__()
        self.cell = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.dim = 2 * hidden

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the states of the words of each text, as in ``BiLSTM``: (n, length, 2h), 0 at padding."""
        return packed(self.cell, x, mask)


def packed(cell: nn.LSTM | nn.GRU, x: Tensor, mask: Tensor) -> Tensor:
    """Return the states of words without padding from the recurrent layer of torch, (n, length, 2h)."""
    words = pack_padded_sequence(x, mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False)
    states, _ = cell(words)
    return pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])[0]
