"""A LoRA adapter in peft's format, added into the weights of a plain model: peft itself is needed to train only.

The format is a folder of ``adapter_config.json`` and ``adapter_model.safetensors``; an adapter of ours also holds
``recipe.json``, which says how it was made and pins the SHA-256 of the other two.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from answersim.checkpoints import read_json, sha256
from answersim.errors import ChecksumError

if TYPE_CHECKING:
    import torch

    Model = TypeVar("Model", bound=torch.nn.Module)

CONFIG, WEIGHTS, RECIPE = "adapter_config.json", "adapter_model.safetensors", "recipe.json"

# Ways to start A and B which leave the base as it is; the others (pissa, olora, corda ...) also move the base.
_PLAIN_STARTS = (True, False, "gaussian", "eva", "orthogonal")
# What changes a LoRA layer's arithmetic, or where it stands: refused, since a plain sum would give wrong numbers.
_OTHER_ARITHMETIC = (
    "use_dora use_qalora use_bdlora lora_bias fan_in_fan_out rank_pattern alpha_pattern layer_replication "
    "target_parameters trainable_token_indices alora_invocation_tokens megatron_config arrow_config kasa_config "
    "velora_config monteclora_config"
).split()

_LARGEST_ALPHA = 1e9

# Where a SentenceTransformer that peft wrapped as a whole has its model: since version 6, before, and one module alone.
_SENTENCE_MODELS = ("0.model.", "0.auto_model.", "auto_model.")


class Adapter(NamedTuple):
    """An adapter in memory; what is on disk may change afterwards.

    Attributes:
        folder: Where it was read from.
        settings: Its settings.
        tensors: Its tensors in fp32, by their names below the transformers model.
        fingerprint: The fingerprint of the bytes that were read (see ``fingerprint``).
    """

    folder: Path
    settings: Settings
    tensors: Mapping[str, torch.Tensor]
    fingerprint: str


class Settings(NamedTuple):
    """What ``adapter_config.json`` says: rank, factor of B @ A, modules with LoRA and trained whole, base, task."""

    rank: int
    scale: float
    targets: str | tuple[str, ...]
    saved: tuple[str, ...]
    base: str = ""
    task: str = ""


def read(folder: Path | str) -> Adapter:
    """Read an adapter into memory.

    Raises:
        FileNotFoundError: If there is no such folder, or a file of the format is missing.
        ChecksumError: If a file is not the one that the adapter's recipe.json names.
        ValueError: If it is not a LoRA adapter for linear layers, or holds values that are not finite.
    """
    folder = Path(folder)
    settings = read_settings(folder)
    verify(folder)
    found, digest = read_tensors(folder)
    tensors = {_below(name): found[name].float() for name in sorted(found)}
    return Adapter(folder, settings, tensors, _signed(settings, digest))


def read_tensors(folder: Path | str) -> tuple[dict[str, torch.Tensor], str]:
    """The tensors of an adapter under the names and in the types of its file, and the SHA-256 of that file.

    Raises:
        FileNotFoundError: If the folder is no adapter's.
        ValueError: If the file is no safetensors file, or a value in it is not finite.
    """
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load

    folder = Path(folder)
    _check_files(folder)
    content = (folder / WEIGHTS).read_bytes()
    try:
        found = load(content)
    except (SafetensorError, ValueError, KeyError) as error:
        raise ValueError(f"{folder / WEIGHTS} is not a safetensors file: {error}") from error
    for name, tensor in found.items():
        if not torch.isfinite(tensor.float()).all():
            raise ValueError(
                f"{folder / WEIGHTS}: {_below(name)} holds values that are not finite; restore the file, or train the "
                "adapter again"
            )
    return found, hashlib.sha256(content).hexdigest()


def merge(model: Model, folder: Path | str | Adapter, whole: torch.nn.Module | None = None) -> Model:
    """The same model, with the adapter in this folder added into its weights.

    A LoRA pair adds ``scale * B @ A``, computed in fp32, to the weight of its linear layer, where scale is alpha / r,
    or alpha / sqrt(r) with rsLoRA (Hu et al. 2021, eq. 3; Kalajdzievski 2023). A module that was trained whole is
    replaced. Every tensor must be used, every shape must fit, and every layer that the adapter names must have its
    tensors; else the model stays as it was. Equals ``PeftModel.from_pretrained(model, folder).merge_and_unload()``.

    Args:
        model: What is changed, in place.
        folder: The adapter, or its folder.
        whole: For a model that holds only the lower layers of another one: that other one, on any device. The adapter
            must fit it, and what belongs to layers that ``model`` lacks is left out.

    Raises:
        FileNotFoundError: No such folder, or it has no adapter_config.json or adapter_model.safetensors.
        ChecksumError: A file is not the one that the adapter's recipe.json names.
        ValueError: Not a LoRA adapter for linear layers, or not one for this model; names the tensor.
    """
    adapter = folder if isinstance(folder, Adapter) else read(folder)
    changed = _fitting(model if whole is None else whole, adapter)
    parameters = dict(model.named_parameters())
    here = [name for name in changed if name in parameters]
    new = {name: _new(parameters[name], name, adapter.tensors, adapter.settings.scale) for name in here}
    for name, weight in new.items():
        parameters[name].data.copy_(weight)
    return model


def check(model: torch.nn.Module, folder: Path | str) -> None:
    """Nothing, where ``merge`` would add this adapter; else its error. The model may be on the meta device.

    Raises:
        FileNotFoundError, ChecksumError, ValueError: As ``merge``.
    """
    _fitting(model, read(folder))


def fingerprint(folder: Path | str) -> str:
    """Twelve hexadecimal digits that change with anything of this adapter that can change a number.

    That is the bytes of its weights and the scale that they are added with; not the path, nor the other settings.

    Raises:
        FileNotFoundError: No such folder, or it has no adapter_config.json or adapter_model.safetensors.
        ValueError: adapter_config.json is not that of a LoRA adapter for linear layers.
    """
    folder = Path(folder)
    return _signed(read_settings(folder), sha256(folder / WEIGHTS))


def _signed(settings: Settings, weights: str) -> str:
    facts = {"scale": settings.scale, "weights": weights}
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]


def read_settings(folder: Path | str) -> Settings:
    """The settings in this adapter's adapter_config.json.

    Raises:
        FileNotFoundError: No such folder, or a file of the format is missing.
        ValueError: Not a LoRA adapter, or one whose arithmetic is more than W + scale * B @ A; names the setting.
    """
    folder = Path(folder)
    _check_files(folder)
    path = folder / CONFIG
    config = read_json(path)
    if config.get("peft_type") != "LORA":
        raise ValueError(
            f"{path}: peft_type is {config.get('peft_type')!r}, but only 'LORA' can be added into plain weights"
        )
    odd = [name for name in _OTHER_ARITHMETIC if config.get(name)]
    if config.get("init_lora_weights", True) not in _PLAIN_STARTS:
        odd.append("init_lora_weights")
    if odd:
        raise ValueError(
            f"{path}: {odd[0]} is {config[odd[0]]!r}, but only plain LoRA, W + scale * B @ A on linear layers, can be "
            "added; merge this adapter with peft (merge_and_unload) and use the merged model's folder instead"
        )
    rank: Any = config.get("r")
    alpha: Any = config.get("lora_alpha")
    fits = isinstance(rank, int) and isinstance(alpha, (int, float)) and not isinstance(alpha, bool)
    if not fits or rank is True or not rank >= 1 or not abs(alpha) < _LARGEST_ALPHA:
        raise ValueError(f"{path}: r is {rank!r} and lora_alpha {alpha!r}; a rank from 1 and a number are needed")
    for name in ("target_modules", "modules_to_save"):
        given = config.get(name) or []
        whole = isinstance(given, str) and name == "target_modules"  # a regular expression
        if not whole and not (isinstance(given, list) and all(isinstance(each, str) for each in given)):
            raise ValueError(f"{path}: {name} is {given!r}, but it must be a list of names of modules")
    # With exclusions or chosen layers only peft can say which layers are targets; then none are demanded here.
    chosen = config.get("exclude_modules") or config.get("layers_to_transform") is not None
    targets = (not chosen and config.get("target_modules")) or ()
    return Settings(
        rank=rank,
        scale=alpha / (math.sqrt(rank) if config.get("use_rslora") else rank),
        targets=targets if isinstance(targets, str) else tuple(targets),
        saved=tuple(config.get("modules_to_save") or ()),
        base=str(config.get("base_model_name_or_path") or ""),
        task=str(config.get("task_type") or ""),
    )


def verify(folder: Path | str) -> None:
    """Check the files that this adapter's recipe.json pins; nothing to check where there is no recipe.json.

    Raises:
        ChecksumError: A file's SHA-256 is not the pinned one; names the file, what was expected and what was found.
        ValueError: recipe.json is not a JSON object, or pins no adapter_model.safetensors.
    """
    folder = Path(folder)
    path = folder / RECIPE
    if not path.exists():
        return
    pinned = read_json(path).get("sha256")
    if not isinstance(pinned, dict) or WEIGHTS not in pinned:
        raise ValueError(f"{path} pins no file: its 'sha256' is {pinned!r}, but must name the sum of {WEIGHTS}")
    for name in (CONFIG, WEIGHTS):
        digest, found = pinned.get(name), sha256(folder / name)
        if name in pinned and found != digest:
            raise ChecksumError(
                f"{folder / name}: SHA-256 is {found}, but {RECIPE} beside it pins {digest}; "
                "the file was changed or cut short: restore it, or train the adapter again"
            )


def reads_question(folder: Path | str) -> bool:
    """Whether this adapter's recipe.json says that it was trained on questions too; False where it says nothing.

    Raises:
        ValueError: ``reads_question`` is neither true nor false; or recipe.json is not a JSON object.
    """
    path = Path(folder) / RECIPE
    stated = read_json(path).get("reads_question", False) if path.exists() else False
    if not isinstance(stated, bool):
        raise ValueError(f"{path}: reads_question is {stated!r}, but must be true or false")
    return stated


def replaced(adapter: Adapter) -> set[str]:
    """The names of the parameters that this adapter does not add to but brings whole, such as those of a new head."""
    return {name for name in adapter.tensors if ".lora_" not in name}


def _check_files(folder: Path) -> None:
    if not folder.is_dir():
        raise FileNotFoundError(f"no adapter folder at {folder}")
    for name in (CONFIG, WEIGHTS):
        if (folder / name).is_file():
            continue
        pickled = name == WEIGHTS and (folder / "adapter_model.bin").exists()
        hint = "; its adapter_model.bin is a pickle, which is never loaded: save it as safetensors" if pickled else ""
        raise FileNotFoundError(f"the adapter folder {folder} has no {name}{hint}")


def _below(name: str) -> str:
    """A tensor's name below the transformers model: without the wrappers that stood around it in training."""
    name = name.removeprefix("base_model.model.")
    for wrapper in _SENTENCE_MODELS:
        name = name.removeprefix(wrapper)
    return name.replace(".base_layer.", ".")  # where peft keeps the biases of layers that it has wrapped


def _fitting(model: torch.nn.Module, adapter: Adapter) -> Sequence[str]:
    """The names of the parameters that the adapter changes; ValueError unless it fits the model."""
    parameters = dict(model.named_parameters())
    changed: dict[str, None] = {}
    for name, tensor in adapter.tensors.items():
        layer, _, part = name.partition(".lora_")
        if part:
            _check_pair(model, adapter.tensors, name, adapter.settings, adapter.folder)
        else:
            _check_shape(parameters, name, tensor, adapter.folder)
        changed[f"{layer}.weight" if part else name] = None
    _check_complete(model, changed, adapter.settings, adapter.folder)
    return list(changed)


def _new(old: torch.Tensor, name: str, tensors: Mapping[str, torch.Tensor], scale: float) -> torch.Tensor:
    """The new value of this parameter: the one that was trained whole, or the old one with scale * B @ A added."""
    if name in tensors:
        return tensors[name]
    layer = name.removesuffix(".weight")
    down, up = tensors[f"{layer}.lora_A.weight"], tensors[f"{layer}.lora_B.weight"]  # (r, columns), (rows, r)
    return old.detach().float() + scale * (up.to(old.device) @ down.to(old.device))


def _check_pair(
    model: torch.nn.Module, tensors: Mapping[str, torch.Tensor], name: str, settings: Settings, folder: Path
) -> None:
    import torch

    layer, _, part = name.partition(".lora_")
    linear = dict(model.named_modules()).get(layer)
    if part not in ("A.weight", "B.weight") or not isinstance(linear, torch.nn.Linear):
        raise ValueError(f"{folder / WEIGHTS}: {name} belongs to no linear layer of {type(model).__name__}")
    twin = f"{layer}.lora_{'B' if part[0] == 'A' else 'A'}.weight"
    if twin not in tensors:
        raise ValueError(f"{folder / WEIGHTS}: {name} is there, but {twin} is missing")
    wanted = (settings.rank, linear.in_features) if part[0] == "A" else (linear.out_features, settings.rank)
    if tensors[name].shape != wanted:
        raise ValueError(
            f"{folder / WEIGHTS}: {name} has shape {tuple(tensors[name].shape)}, but {wanted} fits the model and rank"
        )


def _check_shape(parameters: Mapping[str, torch.nn.Parameter], name: str, tensor: torch.Tensor, folder: Path) -> None:
    if name not in parameters:
        raise ValueError(f"{folder / WEIGHTS}: the model has no parameter {name}")
    wanted = tuple(parameters[name].shape)
    if tensor.shape != wanted:
        raise ValueError(f"{folder / WEIGHTS}: {name} has shape {tuple(tensor.shape)}, but the model's is {wanted}")


def _check_complete(model: torch.nn.Module, new: Container[str], settings: Settings, folder: Path) -> None:
    """Every linear layer that is a target, and every parameter of a module trained whole, has its tensors.

    Names are matched as peft does. A regular expression may mean layers other than linear ones, and is not checked.
    """
    import torch

    targets = () if isinstance(settings.targets, str) else settings.targets
    for name, module in model.named_modules():
        if any(name.endswith(saved) for saved in settings.saved):
            missing = [f"{name}.{each}" for each, _ in module.named_parameters() if f"{name}.{each}" not in new]
        elif any(re.search(rf"(^|\.){re.escape(saved)}(\.|$)", name) for saved in settings.saved):
            continue  # inside a module trained whole, which was checked itself
        elif isinstance(module, torch.nn.Linear) and any(f".{name}".endswith(f".{each}") for each in targets):
            missing = [f"{name}.lora_A.weight"] if f"{name}.weight" not in new else []
        else:
            continue
        if missing:
            raise ValueError(f"{folder / WEIGHTS}: {missing[0]} is missing, which {CONFIG} says was trained")
