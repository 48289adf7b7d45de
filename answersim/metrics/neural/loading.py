"""Models in memory: from a folder of weights, and an adapter on top, to a network that is ready to run.

The architectures that ``architecture`` describes are read and run without transformers; transformers builds and runs
the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from answersim._base.arrays import FloatArray
from answersim._base.errors import MissingExtraError
from answersim._base.runtime.concurrency import load_once
from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints import packed, weights
from answersim.metrics.neural.architecture import Architecture
from answersim.metrics.neural.compatibility import architecture_of, check_head, check_labels, check_read, is_head
from answersim.metrics.neural.merged import Tensors, merged_weights
from answersim.metrics.neural.transformer import layers
from answersim.metrics.neural.windows import Run

try:
    import torch
except ImportError as error:
    raise MissingExtraError("a neural metric", "neural", error.name or "torch") from error

from answersim.metrics.neural.unpadded import Unpadded, UnpaddedClassifier, WordRows, activation, batch_of

UNPADDED = (Unpadded, UnpaddedClassifier)  # the classes of models that run texts of several lengths at once
joined = torch.cat

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
def text_model(folder: Path, fingerprint: str, adapter: Path | None, depth: int, precision: str, device_: str) -> Any:
    """Load a model up to one layer, an adapter merged in: an ``Unpadded``, or what only transformers can run.

    ``fingerprint``: of weights, adapter and precision together. ``depth``: the highest layer that is wanted; the layers
    above it are not loaded. 0 loads all. Raise ChecksumError if a file is not the one that the fingerprint was made of.
    Raise ValueError if the files are damaged, or lack a tensor that the model reads.
    """
    described = architecture_of(folder, pairs=False, layers=depth or None)
    if described is None:
        return encoder(folder, fingerprint, adapter, depth, precision, device_)
    return Unpadded(described, _tensors(folder, described, fingerprint, adapter, precision, device_))


@load_once(4)
def pair_model(folder: Path, fingerprint: str, adapter: Path | None, precision: str, device_: str) -> Any:
    """Load a sequence classifier with one label, as ``text_model``: an ``UnpaddedClassifier``, or one of transformers.

    Raise ValueError also if it does not give one number per pair, or neither the weights nor the adapter have its head.
    """
    described = architecture_of(folder, pairs=True, n_labels=1 if adapter else None)
    if described is None:
        return classifier(folder, fingerprint, adapter, precision, device_)
    return UnpaddedClassifier(described, _tensors(folder, described, fingerprint, adapter, precision, device_))


def states(
    model: Any, sequences: Sequence[Sequence[int]], layers: Collection[int], top: int | None, place: torch.device
) -> tuple[Sequence[Run], dict[int, torch.Tensor]]:
    """Return where the texts of each length are, and their token states by layer, (t, d), in fp32.

    ``sequences``: those of one length together; of one length alone for a model of transformers. ``top``: the number of
    layers of the whole model, if it is one of transformers.
    """
    with torch.inference_mode():
        if isinstance(model, Unpadded):
            batch = batch_of(sequences, None, place)
            return batch.runs, {layer: hidden.float() for layer, hidden in model.states(batch, layers).items()}
        ids = torch.tensor(sequences, device=place)  # (b, l)
        output = model(input_ids=ids, output_hidden_states=True)
        hidden = list(output.hidden_states)  # each (b, l, d)
        if max(layers) == top:  # of some architectures, only this one is normalized
            hidden[top] = output.last_hidden_state
        return (Run(0, ids.numel(), ids.shape[1]),), {layer: hidden[layer].flatten(0, 1).float() for layer in layers}


def logits(
    model: Any, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None, place: torch.device
) -> FloatArray:
    """Return one logit per sequence, (n,). The sequences are as in ``states``."""
    with torch.inference_mode():
        if isinstance(model, UnpaddedClassifier):
            return model.logits(batch_of(ids, types, place))[:, 0].cpu().double().numpy()
        inputs = {"input_ids": ids, "token_type_ids": types}
        tensors = {key: torch.tensor(rows, device=place) for key, rows in inputs.items() if rows is not None}
        return model(**tensors).logits[:, 0].cpu().double().numpy()


def _tensors(
    folder: Path, described: Architecture, fingerprint: str, adapter: Path | None, precision: str, device_: str
) -> dict[str, torch.Tensor]:
    """Return the weights of a model of a known architecture on a device. See ``merged_weights``."""
    dtype = torch.float32 if adapter or described.head else _DTYPES[precision]
    with weights.unfit(folder):
        activation(described.activation)

    def convert(tensor: Any) -> Any:
        if isinstance(tensor, packed.PackedRows):
            return WordRows(torch.from_numpy(tensor.data), dtype)
        return weights.as_torch(tensor).to(dtype)

    by_transformers = partial(_by_transformers, folder, described, dtype)
    added = _added(adapter)
    tensors = merged_weights(weights.read, convert, by_transformers, folder, described, fingerprint, added, precision)
    place = device(device_)
    return {name: tensor.to(device=place, dtype=_DTYPES[precision]) for name, tensor in tensors.items()}


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


def encoder(folder: Path, fingerprint: str, adapter: Path | None, depth: int, precision: str, device_: str) -> Any:
    """Load the model of transformers as ``text_model`` does, and the layer above the wanted one.

    Some architectures, such as ModernBERT, normalize the states of their highest layer, and a lower layer must not
    become the highest one.
    """
    dtype = torch.float32 if adapter else _DTYPES[precision]
    with weights.quiet():
        shallow: dict[str, Any] = {"num_hidden_layers": depth + 1} if 0 < depth < layers(folder) - 1 else {}
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


def classifier(folder: Path, fingerprint: str, adapter: Path | None, precision: str, device_: str) -> Any:
    """Load the sequence classifier of transformers as ``pair_model`` does."""
    added = _added(adapter)
    brought = adapters.replaced(added) if added else set()
    with weights.quiet():
        loaded = weights.load(
            folder,
            "AutoModelForSequenceClassification",
            dtype=torch.float32,
            optional=lambda name: name in brought or is_head(name),
            **({"num_labels": 1} if added else {}),
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
