"""Encoders of texts and scorers of pairs on numpy: BERT-like models in fp32 on the CPU, without torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.errors import MissingExtraError
from answersim._base.runtime.concurrency import forward_pass, load_once
from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints import packed, search, tensor_file, weights
from answersim.metrics.neural.architecture import Architecture
from answersim.metrics.neural.compatibility import architecture_of
from answersim.metrics.neural.engines.choice import VARIABLE
from answersim.metrics.neural.engines.forward import Classifier, Encoder
from answersim.metrics.neural.merged import Tensors, matched, merged_weights
from answersim.metrics.neural.transformer import Backbone, PairTransformer, Transformer, by_length
from answersim.metrics.neural.windows import batch_of


class _OnNumpy(Backbone):
    """What differs from torch: which weights can run, and where."""

    engine: ClassVar[str] = "numpy"

    def _check_place(self) -> None:
        """Check that numpy can run these weights in this precision on this device."""
        if self.device.precision != "fp32":
            raise _only_torch(f"the precision {self.device.precision!r}")
        if self.device.name not in ("auto", "cpu"):
            raise _only_torch(f"the device {self.device.name!r}")
        folder = self.checkpoint.folder
        described = None
        with suppress(MissingExtraError):  # only transformers can complete this configuration
            described = architecture_of(folder, pairs=self._reads_pairs)
        if described is None or described.activation != "gelu":
            raise _only_torch(f"the architecture of {folder} ({self.checkpoint.config.get('model_type')})")
        if not packed.is_packed(folder) and any(path.suffix == ".bin" for path in search.weight_files(folder)):
            raise _only_torch(f"the pickle of weights in {folder}")


class NumpyTransformer(_OnNumpy, Transformer):
    """An encoder of single texts on numpy. Its vectors equal those of ``Transformer`` in fp32 within 1e-5."""

    def _hidden(
        self, unique: list[tuple[int, ...]], length: NDArray[np.int64], depth: int, needed_layers: set[int]
    ) -> Iterator[tuple[NDArray[np.int64], dict[int, Any]]]:
        """Yield positions of sequences of one length with their token states (b, l, d) by layer."""
        model = encoder(self.checkpoint.folder, self.fingerprint, self.adapter, depth)
        for members in self.batches(length, mixed=True):
            with forward_pass():
                batch = batch_of([unique[i] for i in members], None)
                layers = model.states(batch, needed_layers)
            yield from by_length(members, batch.runs, layers)

    def _joined(self, parts: Sequence[Any]) -> Any:
        return np.concatenate(parts)

    def _pooled(self, states: Any, pooling: str) -> FloatArray:
        """Pool the states of texts without padding: (b, l, d) -> (b, d)."""
        pooled = {"mean": lambda: states.mean(axis=1), "cls": lambda: states[:, 0], "max": lambda: states.max(axis=1)}
        return pooled[pooling]().astype(np.float64)


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


@load_once(4)
def encoder(folder: Path, fingerprint: str, adapter: Path | None, depth: int) -> Encoder:
    """Load a model up to one layer, an adapter merged in. See ``merged.merged_weights`` for what it raises."""
    added = adapters.read(adapter) if adapter else None
    described = architecture_of(folder, pairs=False, layers=depth or None)
    assert described is not None  # checked when the encoder was built
    return Encoder(described, merged_weights(_tensors, folder, described, fingerprint, added, "fp32"))


@load_once(4)
def classifier(folder: Path, fingerprint: str, adapter: Path | None) -> Classifier:
    """Load a classifier with one label, an adapter merged in. See ``merged.merged_weights`` for what it raises."""
    added = adapters.read(adapter) if adapter else None
    described = architecture_of(folder, pairs=True, n_labels=1 if added else None)
    assert described is not None  # checked when the scorer was built
    return Classifier(described, merged_weights(_tensors, folder, described, fingerprint, added, "fp32"))


def _tensors(folder: Path, described: Architecture, optional: Callable[[str], bool]) -> Tensors:
    """Read the weights of a model of a known architecture. Only optional tensors may be missing."""
    weights.check_size(described.layout.size, folder)
    stored = weights.read(folder, tensor_file.mapped, lambda _, content: tensor_file.tensors(content))
    digest = stored.sha256.get(packed.FILE, "")

    def convert(tensor: Any) -> Any:
        return tensor.shared(digest) if isinstance(tensor, packed.PackedRows) else tensor.fp32()

    tensors = matched(folder, described, stored, optional, convert)
    if tensors is None:
        raise _only_torch(f"the weights in {folder}, with names or types of tensors that transformers must decide")
    return tensors


def _only_torch(feature: str) -> Exception:
    """Return the error for what only torch can run."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        return MissingExtraError(
            feature, "embedded", "torch", "use a BERT or MPNet in safetensors, in fp32, on the CPU"
        )
    return ValueError(f"{feature} needs torch, but ${VARIABLE} is 'numpy'; unset this variable")
