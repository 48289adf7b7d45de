"""A LoRA adapter in the format of peft, added to the weights of a plain model. Only training needs peft.

The format is a folder of ``adapter_config.json`` and ``adapter_model.safetensors``; an adapter of this project also has
``recipe.json``, which records its training and pins the SHA-256 of the other two files.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from answersim._base.errors import ChecksumError
from answersim.metrics.checkpoints import tensor_file
from answersim.metrics.checkpoints.search import read_json, sha256
from answersim.metrics.checkpoints.tensor_file import StoredTensor
from answersim.metrics.checkpoints.weights import Layout

if TYPE_CHECKING:
    import torch

    Model = TypeVar("Model", bound=torch.nn.Module)

CONFIG, WEIGHTS, RECIPE = "adapter_config.json", "adapter_model.safetensors", "recipe.json"

# Initializations of A and B that leave the base unchanged. The others (pissa, olora, corda ...) also change the base.
_PLAIN_STARTS = (True, False, "gaussian", "eva", "orthogonal")
# "other arithmetic": settings that change the arithmetic or the place of LoRA. They are refused: a plain sum would give
# wrong numbers. "known": settings that ``read_settings`` reads, or that change no number of a trained adapter.
_DATA: dict[str, list[str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_LARGEST_ALPHA = 1e9

_ALL_LINEAR = "all-linear"  # in place of a regular expression

# Where a SentenceTransformer that peft wrapped as a whole has its model: since version 6, before, and one module alone.
_SENTENCE_MODELS = ("0.model.", "0.auto_model.", "auto_model.")


class Adapter(NamedTuple):
    """An adapter in memory. Its files may change afterwards."""

    folder: Path  # the folder that it was read from
    settings: Settings  # its settings
    tensors: Mapping[str, Any]  # its tensors in fp32, of numpy or torch, by their names below the transformers model
    fingerprint: str  # the fingerprint of the bytes that were read (see ``fingerprint``)

    def on_torch(self) -> Adapter:
        """Return the same adapter with its tensors as those of torch."""
        import torch

        return self._replace(tensors={name: torch.as_tensor(tensor) for name, tensor in self.tensors.items()})


class Settings(NamedTuple):
    """Settings in ``adapter_config.json``."""

    rank: int  # the rank of A and B
    scale: float  # the factor of B @ A
    # the ends of the names of the modules with LoRA, or a regular expression for whole names. If there are none, they
    # are those that peft knows for the model.
    targets: str | tuple[str, ...]
    saved: tuple[str, ...]  # the modules that were trained as a whole
    base: str = ""  # the base model
    task: str = ""  # the task
    excluded: str | tuple[str, ...] = ()  # the modules without LoRA, as ``targets``
    layers: tuple[int, ...] | None = None  # the numbers of the layers with LoRA; None for all
    patterns: tuple[str, ...] = ()  # the names of the list of layers, which a number follows; any if there are none

    def is_target(self, module: str) -> bool:
        """Return whether peft adds LoRA to the linear layer of this name.

        Source: ``check_target_module_exists`` of peft 0.21.2.
        """
        saved = any(re.search(rf"(^|\.){re.escape(name)}(\.|$)", module) for name in self.saved)
        if saved or _is_named(self.excluded, module):
            return False
        if self.targets == _ALL_LINEAR or not _is_named(self.targets, module):
            return self.targets == _ALL_LINEAR
        if self.layers is None or isinstance(self.targets, str) or module in self.targets:
            return True
        lists = [rf"(?:^|.*?\.){re.escape(name)}\.(\d+)\." for name in self.patterns] or [r".*?\.[^.]*\.(\d+)\."]
        number = next((match[1] for pattern in lists if (match := re.match(pattern, module))), "-1")
        return int(number) in self.layers


def _is_named(names: str | tuple[str, ...], module: str) -> bool:
    if isinstance(names, str):
        return re.fullmatch(names, module) is not None
    return any(f".{module}".endswith(f".{name}") for name in names)


def read(folder: Path | str) -> Adapter:
    """Read an adapter into memory, as arrays of numpy.

    Raise FileNotFoundError if there is no such folder, or a file of the format is missing. Raise ChecksumError if a
    file is not the one that recipe.json pins. Raise ValueError if it is not a LoRA adapter for linear layers, or
    contains integers or values that are not finite.
    """
    folder = Path(folder)
    settings = read_settings(folder)
    verify(folder)
    content = (folder / WEIGHTS).read_bytes()
    tensors = {_below(name): tensor.fp32() for name, tensor in _stored(folder, content).items()}
    return Adapter(folder, settings, tensors, _signed(settings, hashlib.sha256(content).hexdigest()))


def read_tensors(folder: Path | str) -> dict[str, torch.Tensor]:
    """Read the tensors of an adapter by the names in its file, in fp32.

    Raise FileNotFoundError if the folder contains no adapter. Raise ValueError if the file is not a safetensors file,
    or contains integers or values that are not finite.
    """
    import torch

    folder = Path(folder)
    _check_files(folder)
    stored = _stored(folder, (folder / WEIGHTS).read_bytes())
    return {name: torch.from_numpy(tensor.fp32()) for name, tensor in stored.items()}


def _stored(folder: Path, content: bytes) -> dict[str, StoredTensor]:
    """Return the tensors of an adapter by their names in the file, sorted. Every value is checked to be finite."""
    try:
        stored = sorted(tensor_file.tensors(content).items())
    except ValueError as error:
        raise ValueError(f"{folder / WEIGHTS} is not a safetensors file: {error}") from error
    for name, tensor in stored:
        if tensor.is_floating_point() and not np.isfinite(tensor.fp32()).all():
            raise ValueError(
                f"{folder / WEIGHTS}: {_below(name)} contains values that are not finite; restore the file, or train "
                "the adapter again"
            )
    return dict(stored)


def merge(model: Model, folder: Path | str | Adapter, whole: torch.nn.Module | None = None) -> Model:
    """Add the adapter in this folder into the weights of a model and return the same model.

    A LoRA pair adds ``scale * B @ A``, computed in fp32, to the weight of its linear layer, where scale is alpha / r,
    or alpha / sqrt(r) with rsLoRA (Hu et al. 2021, eq. 3; Kalajdzievski 2023). A module that was trained as a whole is
    replaced. Every tensor must be used, every shape must fit, and every layer that the adapter names must have its
    tensors. Otherwise the model stays unchanged. Equals ``PeftModel.from_pretrained(model,
    folder).merge_and_unload()``.

    ``whole``: the complete model, on any device, if ``model`` has only its lower layers. The adapter must fit it, and
    tensors for layers that ``model`` lacks are left out. Raise FileNotFoundError if there is no such folder, or it has
    no adapter_config.json or adapter_model.safetensors. Raise ChecksumError if a file is not the one that recipe.json
    pins. Raise ValueError if it is not a LoRA adapter for linear layers, or not one for this model.
    """
    adapter = (folder if isinstance(folder, Adapter) else read(folder)).on_torch()
    parameters = dict(model.named_parameters())
    for name, weight in merged(parameters, adapter, layout_of(model if whole is None else whole)).items():
        if name in parameters:
            parameters[name].data.copy_(weight)
    return model


def merged(weights: Mapping[str, Any], adapter: Adapter, whole: Layout) -> dict[str, Any]:
    """Return the new values, in fp32, of the weights that an adapter changes. See ``merge``.

    ``weights``: the weights of a model, by the names of its parameters: arrays of torch or numpy, as the adapter.
    ``whole``: the model that the adapter must fit. LoRA pairs for layers that ``weights`` lack are left out. Raise
    ValueError if the adapter does not fit.
    """
    changed = _fitting(whole, adapter)
    replaced_whole = {name: adapter.tensors[name] for name in changed if name in adapter.tensors}
    added = (name for name in changed if name in weights and name not in adapter.tensors)
    return replaced_whole | {name: _sum(weights[name], name, adapter.tensors, adapter.settings.scale) for name in added}


def check(model: torch.nn.Module | Layout, folder: Path | str) -> None:
    """Check that ``merge`` would add this adapter to a model, which may be on the meta device.

    Raise FileNotFoundError, ChecksumError or ValueError as ``merge``.
    """
    _fitting(model if isinstance(model, Layout) else layout_of(model), read(folder))


def layout_of(model: torch.nn.Module) -> Layout:
    """Return the names and shapes of the parameters of a model, and which of its modules are linear layers."""
    import torch

    linear = (name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear))
    shapes = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    return Layout(type(model).__name__, shapes, frozenset(linear))


def fingerprint(folder: Path | str) -> str:
    """Return twelve hexadecimal digits that identify everything in this adapter that can change a number.

    These are the bytes of its weights and the scale that they are added with. The path and the other settings do not
    count. Raise FileNotFoundError if there is no such folder, or it has no adapter_config.json or
    adapter_model.safetensors. Raise ValueError if adapter_config.json is not that of a LoRA adapter for linear layers.
    """
    folder = Path(folder)
    return _signed(read_settings(folder), sha256(folder / WEIGHTS))


def _signed(settings: Settings, weights: str) -> str:
    signed = {"scale": settings.scale, "weights": weights}
    return hashlib.sha256(json.dumps(signed, sort_keys=True).encode()).hexdigest()[:12]


def read_settings(folder: Path | str) -> Settings:
    """Read the settings in the adapter_config.json of this adapter."""
    folder = Path(folder)
    _check_files(folder)
    path = folder / CONFIG
    config = read_json(path)
    if config.get("peft_type") != "LORA":
        raise ValueError(
            f"{path}: peft_type is {config.get('peft_type')!r}, but only 'LORA' can be added into plain weights"
        )
    odd = [name for name in _DATA["other arithmetic"] if config.get(name)]
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
        raise ValueError(
            f"{path}: r is {rank!r} and lora_alpha {alpha!r}; r must be at least 1, and lora_alpha a number"
        )
    unknown = next((name for name in config if not any(name in names for names in _DATA.values())), None)
    if unknown is not None and config[unknown] not in (None, False, "", [], {}):
        raise ValueError(
            f"{path}: {unknown} is {config[unknown]!r}, which is unknown here and might change scores; merge this "
            "adapter with peft (merge_and_unload) and use the merged model's folder instead"
        )
    patterns = config.get("layers_pattern")
    return Settings(
        rank=rank,
        scale=alpha / (math.sqrt(rank) if config.get("use_rslora") else rank),
        targets=_modules_of(config, "target_modules", path),
        saved=_names_of(config, "modules_to_save", path),
        base=str(config.get("base_model_name_or_path") or ""),
        task=str(config.get("task_type") or ""),
        excluded=_modules_of(config, "exclude_modules", path),
        layers=_layers_of(config, path),
        patterns=(patterns,) if patterns and isinstance(patterns, str) else _names_of(config, "layers_pattern", path),
    )


def _modules_of(config: Mapping[str, Any], key: str, path: Path) -> str | tuple[str, ...]:
    """Return the names of modules in a setting without the wrappers of the training, or its regular expression."""
    patterns = config.get(key)
    if not patterns or not isinstance(patterns, str):
        return tuple(map(_below, _names_of(config, key, path)))
    try:
        re.compile(patterns)
    except re.error as error:
        raise ValueError(f"{path}: {key} is {patterns!r}, which is not a regular expression: {error}") from None
    return patterns


def _names_of(config: Mapping[str, Any], key: str, path: Path) -> tuple[str, ...]:
    names = config.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{path}: {key} is {names!r}, but it must be a list of names of modules")
    return tuple(names)


def _layers_of(config: Mapping[str, Any], path: Path) -> tuple[int, ...] | None:
    numbers = config.get("layers_to_transform")
    layers = numbers if isinstance(numbers, list) else [numbers]
    if numbers in (None, []):
        return None
    if not all(type(layer) is int for layer in layers):
        raise ValueError(f"{path}: layers_to_transform is {numbers!r}, but it must be a list of numbers of layers")
    return tuple(layers)


def verify(folder: Path | str) -> None:
    """Check the files that the recipe.json of this adapter pins. Without a recipe.json, nothing is checked.

    The message names the file and gives both digests.
    """
    folder = Path(folder)
    path = folder / RECIPE
    if not path.exists():
        return
    pinned = read_json(path).get("sha256")
    if not isinstance(pinned, dict) or WEIGHTS not in pinned:
        raise ValueError(f"{path} pins no file: its 'sha256' is {pinned!r}, but must name the sum of {WEIGHTS}")
    for name in (CONFIG, WEIGHTS):
        digest, actual = pinned.get(name), sha256(folder / name)
        if name in pinned and actual != digest:
            raise ChecksumError(
                f"{folder / name}: SHA-256 is {actual}, but {RECIPE} beside it pins {digest}; "
                "the file was changed or truncated: restore it, or train the adapter again"
            )


def reads_question(folder: Path | str) -> bool:
    """Return whether the recipe.json of this adapter states that it was trained on questions; False if unspecified."""
    path = Path(folder) / RECIPE
    stated = read_json(path).get("reads_question", False) if path.exists() else False
    if not isinstance(stated, bool):
        raise ValueError(f"{path}: reads_question is {stated!r}, but it must be true or false")
    return stated


def replaced(adapter: Adapter) -> set[str]:
    """Return the names of the parameters that this adapter replaces instead of adding to them, such as a new head."""
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
    """Return the name of a tensor below the transformers model, without the wrappers of the training."""
    name = name.removeprefix("base_model.model.")
    for wrapper in _SENTENCE_MODELS:
        name = name.removeprefix(wrapper)
    return name.replace(".base_layer.", ".")  # where peft keeps the biases of layers that it has wrapped


def _fitting(model: Layout, adapter: Adapter) -> Sequence[str]:
    """Return the names of the parameters that the adapter changes. Raise ValueError unless it fits the model."""
    changed: dict[str, None] = {}
    for name in adapter.tensors:
        layer, _, end = name.partition(".lora_")
        if end:
            _check_pair(model, adapter, name)
        elif name not in model.shapes:
            raise ValueError(f"{adapter.folder / WEIGHTS}: the model has no parameter {name}")
        elif (shape := tuple(adapter.tensors[name].shape)) != (needed := model.shapes[name]):
            raise ValueError(f"{adapter.folder / WEIGHTS}: {name} has shape {shape}, but the model's is {needed}")
        changed[f"{layer}.weight" if end else name] = None
    _check_complete(model, changed, adapter.settings, adapter.folder)
    return list(changed)


def _sum(old: Any, name: str, tensors: Mapping[str, Any], scale: float) -> Any:
    """Return the weight of a linear layer with scale * B @ A added, in fp32."""
    layer = name.removesuffix(".weight")
    down, up = tensors[f"{layer}.lora_A.weight"], tensors[f"{layer}.lora_B.weight"]  # (r, columns), (rows, r)
    if isinstance(old, np.ndarray):
        return old + np.float32(scale) * (up @ down)
    return old.detach().float() + scale * (up.to(old.device) @ down.to(old.device))


def _check_pair(model: Layout, adapter: Adapter, name: str) -> None:
    layer, _, end = name.partition(".lora_")
    file = adapter.folder / WEIGHTS
    if end not in ("A.weight", "B.weight") or layer not in model.linear:
        raise ValueError(f"{file}: {name} belongs to no linear layer of {model.model}")
    if adapter.settings.targets and not any(
        map(adapter.settings.is_target, (layer, *(f"{w}{layer}" for w in _SENTENCE_MODELS)))
    ):
        raise ValueError(
            f"{file}: {name} is there, but {CONFIG} does not list this layer as trained (target_modules, "
            "exclude_modules, modules_to_save, layers_to_transform, layers_pattern), so peft leaves "
            "it out; restore the file that the training wrote"
        )
    twin = f"{layer}.lora_{'B' if end[0] == 'A' else 'A'}.weight"
    if twin not in adapter.tensors:
        raise ValueError(f"{file}: {name} is there, but {twin} is missing")
    out, into = model.shapes[f"{layer}.weight"]
    expected = (adapter.settings.rank, into) if end[0] == "A" else (out, adapter.settings.rank)
    if (shape := tuple(adapter.tensors[name].shape)) != expected:
        raise ValueError(f"{file}: {name} has shape {shape}, but {expected} fits the model and rank")


def _check_complete(model: Layout, changed: Container[str], settings: Settings, folder: Path) -> None:
    """Check that each target, unless a regular expression names it, and each module trained whole has its tensors."""
    listed = not isinstance(settings.targets, str) and not isinstance(settings.excluded, str)
    for module, parameters in _modules(model).items():
        if any(module.endswith(saved) for saved in settings.saved):
            missing = [name for name in parameters if name not in changed]
        elif any(re.search(rf"(^|\.){re.escape(saved)}(\.|$)", module) for saved in settings.saved):
            continue  # inside a module that was trained as a whole and checked itself
        elif module in model.linear and listed and settings.is_target(module):
            missing = [f"{module}.lora_A.weight"] if f"{module}.weight" not in changed else []
        else:
            continue
        if missing:
            raise ValueError(f"{folder / WEIGHTS}: {missing[0]} is missing, but {CONFIG} lists it as trained")


def _modules(model: Layout) -> dict[str, list[str]]:
    """Map each module that has parameters to their names, including those of submodules."""
    modules: dict[str, list[str]] = {"": list(model.shapes)}
    for name in model.shapes:
        parts = name.split(".")
        for end in range(1, len(parts)):
            modules.setdefault(".".join(parts[:end]), []).append(name)
    return modules
