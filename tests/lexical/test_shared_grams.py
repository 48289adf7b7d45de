"""N-grams and words that many pairs share, counted by arrays: what bags say of one pair after the other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.lexical.by_hand import bags, shared_of

WORDS = st.lists(st.sampled_from("a b c d".split()), max_size=20) | st.lists(st.text("xyz", min_size=1), max_size=9)
PAIRS = st.lists(st.tuples(WORDS, WORDS), max_size=9)


@given(PAIRS, st.integers(1, 4))
def test_shared_n_grams_are_those_of_both_bags(pairs, orders):
    pair = shared_of(pairs, orders)
    assert pair.matched.tolist() == [bags(pairs, n) for n in range(1, orders + 1)]
    assert pair.gold.tolist() == [len(gold) for gold, _ in pairs]
    assert pair.pred.tolist() == [len(pred) for _, pred in pairs]


def test_an_n_gram_ends_with_its_answer():
    pairs = [(["a"], ["a", "b"]), (["b"], ["c"])]  # a b runs over from one gold answer to the next
    result = shared_of(pairs, 2)
    assert result.matched.tolist() == [[1, 0], [0, 0]]


def test_keys_of_more_than_31_bits_are_counted_as_those_of_few():
    rng = np.random.default_rng(0)
    pairs = [([f"w{i}" for i in rng.integers(0, 3000, 400)],) * 2 for _ in range(20)]
    pairs = [(gold, pred[::-1] + gold[:9]) for gold, pred in pairs]
    result = shared_of(pairs, 4)
    assert result.matched.tolist() == [bags(pairs, n) for n in range(1, 5)]


def test_what_does_not_fit_into_63_bits_is_not_counted():
    words = [f"w{i}" for i in range(1 << 15)]
    result = shared_of([(words, words)] * 4, 4)  # 4 * 15 bits of words, two of the pair and one of the side
    assert result.matched.tolist() == [[len(words) - order] * 4 for order in range(4)]
    assert shared_of([(words, words)] * 5, 4) is None
    assert shared_of([(words, words)] * 5, 3) is not None
