"""Bidirectional recurrent layers over texts of mixed lengths. The state of a word does not depend on padding.

On a CPU the LSTM here trains faster than the one of torch. The packed LSTM of torch accumulates the gradient of its
weights step by step, and that of its input in one full-size tensor per step. Here each is one product over all steps.
The results equal those of ``nn.LSTM`` within rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


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
        return run_packed(self.cell, x, mask) if x.is_cuda else bi_lstm(self.cell, x, mask)


class BiGRU(nn.Module):
    """A gated recurrent unit in each direction (Cho et al. 2014): (n, length, d) -> (n, length, 2h)."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Build the layer for vectors of ``dim``, with ``hidden`` features in each direction."""
        super().__init__()
        self.cell = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.dim = 2 * hidden

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the states of the words of each text, as in ``BiLSTM``: (n, length, 2h), 0 at padding."""
        return run_packed(self.cell, x, mask)


def run_packed(cell: nn.LSTM | nn.GRU, x: Tensor, mask: Tensor) -> Tensor:
    """Return the states of words without padding from the recurrent layer of torch, (n, length, 2h)."""
    words = pack_padded_sequence(x, mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False)
    states, _ = cell(words)
    return pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])[0]


_KINDS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class Steps(NamedTuple):
    """Words in the order of an LSTM: all first words, all second words and so on, with the longest texts first."""

    places: Tensor  # the position of each word in the concatenated padded texts, (words,)
    # the position of the word that is as far from the end of its text as this one from the start, (words,). The mapping
    # is its own inverse.
    mirrored: Tensor
    sizes: list[int]  # the numbers of texts with a first word, a second word and so on
    before: Tensor  # the position of the previous word, (words - texts,), from the second words on


def steps(mask: Tensor) -> Steps:
    """Return the words of texts by this mask, (n, length), in the order of reading."""
    lengths, order = mask.sum(dim=1).sort(descending=True, stable=True)  # (n,)
    present = torch.arange(int(lengths[0]), device=mask.device)[:, None] < lengths  # (steps, n)
    step, text = present.nonzero(as_tuple=True)  # (words,)
    sizes = present.sum(dim=1)  # (steps,)
    starts = sizes.cumsum(0) - sizes
    later = slice(int(sizes[0]), None)
    return Steps(
        places=order[text] * mask.shape[1] + step,
        mirrored=starts[lengths[text] - 1 - step] + text,
        sizes=sizes.tolist(),
        before=starts[step[later] - 1] + text[later],
    )


def bi_lstm(cell: nn.LSTM, x: Tensor, mask: Tensor) -> Tensor:
    """Return the states of one bidirectional layer, (n, length, d) -> (n, length, 2h), 0 at padding.

    Args:
        cell: The module with the weights, of one layer, with biases.
        x: One vector per word, (n, length, d).
        mask: True at words, (n, length): at least one per text, and padding only on the right.
    """
    read = steps(mask)
    weights = dict(cell.named_parameters())
    ahead, back = ([weights[f"{kind}_l0{way}"] for kind in _KINDS] for way in ("", "_reverse"))
    words = x.flatten(0, 1).index_select(0, read.places)  # (words, d)
    weight, bias = torch.cat([ahead[0], back[0]]), torch.cat([ahead[2] + ahead[3], back[2] + back[3]])
    projected = nn.functional.linear(words, weight, bias)  # (words, 8h)
    states = _recurrence(projected, torch.stack([ahead[1], back[1]]), read)  # (words, 2h)
    return x.new_zeros(mask.numel(), states.shape[1]).index_copy(0, read.places, states).view(*mask.shape, -1)


class _Recurrence(torch.autograd.Function):
    """The recurrence for both directions at once, with the gates of ``nn.LSTM``: in, forget, cell, out."""

    @staticmethod
    def forward(ctx: Any, projected: Tensor, weight: Tensor, read: Steps) -> Tensor:
        """Return the states, (words, 2h), from the projected words, (words, 8h), and the weights, (2, 4h, h)."""
        h = weight.shape[2]
        gates = _apart(projected, read)  # (2, words, 4h)
        cells, states = (gates.new_empty(*gates.shape[:2], h) for _ in range(2))  # (2, words, h)
        start, last = 0, 0
        for size in read.sizes:
            now, then = slice(start, start + size), slice(last, last + size)
            gate = gates[:, now]  # (2, size, 4h)
            if start:
                gate += states[:, then] @ weight.transpose(1, 2)
            gate[..., : 2 * h].sigmoid_()
            gate[..., 2 * h : 3 * h].tanh_()
            gate[..., 3 * h :].sigmoid_()
            into, forget, new, out = torch.split(gate, h, dim=2)  # (2, size, h) each
            cell = torch.mul(into, new, out=cells[:, now])
            if start:
                cell.addcmul_(forget, cells[:, then])
            torch.mul(out, cell.tanh(), out=states[:, now])
            last, start = start, start + size
        ctx.save_for_backward(gates, weight, cells, states)
        ctx.read = read
        return _together(states, read)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        """Return the gradients of the projected words and of the weight, from that of the states, (words, 2h)."""
        gates, weight, cells, states = ctx.saved_tensors
        read, h = ctx.read, weight.shape[2]
        grads, by_gates = _apart(grad, read), torch.empty_like(gates)
        by_state, by_cell = (grad.new_zeros(2, read.sizes[0], h) for _ in range(2))  # from the later words
        end = gates.shape[1]
        for step in reversed(range(len(read.sizes))):
            size = read.sizes[step]
            now = slice(end - size, end)
            into, forget, new, out = torch.split(gates[:, now], h, dim=2)  # (2, size, h) each
            tanh = cells[:, now].tanh()
            state = grads[:, now] + by_state[:, :size]
            cell = by_cell[:, :size].addcmul_(state * out, 1 - tanh.square())
            by_into, by_forget, by_new, by_out = torch.split(by_gates[:, now], h, dim=2)
            # The slope of a sigmoid s is s (1 - s), and that of a tanh t is 1 - t^2.
            torch.mul(cell * new, into - into.square(), out=by_into)
            torch.mul(cell * into, 1 - new.square(), out=by_new)
            torch.mul(state * tanh, out - out.square(), out=by_out)
            if step:
                start = end - size - read.sizes[step - 1]
                torch.mul(cell * cells[:, start : start + size], forget - forget.square(), out=by_forget)
                torch.matmul(by_gates[:, now], weight, out=by_state[:, :size])
                cell.mul_(forget)
            else:
                by_forget.zero_()
            end -= size
        before = states.index_select(1, read.before)  # (2, words - texts, h)
        by_weight = by_gates[:, read.sizes[0] :].transpose(1, 2) @ before  # (2, 4h, h)
        return _together(by_gates, read), by_weight, None


def _recurrence(projected: Tensor, weight: Tensor, read: Steps) -> Tensor:
    states: Tensor = _Recurrence.apply(projected, weight, read)  # type: ignore[no-untyped-call] # torch's apply has no types
    return states


def _apart(x: Tensor, read: Steps) -> Tensor:
    """Split (words, 2k) -> (2, words, k): the two directions, each in its order of reading."""
    ahead, back = x.chunk(2, dim=1)
    return torch.stack([ahead, back.index_select(0, read.mirrored)])


def _together(x: Tensor, read: Steps) -> Tensor:
    """Join (2, words, k) -> (words, 2k), the inverse of ``_apart``."""
    return torch.cat([x[0], x[1].index_select(0, read.mirrored)], dim=1)
