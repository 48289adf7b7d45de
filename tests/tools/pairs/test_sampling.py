import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from answersim._base.errors import MissingExtraError
from answersim.training.data.pairs import TrainingPair
from tests.training.data.drawing import rng, sets
from tools.pairs import sampling
from tools.pairs.sampling import Sampling, bm25_pairs, random_pairs, sample, semantic_pairs

ANGLES = {"a": 0, "b": 10, "c": 25, "d": 90, "e": 97, "f": 180}


def encode(texts):
    """Directions in the plane, of any length."""
    degrees = np.radians([ANGLES.get(text, len(text) * 37 % 360) for text in texts])
    return np.stack([np.cos(degrees), np.sin(degrees)], axis=1) * (1 + degrees[:, None])


def test_the_nearest_are_found_by_cosine():
    assert sets(*semantic_pairs([*ANGLES], 1, rng(), encode)) == sets("ab", "bc", "de", "ef")


def test_two_neighbors_of_each():
    assert sets(*semantic_pairs("abcd", 2, rng(), encode)) == sets("ab", "ac", "bc", "cd", "bd")


def test_known_pairs_are_skipped_for_the_next_nearest():
    known = [TrainingPair("b", "a", 1.0), TrainingPair("d", "e", None)]
    assert sets(*semantic_pairs([*ANGLES], 1, rng(), encode, known)) == sets("ac", "bc", "cd", "ce", "ef")


def test_chunks_change_nothing(monkeypatch):
    texts = [f"{'x' * i}" for i in range(1, 60)]
    whole = semantic_pairs(texts, 3, rng(), encode)
    monkeypatch.setattr(sampling, "_CHUNK", 7)
    assert semantic_pairs(texts, 3, rng(), encode) == whole


def test_the_nearest_are_those_of_all_similarities():
    vectors = rng(1).normal(size=(300, 8))
    texts = [str(i) for i in range(300)]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T - 9 * np.eye(300)
    expected = {frozenset((str(i), str(j))) for i in range(300) for j in np.argsort(-cosine[i])[:4]}
    assert sets(*semantic_pairs(texts, 4, rng(), lambda _: vectors)) == expected


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((2, 3)), np.zeros(3), np.full((3, 2), np.nan), np.zeros((3, 2, 1))],
    ids=lambda array: str(array.shape),
)
def test_an_encoder_of_another_shape_is_refused(wrong):
    with pytest.raises(ValueError, match="one row of finite numbers per text"):
        semantic_pairs("abc", 1, rng(), lambda _: wrong)


def test_equal_vectors_go_by_order_and_nought_vectors_are_allowed():
    assert sets(*semantic_pairs("abcd", 1, rng(), lambda texts: np.zeros((4, 2)))) == sets("ab", "ac", "ad")


def test_bm25_pairs_share_a_word_and_rarer_words_count_more():
    pytest.importorskip("bm25s")
    texts = ["Ann Ox", "ann, elk", "Ann Gnu", "Bo Gnu", "Fly"]
    assert sets(*bm25_pairs(texts, 1, rng())) == sets(("Ann Ox", "ann, elk"), ("Ann Gnu", "Bo Gnu"))
    assert sets(("Ann Gnu", "Ann Ox")) < sets(*bm25_pairs(texts, 3, rng()))
    known = [TrainingPair("Bo Gnu", "Ann Gnu", 0.1)]
    assert not sets(*bm25_pairs(texts, 3, rng(), known)) & sets(("Ann Gnu", "Bo Gnu"))


def test_bm25_finds_nothing_without_words():
    pytest.importorskip("bm25s")
    assert bm25_pairs(["?", "!", "…"], 2, rng()) == bm25_pairs(["one"], 2, rng()) == bm25_pairs([], 2, rng()) == []
    assert sets(*bm25_pairs(["?", "a b", "b"], 2, rng())) == sets(("a b", "b"))


def test_random_pairs_are_all_pairs_where_k_is_large():
    assert sets(*random_pairs("abcd", 9, rng())) == sets("ab", "ac", "ad", "bc", "bd", "cd")
    assert random_pairs("a", 3, rng()) == random_pairs("", 3, rng()) == []


def test_random_pairs_give_every_text_its_partners():
    pairs = random_pairs([str(i) for i in range(200)], 3, rng())
    degree = Counter(text for pair in pairs for text in pair)
    assert len(degree) == 200
    assert min(degree.values()) >= 3
    assert len(pairs) > 500


@pytest.mark.parametrize("strategy", sampling.STRATEGIES)
def test_symmetric_adds_the_other_order_after_each_pair(strategy):
    pytest.importorskip("bm25s")
    pairs = [TrainingPair(f"w {i}", f"v {i}", 1.0) for i in range(9)]
    one = sample(pairs, Sampling(strategy, 2), rng(), encode)
    both = sample(pairs, Sampling(strategy, 2, symmetric=True), rng(), encode)
    assert both[::2] == one
    assert [(pair.second, pair.first) for pair in both[1::2]] == [pair[:2] for pair in one]


PAIRS = st.lists(
    st.tuples(
        st.integers(0, 9), st.integers(0, 9), st.sampled_from(["train", "dev", "test"]), st.sampled_from([None, 1.0])
    ),
    max_size=25,
)


@pytest.mark.parametrize("strategy", sampling.STRATEGIES)
@hypothesis_settings(max_examples=30, deadline=None)
@given(symmetric=st.booleans(), edges=PAIRS, k=st.integers(1, 4), seed=st.integers(0, 9))
def test_what_is_sampled_is_new_unlabelled_and_of_one_split(strategy, symmetric, edges, k, seed):
    pytest.importorskip("bm25s")
    pairs = [
        TrainingPair(f"{split} {a % 3} x{a}", f"{split} {b % 3} x{b}", label, split) for a, b, split, label in edges
    ]
    result = sample(pairs, Sampling(strategy, k, symmetric), rng(seed), encode)
    assert result == sample(pairs, Sampling(strategy, k, symmetric), rng(seed), encode)
    texts = {text: pair.split for pair in pairs for text in pair[:2]}
    known = sets(*(pair[:2] for pair in pairs))
    times = Counter(frozenset(pair[:2]) for pair in result)
    assert set(times.values()) <= {1 + symmetric}
    assert all(len(ends) == 2 for ends in times)  # never a text with itself
    assert not known & set(times)
    for pair in result:
        assert (pair.label, pair.source, pair.question) == (None, strategy, "")
        assert texts[pair.first] == texts[pair.second] == pair.split


def test_the_seed_decides():
    pairs = [TrainingPair(f"w{i}", f"v{i}", 1.0) for i in range(30)]
    one, same, other = (sample(pairs, Sampling("random"), rng(seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match="strategy is 'knn', but it must be one of random, bm25, semantic"):
        Sampling("knn")
    with pytest.raises(ValueError, match="k is 0"):
        Sampling(k=0)
    with pytest.raises(ValueError, match="give one as encode"):
        sample([TrainingPair("a", "b", 1.0)], Sampling("semantic"), rng())


def test_without_bm25s_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtraError, match=r"'bm25s'.*extra 'train'"):
        bm25_pairs(["a b", "b"], 1, rng())
