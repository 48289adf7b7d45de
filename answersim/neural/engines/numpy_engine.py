"""Encoders of texts and scorers of pairs on numpy: BERT-like models in fp32 on the CPU, without torch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.checkpoints import search, tensor_file, weights
from answersim.checkpoints.tensor_file import StoredTensor
from answersim.errors import MissingExtraError
from answersim.neural import adapter as adapters
from answersim.neural.architecture import Architecture, stored_names
from answersim.neural.compatibility import architecture_of, check_head, check_labels, check_read, is_head, layout
from answersim.neural.engines.choice import VARIABLE
from answersim.neural.engines.forward import Classifier, Encoder, Floats, batch_of
from answersim.neural.transformer import Backbone, PairTransformer, Transformer, by_length
from answersim.runtime.concurrency import forward_pass, load_once
from answersim.types import FloatArray


class _OnNumpy(Backbone):
    """What differs from torch: which weights can run, and where."""

    engine: ClassVar[str] = "numpy"

    def _check_place(self) -> None:
        """Check that numpy can run these weights in this precision on this device."""
        if self.precision != "fp32":
            raise _only_torch(f"the precision {self.precision!r}")
        if self.device not in ("auto", "cpu"):
            raise _only_torch(f"the device {self.device!r}")
        folder = self.checkpoint.folder
        described = None
        with suppress(MissingExtraError):  # only transformers can complete this configuration
            described = architecture_of(folder, pairs=self._reads_pairs)
        if described is None or described.activation != "gelu":
            raise _only_torch(f"the architecture of {folder} ({self.checkpoint.config.get('model_type')})")
        if any(path.suffix == ".bin" for path in search.weight_files(folder)):
            raise _only_torch(f"the pickle of weights in {folder}")

    @property
    def _on_cpu(self) -> bool:
        return True

    @property
    def placement(self) -> tuple[str, int]:
        """The engine and the size of a batch."""
        return "numpy", self.batch_tokens


@dataclass(frozen=True)
class NumpyTransformer(_OnNumpy, Transformer):
    """An encoder of single texts on numpy. Its vectors equal those of ``Transformer`` in fp32 within 1e-5."""

    def _hidden(
        self, unique: list[tuple[int, ...]], length: NDArray[np.int64], depth: int, wanted: set[int]
    ) -> Iterator[tuple[NDArray[np.int64], dict[int, Any]]]:
        """Yield positions of sequences of one length with their token states (b, l, d) by layer."""
        model = encoder(self.checkpoint.folder, self.fingerprint, self.adapter, depth)
        for members in self.batches(length, mixed=True):
            with forward_pass():
                batch = batch_of([unique[i] for i in members], None)
                layers = model.states(batch, wanted)
            yield from by_length(members, batch.runs, layers)

    def _joined(self, parts: Sequence[Any]) -> Any:
        return np.concatenate(parts)

    def _pooled(self, states: Any, pooling: str) -> FloatArray:
        """Pool the states of texts without padding: (b, l, d) -> (b, d)."""
        pooled = {"mean": lambda: states.mean(axis=1), "cls": lambda: states[:, 0], "max": lambda: states.max(axis=1)}
        return pooled[pooling]().astype(np.float64)


@dataclass(frozen=True)
class NumpyPairTransformer(_OnNumpy, PairTransformer):
    """A scorer of pairs on numpy. Its logits equal those of ``PairTransformer`` in fp32 within 1e-5."""

    def _logits(
        self, unique: list[tuple[tuple[int, ...], tuple[int, ...]]], length: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], FloatArray]]:
        """Yield positions of sequences with their logits, (b,)."""
        model = classifier(self.checkpoint.folder, self.fingerprint, self.adapter)
        for members in self.batches(length, mixed=True):
            ids, types = [unique[i][0] for i in members], [unique[i][1] for i in members]
            with forward_pass():
                logits = model.logits(batch_of(ids, types if types[0] else None))[:, 0]
            yield members, logits.astype(np.float64)


class _Tensors(NamedTuple):
    """The weights of a model by the names of its parameters. See ``weights.Loaded``."""

    by_name: dict[str, Floats]
    missing: frozenset[str]
    fingerprint: str


@load_once(4)
def encoder(folder: Path, fingerprint: str, adapter: Path | None, depth: int) -> Encoder:
    """Load a model up to one layer, an adapter merged in. See ``loading.unpadded_encoder``.

    Raise ChecksumError if a file is not the one that the fingerprint was made of. Raise ValueError if the files are
    damaged, or lack a tensor that the model reads.
    """
    described = architecture_of(folder, pairs=False, layers=depth or None)
    assert described is not None  # checked when the encoder was built
    added = adapters.read_arrays(adapter) if adapter else None
    loaded = _tensors(folder, described, lambda name: name.startswith("pooler."))
    check_read(folder, fingerprint, loaded.fingerprint, added, "fp32")
    if added:
        loaded.by_name.update(adapters.merged(loaded.by_name, added, layout(folder, pairs=False)))
    return Encoder(described, loaded.by_name)


@load_once(4)
def classifier(folder: Path, fingerprint: str, adapter: Path | None) -> Classifier:
    """Load a sequence classifier with one label, an adapter merged in. See ``loading.unpadded_classifier``.

    Raise ChecksumError if a file is not the one that the fingerprint was made of. Raise ValueError if it does not give
    one number per pair, or neither the weights nor the adapter have its head.
    """
    added = adapters.read_arrays(adapter) if adapter else None
    described = architecture_of(folder, pairs=True, n_labels=1 if added else None)
    assert described is not None  # checked when the scorer was built
    check_labels(folder, described.n_labels)
    brought = adapters.replaced(added) if added else set()
    loaded = _tensors(folder, described, lambda name: name in brought or is_head(name))
    check_head(folder, loaded.missing - brought, added)
    check_read(folder, fingerprint, loaded.fingerprint, added, "fp32")
    if added:
        loaded.by_name.update(adapters.merged(loaded.by_name, added, described.layout))
    return Classifier(described, loaded.by_name)


def _tensors(folder: Path, described: Architecture, optional: Callable[[str], bool]) -> _Tensors:
    """Read the weights of a model of a known architecture. Only optional tensors may be missing."""
    shapes = described.layout.shapes
    weights.check_size(described.layout.size, folder)
    stored, sha256 = _read(folder)
    names = stored_names(described, stored)
    if names is None or not all(stored[name].is_floating_point for name in names.values()):
        raise _only_torch(f"the weights in {folder}, with names or types of tensors that transformers must decide")
    missing = frozenset(shapes.keys() - names.keys())
    mismatched = [
        (name, stored[kept].shape, shapes[name]) for name, kept in names.items() if stored[kept].shape != shapes[name]
    ]
    weights.check_fit(folder, {name for name in missing if not optional(name)}, mismatched)
    tensors = {name: stored[file_name].fp32() for name, file_name in names.items()}
    return _Tensors(tensors, missing, search.fingerprint(folder, sha256))


def _read(folder: Path) -> tuple[dict[str, StoredTensor], dict[str, str]]:
    """Map all weight files of a folder: the tensors by name, and the SHA-256 of each file by its path in the folder."""
    stored: dict[str, StoredTensor] = {}
    sums: dict[str, str] = {}
    for path in search.weight_files(folder):
        with weights.unreadable(path):
            content = tensor_file.mapped(path)
            sums[path.relative_to(folder).as_posix()] = hashlib.sha256(content).hexdigest()
            if path.suffix != ".json":
                stored |= tensor_file.tensors(content)
    return stored, sums


def _only_torch(what: str) -> Exception:
    """Return the error for what only torch can run."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        return MissingExtraError(what, "embedded", "torch", "use a BERT or MPNet in safetensors, in fp32, on the CPU")
    return ValueError(f"{what} needs torch, but ${VARIABLE} is 'numpy'; unset this variable")
