"""Settings go into JSON and back however deep they stand, and what was kept before a setting was there still counts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from rankers.models.scan_objective import ScanConfig
from rankers.modules.decorrelation import Reweighting
from rankers.serialization import fill_defaults, from_dict, to_dict


@dataclass(frozen=True)
class Inner:
    sizes: tuple[int, ...] = (1, 2)
    rate: float = 0.5


@dataclass(frozen=True)
class Outer:
    name: str = "x"
    inner: Inner = field(default_factory=Inner)


@pytest.mark.parametrize(
    "settings",
    [
        Outer(),
        Outer("y", Inner((), 2.0)),
        ScanConfig(tau=0.3, reweighting=Reweighting(lrbl=10.0, rff="paper")),
    ],
)
def test_settings_within_settings_survive_json(settings: object) -> None:
    stated = json.loads(json.dumps(to_dict(settings)))
    assert from_dict(type(settings), stated) == settings
    assert stated == to_dict(settings)


def test_what_is_not_stated_has_its_default() -> None:
    assert from_dict(Outer, {"inner": {"rate": 3.0}}) == Outer(inner=Inner(rate=3.0))


def test_a_setting_that_there_is_not_is_refused_however_deep() -> None:
    with pytest.raises(ValueError, match="Outer has no setting nam; it has inner, name"):
        from_dict(Outer, {"nam": "x"})
    with pytest.raises(ValueError, match=r"outer\.inner has no setting size; it has rate, sizes"):
        from_dict(Outer, {"inner": {"size": 1}}, "outer")


def test_an_earlier_run_did_without_what_was_not_there() -> None:
    today = {"recipe": {"epochs": 3, "reads": "positives", "precision": "float32"}, "objective": None, "pool": 0}
    assert fill_defaults({"recipe": {"epochs": 3}, "pool": 0}, today) == today


@pytest.mark.parametrize(
    "today",
    [
        {"recipe": {"epochs": 3, "reads": "rows"}},
        {"recipe": {"epochs": 3}, "source": "selqa"},
        {"recipe": {"epochs": 4, "reads": "positives"}},
        {"recipe": {"epochs": 3}, "another": 0},  # of this nobody knows what it was before
    ],
)
def test_an_earlier_run_of_other_settings_stays_another(today: dict[str, object]) -> None:
    assert fill_defaults({"recipe": {"epochs": 3}}, today) != today


def test_settings_that_were_renamed_are_read_by_their_former_names() -> None:
    stored = {
        "recipe": {"warm_up": 0.1, "decay": 1e-5, "reads": "right"},
        "adversary": {"units": 256, "keep_right": False},
        "objective": {"is": "Aims", "tau": 1.0},
    }
    present = {
        "recipe": {"warmup_ratio": 0.1, "weight_decay": 1e-5, "reads": "positives"},
        "adversary": {"pairs": 256, "keep_positives": False},
        "objective": {"is": "ScanConfig", "tau": 1.0},
    }
    assert fill_defaults(stored, present) == fill_defaults(present, present) == present
    other = {**stored, "recipe": {**stored["recipe"], "decay": 1e-4}}
    assert fill_defaults(other, present) != present


def test_a_setting_without_a_new_name_keeps_its_own() -> None:
    assert fill_defaults({"network": {"units": 3}}, {"network": {"units": 4}}) == {"network": {"units": 3}}


def test_what_was_stated_is_never_overwritten() -> None:
    stated = {"reads": "rows", "objective": {"is": "ScanConfig"}, "more": 1}
    assert fill_defaults(stated, {"reads": "positives", "objective": None, "source": ""}) == {**stated, "source": ""}
