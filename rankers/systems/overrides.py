"""Changes to a plan by name: settings of the recipe as they are, others by where they stand ("adversary.reward")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from answersim.errors import unknown
from rankers.inputs.words import Inputs
from rankers.serialization import check_types
from rankers.systems.definitions import TrainingConfig
from rankers.training.adversarial import Adversary
from rankers.training.committee import CALIBRATIONS
from rankers.training.recipe import Recipe


class _OfPlan:
    """What may be changed of a plan itself."""

    pool: int
    every: int
    calibration: str
    source: str


OF_PLAN = tuple(_OfPlan.__annotations__)


def known(config: TrainingConfig) -> frozenset[str]:
    """The names of all that may be changed in this plan, and of the adversary's settings whether it has one or not.

    Seeds are none of them: a run has one seed, which is asked for by its own name.
    """
    parts = {"recipe": Recipe, "network": config.network, "inputs": Inputs, "adversary": Adversary}
    names = {f"{part}.{each.name}" for part, of in parts.items() for each in fields(of)}
    names |= {f"plan.{each}" for each in OF_PLAN} | {each.name for each in fields(Recipe)}
    names |= set(_settings(config.objective, "objective"))
    return frozenset(each for each in names if each.rpartition(".")[2] != "seed")


def check(config: TrainingConfig, changes: Mapping[str, Any]) -> None:
    """Nothing, where all these names may be changed in this plan; else a LookupError that names one that may not."""
    if strange := set(changes) - known(config):
        raise unknown("setting that may be changed", min(strange), known(config))


def changed(config: TrainingConfig, changes: Mapping[str, Any]) -> TrainingConfig:
    """The plan with these changes; those of an adversary are passed over where it has none.

    Args:
        config: Of a training.
        changes: By "epochs" or "recipe.epochs", "network.hops", "inputs.source", "adversary.reward", "plan.every",
            "objective.tau", "objective.reweighting.lrbl".

    Raises:
        LookupError: A setting that there is not.
        TypeError: A value of another type.
        ValueError: A value out of its range.
    """
    check(config, changes)
    parts: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        part, _, setting = name.rpartition(".")
        parts.setdefault(part or "recipe", {})[setting] = tuple(value) if isinstance(value, list) else value
    for place, made in {"recipe": Recipe, "inputs": Inputs, "adversary": Adversary, "plan": _OfPlan}.items():
        check_types(made, parts.get(place, {}), "" if place == "recipe" else place)
    _check_plan(parts.get("plan", {}))
    check_types(type(config.network), parts.get("network", {}), "network")
    if config.adversary is not None and "adversary" in parts:
        config = replace(config, adversary=replace(config.adversary, **parts["adversary"]))
    for part in ("recipe", "network", "inputs"):
        if part in parts:
            config = replace(config, **{part: replace(getattr(config, part), **parts[part])})
    config = replace(config, objective=_deep(config.objective, "objective", parts))
    return replace(config, **parts.get("plan", {}))


def _check_plan(given: Mapping[str, Any]) -> None:
    """Check what would only fail after the training."""
    for name in ("pool", "every"):
        if given.get(name, 0) < 0:
            raise ValueError(f"plan.{name} is {given[name]}, but it cannot be below 0")
    if given.get("calibration", CALIBRATIONS[0]) not in CALIBRATIONS:
        raise unknown("calibration", given["calibration"], CALIBRATIONS)


def _settings(of: Any, place: str) -> list[str]:
    """The names of all settings but those that the recipe decides, and of the settings within them."""
    if not is_dataclass(of):
        return []
    inner = [(each.name, getattr(of, each.name)) for each in fields(of) if each.metadata.get("by") != "recipe"]
    deeper = [name for key, value in inner for name in _settings(value, f"{place}.{key}")]
    return [f"{place}.{key}" for key, value in inner if not is_dataclass(value)] + deeper


def _deep(of: Any, place: str, parts: Mapping[str, dict[str, Any]]) -> Any:
    """The settings with those changes that are meant for them or for settings within them."""
    if not is_dataclass(of) or isinstance(of, type):
        return of
    inner = {each.name: getattr(of, each.name) for each in fields(of)}
    deep = {key: _deep(value, f"{place}.{key}", parts) for key, value in inner.items() if is_dataclass(value)}
    check_types(type(of), parts.get(place, {}), place)
    return replace(of, **deep, **parts.get(place, {}))
