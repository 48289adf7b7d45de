"""Changes to a plan by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("torch")

from rankers.systems import catalog
from rankers.systems.overrides import apply


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("epochs", 3, ("recipe", "epochs")),
        ("recipe.margin", 0.5, ("recipe", "margin")),
        ("network.hops", 3, ("network", "hops")),
        ("inputs.source", "corpus", ("inputs", "source")),
        ("adversary.baseline", "mean", ("adversary", "baseline")),
        ("training.every", 2, ("every",)),
        ("training.calibration", "question", ("calibration",)),
    ],
)
def test_a_change_changes_what_it_names_and_nothing_else(name: str, value: Any, place: tuple[str, ...]) -> None:
    plan = catalog.config("man-adv", "cpu")
    result = apply(plan, {name: value})
    at: Any = result
    for each in place:
        at = getattr(at, each)
    assert at == value
    assert result != plan
    back = apply(result, {name: _old(plan, place)})
    assert back == plan


def _old(plan: Any, place: tuple[str, ...]) -> Any:
    for each in place:
        plan = getattr(plan, each)
    return plan


def test_no_change_is_the_same_plan() -> None:
    plan = catalog.config("ggsa", "paper")
    assert apply(plan, {}) == plan


def test_the_adversarys_settings_are_passed_over_where_there_is_none() -> None:
    plan = catalog.config("man", "cpu")
    assert apply(plan, {"adversary.baseline": "mean"}) == plan


def test_lists_are_taken_as_tuples_as_json_knows_no_other() -> None:
    plan = catalog.config("ggsa", "cpu")
    assert apply(plan, {"network.offsets": [0, 3]}).network.offsets == (0, 3)


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"epoch": 3}, LookupError, "epoch"),
        ({"network.hopes": 3}, LookupError, "network.hops"),
        ({"seed": 3}, LookupError, "seed"),
        ({"adversary.seed": 3}, LookupError, "seed"),
        ({"epochs": -1}, ValueError, "epochs is -1"),
        ({"network.hops": -1}, ValueError, "hops is -1"),
        ({"adversary.baseline": "big"}, LookupError, "mean"),
    ],
)
def test_an_impossible_override_is_an_error(changes: Mapping[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        apply(catalog.config("man-adv", "cpu"), changes)


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("objective.tau", 0.3, ("objective", "tau")),
        ("objective.reweighting.lrbl", 0.1, ("objective", "reweighting", "lrbl")),
        ("training.source", "toy", ("source",)),
    ],
)
def test_an_objective_s_settings_can_be_changed_however_deep(name: str, value: Any, place: tuple[str, ...]) -> None:
    plan = catalog.config("scan", "cpu", "wikiqa")
    result: Any = apply(plan, {name: value})
    assert _old(result, place) == value
    assert apply(result, {name: _old(plan, place)}) == plan
    assert result != plan


@pytest.mark.parametrize(
    ("training", "name"),
    [("scan", "objective.reweighting.rows"), ("scan", "objective.reweighting.seed"), ("addax", "objective.margin")],
)
def test_what_the_recipe_decides_of_an_objective_is_changed_in_the_recipe(training: str, name: str) -> None:
    with pytest.raises(LookupError, match="no setting that may be changed is called"):
        apply(catalog.config(training, "cpu"), {name: 1})
