"""Models in memory: from a folder of weights, and an adapter on top, to a torch module that is ready to run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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

from answersim.neural.packed import Packed, PackedClassifier, supports

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


@load_once(4)
def encoder(folder: Path, fingerprint: str, adapter: Path | None, depth: int, precision: str, device_: str) -> Any:
    """The model up to this layer, an adapter merged in, ready to run; the layers above it are not even loaded.

    ``fingerprint`` is that of weights, adapter and precision together: with ``depth``, what the cache tells apart.
    """
    dtype = torch.float32 if adapter else _DTYPES[precision]
    with quiet(), _damage(folder):
        config = transformers.AutoConfig.from_pretrained(folder, **SAFE)
        shallow = {"num_hidden_layers": depth} if hasattr(config, "num_hidden_layers") and depth else {}
        model = transformers.AutoModel.from_pretrained(folder, dtype=dtype, weights_only=True, **shallow, **SAFE)
    if adapter:
        model = adapters.merge(model, adapter, whole=_skeleton(folder, pairs=False)).to(_DTYPES[precision])
    if config.is_encoder_decoder:
        model = model.get_encoder()
    return model.eval().to(device(device_))


@load_once(4)
def classifier(folder: Path, fingerprint: str, adapter: Path | None, precision: str, device_: str) -> Any:
    """The sequence classifier, an adapter merged in, ready to run.

    Raises:
        ValueError: It does not give one number a pair; or neither the weights nor the adapter hold its head.
    """
    one_label = {"num_labels": 1} if adapter else {}
    with quiet(), _damage(folder):
        model, found = transformers.AutoModelForSequenceClassification.from_pretrained(
            folder, dtype=torch.float32, weights_only=True, output_loading_info=True, **one_label, **SAFE
        )
    if model.config.num_labels != 1:
        raise ValueError(
            f"{folder} has {model.config.num_labels} labels, but a similarity is one number a pair; "
            "choose a cross-encoder that was trained for similarity"
        )
    random = set(found["missing_keys"]) - (adapters.replaced(adapter) if adapter else set())
    if random:
        raise ValueError(
            f"{folder} holds no {min(random)}{' and neither does the adapter' if adapter else ''}, so that the scores "
            "would be random; choose a cross-encoder that was trained for similarity"
        )
    if adapter:
        model = adapters.merge(model, adapter)
    return model.eval().to(device(device_), dtype=_DTYPES[precision])


@load_once(4)
def packed_encoder(
    folder: Path, fingerprint: str, adapter: Path | None, depth: int, precision: str, device_: str
) -> Packed | None:
    """The layers of the same model, to be run without padding; None for one of another build."""
    model = encoder(folder, fingerprint, adapter, depth, precision, device_)
    return Packed(model) if supports(model) else None


@load_once(4)
def packed_classifier(
    folder: Path, fingerprint: str, adapter: Path | None, precision: str, device_: str
) -> PackedClassifier | None:
    """The same classifier, to be run without padding; None for one of another build."""
    model = classifier(folder, fingerprint, adapter, precision, device_)
    return PackedClassifier(model) if PackedClassifier.supports(model) else None


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
    weights = checkpoint.folder / "model.safetensors"
    if pinned and weights.is_file():
        if sha256(weights) != pinned:
            raise ValueError(
                f"the adapter {adapter} was trained on {base or 'a base'} with the SHA-256 {pinned}, but {weights} has "
                f"{sha256(weights)}: choose its base with model=, or another adapter"
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
    with quiet(), torch.device("meta"):
        if pairs:
            config = transformers.AutoConfig.from_pretrained(folder, num_labels=1, **SAFE)
            return transformers.AutoModelForSequenceClassification.from_config(config, trust_remote_code=False)
        config = transformers.AutoConfig.from_pretrained(folder, **SAFE)
        return transformers.AutoModel.from_config(config, trust_remote_code=False)


@contextmanager
def _damage(folder: Path) -> Iterator[None]:
    """Within it, weights that cannot be read are a ValueError that names their folder."""
    from pickle import UnpicklingError

    from safetensors import SafetensorError

    try:
        yield
    except (SafetensorError, UnpicklingError, EOFError) as error:
        raise ValueError(
            f"the weights in {folder} cannot be read ({str(error).strip() or type(error).__name__}): "
            "the file is damaged or only a pointer to it; copy the model again"
        ) from error
