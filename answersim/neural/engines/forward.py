"""The forward pass of BERT and MPNet in numpy and fp32, over the same batches without padding as the one of torch.

All operations on single tokens run block by block, so that the states of a block stay in the cache of a CPU from the
attention to the end of the layer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from answersim.neural.architecture import Architecture
from answersim.neural.engines.blocks import Each, blocks
from answersim.neural.relative_positions import bias_by_distance
from answersim.neural.windows import WINDOW, Run, Windows, runs_of, windows

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]

_ROWS = 192  # tokens of a block: its widest states take 1.2 MB at the width of MiniLM
_VALUES = 1 << 15  # values of which the GELU is computed at a time
_WINDOWS = 8  # windows in which attention is computed at a time
# Of -2 y / x in x^2, where the normal distribution function is (1 + tanh y) / 2: the polynomial of degree 6 with the
# smallest maximal error of the GELU, 7e-8. The exact function, scipy.special.erf, takes eight times as long.
_GELU = np.array(
    [-3.61123716e-09, 2.66893013e-07, -7.93822207e-06, 1.10480340e-04, 6.62599109e-05, -7.26685669e-02, -1.59576843],
    dtype=np.float32,
)


class Batch(NamedTuple):
    """Token sequences one after the other, those of one length together: ids (t,), types (t,) or None, and runs."""

    ids: Ids
    types: Ids | None
    runs: tuple[Run, ...]


class _Linear(NamedTuple):
    weight: Floats  # (a, b)
    bias: Floats  # (b,)

    def __call__(self, states: Floats) -> Floats:
        projected = states @ self.weight
        projected += self.bias
        return projected


class _Norm(NamedTuple):
    weight: Floats
    bias: Floats
    eps: np.float32

    def __call__(self, states: Floats) -> Floats:
        """Normalize states (t, d) in place."""
        width = np.float32(states.shape[1])
        states -= (states @ np.full(states.shape[1], 1 / width, dtype=np.float32))[:, None]
        variance = np.einsum("td,td->t", states, states) / width
        states *= (1 / np.sqrt(variance + self.eps))[:, None]
        states *= self.weight
        states += self.bias
        return states


class _Layer(NamedTuple):
    """The weights of a layer. Queries, divided by the root of their size, keys and values are one product."""

    attend: _Linear
    out: _Linear
    after_attention: _Norm
    up: _Linear
    down: _Linear
    after_feed_forward: _Norm

    def after(self, context: Floats, hidden: Floats, each: Each) -> Floats:
        """Return the states after the layer, (t, d), from what its attention read and the states before it."""
        states = np.empty_like(hidden)

        def compute(start: int) -> None:
            block = self.out(context[start : start + _ROWS])
            block += hidden[start : start + _ROWS]
            self.after_attention(block)
            fed = self.down(gelu(self.up(block)))
            fed += block
            states[start : start + _ROWS] = self.after_feed_forward(fed)

        each(compute, range(0, len(hidden), _ROWS))
        return states


class Encoder:
    """The layers of an encoder, to be run over batches without padding. See ``unpadded.Unpadded``."""

    def __init__(self, architecture: Architecture, tensors: Mapping[str, Floats]) -> None:
        """Take the weights of a model, which may not change afterwards.

        ``tensors``: at least the weights of the encoder, by the names of the architecture.
        """
        prefix = architecture.prefix
        self.heads = architecture.n_heads
        self.layers = [
            _layer(tensors, f"{prefix}encoder.layer.{i}", architecture) for i in range(architecture.n_layers)
        ]
        self._words, self._places = (
            tensors[f"{prefix}embeddings.{kind}_embeddings.weight"] for kind in ("word", "position")
        )
        self._types = tensors.get(f"{prefix}embeddings.token_type_embeddings.weight")
        self._relative = tensors.get(f"{prefix}encoder.relative_attention_bias.weight")  # (buckets, heads)
        self._norm = _norm(tensors, f"{prefix}embeddings.LayerNorm", architecture.eps)
        project = f"{prefix}embeddings_project"
        self._project = linear(tensors, project) if f"{project}.weight" in tensors else None
        self._padding = architecture.padding

    def states(self, batch: Batch, wanted: Collection[int], *, only_first: bool = False) -> dict[int, Floats]:
        """Return the token states of the wanted layers (0: the embeddings), each (t, d), in the order of the batch.

        ``wanted``: the layers. No layer above the highest of them is computed. ``only_first``: whether to compute only
        the first token of each text in the highest layer, (texts, d).
        """
        with np.errstate(over="ignore", invalid="ignore"), blocks() as each:  # a score that is not finite is reported
            states = self._states(batch, wanted, only_first, windows(batch.runs), each)
            if not np.isfinite(states[max(wanted)].sum()):
                # an infinity of one text makes all texts of its window nan: compute them again without windows
                states = self._states(batch, wanted, only_first, windows(batch.runs, wanted=False), each)
        return states

    def _states(
        self, batch: Batch, wanted: Collection[int], only_first: bool, layout: Windows, each: Each
    ) -> dict[int, Floats]:
        highest = max(wanted)
        embedded, rows = self._embedded(batch)
        hidden = embedded[rows]  # (t, d)
        states = {0: hidden} if 0 in wanted else {}
        longest = max(run.length for run in batch.runs)
        bias = None
        if self._relative is not None:
            by_distance = bias_by_distance(self._relative, longest)  # (heads, 2 l - 1)
            bias = sliding_window_view(by_distance, by_distance.shape[1] // 2 + 1, axis=1)[:, ::-1]  # (heads, l, l)
        mask = np.where(layout.apart, np.float32(-np.inf), np.float32(0))
        mask = mask if bias is None else mask + bias[:, :WINDOW, :WINDOW]
        for number, layer in enumerate(self.layers[:highest], start=1):
            if only_first and number == highest:
                context, hidden = self._attended_by_first(layer, hidden, batch.runs, bias)
            elif number == 1:  # a word at a position has one query, key and value, however often it occurs
                context = self._attended(_blockwise(layer.attend, embedded, each), rows, layout, mask, bias, each)
            else:
                context = self._attended(_blockwise(layer.attend, hidden, each), None, layout, mask, bias, each)
            hidden = layer.after(context, hidden, each)
            if number in wanted:
                states[number] = hidden
        if only_first and not highest:
            states[0] = hidden[_firsts(batch.runs)]
        return states

    def _embedded(self, batch: Batch) -> tuple[Floats, Ids]:
        """Return the embeddings of distinct tokens, (u, d), and the index of each token of the batch, (t,)."""
        types = np.zeros_like(batch.ids) if batch.types is None else batch.types
        places = np.concatenate([self._positions(batch.ids[start:stop], size) for start, stop, size in batch.runs])
        kinds, most = int(types.max()) + 1, int(places.max()) + 1
        number, rows = np.unique((batch.ids * kinds + types) * most + places, return_inverse=True)
        hidden = self._words[number // most // kinds]
        if self._types is not None:
            hidden += self._types[number // most % kinds]
        hidden += self._places[number % most]
        hidden = self._norm(hidden)
        return (hidden if self._project is None else self._project(hidden)), rows.reshape(-1)

    def _positions(self, ids: Ids, length: int) -> Ids:
        """Return the position of each token of texts of one length, (t,)."""
        if self._padding is None:
            return np.tile(np.arange(length), len(ids) // length)
        counts = (ids.reshape(-1, length) != self._padding).astype(np.int64)
        return (counts.cumsum(1) * counts + self._padding).reshape(-1)

    def _attended(
        self, projected: Floats, rows: Ids | None, layout: Windows, mask: Floats, bias: Floats | None, each: Each
    ) -> Floats:
        """Return the attention of each token over the tokens of its text, (t, d). See ``attention.attend``."""
        width = projected.shape[1] // 3
        number = len(layout.places) + sum(stop - start for start, stop, _ in layout.long)
        context = np.empty((number, width), dtype=np.float32)
        source = layout.source if rows is None else rows[layout.source]
        windowed = np.empty((len(source), width), dtype=np.float32)

        def attend(start: int) -> None:
            slots = slice(start * WINDOW, (start + _WINDOWS) * WINDOW)
            self._attend(projected[source[slots]], mask[start : start + _WINDOWS], windowed[slots])

        each(attend, range(0, len(mask), _WINDOWS))
        context[layout.places] = windowed[layout.slots]
        for start, stop, length in layout.long:
            added = np.zeros((1, 1, length, length), np.float32) if bias is None else bias[None, :, :length, :length]
            for at in range(start, stop, length):
                span = slice(at, at + length)
                self._attend(projected[span] if rows is None else projected[rows[span]], added, context[span])
        return context

    def _attend(self, projected: Floats, mask: Floats, context: Floats) -> None:
        """Attend within windows of one length: queries, keys and values (n l, 3 d) -> context (n l, d)."""
        length, size = mask.shape[-1], projected.shape[1] // 3 // self.heads
        parts = projected.reshape(-1, length, 3, self.heads, size)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)  # each (n, heads, l, d / heads)
        alike = query @ key.swapaxes(2, 3)
        alike += mask
        np.matmul(_softmax(alike), value, out=context.reshape(-1, length, self.heads, size).transpose(0, 2, 1, 3))

    def _attended_by_first(
        self, layer: _Layer, hidden: Floats, runs: Sequence[Run], bias: Floats | None
    ) -> tuple[Floats, Floats]:
        """Return the attention of the first token of each text over its text, and its state: both (texts, d).

        Neither keys nor values are computed. The products with their weights are those of the queries of the first
        tokens, and of the states that these have read. The bias of keys adds one number to all scores of a query.
        """
        width = hidden.shape[1]
        size = width // self.heads
        firsts = hidden[_firsts(runs)]
        weight = layer.attend.weight.reshape(width, 3, self.heads, size).transpose(1, 2, 0, 3)  # (3, heads, d, size)
        queries = firsts @ layer.attend.weight[:, :width] + layer.attend.bias[:width]
        asked = queries.reshape(-1, self.heads, size).swapaxes(0, 1) @ weight[1].swapaxes(1, 2)  # (heads, texts, d)
        read = np.empty((len(firsts), self.heads, width), dtype=np.float32)
        at = 0
        for start, stop, length in runs:
            span = slice(at, at := at + (stop - start) // length)
            texts = hidden[start:stop].reshape(-1, length, width)
            alike = asked[:, span].swapaxes(0, 1) @ texts.swapaxes(1, 2)  # (b, heads, l)
            if bias is not None:
                alike += bias[None, :, 0, :length]
            np.matmul(_softmax(alike), texts, out=read[span])
        context = (read.swapaxes(0, 1) @ weight[2]).swapaxes(0, 1).reshape(-1, width)
        return context + layer.attend.bias[2 * width :], firsts


class Classifier:
    """A sequence classifier whose encoder runs over batches without padding."""

    def __init__(self, architecture: Architecture, tensors: Mapping[str, Floats]) -> None:
        """Take all weights of a classifier, by the names of the architecture; they may not change afterwards."""
        self.encoder = Encoder(architecture, tensors)
        self._is_gelu = architecture.head == "gelu"
        names = (f"{architecture.prefix}pooler.dense", "classifier")
        if architecture.head != "pooler":  # the head reads the first token itself
            names = ("classifier.dense", "classifier.out_proj")
        self._dense, self._out = (linear(tensors, name) for name in names)

    def logits(self, batch: Batch) -> Floats:
        """Return the logits of each text, (texts, labels)."""
        top = len(self.encoder.layers)
        dense = self._dense(self.encoder.states(batch, (top,), only_first=True)[top])
        return self._out(gelu(dense) if self._is_gelu else np.tanh(dense))


def batch_of(sequences: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None) -> Batch:
    """Build a batch of sequences in which those of one length are together."""
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    ids = np.fromiter(chain.from_iterable(sequences), np.int64)
    kinds = None if types is None else np.fromiter(chain.from_iterable(types), np.int64)
    return Batch(ids, kinds, runs_of(lengths))


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


def linear(tensors: Mapping[str, Floats], name: str) -> _Linear:
    """Return the linear layer of this name, its weights in the order in which they are read."""
    return _Linear(np.ascontiguousarray(tensors[f"{name}.weight"].T), tensors[f"{name}.bias"])


def _layer(tensors: Mapping[str, Floats], name: str, architecture: Architecture) -> _Layer:
    names, eps = architecture.attention, architecture.eps
    query, key, value = (linear(tensors, f"{name}.{part}") for part in (names.query, names.key, names.value))
    scale = np.float32((len(query.bias) // architecture.n_heads) ** -0.5)
    return _Layer(
        attend=_Linear(
            np.concatenate([query.weight * scale, key.weight, value.weight], axis=1),  # (d, 3 d)
            np.concatenate([query.bias * scale, key.bias, value.bias]),
        ),
        out=linear(tensors, f"{name}.{names.out}"),
        after_attention=_norm(tensors, f"{name}.{names.norm}", eps),
        up=linear(tensors, f"{name}.intermediate.dense"),
        down=linear(tensors, f"{name}.output.dense"),
        after_feed_forward=_norm(tensors, f"{name}.output.LayerNorm", eps),
    )


def _norm(tensors: Mapping[str, Floats], name: str, eps: float) -> _Norm:
    return _Norm(tensors[f"{name}.weight"], tensors[f"{name}.bias"], np.float32(eps))


def _blockwise(layer: _Linear, states: Floats, each: Each) -> Floats:
    """Return the outputs of a linear layer, (t, b), computed block by block."""
    projected = np.empty((len(states), len(layer.bias)), dtype=np.float32)

    def compute(start: int) -> None:
        block = np.matmul(states[start : start + _ROWS], layer.weight, out=projected[start : start + _ROWS])
        block += layer.bias

    each(compute, range(0, len(states), _ROWS))
    return projected


def _softmax(scores: Floats) -> Floats:
    """Compute the softmax over the last axis in place."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= (scores @ np.ones(scores.shape[-1], dtype=np.float32))[..., None]
    return scores


def _firsts(runs: Sequence[Run]) -> Ids:
    """Return the position of the first token of each text, (texts,)."""
    return np.concatenate([np.arange(start, stop, length) for start, stop, length in runs])
