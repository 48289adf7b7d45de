"""Typing errors leave a text nearest to what was meant, and damage can be undone."""

from random import Random

import pytest

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.damage import DAMAGES, confusable, edit_distance, mistyped, mojibake, typo


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_typing_error_is_one_edit_and_nearer_to_its_origin(language: str) -> None:
    found = list(families(typo, language, 400, language))
    assert len(found) > 100
    for family in found:
        assert edit_distance(family.gold, family.same) == 1 < edit_distance(family.gold, family.different)


@pytest.mark.parametrize(
    ("first", "second", "distance"), [("", "abc", 3), ("kitten", "sitting", 3), ("Niger", "Nigre", 1), ("ab", "ab", 0)]
)
def test_edit_distance(first: str, second: str, distance: int) -> None:
    assert edit_distance(first, second) == distance == edit_distance(second, first)


def test_a_typing_error_changes_no_first_letter_and_no_space() -> None:
    for seed in range(200):
        for way in ("exchange", "drop", "double", "neighbor"):
            text = mistyped(Random(seed), "New Zealand", "en", way)
            assert text is not None
            assert [word[0] for word in text.split()] == ["N", "Z"]


@pytest.mark.parametrize("language", ["en", "de", "zh", "ja"])
def test_both_candidates_are_damaged(language: str) -> None:
    known = {text for _, *texts in confusable("mojibake", language) for text in texts}
    found = list(families(mojibake, language, 200, language))
    assert len(found) > 50
    assert all({family.same, family.different}.isdisjoint(known) for family in found)
    assert len(DAMAGES) == 10
