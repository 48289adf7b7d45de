"""Answers as folded tokens: digits of all scripts, fractions, powers, dashes; linear in the length."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answersim.answers.typed.tokens import fold, tokens
from tests.cases import every


@every(
    ("text", "folded"),
    [
        ("11", "11"),
        ("１１", "11"),
        ("٣", "3"),
        ("२५", "25"),
        ("2½", "2 1/2"),
        ("¾", "3/4"),
        ("km²", "km^2"),
        ("10⁶", "10^6"),
        ("38–41 ℃", "38-41 °C"),
        ("−5", "-5"),
        ("1 500 000", "1500000"),
        ("1\u202f500", "1500"),
        ("March 4 1865", "March 4 1865"),  # 4 1865 is no group of three digits
        ("room 5 100", "room 5100"),
        ("５㎞", "5km"),
        ("J.\u00a0F. Kennedy", "J. F. Kennedy"),
        ("5\u200b0", "50"),
    ],
)
def test_a_text_is_folded(text, folded):
    assert fold(text) == folded


@every(
    ("text", "expected"),
    [
        ("", ()),
        ("1,500.25 km/h", ("1,500.25", "km", "/", "h")),
        ("5'11\"", ("5", "'", "11", '"')),
        ("1'000'000", ("1'000'000",)),
        ("o'clock", ("o'clock",)),
        ("U.S.", ("U", ".", "S", ".")),
        ("twenty-first", ("twenty", "-", "first")),
        ("1980s", ("1980", "s")),
    ],
)
def test_a_folded_text_is_split(text, expected):
    assert tokens(text).text == expected


def test_a_token_is_glued_if_no_space_is_before_it():
    assert tokens(" 5km  per h").glued == (False, True, False, False)


@given(st.text(max_size=60))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_tokens_hold_every_character_that_is_no_space_once(text):
    result = tokens(text)
    assert "".join(result.text) == "".join(character for character in text if not re.match(r"\s", character))
    assert len(result.text) == len(result.low) == len(result.glued)


@given(st.text(max_size=60))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_folding_again_changes_only_groups_of_digits(text):
    once = fold(text)
    assert fold(once).replace(" ", "") == once.replace(" ", "")
