"""Changes to a plan by name: settings of the recipe as they are, others by where they stand ("adversary.reward")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from answersim.errors import unknown
from rankers.adversarial import Adversary
from rankers.catalog import Plan
from rankers.recipe import Recipe
from rankers.words import Inputs

OF_PLAN = ("pool", "every", "calibration")


def known(plan: Plan) -> frozenset[str]:
    """The names of all that may be changed in this plan, and of the adversary's settings whether it has one or not.

    Seeds are none of them: a run has one seed, which is asked for by its own name.
    """
    parts = {"recipe": Recipe, "network": plan.network, "inputs": Inputs, "adversary": Adversary}
    names = {f"{part}.{each.name}" for part, of in parts.items() for each in fields(of)}
    names |= {f"plan.{each}" for each in OF_PLAN} | {each.name for each in fields(Recipe)}
    return frozenset(each for each in names if each.rpartition(".")[2] != "seed")


def check(plan: Plan, changes: Mapping[str, Any]) -> None:
    """Nothing, where all these names may be changed in this plan; else a LookupError that names one that may not."""
    if strange := set(changes) - known(plan):
        raise unknown("setting that may be changed", min(strange), known(plan))


def changed(plan: Plan, changes: Mapping[str, Any]) -> Plan:
    """The plan with these changes; those of an adversary are passed over where it has none.

    Args:
        plan: Of a training.
        changes: By "epochs" or "recipe.epochs", "network.hops", "inputs.source", "adversary.reward", "plan.every".

    Raises:
        LookupError: A setting that there is not.
        ValueError: A value out of its range.
    """
    check(plan, changes)
    parts: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        part, _, setting = name.rpartition(".")
        parts.setdefault(part or "recipe", {})[setting] = tuple(value) if isinstance(value, list) else value
    if plan.adversary is not None and "adversary" in parts:
        plan = replace(plan, adversary=replace(plan.adversary, **parts["adversary"]))
    for part in ("recipe", "network", "inputs"):
        if part in parts:
            plan = replace(plan, **{part: replace(getattr(plan, part), **parts[part])})
    return replace(plan, **parts.get("plan", {}))
