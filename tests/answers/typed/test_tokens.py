"""Answers as folded tokens: digits of all scripts, fractions, powers, dashes; linear in the length."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answersim.answers.typed.tokens import fold, tokens
from tests.cases import cases_of, every

CASES = cases_of(__file__)


@every(("text", "folded"), CASES["a_text_is_folded"])
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
