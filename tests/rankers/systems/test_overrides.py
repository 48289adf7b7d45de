"""Changes to a plan by name."""

from __future__ import annotations

from operator import attrgetter

import pytest

pytest.importorskip("torch")

from rankers.systems import catalog
from rankers.training.overrides import apply
from tests.cases import every


@every(
    ("training", "name", "value", "place"),
    [
        ("man-adv", "epochs", 3, "recipe.epochs"),
        ("man-adv", "recipe.margin", 0.5, "recipe.margin"),
        ("man-adv", "network.hops", 3, "network.hops"),
        ("man-adv", "inputs.source", "corpus", "inputs.source"),
        ("man-adv", "adversary.baseline", "mean", "adversary.baseline"),
        ("man-adv", "training.every", 2, "every"),
        ("man-adv", "training.calibration", "question", "calibration"),
        ("scan", "objective.tau", 0.3, "objective.tau"),
        ("scan", "objective.reweighting.lrbl", 0.1, "objective.reweighting.lrbl"),
        ("scan", "training.source", "toy", "source"),
    ],
)
def test_a_change_changes_what_it_names_and_nothing_else(training, name, value, place):
    config, setting = catalog.config(training, "cpu", "wikiqa"), attrgetter(place)
    result = apply(config, {name: value})
    assert setting(result) == value != setting(config)
    assert apply(result, {name: setting(config)}) == config


def test_the_adversarys_settings_are_passed_over_where_there_is_none():
    plan = catalog.config("man", "cpu")
    assert apply(plan, {"adversary.baseline": "mean"}) == plan


def test_lists_are_taken_as_tuples_as_json_knows_no_other():
    plan = catalog.config("ggsa", "cpu")
    assert apply(plan, {"network.offsets": [0, 3]}).network.offsets == (0, 3)


@every(
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
def test_an_impossible_override_is_an_error(changes, error, says):
    with pytest.raises(error, match=says):
        apply(catalog.config("man-adv", "cpu"), changes)


@every(
    ("training", "name"),
    [("scan", "objective.reweighting.rows"), ("scan", "objective.reweighting.seed"), ("addax", "objective.margin")],
)
def test_what_the_recipe_decides_of_an_objective_is_changed_in_the_recipe(training, name):
    with pytest.raises(LookupError, match="no setting that may be changed is called"):
        apply(catalog.config(training, "cpu"), {name: 1})
