"""Metrics of many pairs at once, from the n-grams that each pair shares."""

import pytest

from answersim.lexical.counted import COUNTED
from answersim.lexical.shared_grams import numbered, shared_grams

PAIRS = [
    ("the eiffel tower".split(), "eiffel tower".split()),
    ("a b c d e".split(), "a b c d f".split()),
    ("ha ha".split(), "ha ha ha".split()),
    ("rome".split(), "oslo".split()),
]


@pytest.mark.parametrize("similarity", COUNTED, ids=lambda similarity: similarity.__name__)
def test_many_pairs_at_once_have_the_numbers_of_one_after_the_other(similarity):
    counted = COUNTED[similarity]
    shared = shared_grams(numbered([*(gold for gold, _ in PAIRS), *(pred for _, pred in PAIRS)]), counted.orders)
    assert counted.numbers(shared).tolist() == [similarity(gold, pred) for gold, pred in PAIRS]
