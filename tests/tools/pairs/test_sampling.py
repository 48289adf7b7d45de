"""Pairs are drawn in the requested shares, and names vary by rule."""

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from answersim._base.errors import MissingExtraError
from answersim.training.data.pairs import TrainingPair
from tests.cases import every
from tests.training.data.drawing import rng, sets
from tools.pairs import sampling
from tools.pairs.sampling import Sampling, bm25_pairs, sample, semantic_pairs
from tools.pairs.variants import ERRORS, RULES, variants

ANGLES = {"a": 0, "b": 10, "c": 25, "d": 90, "e": 97, "f": 180}


def encode(texts):
    """Directions in the plane, of any length."""
    degrees = np.radians([ANGLES.get(text, len(text) * 37 % 360) for text in texts])
    return np.stack([np.cos(degrees), np.sin(degrees)], axis=1) * (1 + degrees[:, None])


def test_the_nearest_are_found_by_cosine():
    assert sets(*semantic_pairs([*ANGLES], 1, rng(), encode)) == sets("ab", "bc", "de", "ef")


def test_known_pairs_are_skipped_for_the_next_nearest():
    known = [TrainingPair("b", "a", 1.0), TrainingPair("d", "e", None)]
    assert sets(*semantic_pairs([*ANGLES], 1, rng(), encode, known)) == sets("ac", "bc", "cd", "ce", "ef")


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


def test_bm25_pairs_share_a_word_and_rarer_words_count_more():
    pytest.importorskip("bm25s")
    texts = ["Ann Ox", "ann, elk", "Ann Gnu", "Bo Gnu", "Fly"]
    assert sets(*bm25_pairs(texts, 1, rng())) == sets(("Ann Ox", "ann, elk"), ("Ann Gnu", "Bo Gnu"))
    assert sets(("Ann Gnu", "Ann Ox")) < sets(*bm25_pairs(texts, 3, rng()))
    known = [TrainingPair("Bo Gnu", "Ann Gnu", 0.1)]
    assert not sets(*bm25_pairs(texts, 3, rng(), known)) & sets(("Ann Gnu", "Bo Gnu"))


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


CASES = [
    ("initials", "John Fitzgerald Kennedy", ["J. F. Kennedy", "J.F. Kennedy", "John F. Kennedy"]),
    ("initials", "Ann Ox", ["A. Ox"]),
    ("initials", "Jean-Paul Sartre", ["J.-P. Sartre"]),
    ("initials", "Ludwig van Beethoven", ["L. van Beethoven"]),
    ("initials", "George Bush III", ["G. Bush III"]),
    ("initials", "Dr. John Quincy Ox", ["J. Q. Ox", "J.Q. Ox", "John Q. Ox"]),
    ("initials", "J. F. Kennedy", ["J.F. Kennedy"]),
    ("monogram", "Franklin Delano Roosevelt", ["FDR"]),
    ("monogram", "Ann Ox", []),
    ("monogram", "Juana Inés de la Cruz", []),
    ("inverted", "John F. Kennedy", ["Kennedy, John F.", "Kennedy John F."]),
    ("inverted", "Vincent van Gogh", ["van Gogh, Vincent", "van Gogh Vincent"]),
    ("inverted", "Martin Luther King Jr.", ["King, Martin Luther, Jr.", "King Martin Luther Jr."]),
    ("inverted", "Madonna", []),
    ("dropped-middle", "John Fitzgerald Kennedy", ["John Kennedy"]),
    ("dropped-middle", "John Q. Ox Jr.", ["John Ox Jr."]),
    ("dropped-middle", "J. Edgar Hoover", []),  # J. Hoover could be anyone
    ("dropped-middle", "Vincent van Gogh", []),
    ("title-added", "Ann Ox", ["Dr. Ann Ox", "Prof. Ann Ox", "Sen. Ann Ox", "Rep. Ann Ox", "Gov. Ann Ox"]),
    ("title-added", "Sen. Ann Ox", []),
    ("title-dropped", "Sir Isaac Newton", ["Isaac Newton"]),
    ("title-dropped", "Judge Reinhold", []),
    ("suffix", "John Ox Jr.", ["John Ox Junior"]),
    ("suffix", "John Ox III", ["John Ox the Third"]),
    ("suffix", "John Ox", []),
    ("nickname", "William Gates", ["Bill Gates", "Billy Gates", "Will Gates"]),
    ("nickname", "bill gates", ["william gates"]),
    ("nickname", "Steve Jobs", ["Stephen Jobs", "Steven Jobs"]),
    ("nickname", "Xi Jinping", []),
    ("nickname", "William", []),
    ("diacritics", "Jörg Müller", ["Jorg Muller", "Joerg Mueller"]),
    ("diacritics", "Søren Łukasz Groß", ["Soren Lukasz Gross"]),
    ("diacritics", "José", ["Jose"]),
    ("diacritics", "Jose\u0301", ["Jose"]),
    ("diacritics", "Николай 김", []),
    ("acronym", "National Football League", ["NFL"]),
    ("acronym", "North Atlantic Treaty Organization", ["NATO"]),
    ("acronym", "Federal Bureau of Investigation", ["FBI"]),
    ("acronym", "University of California-Los Angeles", ["UCLA"]),
    ("acronym", "national football league", []),
    ("acronym", "Company 3 Big", []),
]


@every(("rule", "name", "expected"), CASES)
def test_a_rule_gives_these_variants(rule, name, expected):
    assert RULES[rule](name) == expected


def test_every_rule_has_a_case():
    assert {rule for rule, _, _ in CASES} == set(RULES)


def test_a_text_of_two_rules_is_one_variant_of_the_first():
    assert variants("John Fitzgerald Kennedy", ["monogram", "acronym"], rng()) == [("JFK", "monogram")]


def test_an_unknown_rule_is_named_with_the_nearest():
    with pytest.raises(LookupError, match="no rule is called 'initial'; did you mean 'initials'"):
        variants("Ann Ox", ["initial"], rng())


@given(
    st.text(max_size=30) | st.from_regex(r"[A-Z][a-zé]{0,6}( [A-Za-z.,\"(-]{1,6}){0,5}", fullmatch=True),
    st.integers(0, 9),
)
def test_a_variant_is_another_text_and_never_empty(name, seed):
    texts = [text for rule in RULES.values() for text in rule(name)]
    for text in [*texts, *(text for error in ERRORS.values() for text in error(name, rng(seed)))]:
        assert text.strip()
        assert text != name
