"""The definitions on the cards agree with the promises that the contract tests check."""

from __future__ import annotations

import pytest

from tests import test_contract as contract
from tools.site import cards
from tools.site.definitions import BINARY, COSINE, DEFINITIONS, UNIT, definition

SAME_NAME = {"typed": "typed+recall"}


def test_every_metric_has_a_definition() -> None:
    assert set(DEFINITIONS) == set(cards.names())


@pytest.mark.parametrize("name", [name for name in cards.names() if SAME_NAME.get(name, name) in contract.NAMES])
def test_a_definition_states_what_is_promised(name: str) -> None:
    full, defined = SAME_NAME.get(name, name), definition(name)
    assert defined.symmetric == (full in contract.SYMMETRIC)
    assert defined.one_on_itself == (full in contract.ONE_ON_ITSELF)
    if full in contract.BOUNDED_01:
        assert defined.range in (UNIT, BINARY)
    if full in contract.BOUNDED_11:
        assert defined.range == COSINE
