"""The torch back end: one forward pass over unique token sequences, in batches of one length, for all requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray, runs
from answersim._base.device import Device
from answersim._base.runtime.concurrency import forward_pass, imported
from answersim._base.runtime.progress import bar
from answersim._base.signature import Stored, computed_once
from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints.search import Checkpoint, read_config
from answersim.metrics.neural.compatibility import check_adapter, signed, signed_adapter
from answersim.metrics.neural.encoders import Encoding, Request, chunks
from answersim.metrics.neural.tokens import Sequences, all_fit, max_length, single_texts, special_ids, tokenize
from answersim.metrics.neural.windows import Run

if TYPE_CHECKING:
    import torch

_ALWAYS_HERE = ("auto", "cpu")  # devices that need no check, and therefore no torch, before the first pass
# bytes of the widest layer that fit in the cache of a CPU; from 32 MiB on, memory is allocated at every call
_NEAR = 13_000_000
# Token ids of this much text are in memory together, as Python numbers: some hundred megabytes.
_TEXT_AT_A_TIME, _PAIRS_AT_A_TIME = 1 << 24, 1 << 17


def _loading(engine: str = "torch") -> Any:
    """Import what runs a network at the first pass. A signature or a cached score does not need it."""
    return imported(f"answersim.metrics.neural.{'loading' if engine == 'torch' else 'engines.numpy_engine'}")


@dataclass(frozen=True)
class Backbone(Stored):
    """Weights and how they run: the common part of encoders of texts and scorers of pairs."""

    fingerprint: str = field(init=False)
    checkpoint: Checkpoint = field(compare=False)  # the folder of weights; equal fingerprints are equal weights
    # a folder with a small adapter that is added into the weights, or None
    adapter: Path | None = field(default=None, compare=False)
    device: Device = field(default=Device(), compare=False)  # its precision is in the fingerprint

    engine: ClassVar[str] = "torch"  # the library that runs them, "torch" or "numpy". It is not signed.
    _reads_pairs: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the settings and whether the adapter fits, and make the name that signs these weights."""
        self._check_place()
        added = ""
        if self.adapter is not None:
            check_adapter(self.checkpoint, self.adapter, pairs=self._reads_pairs)
            added = signed_adapter(self.adapter.name, adapters.fingerprint(self.adapter))
        object.__setattr__(self, "fingerprint", signed(self.checkpoint.fingerprint, added, self.device.precision))

    def _check_place(self) -> None:
        """Check that this machine has the device."""
        if self.device.name not in _ALWAYS_HERE:
            _loading().device(self.device.name)

    @computed_once
    def max_length(self) -> int:
        """How many tokens the model can read, by its position table and its tokenizer; special tokens included."""
        return max_length(self.checkpoint)

    @computed_once
    def torch_device(self) -> torch.device | None:
        """The device that "auto" selects, or the named one; None on numpy."""
        device: torch.device | None = _loading().device(self.device.name) if self.engine == "torch" else None
        return device

    @computed_once
    def place(self) -> str:
        """The name of the device, or the engine if that is numpy, whose blocks fit in the cache of a CPU."""
        return str(self.torch_device or self.engine)

    @computed_once
    def placement(self) -> tuple[str, int]:
        """The device and the size of a batch: equal encoders share a pass only if these are equal too."""
        return self.place, self.device.batch_tokens

    @computed_once
    def tokens_at_a_time(self) -> int:
        """How many tokens go through the model at a time on this device."""
        if not self.place.startswith("cpu"):
            return self.device.batch_tokens
        width = int(self.checkpoint.config.get("intermediate_size") or 0)  # some families use another name for it
        number = 4 if self.device.precision == "fp32" else 2  # bytes
        most = self.device.batch_tokens
        return min(most, max(1, _NEAR // (number * width))) if width else most

    def batches(self, lengths: NDArray[np.int64], *, mixed: bool = False) -> Iterator[NDArray[np.int64]]:
        """Yield positions of sequences, at most ``tokens_at_a_time`` tokens each, by length, the longest first.

        ``mixed``: whether sequences of several lengths may share a batch.
        """
        order = np.argsort(-lengths, kind="stable")
        if mixed:
            yield from (order[start:stop] for start, stop in runs(lengths[order].tolist(), self.tokens_at_a_time))
            return
        ends = np.flatnonzero(np.diff(lengths[order])) + 1
        for group in np.split(order, ends):
            if len(group):
                size = max(1, self.tokens_at_a_time // int(lengths[group[0]]))
                yield from (group[i : i + size] for i in range(0, len(group), size))


class Transformer(Backbone):
    """An encoder of single texts: token states of any layer and pooled vectors, from one forward pass."""

    @property
    def layers(self) -> int:
        """The number of layers above the embeddings."""
        return layers(self.checkpoint.folder)

    def encode(self, requests: Sequence[Request]) -> list[Encoding]:
        """Return one encoding per request. Every distinct token sequence is encoded once for all requests."""
        inputs = [(request.texts, request.max_length, request.lower_case) for request in requests]
        tokenized = single_texts(self.checkpoint, inputs)
        place: dict[tuple[int, ...], int] = {}
        where = [
            np.array([place.setdefault(tuple(ids), len(place)) for ids in sequences.ids], dtype=np.int64)
            for sequences in tokenized
        ]
        unique = list(place)
        length = np.array([len(ids) for ids in unique], dtype=np.int64)
        row = _place_within_length(length)
        layers = {request.layer for request in requests if request.layer is not None}
        poolings = {request.pooling for request in requests if request.pooling is not None}
        states, pooled = self._forward(unique, length, layers, poolings)
        special = special_ids(self.checkpoint)
        tokens = {
            size: np.array([unique[i] for i in np.flatnonzero(length == size)], dtype=np.int64).reshape(-1, size)
            for size in map(int, np.unique(length))
        }
        content = {size: ~np.isin(ids, special) for size, ids in tokens.items()}
        return [
            Encoding(
                length=length[at],
                row=row[at],
                states=None if request.layer is None else states[request.layer],
                content=content,
                tokens=tokens,
                pooled=None if request.pooling is None else pooled[request.pooling][at],
                n_truncated=sequences.n_truncated,
            )
            for request, sequences, at in zip(requests, tokenized, where, strict=True)
        ]

    def truncated(self, request: Request) -> NDArray[np.bool_]:
        """Return whether tokens of each text of a request are cut off, shape (n,). No network runs."""
        if all_fit([request.texts], request.max_length):
            return np.zeros(len(request.texts), dtype=np.bool_)
        texts = (request.texts, request.max_length, request.lower_case)
        return np.array(single_texts(self.checkpoint, [texts])[0].truncated, dtype=np.bool_)

    def _forward(
        self, unique: list[tuple[int, ...]], length: NDArray[np.int64], layers: set[int], poolings: set[str]
    ) -> tuple[dict[int, dict[int, Any]], dict[str, FloatArray]]:
        """Return token states by layer and length, and pooled vectors by pooling, of every unique sequence."""
        depth = self.layers if poolings else max(layers, default=0)
        states: dict[int, dict[int, list[Any]]] = {layer: {} for layer in layers}
        vectors: dict[str, list[FloatArray]] = {pooling: [] for pooling in poolings}
        order: list[NDArray[np.int64]] = []
        with bar(len(unique), "encoding", "text") as progress_bar:
            for members, hidden in self._hidden(unique, length, depth, layers | ({depth} if poolings else set())):
                for layer in layers:
                    states[layer].setdefault(hidden[layer].shape[1], []).append(hidden[layer])
                for pooling in poolings:
                    with forward_pass():
                        vectors[pooling].append(_pooled(hidden[depth], pooling))
                order.append(members)
                progress_bar.update(len(members))
        join = _loading(self.engine).joined
        back = np.argsort(np.concatenate(order)) if order else np.empty(0, dtype=np.int64)
        return (
            {layer: {size: join(parts) for size, parts in by.items()} for layer, by in states.items()},
            {pooling: np.concatenate(parts)[back] if parts else np.empty((0, 0)) for pooling, parts in vectors.items()},
        )

    def _hidden(
        self, unique: list[tuple[int, ...]], length: NDArray[np.int64], depth: int, needed_layers: set[int]
    ) -> Iterator[tuple[NDArray[np.int64], dict[int, Any]]]:
        """Yield positions of sequences of one length with their token states (b, l, d) by layer."""
        engine = _loading(self.engine)
        model = engine.text_model(
            *(self.checkpoint.folder, self.fingerprint, self.adapter, depth, self.device.precision, self.device.name)
        )
        is_unpadded = isinstance(model, engine.UNPADDED)
        top = None if is_unpadded else self.layers
        for members in self.batches(length, mixed=is_unpadded):
            with forward_pass():
                sequences = [unique[i] for i in members]
                runs, layers = engine.states(model, sequences, needed_layers, top, self.torch_device)
            yield from by_length(members, runs, layers)


@dataclass(frozen=True)
class PairTransformer(Backbone):
    """A scorer of pairs: a sequence classifier with one label that reads both texts at once, and a question after them.

    A question is read only if the recipe.json of the adapter states that it was trained with questions.
    """

    _reads_pairs: ClassVar[bool] = True

    @computed_once
    def reads_questions(self) -> bool:
        """Whether a question beside the pair is read."""
        return self.adapter is not None and adapters.reads_question(self.adapter)

    def logits(
        self, pairs: Sequence[tuple[str, str]], questions: Sequence[str] | None = None
    ) -> tuple[FloatArray, int]:
        """Return one logit per pair, shape (n,), and how many pairs were truncated.

        Every distinct pair with its question goes through the model once.
        """
        if questions and any(questions) and not self.reads_questions:
            raise ValueError(
                f"{self.fingerprint} reads no question: it was trained on pairs of answers only; leave the questions "
                "out"
            )
        values = np.empty(len(pairs), dtype=np.float64)
        n_truncated = 0
        for start, stop in chunks(pairs, self.max_length, most_bytes=_TEXT_AT_A_TIME, most_pairs=_PAIRS_AT_A_TIME):
            batch_questions = None if questions is None else questions[start:stop]
            sequences = tokenize(self.checkpoint, pairs[start:stop], self.max_length, batch_questions)
            values[start:stop] = self._unique_logits(sequences)
            n_truncated += sequences.n_truncated
        return values, n_truncated

    def truncated(self, pairs: Sequence[tuple[str, str]], questions: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Return whether tokens of each pair or of its question are cut off, shape (n,). No network runs."""
        sides = [*zip(*pairs, strict=True), questions or ()]
        if all_fit(sides, self.max_length):
            return np.zeros(len(pairs), dtype=np.bool_)
        return np.array(tokenize(self.checkpoint, pairs, self.max_length, questions).truncated, dtype=np.bool_)

    def _unique_logits(self, sequences: Sequences) -> FloatArray:
        """Return the logit of each sequence, (n,). Every distinct sequence is encoded once."""
        types = sequences.types or [[] for _ in sequences.ids]
        place: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        where = [
            place.setdefault((tuple(ids), tuple(kinds)), len(place))
            for ids, kinds in zip(sequences.ids, types, strict=True)
        ]
        unique = list(place)
        values = np.empty(len(unique), dtype=np.float64)
        length = np.array([len(ids) for ids, _ in unique], dtype=np.int64)
        with bar(len(unique), "cross-encoding", "pair") as progress_bar:
            for members, logits in self._logits(unique, length):
                values[members] = logits
                progress_bar.update(len(members))
        return values[np.array(where, dtype=np.int64)]

    def _logits(
        self, unique: list[tuple[tuple[int, ...], tuple[int, ...]]], length: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], FloatArray]]:
        """Yield positions of sequences with their logits, (b,)."""
        engine = _loading(self.engine)
        model = engine.pair_model(
            *(self.checkpoint.folder, self.fingerprint, self.adapter, self.device.precision, self.device.name)
        )
        for members in self.batches(length, mixed=isinstance(model, engine.UNPADDED)):
            ids, types = [unique[i][0] for i in members], [unique[i][1] for i in members]
            with forward_pass():
                logits = engine.logits(model, ids, types if types[0] else None, self.torch_device)
            yield members, logits


def layers(folder: Path) -> int:
    """Return how many layers the model in a folder has above its embeddings, from its configuration."""
    config = read_config(folder)
    for key in ("num_hidden_layers", "n_layers", "num_layers", "n_layer"):
        if key in config:
            return int(config[key])
    raise ValueError(f"{folder / 'config.json'} does not state how many layers the model has; copy the model again")


def _pooled(states: Any, pooling: str) -> FloatArray:
    """Pool the states of texts without padding, of torch or numpy: (b, l, d) -> (b, d)."""
    on_numpy = isinstance(states, np.ndarray)
    if pooling == "max":
        pooled = states.max(1) if on_numpy else states.amax(1)
    else:
        pooled = states[:, 0] if pooling == "cls" else states.mean(1)
    vectors: FloatArray = pooled.astype(np.float64) if on_numpy else pooled.cpu().double().numpy()
    return vectors


def by_length(
    members: NDArray[np.int64], runs: Sequence[Run], layers: Mapping[int, Any]
) -> Iterator[tuple[NDArray[np.int64], dict[int, Any]]]:
    """Yield the positions of the texts of each length in a batch, with their token states (b, l, d) by layer."""
    at = 0
    for start, stop, size in runs:
        texts = members[at : at + (stop - start) // size]
        yield texts, {layer: states[start:stop].reshape(-1, size, states.shape[1]) for layer, states in layers.items()}
        at += len(texts)


def _place_within_length(length: NDArray[np.int64]) -> NDArray[np.int64]:
    row = np.empty_like(length)
    for size in np.unique(length):
        at = np.flatnonzero(length == size)
        row[at] = np.arange(len(at))
    return row
