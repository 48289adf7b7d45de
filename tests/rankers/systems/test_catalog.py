"""The catalogue's sweeps: every value has a system, which is trained at that value and at the published ones else."""

from __future__ import annotations

import pytest

from rankers.systems import catalog
from rankers.training.definitions import Trained, Untrained


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
