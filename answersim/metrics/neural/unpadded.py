"""The forward pass of BERT and related models over texts without padding: each linear layer runs once for all lengths.

A batch is a sequence of tokens in which texts of one length are together. Operations on single tokens (linear layers,
feed-forward blocks, norms) run over all tokens of the batch at once, and attention runs length by length. So no padding
is ever computed, and short texts use the CPU as efficiently as long ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding, gelu, layer_norm, linear, scaled_dot_product_attention

from answersim.metrics.neural import parameters
from answersim.metrics.neural.architecture import Architecture
from answersim.metrics.neural.linear import Linear, worth_laying_out
from answersim.metrics.neural.parameters import Affine, LayerParameters
from answersim.metrics.neural.relative_positions import bias_by_distance
from answersim.metrics.neural.windows import WINDOW, Batch, Run, Windows, firsts, windows
from answersim.metrics.neural.windows import batch_of as arrays_of


class _Layer(NamedTuple):
    """The weights of a layer; queries, keys and values are one product of (d, 3 d)."""

    attend: Linear
    out: Linear
    after_attention: Callable[[Tensor], Tensor]
    up: Linear
    down: Linear
    after_feed_forward: Callable[[Tensor], Tensor]


class Unpadded:
    """The layers of an encoder, to be run over batches without padding."""

    def __init__(self, architecture: Architecture, tensors: Mapping[str, Tensor]) -> None:
        """Take the weights of a model, which may not change afterwards.

        ``tensors``: at least the weights of the encoder, by the names of the architecture.
        """
        encoder = f"{architecture.prefix}encoder."
        in_layers = (tensor for name, tensor in tensors.items() if name.startswith(encoder))
        lay_out = worth_laying_out(sum(tensor.numel() for tensor in in_layers))
        stored = parameters.of_encoder(architecture, tensors)
        act = activation(architecture.activation)
        self.layers = [_layer(layer, architecture.eps, act, lay_out=lay_out) for layer in stored.layers]
        self.heads, self._padding = architecture.n_heads, architecture.padding
        self._words, self._places, self._types, self._relative = stored[:4]
        self._norm = _norm(stored.norm, architecture.eps)
        self._project = stored.project

    def states(self, batch: Batch, layers: Collection[int], *, only_first: bool = False) -> dict[int, Tensor]:
        """Return the token states of the wanted layers (0: the embeddings), each (t, d), in the order of the batch.

        ``layers``: the layers. No layer above the highest of them is computed. ``only_first``: whether to compute only
        the first token of each text in the highest layer, which is above the embeddings, (texts, d). A classifier reads
        this one.
        """
        states, last = self._states(batch, layers, only_first, in_windows=True)
        if last.device.type == "cpu" and not last.sum(dtype=torch.float32).isfinite():
            # an overflow in one text (fp16) makes all texts of its window nan: compute them again without windows
            states, _ = self._states(batch, layers, only_first, in_windows=False)
        return states

    def _states(
        self, batch: Batch, layers: Collection[int], only_first: bool, *, in_windows: bool
    ) -> tuple[dict[int, Tensor], Tensor]:
        """Return the wanted states, and the highest of them."""
        highest = max(layers)
        embedded, rows = self._embedded(batch)
        hidden = embedded if rows is None else embedded[rows]  # (t, d)
        states = {0: hidden} if 0 in layers else {}
        longest = max(run.length for run in batch.runs)
        bias = None if self._relative is None else bias_by_distance(self._relative, longest)
        layout = _window_layout(batch.runs, hidden.device, hidden.dtype, bias, use_windows=in_windows)
        for number, layer in enumerate(self.layers[:highest], start=1):
            if only_first and number == highest:
                context, hidden = self._attended_by_first(layer, hidden, batch.runs, layout[2])
            elif number == 1:  # a word at a position has one query, key and value, however often it occurs
                context = attend(layer.attend(embedded), *layout, self.heads, rows)
            else:
                context = attend(layer.attend(hidden), *layout, self.heads)
            hidden = layer.after_attention(layer.out(context).add_(hidden))
            hidden = layer.after_feed_forward(layer.down(layer.up(hidden)).add_(hidden))
            if number in layers:
                states[number] = hidden
        return states, hidden

    def _embedded(self, batch: Batch) -> tuple[Tensor, Tensor | None]:
        """Return the embeddings of distinct tokens, (u, d), and the index of each token of the batch, (t,), or None."""
        types = torch.zeros_like(batch.ids) if batch.types is None else batch.types
        places = torch.cat([self._positions(batch.ids[start:stop], length) for start, stop, length in batch.runs])
        tokens, rows = torch.stack([batch.ids, types, places]), None
        if tokens.device.type == "cpu":  # on other devices, it would wait for the device for little benefit
            tokens, rows = _distinct(tokens)
        ids, types, places = tokens
        hidden = self._words[ids] if isinstance(self._words, WordRows) else embedding(ids, self._words)
        if self._types is not None:
            hidden = hidden + embedding(types, self._types)
        hidden = self._norm(hidden + embedding(places, self._places))
        return hidden if self._project is None else linear(hidden, *self._project), rows

    def _positions(self, ids: Tensor, length: int) -> Tensor:
        """Return the position of each token of texts of one length, (t,)."""
        if self._padding is None:
            return torch.arange(length, device=ids.device).repeat(len(ids) // length)
        counts = ids.view(-1, length).ne(self._padding).long()  # a text may contain the padding token as a word
        return (counts.cumsum(1) * counts + self._padding).view(-1)

    def _attended_by_first(
        self, layer: _Layer, hidden: Tensor, runs: Sequence[Run], bias: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return the attention of the first token of each text over its text, and its state: both (texts, d)."""
        weight, offset = layer.attend.weight, layer.attend.bias
        width = len(weight) // 3
        of_firsts = hidden[torch.from_numpy(firsts(runs)).to(hidden.device)]
        queries = linear(of_firsts, weight[:width], offset[:width])
        projected = linear(hidden, weight[width:], offset[width:])  # (t, 2 d)
        context, at = torch.empty_like(queries), 0
        for start, stop, length in runs:
            span = slice(at, at := at + (stop - start) // length)
            query = queries[span].view(-1, 1, self.heads, width // self.heads).transpose(1, 2)
            parts = projected[start:stop].view(-1, length, 2, self.heads, width // self.heads)
            key, value = parts.permute(2, 0, 3, 1, 4)  # each (b, heads, l, d / heads)
            of_first = None if bias is None else bias[None, :, :1, :length]
            taken = scaled_dot_product_attention(query, key, value, attn_mask=of_first)
            context[span] = taken.reshape(-1, width)
        return context, of_firsts


class UnpaddedClassifier:
    """A sequence classifier whose encoder runs over batches without padding."""

    def __init__(self, architecture: Architecture, tensors: Mapping[str, Tensor]) -> None:
        """Take the weights of a classifier, which may not change afterwards."""
        self.encoder = Unpadded(architecture, tensors)
        self._act: Callable[[Tensor], Tensor] = gelu if architecture.head == "gelu" else torch.tanh
        self._dense, self._out = parameters.of_head(architecture, tensors)

    def logits(self, batch: Batch) -> Tensor:
        """Return the logits of each text, (texts, labels)."""
        top = len(self.encoder.layers)
        first = self.encoder.states(batch, (top,), only_first=True)[top]  # (texts, d)
        return linear(self._act(linear(first, *self._dense)), *self._out)


def batch_of(sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None, device: torch.device) -> Batch:
    """Build a batch on a device of sequences in which those of one length are together."""
    ids, kinds, runs = arrays_of(sequences, types)
    on_device = None if kinds is None else torch.from_numpy(kinds).to(device)
    return Batch(torch.from_numpy(ids).to(device), on_device, runs)


def _distinct(tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct columns, (3, u), and the index of each column among them, (t,).

    >>> _distinct(torch.tensor([[7, 5, 7, 7], [0, 0, 0, 1], [1, 2, 1, 1]]))
    (tensor([[5, 7, 7],
            [0, 0, 1],
            [2, 1, 1]]), tensor([1, 0, 1, 2]))
    """
    ids, types, places = tokens
    kinds, most = int(types.max()) + 1, int(places.max()) + 1
    number, rows = torch.unique((ids * kinds + types) * most + places, return_inverse=True)  # 20 times unique(dim=1)
    return torch.stack([number // most // kinds, number // most % kinds, number % most]), rows


def activation(name: str) -> Callable[[Tensor], Tensor]:
    """Return the activation of this name. Any other one than "gelu" is taken from transformers.

    Raise KeyError if transformers has none of this name.
    """
    if name == "gelu":
        return gelu
    from transformers.activations import ACT2FN

    function: Callable[[Tensor], Tensor] = ACT2FN[name]
    return function


def _norm(stored: Affine, eps: float) -> Callable[[Tensor], Tensor]:
    return partial(layer_norm, normalized_shape=stored.weight.shape, weight=stored.weight, bias=stored.bias, eps=eps)


def _layer(stored: LayerParameters, eps: float, act: Callable[[Tensor], Tensor], *, lay_out: bool) -> _Layer:
    query, key, value = stored[:3]

    def layer(stored: Affine, activation: Callable[[Tensor], Tensor] | None = None) -> Linear:
        return Linear(*stored, activation, lay_out=lay_out)

    return _Layer(
        attend=Linear(
            torch.cat([query.weight, key.weight, value.weight]),  # (3 d, d)
            torch.cat([query.bias, key.bias, value.bias]),
            lay_out=lay_out,
        ),
        out=layer(stored.out),
        after_attention=_norm(stored.after_attention, eps),
        up=layer(stored.up, act),
        down=layer(stored.down),
        after_feed_forward=_norm(stored.after_feed_forward, eps),
    )


class WordRows:
    """The rows of a packed table. See ``checkpoints.packed`` for its blocks."""

    def __init__(self, blocks: Tensor, dtype: torch.dtype) -> None:
        """Take the bytes of the blocks of each row, (rows, blocks, 18), and the type of the values."""
        self.blocks, self.dtype = blocks, dtype

    def to(self, *, device: torch.device, dtype: torch.dtype) -> WordRows:
        """Return the same table on another device, or with values of another type."""
        return WordRows(self.blocks.to(device), dtype)

    def __getitem__(self, ids: Tensor) -> Tensor:
        """Return the rows with these numbers: (n,) -> (n, columns)."""
        blocks = self.blocks[ids]
        scale = blocks[..., :2].contiguous().view(torch.float16).float()  # (n, blocks, 1)
        halves = blocks[..., 2:]
        values = torch.cat([halves & 15, halves >> 4], dim=-1).float().sub_(8).mul_(scale)
        return values.reshape(len(ids), -1).to(self.dtype)


_NEAR = 1_200_000  # bytes of queries, keys and values that are worked on at a time: the second-level cache of a CPU


def _window_layout(
    runs: Sequence[Run], device: torch.device, kind: torch.dtype, by_distance: Tensor | None, *, use_windows: bool
) -> tuple[Windows, Tensor, Tensor | None]:
    """Plan the windows of a batch, once for all layers. On other devices than a CPU, plain attention is as fast.

    ``by_distance``: see ``bias_by_distance``. ``use_windows``: false if a text has an infinity. The result:
    the windows; what is added to scores in each, (windows, heads or 1, 32, 32); the bias of long texts, (heads, l, l).
    """
    planned = windows(runs, all_rows=use_windows and device.type == "cpu")
    arrays = {"places": planned.places, "slots": planned.slots, "source": planned.source, "apart": planned.apart}
    moved: dict[str, Any] = {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}
    planned = planned._replace(**moved)
    bias = None if by_distance is None else _by_query_and_key(by_distance)
    mask = torch.zeros(planned.apart.shape, dtype=kind, device=device)
    # Tokens of a text are as far apart in a window as in the text, so that all windows have one bias.
    mask = mask if bias is None else mask + bias[:, :WINDOW, :WINDOW]
    return planned, mask.masked_fill_(planned.apart, -torch.inf), bias


def attend(
    projected: Tensor, layout: Windows, mask: Tensor, bias: Tensor | None, heads: int, rows: Tensor | None = None
) -> Tensor:
    """Return the attention of each token over the tokens of its text, (t, d).

    ``projected``: queries, keys and values, (t, 3 d); or those of each distinct token, (u, 3 d). ``rows``: the index of
    each token of the batch among the distinct tokens, (t,); None if ``projected`` has all tokens.
    """
    width = projected.shape[1] // 3
    source = layout.source if rows is None else rows[layout.source]
    windowed = _in_windows(projected, source, mask, heads)[layout.slots] if len(layout.slots) else None
    if windowed is not None and not layout.long:
        return windowed  # all tokens of the batch, in its order
    context = projected.new_empty(len(layout.places) + sum(stop - start for start, stop, _ in layout.long), width)
    if windowed is not None:
        context[layout.places] = windowed
    for start, stop, length in layout.long:
        block = projected[start:stop] if rows is None else projected[rows[start:stop]]
        parts = block.view(-1, length, 3, heads, width // heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)  # each (b, heads, l, d / heads)
        added = None if bias is None else bias[None, :, :length, :length]
        taken = scaled_dot_product_attention(query, key, value, attn_mask=added)
        context[start:stop].view(-1, length, heads, width // heads).copy_(taken.transpose(1, 2))
    return context


def _by_query_and_key(by_distance: Tensor) -> Tensor:
    """Return what is added to each score: (heads, 2 l - 1) by key minus query -> (heads, l, l).

    >>> _by_query_and_key(torch.tensor([[-1, 0, 1]])).tolist()
    [[[0, 1], [-1, 0]]]
    """
    length = (by_distance.shape[1] + 1) // 2
    return by_distance.unfold(1, length, 1).flip(1)  # a row each, from the last query to the first


def _in_windows(projected: Tensor, source: Tensor, mask: Tensor, heads: int) -> Tensor:
    """Attend in windows: (u, 3 d) queries, keys and values, and which of them is in each slot -> (windows x 32, d)."""
    size = projected.shape[1] // 3 // heads
    context = projected.new_empty(len(mask), WINDOW, heads, size)
    many = max(1, _NEAR // (projected.element_size() * projected.shape[1] * WINDOW))
    for start in range(0, len(mask), many):
        stop = min(start + many, len(mask))
        parts = projected.index_select(0, source[start * WINDOW : stop * WINDOW])
        parts = parts.view(-1, WINDOW, 3, heads, size).permute(2, 0, 3, 1, 4)
        query, key, value = parts.reshape(3, -1, WINDOW, size)  # each (windows x heads, 32, d / heads)
        block_mask = mask[start:stop].expand(-1, heads, -1, -1).reshape(-1, WINDOW, WINDOW)
        alike = torch.baddbmm(block_mask, query, key.transpose(1, 2), alpha=size**-0.5)
        taken = torch.bmm(alike.softmax(-1), value).view(-1, heads, WINDOW, size)
        context[start:stop].copy_(taken.transpose(1, 2))
    return context.view(-1, heads * size)
