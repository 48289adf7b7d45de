"""F1: the words that two answers share."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.lexical.f1 import shared

TOKENS = st.lists(st.sampled_from("a b c d e f".split()), max_size=60) | st.lists(st.sampled_from("ab"), max_size=9)


@given(TOKENS, TOKENS)
def test_shared_tokens_are_those_of_both_bags(gold, pred):
    assert shared(gold, pred) == sum((Counter(gold) & Counter(pred)).values())
