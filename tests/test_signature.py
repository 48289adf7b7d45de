"""The line that says what decides a number."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from answersim.signature import VERSION, asks_question, signature, with_question


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


@pytest.mark.parametrize(
    ("plain", "signed"),
    [
        ("f1|text:en|v:0.2.0", "f1|text:en|question:yes|v:0.2.0"),
        ("mine|v:1", "mine|question:yes|v:1"),
        ("mine", "mine|question:yes"),
        ("mine|layer:2", "mine|layer:2|question:yes"),
    ],
)
def test_the_use_of_questions_is_signed_once_and_before_the_version(plain: str, signed: str) -> None:
    assert with_question(plain) == signed
    assert with_question(signed) == signed
    assert asks_question(signed)
    assert not asks_question(plain)


def test_a_part_that_only_resembles_the_question_part_is_another_part() -> None:
    assert not asks_question("mine|question:yesterday|v:1")
    assert not asks_question("question:yes|v:1")
