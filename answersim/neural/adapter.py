"""A LoRA adapter in peft's format, added into the weights of a plain model: peft itself is needed to train only.

The format is a folder of ``adapter_config.json`` and ``adapter_model.safetensors``; an adapter of ours also holds
``recipe.json``, which says how it was made and pins the SHA-256 of the other two.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

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


class Settings(NamedTuple):
    """What ``adapter_config.json`` says: the rank, the factor of B @ A, and which modules were trained."""

    rank: int
    scale: float
    targets: str | tuple[str, ...]
    saved: tuple[str, ...]


def merge(model: Model, folder: Path | str) -> Model:
    """The same model, with the adapter in this folder added into its weights.

    A LoRA pair adds ``scale * B @ A``, computed in fp32, to the weight of its linear layer, where scale is alpha / r,
    or alpha / sqrt(r) with rsLoRA (Hu et al. 2021, eq. 3; Kalajdzievski 2023). A module that was trained whole is
    replaced. Every tensor must be used, every shape must fit, and every layer that the adapter names must have its
    tensors; else the model stays as it was. Equals ``PeftModel.from_pretrained(model, folder).merge_and_unload()``.

    Raises:
        FileNotFoundError: No such folder, or it has no adapter_config.json or adapter_model.safetensors.
        ChecksumError: A file is not the one that the adapter's recipe.json names.
        ValueError: Not a LoRA adapter for linear layers, or not one for this model; names the tensor.
    """
    folder = Path(folder)
    settings = read_settings(folder)
    verify(folder)
    tensors = _tensors(folder)
    new = dict(_merged(model, tensors, settings, folder))
    _check_complete(model, new, settings, folder)
    for name, weight in new.items():
        model.get_parameter(name).data.copy_(weight)
    return model


def fingerprint(folder: Path | str) -> str:
    """Twelve hexadecimal digits that change with anything of this adapter that can change a number.

    That is the bytes of its weights and the scale that they are added with; not the path, nor the other settings.

    Raises:
        FileNotFoundError: No such folder, or it has no adapter_config.json or adapter_model.safetensors.
        ValueError: adapter_config.json is not that of a LoRA adapter for linear layers.
    """
    folder = Path(folder)
    settings = read_settings(folder)
    facts = {"scale": settings.scale, "weights": sha256(folder / WEIGHTS)}
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
    rank, alpha = config.get("r"), config.get("lora_alpha")
    if not isinstance(rank, int) or rank < 1 or not isinstance(alpha, (int, float)) or not math.isfinite(alpha):
        raise ValueError(f"{path}: r is {rank!r} and lora_alpha {alpha!r}; a rank from 1 and a number are needed")
    # With exclusions or chosen layers only peft can say which layers are targets; then none are demanded here.
    chosen = config.get("exclude_modules") or config.get("layers_to_transform") is not None
    targets = (not chosen and config.get("target_modules")) or ()
    return Settings(
        rank=rank,
        scale=alpha / (math.sqrt(rank) if config.get("use_rslora") else rank),
        targets=targets if isinstance(targets, str) else tuple(targets),
        saved=tuple(config.get("modules_to_save") or ()),
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


def _check_files(folder: Path) -> None:
    if not folder.is_dir():
        raise FileNotFoundError(f"no adapter folder at {folder}")
    for name in (CONFIG, WEIGHTS):
        if (folder / name).is_file():
            continue
        pickled = name == WEIGHTS and (folder / "adapter_model.bin").exists()
        hint = "; its adapter_model.bin is a pickle, which is never loaded: save it as safetensors" if pickled else ""
        raise FileNotFoundError(f"the adapter folder {folder} has no {name}{hint}")


def _tensors(folder: Path) -> dict[str, torch.Tensor]:
    """Every tensor of the file, in fp32, by its name below the model."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        found = load_file(folder / WEIGHTS)
    except SafetensorError as error:
        raise ValueError(f"{folder / WEIGHTS} is not a safetensors file: {error}") from error
    # base_layer: where peft keeps the biases of layers that it has wrapped.
    below = {name: name.removeprefix("base_model.model.").replace(".base_layer.", ".") for name in found}
    return {below[name]: tensor.float() for name, tensor in found.items()}


def _merged(
    model: torch.nn.Module, tensors: Mapping[str, torch.Tensor], settings: Settings, folder: Path
) -> Iterator[tuple[str, torch.Tensor]]:
    """The parameters that change, by name, with their new values."""
    import torch

    parameters = dict(model.named_parameters())
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise ValueError(f"{folder / WEIGHTS}: {name} holds values that are not finite")
        layer, _, part = name.partition(".lora_")
        if part:
            _check_pair(model, tensors, name, settings, folder)
        else:
            _check_shape(parameters, name, tensor, folder)
            yield name, tensor
        if part == "B.weight":
            weight = parameters[f"{layer}.weight"].detach().float()
            down, up = tensors[f"{layer}.lora_A.weight"], tensor  # (r, columns), (rows, r)
            yield f"{layer}.weight", weight + settings.scale * (up.to(weight.device) @ down.to(weight.device))


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


def _check_complete(model: torch.nn.Module, new: Mapping[str, torch.Tensor], settings: Settings, folder: Path) -> None:
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
