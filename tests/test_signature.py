"""The line that says what decides a number."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from answersim.signature import VERSION, signature


@dataclass(frozen=True)
class Encoder:
    fingerprint: str = "abc"


@dataclass(frozen=True)
class Settings:
    encoder: Encoder = Encoder()
    layer: int = 3
    rescaled: bool = False
    idf: str | None = None
    batch: int = field(default=8, compare=False)


def test_compared_fields_are_signed_in_their_order_and_the_others_are_not() -> None:
    assert signature("mine", Settings()) == f"mine|encoder:abc|layer:3|rescaled:no|idf:no|v:{VERSION}"
    assert signature("mine", Settings(batch=1)) == signature("mine", Settings())


def test_facts_follow_the_settings() -> None:
    assert signature("mine", Settings(), stem="porter").endswith(f"|idf:no|stem:porter|v:{VERSION}")
    assert signature("mine") == f"mine|v:{VERSION}"


def test_every_setting_that_can_change_a_number_changes_the_line() -> None:
    lines = {
        signature("mine", each)
        for each in (
            Settings(),
            Settings(Encoder("abd")),
            Settings(layer=4),
            Settings(rescaled=True),
            Settings(idf="x"),
        )
    }
    assert len(lines) == 5


def test_only_a_dataclass_can_be_signed() -> None:
    with pytest.raises(TypeError, match="only a dataclass can be signed, not dict"):
        signature("mine", {"layer": 3})
