"""The catalogue's sweeps: every value has a system, which is trained at that value and at the published ones else."""

from __future__ import annotations

from operator import attrgetter

import pytest

from rankers.models.baselines import PoolBm25
from rankers.systems import baselines, catalog
from rankers.training.definitions import Trained, Untrained
from rankers.training.overrides import apply
from rankers.types import Candidate, Question, Questions
from tests.cases import cases_of, every

CASES = cases_of(__file__)


def test_a_misspelled_name_is_an_error_with_the_nearest_name():
    with pytest.raises(LookupError, match="did you mean 'man-adv-k5'") as raised:
        catalog.system("man-avd-k5")
    listed = str(raised.value).partition("Known: ")[2].partition(";")[0].split(", ")
    assert sorted(listed) == sorted(catalog.main_names())
    assert "'rankers list --all' prints those of the papers" in str(raised.value)


def test_six_systems_are_for_users_and_at_most_60_are_listed():
    assert len(catalog.main_names()) == len(set(catalog.main_names())) == 6
    assert 6 < len(catalog.shown_names()) <= 60
    assert set(catalog.shown_names()) <= set(catalog.names())
    untrained, trained = catalog.MAIN.values()
    assert all(isinstance(system := catalog.system(name), Untrained) and system.is_ready for name in untrained)
    assert all(name in catalog.ENCODERS or isinstance(catalog.system(name), Trained) for name in trained)
    assert "scan" not in trained  # its weights stay at 1 at the published rate


def test_an_encoder_of_a_user_has_no_definition_but_a_hint():
    with pytest.raises(LookupError, match="rankers train cross-encoder --encoder NAME"):
        catalog.system("cross-encoder")


def test_only_the_smoke_preset_limits_the_questions():
    limited = {
        (name, preset)
        for name in catalog.TRAININGS
        for preset in catalog.PRESETS
        if catalog.config(name, preset).recipe.limit or catalog.config(name, preset).recipe.dev_limit
    }
    assert {preset for _, preset in limited} == {"smoke"}


TRAIN = Questions("made", "train", (Question("q", "where is it?", (Candidate("a", "on the table", 1),)),))


@pytest.mark.parametrize("name", ["random", "word-overlap"])
def test_a_system_that_reads_no_questions_is_built_without_them(name):
    system = baselines.SYSTEMS[name]
    assert system.reads == ""
    assert system.make(None, 3) == system.make(TRAIN, 3)


def test_bm25_counts_the_words_of_the_training_answers_or_else_of_the_candidates():
    system = baselines.SYSTEMS["bm25"]
    other = Questions("made", "train", (Question("q", "where?", (Candidate("a", "in a boat", 1),)),))
    assert system.make(TRAIN, 0).signature != system.make(other, 0).signature
    assert system.make(None, 0) == PoolBm25()


@every(("training", "name", "value", "place"), CASES["a_change_changes_what_it_names_and_nothing_else"])
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
