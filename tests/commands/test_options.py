"""What the commands have in common: names between commas, settings, options of networks, tables."""

from __future__ import annotations

import pytest

from answersim._base.device import Device
from answersim.commands.options import Scoring, setting


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("layer=3", ("layer", 3)),
        ("alpha=0.5", ("alpha", 0.5)),
        ("order=pred-gold", ("order", "pred-gold")),
        ("model=a=b", ("model", "a=b")),
        ("model=", ("model", "")),
    ],
)
def test_a_setting_is_a_name_and_a_number_or_text(text: str, expected: tuple[str, object]) -> None:
    name, value = setting(text)
    assert (name, value) == expected
    assert type(value) is type(expected[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("layer", "not a setting; write NAME=VALUE, for example layer=3"),
        ("=3", "not a setting"),
        ("lang=de", "duplicates another option; write --lang de"),
        ("profile=paper", "duplicates another option; write --profile paper"),
    ],
)
def test_what_is_no_setting_is_an_error_with_the_remedy(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        setting(text)


def test_an_option_that_is_given_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="device is given by --option and by --device; give it once"):
        Scoring(device="cpu").networks_of(["sas"], {"device": "cpu"})
    assert Scoring(device="cpu,64").networks_of(["sas"], {}) == {"sas": {"device": Device("cpu", batch_tokens=64)}}
