"""BLEU: sentences by hand, and the words that it compares."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.lexical import bleu as bleu_room
from answersim.metrics.lexical.bleu import bleu, bleu_paper, bleu_words
from tests.cases import every


def test_bleu_by_hand():
    # unigrams 3 of 4, bigrams 1 of 3, trigrams 0 of 2 (smoothed to 1/2 of one), four-grams 0 of 1 (to 1/4): no penalty
    gold, pred = "a b c".split(), "a b x c".split()
    expected = (3 / 4 * 1 / 3 * 1 / (2 * 2) * 1 / (4 * 1)) ** (1 / 4)
    assert bleu(gold, pred) == pytest.approx(expected, abs=1e-12)
    # one word of three: orders 1 only, brevity penalty exp(1 - 3 / 1)
    assert bleu(gold, ["a"]) == pytest.approx(math.exp(-2), abs=1e-12)


def test_unsmoothed_bleu_is_zero_without_four_words_in_a_row():
    assert bleu_paper("a b c".split(), "a b c".split()) == 0.0
    assert bleu_paper("a b c d".split(), "a b c d".split()) == 1.0
    assert bleu_paper("a b c d x".split(), "a b c d".split()) == pytest.approx(
        (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4), abs=1e-12
    )


def test_in_the_papers_bleu_the_gold_answer_is_the_hypothesis():
    short, long = "a b c d".split(), "a b c d e f".split()
    assert bleu_paper(short, long) == pytest.approx(math.exp(1 - 6 / 4))  # a short gold answer pays the penalty
    assert bleu_paper(long, short) == pytest.approx((4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4))  # a long one does not


@every(
    ("lang", "text", "tokens"),
    [
        ("en", "It's 3.5 km, isn't it?", ["It's", "3.5", "km", ",", "isn't", "it", "?"]),
        ("en", "A &amp; B", ["A", "&", "B"]),
        ("en", "1939-1945", ["1939", "-", "1945"]),
        ("de", "3,5 km", ["3,5", "km"]),
        ("zh", "北京2008", ["北", "京", "2008"]),
        ("ja", "東京", ["東", "京"]),
        ("en", "<skipped>", ["<skipped>"]),
        ("en", "東京タワー。", ["東", "京", "タ", "ワ", "ー", "。"]),
        ("de", "Sony's の本社", ["Sony's", "の", "本", "社"]),
    ],
)
def test_words_of_bleu(lang, text, tokens):
    assert bleu_words(lang)(text) == tokens


@pytest.mark.parametrize("profile", ["squad", "paper"])
def test_the_profiles_of_the_references_have_the_words_of_sacrebleu(profile):
    assert bleu_words("en", profile)("東京 タワー。") == ["東京", "タワー。"]
    assert bleu_words("en", profile).name == "13a"
    assert bleu_words("en").name == "13a+char"


TOKENS = st.lists(st.sampled_from("a b c d e f".split()), max_size=60) | st.lists(st.sampled_from("ab"), max_size=9)


def slow_matches(reference: list[str], hypothesis: list[str]) -> list[int]:
    """N-grams as tuples, in bags."""
    sides = reference, hypothesis
    grams = [[Counter(zip(*(side[i:] for i in range(n)), strict=False)) for side in sides] for n in range(1, 5)]
    return [sum((one & other).values()) for one, other in grams]


@given(TOKENS, TOKENS)
def test_matched_n_grams_are_those_of_both_bags(reference, hypothesis):
    assert bleu_room._matches(reference, hypothesis) == slow_matches(reference, hypothesis)


def test_n_grams_of_many_different_words_do_not_run_over():
    words = [f"w{i}" for i in range(60_000)]  # 60,000 ** 4 is more than 2 ** 63
    other = [*words[30_000:], *words[:30_000]]
    assert bleu_room._matches(words, other) == [60_000, 59_998, 59_996, 59_994]
