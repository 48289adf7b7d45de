"""Words counted as bytes: the same counts as by a loop over words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.lexical import byte_words
from answersim.lexical.byte_words import shared_words
from tests.lexical.by_hand import Tokens, bags, shared_of


def as_bytes(words: Tokens) -> bytes:
    return " ".join(words).encode("utf-8", "surrogatepass")


# Words of all lengths, that differ in the first, the last or one byte more or less.
LONG = st.sampled_from(
    [f"{start}{'x' * n}{end}" for n in (0, 5, 6, 7, 8, 13, 14, 15, 16, 30, 200) for start in "ab" for end in ("", "y")]
)
SPACED = st.lists(LONG | st.sampled_from(["é", "北京", "\ud800", "the", "a", "an"]), max_size=20)


@given(st.lists(st.tuples(SPACED, SPACED), max_size=9), st.booleans())
def test_shared_words_are_those_of_both_bags_without_articles(pairs, articles):
    dropped = () if articles else ("a", "an", "the")
    kept = [([w for w in gold if w not in dropped], [w for w in pred if w not in dropped]) for gold, pred in pairs]
    sides = [as_bytes(gold) for gold, _ in pairs], [as_bytes(pred) for _, pred in pairs]
    shared = shared_words(*sides, without=[word.encode() for word in dropped])
    assert shared.matched.tolist() == [bags(kept, 1)]
    assert shared.gold.tolist() == [len(gold) for gold, _ in kept]
    assert shared.pred.tolist() == [len(pred) for _, pred in kept]


def test_words_are_the_same_where_every_byte_is():
    """Of every length, so that each way in which bytes are taken together has a word that ends with it."""
    lengths = [*range(1, 40), byte_words._LONGEST - 1, byte_words._LONGEST]
    words = [f"{start}{'x' * (n - 2)}{end}"[-n:] for n in lengths for start in "xy" for end in "xy"] * 2
    result = byte_words._words(as_bytes([*words, ""]), np.array([sum(map(len, words)) + len(words)]))
    for i, word in enumerate(words):
        assert result.are(np.full(len(words), i)).tolist() == [other == word for other in words]


def test_nothing_but_spaces_parts_words():
    shared = shared_words([b"  x\ty \x1f  z"], [b"x y z \x1f \xa0"], ())
    assert shared.matched.tolist() == [[2]]
    assert (shared.gold.tolist(), shared.pred.tolist()) == ([3], [5])


def test_words_with_a_byte_zero_are_left_to_a_loop():
    assert shared_words([b"a\0"], [b"a"], ()) is None  # which would look like the zeros behind a word


@pytest.mark.parametrize("multiplier", [1, 3])
def test_words_of_one_hash_slot_are_different(monkeypatch, multiplier):
    """Hashes that say little: many words meet in a slot, and either all are counted right or none."""
    rng = np.random.default_rng(0)
    pairs = [([f"w{i}" for i in rng.integers(0, 90, 60)], [f"w{i}" for i in rng.integers(0, 90, 60)]) for _ in range(9)]
    sides = [as_bytes(gold) for gold, _ in pairs], [as_bytes(pred) for _, pred in pairs]
    monkeypatch.setattr(byte_words, "_MULTIPLIER", multiplier)
    assert shared_words(*sides) is None  # nearly all words of a pair have one slot
    monkeypatch.setattr(byte_words, "_ROUNDS", 2000)
    shared = shared_words(*sides)
    assert shared.matched.tolist() == [bags(pairs, 1)]


def test_a_crowded_table_gives_the_same_counts(monkeypatch):
    rng = np.random.default_rng(1)
    pairs = [([f"w{i}" for i in rng.integers(0, 999, 300)],) * 2 for _ in range(20)]
    pairs = [(gold, pred[::2] * 3) for gold, pred in pairs]
    sides = [as_bytes(gold) for gold, _ in pairs], [as_bytes(pred) for _, pred in pairs]
    monkeypatch.setattr(byte_words, "_SLOTS", 1)
    monkeypatch.setattr(byte_words, "_ROUNDS", 99)
    shared = shared_words(*sides)
    assert shared.matched.tolist() == [bags(pairs, 1)]


def test_very_long_words_are_left_to_a_loop():
    most = byte_words._LONGEST
    assert shared_words([b"x" * (most + 1)], [b"x"]) is None
    shared = shared_words([b"x" * most, b"y" + b"x" * (most - 1)], [b"x" * most, b"x" * most])
    assert shared.matched.tolist() == [[1, 0]]


def test_no_words_and_no_pairs_are_no_error():
    for pairs in (0, 2):
        for pair in (shared_of([([], [])] * pairs, 3), shared_words([b""] * pairs, [b" "] * pairs)):
            assert pair.matched[0].tolist() == pair.gold.tolist() == pair.pred.tolist() == [0] * pairs
