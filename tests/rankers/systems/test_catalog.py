"""The catalogue's sweeps: every value has a system, which is trained at that value and at the published ones else."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from rankers.systems import catalog
from rankers.systems.definitions import Trained, Untrained

READ = {  # how a setting is read off a plan
    "GGSA, group size": lambda plan: plan.network.group,
    "GGSA, heads": lambda plan: plan.network.heads,
    "ADDAX, alpha": lambda plan: plan.network.alpha,
    "ADDAX, delta": lambda plan: plan.network.delta,
    "ADDAX, gamma": lambda plan: plan.network.gamma,
}


def plan_of(name: str) -> Any:
    system = catalog.system(name)
    assert isinstance(system, Trained)
    return catalog.config(system.training, "cpu")


@pytest.mark.parametrize("setting", READ)
def test_a_system_of_a_sweep_is_trained_at_its_value(setting: str) -> None:
    systems = catalog.sweeps()[setting]
    assert list(systems) == sorted(systems)
    assert len(set(systems.values())) == len(systems) > 2
    assert {value: READ[setting](plan_of(name)) for value, name in systems.items()} == pytest.approx(
        {value: value for value in systems}
    )


def test_every_sweep_is_read_and_holds_the_family_s_own_system() -> None:
    assert set(READ) == set(catalog.sweeps())
    ours = {"GGSA": "ggsa", "ADDAX": "addax"}
    for setting, systems in catalog.sweeps().items():
        assert ours[setting.partition(",")[0]] in systems.values()


def test_a_sweep_changes_nothing_but_its_setting() -> None:
    for setting, field in (("GGSA, heads", "heads"), ("ADDAX, gamma", "gamma"), ("ADDAX, alpha", "alpha")):
        plans = [plan_of(name) for name in catalog.sweeps()[setting].values()]
        rests = [
            {key: value for key, value in asdict(plan.network).items() if key not in (field, "offsets")}
            for plan in plans
        ]
        assert all(rest == rests[0] for rest in rests)
        assert all(plan.recipe == plans[0].recipe for plan in plans)


def test_a_misspelled_name_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(LookupError, match="did you mean 'man-adv-k5'") as raised:
        catalog.system("man-avd-k5")
    listed = str(raised.value).partition("Known: ")[2].partition(";")[0].split(", ")
    assert sorted(listed) == sorted(catalog.main_names())
    assert "'rankers list --all' prints those of the papers" in str(raised.value)


def test_six_systems_are_for_users_and_at_most_60_are_listed() -> None:
    assert len(catalog.main_names()) == len(set(catalog.main_names())) == 6
    assert 6 < len(catalog.shown_names()) <= 60
    assert set(catalog.shown_names()) <= set(catalog.names())
    untrained, trained = catalog.MAIN.values()
    assert all(isinstance(system := catalog.system(name), Untrained) and system.is_ready for name in untrained)
    assert all(name in catalog.ENCODERS or isinstance(catalog.system(name), Trained) for name in trained)
    assert "scan" not in trained  # its weights stay at 1 at the published rate


def test_an_encoder_of_a_user_has_no_definition_but_a_hint() -> None:
    with pytest.raises(LookupError, match="rankers train cross-encoder --encoder NAME"):
        catalog.system("cross-encoder")


def test_only_the_smoke_preset_limits_the_questions() -> None:
    limited = {
        (name, preset)
        for name in catalog.TRAININGS
        for preset in catalog.PRESETS
        if catalog.config(name, preset).recipe.limit or catalog.config(name, preset).recipe.dev_limit
    }
    assert {preset for _, preset in limited} == {"smoke"}
