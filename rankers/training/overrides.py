"""Overrides of settings by name: "epochs" for the recipe, "adversary.baseline" and so on for the other parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from answersim._base.errors import unknown
from answersim._base.io.records import check_types
from rankers.modules.words import InputConfig
from rankers.training.adversarial import Adversary
from rankers.training.definitions import CALIBRATIONS, TrainingConfig
from rankers.training.trainer import Recipe


class _OfTraining:
    """The settings of the training itself that can be overridden."""

    pool: int
    every: int
    calibration: str
    source: str


# settings by the names that they have in other libraries
ALIASES = {
    **dict.fromkeys(("lr", "rate", "learningrate", "max_lr", "encoder_lr"), "learning_rate"),
    **dict.fromkeys(("batch", "bs", "batchsize", "train_batch_size", "per_device_train_batch_size"), "batch_size"),
    **dict.fromkeys(("n_epochs", "num_epochs", "num_train_epochs", "max_epochs", "epoch"), "epochs"),
    **dict.fromkeys(("warmup", "warmup_steps", "warmup_proportion"), "warmup_ratio"),
    **dict.fromkeys(("wd", "decay", "l2"), "weight_decay"),
    **dict.fromkeys(("max_length", "max_seq_length", "max_len", "length"), "answer_length"),
    **dict.fromkeys(("max_grad_norm", "grad_clip", "clip_norm"), "clip"),
    **dict.fromkeys(("gradient_accumulation_steps", "accumulation"), "micro_batch"),
    **dict.fromkeys(("bf16", "fp16", "amp", "dtype"), "precision"),
    **dict.fromkeys(("n_negatives", "num_negatives", "negs"), "negatives"),
    **dict.fromkeys(("encoder", "model", "checkpoint", "base_model", "model_name_or_path"), "encoder"),
}


OF_TRAINING = tuple(_OfTraining.__annotations__)


def known_settings(config: TrainingConfig) -> frozenset[str]:
    """Return the names of all settings that can be overridden, with those of an adversary in any case.

    Seeds are not among them: a training has one seed, which is an argument of its own.
    """
    parts = {"recipe": Recipe, "network": config.network, "inputs": InputConfig, "adversary": Adversary}
    names = {f"{part}.{setting.name}" for part, of in parts.items() for setting in fields(of)}
    names |= {f"training.{setting}" for setting in OF_TRAINING} | {setting.name for setting in fields(Recipe)}
    names |= set(_settings(config.objective, "objective"))
    return frozenset(setting for setting in names if setting.rpartition(".")[2] != "seed")


def check(config: TrainingConfig, overrides: Mapping[str, Any]) -> None:
    """Check that all these settings can be overridden. Raise LookupError for one that cannot."""
    if not (strange := set(overrides) - known_settings(config)):
        return
    name = min(strange)
    common = sorted(setting.name for setting in fields(Recipe) if setting.name != "seed")
    others = "others are those of the parts: network.*, inputs.*, adversary.*, objective.*, training.*"
    usual = ALIASES.get(name.lower().replace("-", "_"))
    if usual == "encoder":
        raise LookupError(f"no setting that may be changed is called {name!r}; give encoder=... (--encoder NAME)")
    if usual is not None:
        raise LookupError(f"no setting that may be changed is called {name!r}; did you mean {usual!r}?")
    raise unknown("setting that may be changed", name, known_settings(config), listed=common, others=others)


def with_encoder(config: TrainingConfig, encoder: str) -> dict[str, str]:
    """Return the overrides that put this encoder into every place of one.

    Raise ValueError if the words of the training are not those of an encoder.
    """
    if config.inputs.source != "checkpoint":
        raise ValueError(f"the encoder is {encoder}, but the words come from {config.inputs.source!r}, not from one")
    places = ("network.checkpoint", "inputs.checkpoint")
    return {place: encoder for place in places if place in known_settings(config)}


def apply(config: TrainingConfig, overrides: Mapping[str, Any]) -> TrainingConfig:
    """Return the settings with these overrides. Those of an adversary are ignored if the training has none.

    Names are "epochs" or "recipe.epochs", "network.hops", "inputs.source", "adversary.baseline", "training.every",
    "objective.tau", "objective.reweighting.lrbl".
    """
    check(config, overrides)
    parts: dict[str, dict[str, Any]] = {}
    for name, value in overrides.items():
        part, _, setting = name.rpartition(".")
        parts.setdefault(part or "recipe", {})[setting] = tuple(value) if isinstance(value, list) else value
    for place, target in {
        "recipe": Recipe,
        "inputs": InputConfig,
        "adversary": Adversary,
        "training": _OfTraining,
    }.items():
        check_types(target, parts.get(place, {}), "" if place == "recipe" else place)
    _check_training(parts.get("training", {}))
    check_types(type(config.network), parts.get("network", {}), "network")
    if config.adversary is not None and "adversary" in parts:
        config = replace(config, adversary=replace(config.adversary, **parts["adversary"]))
    for part in ("recipe", "network", "inputs"):
        if part in parts:
            config = replace(config, **{part: replace(getattr(config, part), **parts[part])})
    config = replace(config, objective=_deep(config.objective, "objective", parts))
    return replace(config, **parts.get("training", {}))


def _check_training(given: Mapping[str, Any]) -> None:
    """Check the settings whose errors would otherwise appear after the training."""
    for name in ("pool", "every"):
        if given.get(name, 0) < 0:
            raise ValueError(f"training.{name} is {given[name]}, but it cannot be below 0")
    if given.get("calibration", CALIBRATIONS[0]) not in CALIBRATIONS:
        raise unknown("calibration", given["calibration"], CALIBRATIONS)


def _settings(of: Any, place: str) -> list[str]:
    """Return the names of all settings except those that the recipe decides, and of the settings within them."""
    if not is_dataclass(of):
        return []
    inner = [
        (setting.name, getattr(of, setting.name)) for setting in fields(of) if setting.metadata.get("by") != "recipe"
    ]
    deeper = [name for key, value in inner for name in _settings(value, f"{place}.{key}")]
    return [f"{place}.{key}" for key, value in inner if not is_dataclass(value)] + deeper


def _deep(of: Any, place: str, parts: Mapping[str, dict[str, Any]]) -> Any:
    """Return the settings with the overrides that apply to them or to settings within them."""
    if not is_dataclass(of) or isinstance(of, type):
        return of
    inner = {setting.name: getattr(of, setting.name) for setting in fields(of)}
    deep = {key: _deep(value, f"{place}.{key}", parts) for key, value in inner.items() if is_dataclass(value)}
    check_types(type(of), parts.get(place, {}), place)
    return replace(of, **deep, **parts.get(place, {}))
