"""Encoders of texts and scorers of pairs on numpy: BERT-like models in fp32 on the CPU, without torch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.errors import MissingExtraError
from answersim._base.runtime.concurrency import load_once
from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints import packed, search, tensor_file, weights
from answersim.metrics.neural.architecture import Architecture
from answersim.metrics.neural.compatibility import architecture_of
from answersim.metrics.neural.engines.choice import VARIABLE
from answersim.metrics.neural.engines.forward import Classifier, Encoder, Floats
from answersim.metrics.neural.merged import Tensors, merged_weights
from answersim.metrics.neural.transformer import Backbone, PairTransformer, Transformer
from answersim.metrics.neural.windows import Run, batch_of

UNPADDED = (Encoder, Classifier)
joined = np.concatenate


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


class NumpyPairTransformer(_OnNumpy, PairTransformer):
    """A scorer of pairs on numpy. Its logits equal those of ``PairTransformer`` in fp32 within 1e-5."""


@load_once(4)
def text_model(folder: Path, fingerprint: str, adapter: Path | None, depth: int, *_: str) -> Encoder:
    """Load a model up to one layer, an adapter merged in. See ``merged.merged_weights`` for what it raises."""
    described = architecture_of(folder, pairs=False, layers=depth or None)
    assert described is not None  # checked when the encoder was built
    return Encoder(described, _tensors(folder, described, fingerprint, adapter))


@load_once(4)
def pair_model(folder: Path, fingerprint: str, adapter: Path | None, *_: str) -> Classifier:
    """Load a classifier with one label, an adapter merged in. See ``merged.merged_weights`` for what it raises."""
    described = architecture_of(folder, pairs=True, n_labels=1 if adapter else None)
    assert described is not None  # checked when the scorer was built
    return Classifier(described, _tensors(folder, described, fingerprint, adapter))


def states(
    model: Encoder, sequences: Sequence[Sequence[int]], layers: Collection[int], *_: object
) -> tuple[Sequence[Run], dict[int, Floats]]:
    """Return where the texts of each length are, and their token states by layer, (t, d)."""
    batch = batch_of(sequences, None)
    return batch.runs, model.states(batch, layers)


def logits(
    model: Classifier, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None, *_: object
) -> FloatArray:
    """Return one logit per sequence, (n,)."""
    return model.logits(batch_of(ids, types))[:, 0].astype(np.float64)


def _tensors(folder: Path, described: Architecture, fingerprint: str, adapter: Path | None) -> dict[str, Any]:
    def read(folder: Path) -> weights.Tensors:
        return weights.read(folder, tensor_file.mapped, lambda _, content: tensor_file.tensors(content))

    def convert(tensor: Any) -> Any:
        return tensor if isinstance(tensor, packed.PackedRows) else tensor.fp32()

    def otherwise(_: object) -> Tensors:
        raise _only_torch(f"the weights in {folder}, with names or types of tensors that transformers must decide")

    added = adapters.read(adapter) if adapter else None
    return merged_weights(read, convert, otherwise, folder, described, fingerprint, added, "fp32")


def _only_torch(feature: str) -> Exception:
    """Return the error for what only torch can run."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        return MissingExtraError(
            feature, "embedded", "torch", "use a BERT or MPNet in safetensors, in fp32, on the CPU"
        )
    return ValueError(f"{feature} needs torch, but ${VARIABLE} is 'numpy'; unset this variable")
