"""Recall and containment: whole words of the gold answer in the predicted one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.catalog.lookup import metric
from answersim.metrics.lexical.recall import containment
from answersim.types import Pair
from tests.cases import every


@every(
    ("gold", "pred", "expected"),
    [
        ("US", "Russia", 0),
        ("206", "2060", 0),
        ("No", "cannot", 0),
        ("cat", "cats", 0),
        ("11", "1911", 0),
        ("11", "in 11 days", 1),
        ("US", "the U.S. Army", 1),  # normalized, then compared
        ("Jane Austen", "It was Jane Austen.", 1),
        ("Jane Austen", "Jane and Austen", 0),  # contiguous
        ("Jane Austen", "Austen Jane", 0),  # in order
        ("new york new jersey", "new york new york new jersey", 1),  # a false start
        ("", "", 1),
        ("", "x", 0),
        ("x", "", 0),
        ("?", "?", 1),
    ],
)
def test_containment_matches_whole_words_only(gold, pred, expected):
    assert metric("containment")([Pair(gold, pred)]).tolist() == [expected]


@pytest.mark.parametrize(
    ("lang", "gold", "pred", "expected"),
    [
        ("zh", "北京", "他在北京市", 1),
        ("zh", "北京", "东北的京城", 0),
        ("ja", "東京", "東京タワー", 1),
        ("th", "กรุง", "กรุงเทพ", 1),
        ("de", "Haus", "das Hausboot", 0),
    ],
)
def test_containment_matches_contiguous_characters_of_scripts_without_spaces(lang, gold, pred, expected):
    assert metric("containment", lang=lang)([Pair(gold, pred)]).tolist() == [expected]


def test_the_signature_of_containment_names_the_match():
    assert metric("containment").signature == "containment|text:en|match:words|rev:1"


TOKENS_WITH_SPACES = st.lists(st.sampled_from(["a", "b", "", " ", "a b", "b "]), max_size=6)


@given(TOKENS_WITH_SPACES, TOKENS_WITH_SPACES)
def test_containment_is_a_contiguous_sublist_for_any_tokens(gold, pred):
    starts = range(len(pred) - len(gold) + 1)
    expected = any(pred[i : i + len(gold)] == gold for i in starts) if gold and pred else gold == pred
    assert containment(gold, pred) == expected
