"""Models in memory: from a folder of weights, and an adapter on top, to a torch module that is ready to run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from answersim import checkpoints, weights
from answersim.checkpoints import Checkpoint, read_json, sha256
from answersim.concurrency import load_once
from answersim.errors import MissingExtraError
from answersim.neural import adapter as adapters
from answersim.neural.tokens import SAFE, quiet

try:
    import torch
    import transformers
except ImportError as error:
    raise MissingExtraError("a neural metric", "neural", error.name or "torch") from error

from answersim.neural.unpadded import Unpadded, UnpaddedClassifier, supports

_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
_PAIRS = "SEQ_CLS"  # the task that peft gives an adapter of a classifier, such as a cross-encoder's


def device(name: str) -> torch.device:
    """The device that stands behind "auto" (a GPU where there is one), or the named one.

    Raises:
        LookupError: torch knows no such device, or it is not in this machine; the message names those that are.

    >>> device("cpu")
    device(type='cpu')
    """
    if name == "auto":
        return torch.device(devices()[-1])
    try:
        found = torch.device(name)
        module = torch.get_device_module(found)
        here = module.is_available() and (found.index or 0) < module.device_count()
    except (RuntimeError, TypeError):
        here = False
    if not here:
        raise LookupError(f"no device {name!r} in this machine; choose one of: auto, {', '.join(devices())}")
    return found


def devices() -> tuple[str, ...]:
    """The devices of this machine that metrics are made for, the processor first and the fastest last."""
    found = ["cpu"]
    if torch.backends.mps.is_available():
        found.append("mps")
    if torch.cuda.is_available():
        found += [*(f"cuda:{i}" for i in range(1, torch.cuda.device_count())), "cuda"]
    return tuple(found)


def signed(base: str, adapter: str, precision: str) -> str:
    """The fingerprint of weights, adapter and precision together.

    >>> signed("abc", signed_adapter("names", "def"), "fp32")
    'abc+names@def/fp32'
    """
    return f"{base}{adapter}/{precision}"


def signed_adapter(name: str, fingerprint: str) -> str:
    """What an adapter adds to the fingerprint of its base."""
    return f"+{name}@{fingerprint}"


@load_once(4)
def encoder(folder: Path, fingerprint: str, adapter: Path | None, depth: int, precision: str, device_: str) -> Any:
    """The model up to this layer, an adapter merged in, ready to run; the layers above it are not even loaded.

    ``fingerprint`` is that of weights, adapter and precision together: with ``depth``, what the cache tells apart.

    Raises:
        ChecksumError: If a file is not the one that the fingerprint was made of.
        ValueError: If the files are damaged, or lack a tensor that the model reads. The message names the tensors.
    """
    dtype = torch.float32 if adapter else _DTYPES[precision]
    with quiet():
        shallow: dict[str, Any] = {"num_hidden_layers": depth} if depth and _counts_layers(folder) else {}
        loaded = weights.load(folder, dtype=dtype, **shallow)
    model = loaded.model
    added = _added(adapter)
    _check_read(folder, fingerprint, loaded, added, precision)
    if added:
        model = adapters.merge(model, added, whole=_skeleton(folder, pairs=False)).to(_DTYPES[precision])
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    return model.eval().to(device(device_))


@load_once(4)
def classifier(folder: Path, fingerprint: str, adapter: Path | None, precision: str, device_: str) -> Any:
    """The sequence classifier, an adapter merged in, ready to run.

    Raises:
        ChecksumError: If a file is not the one that the fingerprint was made of.
        ValueError: It does not give one number a pair; or neither the weights nor the adapter hold its head.
    """
    added = _added(adapter)
    brought = adapters.replaced(added) if added else set()
    one_label = {"num_labels": 1} if added else {}
    with quiet():
        loaded = weights.load(
            folder,
            "AutoModelForSequenceClassification",
            dtype=torch.float32,
            optional=lambda name: name in brought or _is_head(name),
            **one_label,
        )
    model = loaded.model
    if model.config.num_labels != 1:
        raise ValueError(
            f"{folder} has {model.config.num_labels} labels, but a similarity is one number a pair; "
            "choose a cross-encoder that was trained for similarity"
        )
    random = loaded.missing - brought
    if random:
        raise ValueError(
            f"{folder} holds no {', '.join(sorted(random))}{' and neither does the adapter' if added else ''}, so that "
            "the scores would be random; choose a cross-encoder that was trained for similarity"
        )
    _check_read(folder, fingerprint, loaded, added, precision)
    if added:
        model = adapters.merge(model, added)
    return model.eval().to(device(device_), dtype=_DTYPES[precision])


def _is_head(name: str) -> bool:
    """Whether this parameter is above the encoder: it is refused with a message of its own."""
    return name.startswith(("classifier.", "score.", "classification_head.", "pooler.")) or ".pooler." in name


def _added(adapter: Path | None) -> adapters.Adapter | None:
    return None if adapter is None else adapters.read(adapter)


def _check_read(
    folder: Path, expected: str, loaded: weights.Loaded, added: adapters.Adapter | None, precision: str
) -> None:
    """Check that what was read is what the fingerprint was made of."""
    suffix = signed_adapter(added.folder.name, added.fingerprint) if added else ""
    checkpoints.check_same(folder, expected, signed(loaded.fingerprint, suffix, precision))


def _counts_layers(folder: Path) -> bool:
    """Whether this kind of model has a setting for the number of its layers, under whatever name."""
    with weights.unfit(folder):
        return hasattr(transformers.AutoConfig.from_pretrained(folder, **SAFE), "num_hidden_layers")


@load_once(4)
def unpadded_encoder(
    folder: Path, fingerprint: str, adapter: Path | None, depth: int, precision: str, device_: str
) -> Unpadded | None:
    """The layers of the same model, to be run without padding; None for one of another build."""
    model = encoder(folder, fingerprint, adapter, depth, precision, device_)
    return Unpadded(model) if supports(model) else None


@load_once(4)
def unpadded_classifier(
    folder: Path, fingerprint: str, adapter: Path | None, precision: str, device_: str
) -> UnpaddedClassifier | None:
    """The same classifier, to be run without padding; None for one of another build."""
    model = classifier(folder, fingerprint, adapter, precision, device_)
    return UnpaddedClassifier(model) if UnpaddedClassifier.supports(model) else None


def check_adapter(checkpoint: Checkpoint, adapter: Path, *, pairs: bool) -> None:
    """Nothing, where this adapter was made for these weights, as far as can be told before they are loaded.

    Its recipe.json (where it names the base's SHA-256), its base's name (where both are known) and every tensor's
    shape must agree with the checkpoint. ``pairs``: for a cross-encoder, and not for an encoder of single texts.

    Raises:
        FileNotFoundError: No such folder, or it is no adapter's.
        ChecksumError: A file is not the one that the adapter's recipe.json pins.
        ValueError: Not a plain LoRA adapter, or one of another base or task.
    """
    settings = adapters.read_settings(adapter)
    if settings.task == _PAIRS and not pairs:
        raise ValueError(
            f"{adapter} is the adapter of a model that reads pairs (task_type {_PAIRS}): it serves 'sas' only, "
            "and not an encoder of single texts"
        )
    adapters.verify(adapter)
    _check_base(checkpoint, adapter, settings.base)
    _check_shapes(checkpoint, adapter, adapters.fingerprint(adapter), pairs)


def _check_base(checkpoint: Checkpoint, adapter: Path, base: str) -> None:
    recipe = adapter / adapters.RECIPE
    stated = read_json(recipe).get("base") if recipe.is_file() else None
    pinned = stated.get("sha256") if isinstance(stated, dict) else None
    file = checkpoint.folder / "model.safetensors"
    if pinned and file.is_file():
        if sha256(file) != pinned:
            raise ValueError(
                f"the adapter {adapter} was trained on {base or 'a base'} with the SHA-256 {pinned}, but {file} has "
                f"{sha256(file)}: choose its base with model=, or another adapter"
            )
        return
    known, here = _short(base), checkpoint.fingerprint.rpartition("@")[0] or _short(checkpoint.name)
    if known and here and known != here:
        raise ValueError(
            f"the adapter {adapter} was trained on {base}, but the weights are {here}: "
            "choose its base with model=, or another adapter"
        )


def _short(name: str) -> str:
    """A model's name without its owner and revision; nothing for a path, which tells no name."""
    if name.startswith((".", "~")) or "\\" in name or Path(name).is_absolute() or Path(name).is_dir():
        return ""
    return name.partition("@")[0].rpartition("/")[2]


@load_once(64)
def _check_shapes(checkpoint: Checkpoint, adapter: Path, fingerprint: str, pairs: bool) -> None:
    adapters.check(_skeleton(checkpoint.folder, pairs=pairs), adapter)


def _skeleton(folder: Path, *, pairs: bool) -> Any:
    """The whole model without any values, which costs milliseconds: the names and shapes of its parameters."""
    checkpoints.check_config(read_json(folder / "config.json"), folder)
    # The class is imported before: modules of transformers 4 make tensors on import, which fails on the meta device.
    model_class = transformers.AutoModelForSequenceClassification if pairs else transformers.AutoModel
    labels = {"num_labels": 1} if pairs else {}
    with quiet(), weights.unfit(folder), torch.device("meta"):
        config = transformers.AutoConfig.from_pretrained(folder, **labels, **SAFE)
        return model_class.from_config(config, trust_remote_code=False)
