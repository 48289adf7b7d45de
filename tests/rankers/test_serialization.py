"""Settings go into JSON and back, at any depth."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from rankers.models.scan_objective import ScanConfig
from rankers.modules.decorrelation import Reweighting
from rankers.serialization import from_dict, to_dict


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
