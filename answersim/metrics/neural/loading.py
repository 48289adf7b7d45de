"""Models in memory: from a folder of weights, and an adapter on top, to a network that is ready to run.

The architectures that ``architecture`` describes are read and run without transformers; transformers builds and runs
the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from answersim._base.errors import MissingExtraError
from answersim._base.runtime.concurrency import load_once
from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints import packed, weights
from answersim.metrics.neural.architecture import Architecture
from answersim.metrics.neural.compatibility import architecture_of, check_head, check_labels, check_read, is_head
from answersim.metrics.neural.merged import Tensors, matched, merged_weights

try:
    import torch
except ImportError as error:
    raise MissingExtraError("a neural metric", "neural", error.name or "torch") from error

from answersim.metrics.neural.unpadded import Unpadded, UnpaddedClassifier, WordRows, activation, batch_of

__all__ = ["batch_of", "torch"]  # for the callers that import torch only through this module

_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def device(name: str) -> torch.device:
    """Return the named device, or for "auto" a GPU if there is one.

    >>> device("cpu")
    device(type='cpu')
    """
    if name == "auto":
        return torch.device(devices()[-1])
    try:
        chosen = torch.device(name)
        module = torch.get_device_module(chosen)
        here = module.is_available() and (chosen.index or 0) < module.device_count()
    except (RuntimeError, TypeError):
        here = False
    if not here:
        raise LookupError(f"no device {name!r} in this machine; choose one of: auto, {', '.join(devices())}")
    return chosen


def devices() -> tuple[str, ...]:
    """Return the supported devices of this machine, the CPU first and the fastest last."""
    names = ["cpu"]
    if torch.backends.mps.is_available():
        names.append("mps")
    if torch.cuda.is_available():
        names += [*(f"cuda:{i}" for i in range(1, torch.cuda.device_count())), "cuda"]
    return tuple(names)


@load_once(4)
def unpadded_encoder(
    folder: Path, fingerprint: str, adapter: Path | None, depth: int, precision: str, device_: str
) -> Unpadded | None:
    """Load a model up to one layer, an adapter merged in, to be run without padding.

    ``fingerprint``: of weights, adapter and precision together. ``depth``: the highest layer that is wanted; the layers
    above it are not loaded. 0 loads all. The result is None for an architecture that only transformers can run: see
    ``encoder``. Raise ChecksumError if a file is not the one that the fingerprint was made of. Raise ValueError if the
    files are damaged, or lack a tensor that the model reads.
    """
    described = architecture_of(folder, pairs=False, layers=depth or None)
    if described is None:
        return None
    read = partial(_tensors, torch.float32 if adapter else _DTYPES[precision])
    tensors = merged_weights(read, folder, described, fingerprint, _added(adapter), precision)
    return Unpadded(described, _placed(tensors, precision, device_))


@load_once(4)
def unpadded_classifier(
    folder: Path, fingerprint: str, adapter: Path | None, precision: str, device_: str
) -> UnpaddedClassifier | None:
    """Load a sequence classifier with one label, an adapter merged in, to be run without padding.

    The result is None for an architecture that only transformers can run: see ``classifier``. Raise ChecksumError if a
    file is not the one that the fingerprint was made of. Raise ValueError if it does not give one number per pair, or
    neither the weights nor the adapter have its head.
    """
    added = _added(adapter)
    described = architecture_of(folder, pairs=True, n_labels=1 if added else None)
    if described is None:
        return None
    tensors = merged_weights(partial(_tensors, torch.float32), folder, described, fingerprint, added, precision)
    return UnpaddedClassifier(described, _placed(tensors, precision, device_))


def _tensors(dtype: torch.dtype, folder: Path, described: Architecture, optional: Callable[[str], bool]) -> Tensors:
    """Read the weights of a model of a known architecture. Only optional tensors may be missing."""
    with weights.unfit(folder):
        activation(described.activation)
    weights.check_size(described.layout.size, folder)
    stored = weights.read(folder)
    digest = stored.sha256.get(packed.FILE, "")

    def convert(tensor: Any) -> Any:
        if isinstance(tensor, packed.PackedRows):
            return WordRows(torch.from_numpy(tensor.shared(digest).blocks), dtype)
        return weights.as_torch(tensor).to(dtype)

    tensors = matched(folder, described, stored, optional, convert)
    return _by_transformers(folder, described, dtype, optional) if tensors is None else tensors


def _by_transformers(
    folder: Path, described: Architecture, dtype: torch.dtype, optional: Callable[[str], bool]
) -> Tensors:
    """Read the same weights with transformers, which supports more names and formats of tensors."""
    auto, settings = "AutoModel", {"num_hidden_layers": described.n_layers}
    if described.prefix:
        auto, settings = "AutoModelForSequenceClassification", {"num_labels": described.n_labels}
    with weights.quiet():
        loaded = weights.load(folder, auto, dtype=dtype, optional=optional, **settings)
    tensors = {name: parameter.detach() for name, parameter in loaded.model.named_parameters()}
    return Tensors(tensors, loaded.missing, loaded.fingerprint)


def _placed(tensors: dict[str, torch.Tensor], precision: str, device_: str) -> dict[str, torch.Tensor]:
    where, dtype = device(device_), _DTYPES[precision]
    return {name: tensor.to(device=where, dtype=dtype) for name, tensor in tensors.items()}


@load_once(4)
def encoder(folder: Path, fingerprint: str, adapter: Path | None, depth: int, precision: str, device_: str) -> Any:
    """Load the model of transformers up to one layer, an adapter merged in: see ``unpadded_encoder``.

    The layer above the wanted one is loaded too. Some architectures, such as ModernBERT, normalize the states of their
    highest layer, and a lower layer must not become the highest one. Raise ChecksumError if a file is not the one that
    the fingerprint was made of. Raise ValueError if the files are damaged, or lack a tensor that the model reads.
    """
    dtype = torch.float32 if adapter else _DTYPES[precision]
    with weights.quiet():
        shallow: dict[str, Any] = {"num_hidden_layers": depth + 1} if 0 < depth < _n_layers(folder) - 1 else {}
        loaded = weights.load(folder, dtype=dtype, **shallow)
    model = loaded.model
    added = _added(adapter)
    check_read(folder, fingerprint, loaded.fingerprint, added, precision)
    if added:
        with weights.quiet():
            whole = weights.skeleton(folder)
        model = adapters.merge(model, added, whole=whole).to(_DTYPES[precision])
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    return model.eval().to(device(device_))


@load_once(4)
def classifier(folder: Path, fingerprint: str, adapter: Path | None, precision: str, device_: str) -> Any:
    """Load the sequence classifier of transformers, an adapter merged in: see ``unpadded_classifier``.

    Raise ChecksumError if a file is not the one that the fingerprint was made of. Raise ValueError if it does not give
    one number per pair, or neither the weights nor the adapter have its head.
    """
    added = _added(adapter)
    brought = adapters.replaced(added) if added else set()
    one_label = {"num_labels": 1} if added else {}
    with weights.quiet():
        loaded = weights.load(
            folder,
            "AutoModelForSequenceClassification",
            dtype=torch.float32,
            optional=lambda name: name in brought or is_head(name),
            **one_label,
        )
    model = loaded.model
    check_labels(folder, model.config.num_labels)
    check_head(folder, loaded.missing - brought, added)
    check_read(folder, fingerprint, loaded.fingerprint, added, precision)
    if added:
        model = adapters.merge(model, added)
    return model.eval().to(device(device_), dtype=_DTYPES[precision])


def _added(adapter: Path | None) -> adapters.Adapter | None:
    return None if adapter is None else adapters.read(adapter).on_torch()


def _n_layers(folder: Path) -> int:
    """Return the number of layers, for which kinds of models have different names; 0 if this kind has none."""
    with weights.quiet() as transformers, weights.unfit(folder):
        config = transformers.AutoConfig.from_pretrained(folder, **weights.SAFE)
        return int(getattr(config, "num_hidden_layers", 0))
