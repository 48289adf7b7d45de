"""Lists: complete or not, in order or not."""

import re
from random import Random

import pytest

from tools.weights.minimal_pairs.lists import IN_ORDER, JOINED, incomplete, joined, order, pools

LANGUAGES = ["en", "de", "zh", "ja"]


def items(text: str, language: str) -> list[str]:
    """Return the items of all pools that a text contains, in its order."""
    known = {item for group in pools(language).items.values() for item in group}
    known |= {item for group in pools(language).ordered for item in group}
    return re.findall("|".join(re.escape(item) for item in sorted(known, key=len, reverse=True)), text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rewrite_has_the_items_and_a_miss_has_one_more_or_less(language: str) -> None:
    rng, longer = Random(language), 0
    for _ in range(200):
        drawn = incomplete(rng, language)
        gold, same, different = (set(items(text, language)) for text in drawn[1:])
        assert gold == same, drawn
        assert len(gold ^ different) == 1, drawn
        longer += len(different) > len(gold)
    assert 60 < longer < 140


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_question_decides_whether_order_counts(language: str) -> None:
    rng, ordered = Random(language), 0
    for _ in range(200):
        drawn = order(rng, language)
        gold, same, different = (items(text, language) for text in drawn[1:])
        assert set(gold) == set(same)
        if drawn.question in pools(language).questions:
            assert gold == same
            assert gold != different
            assert set(gold) == set(different)
            ordered += 1
        else:
            assert gold != same
            assert len(set(gold) ^ set(different)) == 2
    assert 60 < ordered < 140


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("{0}, {1}", "a, b, c"),
        ("{0}, and {1}", "a, b, and c"),
        ("{0}; {1}", "a; b; c"),
        ("{0} + {1}", "a + b + c"),
        ("{0}, then {1}", "a, then b, then c"),
        ("first {0}, then {1}", "first a, b, then c"),
        ("numbered", "1. a 2. b 3. c"),
        ("bulleted", "- a - b - c"),
    ],
)
def test_items_are_joined(style: str, text: str) -> None:
    assert joined(["a", "b", "c"], style, "en") == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_pools_are_large_enough_and_have_no_item_twice(language: str) -> None:
    found = pools(language)
    assert len(found.items) >= 3
    assert len(found.questions) >= 2
    for group in [*found.items.values(), *found.ordered]:
        assert len(group) == len(set(group)) >= 5
    assert len(JOINED[language]) >= 5
    assert len(IN_ORDER[language]) >= 4
