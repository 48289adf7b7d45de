"""METEOR of many pairs at once: what it finds of one pair after the other, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.lexical import meteor as meteor_room
from answersim.lexical import meteor_bulk
from answersim.lexical.meteor import Meteor
from answersim.lexical.meteor_alignment import Counts, counts
from answersim.lexical.meteor_bulk import many_counts
from answersim.lexical.meteor_vocabulary import Vocabulary
from answersim.types import FloatArray, Pair
from tests.cases import every
from tests.lexical.by_hand import stem

NEAR = {"car": {"auto", "wagon"}, "auto": {"car"}, "big": {"large", "great"}, "great": {"big", "stem"}, "stem": {"car"}}

# Few words, so that all are repeated, and meet in each of the three stages.
WORDS = "car Cars auto autos big bigs large great Great stems stem wagon x y z".split()
ANSWERS = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
PAIRS = st.lists(st.builds(Pair, ANSWERS, ANSWERS), max_size=8)


def near(word: str) -> set[str]:
    return NEAR.get(word, set())


def vocabulary() -> Vocabulary:
    return Vocabulary(str.split, lambda word: [word], stem, near)


def one_by_one(pairs: list[Pair]) -> list[Counts]:
    return [counts(gold.split(), pred.split(), stem=stem, synonyms=near) for gold, pred in pairs]


def at_once(pairs: list[Pair], known: Vocabulary) -> list[Counts] | None:
    return many_counts([gold for gold, _ in pairs], [pred for _, pred in pairs], known)


@given(PAIRS)
def test_many_pairs_have_the_counts_of_one_after_the_other(pairs):
    assert at_once(pairs, vocabulary()) == one_by_one(pairs)


@settings(max_examples=100)
@given(st.lists(PAIRS, max_size=4))
def test_the_size_of_a_vocabulary_changes_no_count(blocks):
    known = vocabulary()
    for pairs in [*blocks, *blocks]:
        assert at_once(pairs, known) == one_by_one(pairs)


# gold, pred, matches and chunks
CASES = [
    ("a b a", "a", 1, 1),
    ("x a b", "a b", 2, 1),
    ("great large great", "big big", 2, 1),  # the rightmost among all synonyms
    ("large big x great", "big x big", 3, 3),  # the first "big" takes "great", as the last one took "big"
    ("auto cars", "car car", 2, 1),  # a stem, then a synonym
    ("stems", "roots", 0, 0),
    ("car", "auto auto", 1, 1),  # the right one of both takes it
    ("a b", "b a", 2, 2),
    ("a", "", 0, 0),
    ("", "a", 0, 0),
    ("", "", 0, 0),
]


@every(("gold", "pred", "matches", "chunks"), CASES)
def test_the_counts_are_those_by_hand(gold, pred, matches, chunks):
    assert at_once([Pair(gold, pred)], vocabulary()) == [Counts(matches, chunks, len(gold.split()), len(pred.split()))]


def test_a_chunk_ends_with_its_answer():
    pairs = [
        Pair("x a", "y a"),
        Pair("", ""),
        Pair("a x", "a y"),
    ]  # the second "a" stands behind the first on both sides
    assert at_once(pairs, vocabulary()) == [Counts(1, 1, 2, 2), Counts(0, 0, 0, 0), Counts(1, 1, 2, 2)]


def test_words_are_stemmed_only_where_both_sides_have_some_left():
    asked: list[str] = []
    known = Vocabulary(str.split, lambda word: [word], lambda word: asked.append(word) or word, near)  # type: ignore[func-returns-value]
    at_once([Pair("a b", "b a"), Pair("a b", "a"), Pair("c d", "d e")], known)
    assert sorted(asked) == ["c", "e"]


def test_what_does_not_fit_into_63_bits_is_not_counted(monkeypatch):
    pairs = [Pair("a b", "b a"), Pair("c", "d")]  # two bits of pairs, three of words and three of places
    monkeypatch.setattr(meteor_bulk, "_INTEGER_BITS", 8)
    assert at_once(pairs, vocabulary()) == one_by_one(pairs)
    monkeypatch.setattr(meteor_bulk, "_INTEGER_BITS", 7)
    assert at_once(pairs, vocabulary()) is None
    monkeypatch.setattr(meteor_room, "_LONG", 0)
    monkeypatch.setattr(meteor_room, "_ENOUGH", 0)
    assert Meteor()([Pair("a b c", "a b")])[0] == pytest.approx((1 - 0.5 / 8) * (2 / 3) / (0.9 + 0.1 * 2 / 3))


def numbers(metric: Meteor, pairs: list[Pair], least: int) -> FloatArray:
    """Of pairs that count as long from so many characters on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meteor_room, "_LONG", least)
        patch.setattr(meteor_room, "_ENOUGH", 0)
        return metric(pairs)


METRICS = [
    Meteor(),
    Meteor(order="pred-gold", alpha=0.3, beta=1.7, gamma=0.9),
    Meteor(words="nltk-2021"),
    Meteor("de", order="pred-gold"),
    Meteor("pl"),
    Meteor("zh"),
]
ENGLISH = (
    "car Cars auto autos automobile machine big bigger large great Run runs running ran the a , . (dog) dogs, hound "
    "track's trail move moved can't cannot -- “good” better well ' 北京 Katze Katzen Katze. Ünder é\n x\x1cy".split(" ")
)
TEXTS = st.lists(st.sampled_from(ENGLISH), max_size=25).map(" ".join) | st.text(max_size=9)


@given(st.sampled_from(METRICS), st.lists(st.builds(Pair, TEXTS, TEXTS), max_size=6), st.integers(0, 2))
def test_long_pairs_have_the_numbers_of_short_ones(metric, pairs, same):
    pairs += [Pair(gold, pairs[0].pred) for gold, _ in pairs[:same]]
    np.testing.assert_array_equal(numbers(metric, pairs, least=0), numbers(metric, pairs, least=1 << 30))


@pytest.mark.parametrize("metric", METRICS)
def test_blocks_of_long_pairs_change_no_number(metric, monkeypatch):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(ENGLISH, size=rng.integers(100, 200))) for _ in range(24)]
    pairs = [Pair(*each) for each in zip(texts[::2], texts[1::2], strict=True)]
    result = metric(pairs)
    assert 0 < result.min() < result.max() < 1
    np.testing.assert_array_equal(result, numbers(metric, pairs, least=1 << 30))
    monkeypatch.setattr(meteor_room, "_CHARACTERS", 4000)
    np.testing.assert_array_equal(result, metric(pairs))


# characters of each answer, how many pairs, and whether they are aligned at once
SIZES = [(128, 32, True), (128, 31, False), (127, 64, False), (4096, 1, True), (4095, 1, False)]


@pytest.mark.parametrize(("characters", "pairs", "at_once"), SIZES)
def test_many_long_pairs_are_aligned_at_once_and_others_are_not(monkeypatch, characters, pairs, at_once):
    asked: list[int] = []
    monkeypatch.setattr(meteor_room, "many_counts", lambda gold, pred, known: asked.append(len(gold)))
    Meteor()([Pair("x" * characters, "x" * characters)] * pairs)
    assert asked == [pairs] * at_once
