"""The official definitions on the minimal pairs."""

from __future__ import annotations

from typing import Any

import pytest

from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.systems import official_probe as module
from answersim.evaluation.systems.official_probe import SIDES, official_probe


def family(i: int, gold: str, same: str, different: str) -> MinimalPair:
    return MinimalPair("en", "x", f"en-x-{i:03}", "dev", "", gold, same, different)


@pytest.fixture
def families(monkeypatch: Any) -> None:
    pairs = [family(0, "U.S.A.", "USA", "UK"), family(1, "art", "the art", "Mozart"), family(2, "5", "five", "-5")]
    monkeypatch.setattr(module, "minimal_pairs", lambda lang, part: pairs)


def test_each_definition_has_its_share_of_rewrites_and_of_close_misses(families: None) -> None:
    table = official_probe(profiles=["squad", "triviaqa", "drop", "popqa"])
    assert table.systems == SIDES
    shares = {row.name: [round(row.values[side].value, 1) for side in SIDES] for row in table.rows}
    assert shares["official:squad"] == [66.7, 33.3]  # U.S.A. is usa, and -5 is 5
    assert shares["official:triviaqa"] == [33.3, 33.3]  # U.S.A. is u s a
    assert shares["official:drop, em"] == [66.7, 33.3]
    assert shares["official:popqa"] == [33.3, 66.7]  # art is in Mozart


def test_twins_are_one_cluster() -> None:
    assert official_probe(profiles=["squad"], part="test").n > 100


def test_another_part_is_an_error_that_names_the_parts() -> None:
    with pytest.raises(LookupError, match="dev"):
        official_probe(part="train")
