"""The forward pass of BERT and MPNet in numpy and fp32, over the same batches without padding as the one of torch.

Texts do not depend on each other. So a layer runs block by block, from its first product to its last norm, while the
states of the texts of a block are in the cache of a CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from answersim.metrics.neural import parameters
from answersim.metrics.neural.architecture import Architecture
from answersim.metrics.neural.engines.blocks import blocks
from answersim.metrics.neural.parameters import Affine, LayerParameters
from answersim.metrics.neural.relative_positions import bias_by_distance
from answersim.metrics.neural.windows import WINDOW, Batch, Run, firsts, windows

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]

_ROWS = 512  # the tokens of a block, unless a text has more: smaller products run at a lower rate
_VALUES = 1 << 15  # values of which the GELU is computed at a time
# Of -2 y / x in x^2, where the normal distribution function is (1 + tanh y) / 2: the polynomial of degree 6 with the
# smallest maximal error of the GELU, 7e-8. The exact function, scipy.special.erf, takes eight times as long.
_GELU = np.array(
    [-3.61123716e-09, 2.66893013e-07, -7.93822207e-06, 1.10480340e-04, 6.62599109e-05, -7.26685669e-02, -1.59576843],
    dtype=np.float32,
)


class _Linear(NamedTuple):
    weight: Floats  # (a, b)
    bias: Floats  # (b,)

    def __call__(self, states: Floats) -> Floats:
        projected = states @ self.weight
        projected += self.bias
        return projected


def _normalized(weight: Floats, bias: Floats, eps: np.float32, states: Floats) -> Floats:
    """Normalize states (t, d) in place."""
    width = np.float32(states.shape[1])
    states -= (states @ np.full(states.shape[1], 1 / width, dtype=np.float32))[:, None]
    variance = np.einsum("td,td->t", states, states) / width
    states *= (1 / np.sqrt(variance + eps))[:, None]
    states *= weight
    states += bias
    return states


class _Block(NamedTuple):
    """Whole texts: in windows, or of one length."""

    tokens: Ids | slice  # the positions of their tokens in the batch
    length: int  # tokens of a window, or of a text
    added: Floats | None  # to the scores of attention, broadcast to (windows or texts, heads, length, length)
    source: Ids | None = None  # of windows: the token in each slot, counted from the first of the block
    slots: Ids | slice = slice(None)  # the slot of each token


class _Layer(NamedTuple):
    """The weights of a layer. Queries, divided by the root of their size, keys and values are one product."""

    attend: _Linear
    out: _Linear
    after_attention: Callable[[Floats], Floats]
    up: _Linear
    down: _Linear
    after_feed_forward: Callable[[Floats], Floats]

    def after(self, context: Floats, hidden: Floats) -> Floats:
        """Return the states after the layer, (t, d), from what its attention read and the states before it."""
        states = self.out(context)
        states += hidden
        self.after_attention(states)
        fed = self.down(gelu(self.up(states)))
        fed += states
        return self.after_feed_forward(fed)


class Encoder:
    """The layers of an encoder, to be run over batches without padding. See ``unpadded.Unpadded``."""

    def __init__(self, architecture: Architecture, tensors: Mapping[str, Floats]) -> None:
        """Take the weights of a model, which may not change afterwards.

        ``tensors``: at least the weights of the encoder, by the names of the architecture.
        """
        stored, eps = parameters.of_encoder(architecture, tensors), np.float32(architecture.eps)
        self.heads, self._padding = architecture.n_heads, architecture.padding
        self.layers = [_layer(layer, self.heads, eps) for layer in stored.layers]
        self._words, self._places, self._types, self._relative = stored[:4]
        self._norm = partial(_normalized, *stored.norm, eps)
        self._project = None if stored.project is None else _linear(stored.project)

    def states(self, batch: Batch, layers: Collection[int], *, only_first: bool = False) -> dict[int, Floats]:
        """Return the token states of the wanted layers (0: the embeddings), each (t, d), in the order of the batch.

        ``layers``: the layers. No layer above the highest of them is computed. ``only_first``: whether to compute only
        the first token of each text in the highest layer, which is above the embeddings, (texts, d).
        """
        highest = max(layers)
        bias = None
        if self._relative is not None:
            by_distance = bias_by_distance(self._relative, max(run.length for run in batch.runs))  # (heads, 2 l - 1)
            bias = sliding_window_view(by_distance, by_distance.shape[1] // 2 + 1, axis=1)[:, ::-1]  # (heads, l, l)
        with (
            np.errstate(over="ignore", invalid="ignore"),
            blocks() as run_block,
        ):  # a score that is not finite is reported
            embedded = self._embedded(batch)  # (t, d)
            # In windows, an infinity of one text makes all texts of its window nan: compute them again without windows.
            for in_windows in (True, False):
                hidden, states = embedded, {0: embedded}
                plan = list(_plan(batch.runs, bias, in_windows))
                for number, layer in enumerate(self.layers[:highest], start=1):
                    if only_first and number == highest:
                        hidden = layer.after(*self._attended_by_first(layer, hidden, batch.runs, bias))
                    else:
                        hidden = self._after(layer, hidden, plan, run_block)
                    if number in layers:
                        states[number] = hidden
                if np.isfinite(hidden.sum()):
                    break
        return {number: states[number] for number in layers}

    def _embedded(self, batch: Batch) -> Floats:
        """Return the embeddings of the tokens, (t, d)."""
        hidden = self._words[batch.ids]
        if self._types is not None:
            hidden += self._types[0 if batch.types is None else batch.types]
        places = [self._positions(batch.ids[start:stop], length) for start, stop, length in batch.runs]
        hidden += self._places[np.concatenate(places)]
        hidden = self._norm(hidden)
        return hidden if self._project is None else self._project(hidden)

    def _positions(self, ids: Ids, length: int) -> Ids:
        """Return the position of each token of texts of one length, (t,)."""
        if self._padding is None:
            return np.tile(np.arange(length), len(ids) // length)
        counts = (ids.reshape(-1, length) != self._padding).astype(np.int64)
        return (counts.cumsum(1) * counts + self._padding).reshape(-1)

    def _after(self, layer: _Layer, hidden: Floats, plan: Sequence[_Block], run_block: Callable[..., object]) -> Floats:
        """Return the states after a layer, (t, d), computed block by block."""
        states = np.empty_like(hidden)

        def compute(block: _Block) -> None:
            before = hidden[block.tokens]
            states[block.tokens] = layer.after(self._attended(layer.attend(before), block), before)

        run_block(compute, plan)
        return states

    def _attended(self, projected: Floats, block: _Block) -> Floats:
        """Return the attention of each token over its text: queries, keys and values (n, 3 d) -> (n, d)."""
        if block.source is not None:
            projected = projected[block.source]
        size = projected.shape[1] // 3 // self.heads
        parts = projected.reshape(-1, block.length, 3, self.heads, size)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)  # each (texts, heads, l, d / heads)
        alike = query @ key.swapaxes(2, 3)
        if block.added is not None:
            alike += block.added
        context = np.empty((*parts.shape[:2], self.heads, size), dtype=np.float32)
        np.matmul(_softmax(alike), value, out=context.swapaxes(1, 2))
        return context.reshape(len(projected), -1)[block.slots]

    def _attended_by_first(
        self, layer: _Layer, hidden: Floats, runs: Sequence[Run], bias: Floats | None
    ) -> tuple[Floats, Floats]:
        """Return the attention of the first token of each text over its text, and its state: both (texts, d).

        Neither keys nor values are computed. The bias of keys adds one number to all scores of a query.
        """
        width = hidden.shape[1]
        size = width // self.heads
        first = hidden[firsts(runs)]
        weight = layer.attend.weight.reshape(width, 3, self.heads, size).transpose(1, 2, 0, 3)  # (3, heads, d, size)
        queries = first @ layer.attend.weight[:, :width] + layer.attend.bias[:width]
        projected = queries.reshape(-1, self.heads, size).swapaxes(0, 1) @ weight[1].swapaxes(1, 2)  # (heads, texts, d)
        read = np.empty((len(first), self.heads, width), dtype=np.float32)
        at = 0
        for start, stop, length in runs:
            span = slice(at, at := at + (stop - start) // length)
            texts = hidden[start:stop].reshape(-1, length, width)
            alike = projected[:, span].swapaxes(0, 1) @ texts.swapaxes(1, 2)  # (b, heads, l)
            if bias is not None:
                alike += bias[None, :, 0, :length]
            np.matmul(_softmax(alike), texts, out=read[span])
        context = (read.swapaxes(0, 1) @ weight[2]).swapaxes(0, 1).reshape(-1, width)
        return context + layer.attend.bias[2 * width :], first


class Classifier:
    """A sequence classifier whose encoder runs over batches without padding."""

    def __init__(self, architecture: Architecture, tensors: Mapping[str, Floats]) -> None:
        """Take all weights of a classifier, by the names of the architecture; they may not change afterwards."""
        self.encoder = Encoder(architecture, tensors)
        self._is_gelu = architecture.head == "gelu"
        self._dense, self._out = map(_linear, parameters.of_head(architecture, tensors))

    def logits(self, batch: Batch) -> Floats:
        """Return the logits of each text, (texts, labels)."""
        top = len(self.encoder.layers)
        dense = self._dense(self.encoder.states(batch, (top,), only_first=True)[top])
        return self._out(gelu(dense) if self._is_gelu else np.tanh(dense))


def gelu(states: Floats) -> Floats:
    """Compute the GELU of states (t, d) in place, within 2e-7 of the exact one.

    >>> gelu(np.array([[-9.0, 0.0, 1.0]], dtype=np.float32)).round(4).tolist()
    [[-0.0, 0.0, 0.8413...]]
    """
    rows = max(1, _VALUES // states.shape[1])
    for start in range(0, len(states), rows):
        block = states[start : start + rows]
        square = block * block
        power = square * _GELU[0]
        for coefficient in _GELU[1:-1]:
            power += coefficient
            power *= square
        power += _GELU[-1]
        power *= block
        with np.errstate(over="ignore"):  # then the GELU is 0
            np.exp(power, out=power)
        power += np.float32(1)
        block /= power
    return states


def _linear(stored: Affine) -> _Linear:
    """Return a linear layer, its weights in the order in which they are read."""
    return _Linear(np.ascontiguousarray(stored.weight.T), stored.bias)


def _layer(stored: LayerParameters, heads: int, eps: np.float32) -> _Layer:
    query, key, value = map(_linear, stored[:3])
    scale = np.float32((len(query.bias) // heads) ** -0.5)
    return _Layer(
        attend=_Linear(
            np.concatenate([query.weight * scale, key.weight, value.weight], axis=1),  # (d, 3 d)
            np.concatenate([query.bias * scale, key.bias, value.bias]),
        ),
        out=_linear(stored.out),
        after_attention=partial(_normalized, *stored.after_attention, eps),
        up=_linear(stored.up),
        down=_linear(stored.down),
        after_feed_forward=partial(_normalized, *stored.after_feed_forward, eps),
    )


def _plan(runs: Sequence[Run], bias: Floats | None, in_windows: bool) -> Iterator[_Block]:
    """Yield the blocks of a batch. ``bias``: added to scores by query and key, (heads, l, l) for the longest text."""
    layout = windows(runs, all_rows=in_windows)
    for start, stop, length in layout.long:
        size = max(1, _ROWS // length) * length
        added = None if bias is None else bias[:, :length, :length]
        yield from (_Block(slice(at, min(at + size, stop)), length, added) for at in range(start, stop, size))
    mask = np.where(layout.apart, np.float32(-np.inf), np.float32(0))
    mask = mask if bias is None else mask + bias[:, :WINDOW, :WINDOW]
    for first in range(0, len(mask), _ROWS // WINDOW):
        added = mask[first : first + _ROWS // WINDOW]
        inside = slice(*np.searchsorted(layout.slots, (first * WINDOW, first * WINDOW + _ROWS)))
        slots = layout.slots[inside] - first * WINDOW
        source = np.zeros(len(added) * WINDOW, dtype=np.int64)
        source[slots] = np.arange(len(slots))
        yield _Block(layout.places[inside], WINDOW, added, source, slots)


def _softmax(scores: Floats) -> Floats:
    """Compute the softmax over the last axis in place."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= (scores @ np.ones(scores.shape[-1], dtype=np.float32))[..., None]
    return scores
