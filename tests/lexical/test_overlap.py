"""EM, F1, recall, containment, ROUGE-L and BLEU: cases that can be checked by hand."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.catalog import metric
from answersim.lexical import bleu as bleu_room
from answersim.lexical.bleu import bleu, bleu_paper, bleu_words
from answersim.lexical.exact_match import exact_match
from answersim.lexical.f1 import f1, shared
from answersim.lexical.recall import containment, recall
from answersim.lexical.rouge_l import longest_common_subsequence, rouge_l, rouge_words
from answersim.types import Pair

CASES = [  # gold, pred, em, f1, recall, containment, rouge-l
    ("paris", "paris", 1, 1, 1, 1, 1),
    ("isaac komnenos", "isaac", 0, 2 / 3, 1 / 2, 0, 2 / 3),
    ("isaac", "isaac komnenos", 0, 2 / 3, 1, 1, 2 / 3),
    ("a b c", "c b a", 0, 1, 1, 0, 1 / 3),
    ("ha ha", "ha", 0, 2 / 3, 1 / 2, 0, 2 / 3),
    ("ha", "ha ha ha", 0, 1 / 2, 1, 1, 1 / 2),
    ("x", "y", 0, 0, 0, 0, 0),
    ("", "", 1, 1, 1, 1, 1),
    ("", "x", 0, 0, 0, 0, 0),
    ("x", "", 0, 0, 0, 0, 0),
    ("b d", "a b c d e", 0, 4 / 7, 1, 0, 4 / 7),
]


@pytest.mark.parametrize(("gold", "pred", *"mfrcl"), CASES)
def test_overlap_by_hand(gold: str, pred: str, m: float, f: float, r: float, c: float, l: float) -> None:  # noqa: E741
    tokens = gold.split(), pred.split()
    found = [measure(*tokens) for measure in (exact_match, f1, recall, containment, rouge_l)]
    assert found == pytest.approx([m, f, r, c, l], abs=1e-12)


@pytest.mark.parametrize(
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
def test_containment_matches_whole_words_only(gold: str, pred: str, expected: float) -> None:
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
def test_containment_matches_contiguous_characters_of_scripts_without_spaces(
    lang: str, gold: str, pred: str, expected: float
) -> None:
    assert metric("containment", lang=lang)([Pair(gold, pred)]).tolist() == [expected]


def test_the_signature_of_containment_names_the_match() -> None:
    assert metric("containment").signature == "containment|text:en|match:words|rev:1"


TOKENS_WITH_SPACES = st.lists(st.sampled_from(["a", "b", "", " ", "a b", "b "]), max_size=6)


@settings(max_examples=500)
@given(TOKENS_WITH_SPACES, TOKENS_WITH_SPACES)
def test_containment_is_a_contiguous_sublist_for_any_tokens(gold: list[str], pred: list[str]) -> None:
    starts = range(len(pred) - len(gold) + 1)
    expected = any(pred[i : i + len(gold)] == gold for i in starts) if gold and pred else gold == pred
    assert containment(gold, pred) == expected


@pytest.mark.parametrize(
    ("one", "other", "length"),
    [
        ("", "", 0),
        ("a", "", 0),
        ("abcbdab", "bdcaba", 4),
        ("xaybzc", "abc", 3),
        ("aaaa", "aa", 2),
        ("ab" * 200, "b" * 150, 150),
    ],
)
def test_the_longest_common_subsequence_by_hand(one: str, other: str, length: int) -> None:
    assert longest_common_subsequence(list(one), list(other)) == length
    assert longest_common_subsequence(list(other), list(one)) == length


def test_bleu_by_hand() -> None:
    # unigrams 3 of 4, bigrams 1 of 3, trigrams 0 of 2 (smoothed to 1/2 of one), four-grams 0 of 1 (to 1/4): no penalty
    gold, pred = "a b c".split(), "a b x c".split()
    expected = (3 / 4 * 1 / 3 * 1 / (2 * 2) * 1 / (4 * 1)) ** (1 / 4)
    assert bleu(gold, pred) == pytest.approx(expected, abs=1e-12)
    # one word of three: orders 1 only, brevity penalty exp(1 - 3 / 1)
    assert bleu(gold, ["a"]) == pytest.approx(math.exp(-2), abs=1e-12)


def test_unsmoothed_bleu_is_zero_without_four_words_in_a_row() -> None:
    assert bleu_paper("a b c".split(), "a b c".split()) == 0.0
    assert bleu_paper("a b c d".split(), "a b c d".split()) == 1.0
    assert bleu_paper("a b c d x".split(), "a b c d".split()) == pytest.approx(
        (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4), abs=1e-12
    )


def test_in_the_papers_bleu_the_gold_answer_is_the_hypothesis() -> None:
    short, long = "a b c d".split(), "a b c d e f".split()
    assert bleu_paper(short, long) == pytest.approx(math.exp(1 - 6 / 4))  # a short gold answer pays the penalty
    assert bleu_paper(long, short) == pytest.approx((4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4))  # a long one does not


@pytest.mark.parametrize(
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
def test_words_of_bleu(lang: str, text: str, tokens: list[str]) -> None:
    assert bleu_words(lang)(text) == tokens


@pytest.mark.parametrize("profile", ["squad", "paper"])
def test_the_profiles_of_the_references_have_the_words_of_sacrebleu(profile: str) -> None:
    assert bleu_words("en", profile)("東京 タワー。") == ["東京", "タワー。"]
    assert bleu_words("en", profile).name == "13a"
    assert bleu_words("en").name == "13a+char"


DEFAULT = ("em", "f1", "recall", "containment", "bleu", "rouge-l", "meteor")
UNSPACED = ["東京タワー", "北京市", "กรุงเทพมหานคร", "ລາວ", "ភ្នំពេញ", "မြန်မာ", "བོད", "ﾄｳｷｮｳ", "時々", "Sonyの本社"]


@pytest.mark.parametrize("name", DEFAULT)
@pytest.mark.parametrize("answer", UNSPACED)
def test_an_answer_in_a_script_without_spaces_is_not_0_against_itself(name: str, answer: str) -> None:
    assert metric(name)([Pair(answer, answer)])[0] > (0.4 if name == "meteor" else 0.999)


@pytest.mark.parametrize("name", [name for name in DEFAULT if name != "em"])
@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("東京", "東京タワー"),
        ("北京", "北京市"),
        ("กรุง", "กรุงเทพมหานคร"),
        ("ភ្នំ", "ភ្នំពេញ"),
        ("本社", "Sonyの本社"),
        ("Sony", "Sonyの本社"),
        ("2008", "2008年"),
        ("東京", "答えは東京です。"),
    ],
)
def test_words_that_two_answers_share_count_in_scripts_without_spaces(name: str, gold: str, pred: str) -> None:
    assert metric(name)([Pair(gold, pred)])[0] > 0


@pytest.mark.parametrize(
    ("lang", "profile", "text", "tokens"),
    [
        ("en", None, "Müller's", ["m", "ller", "s"]),
        ("en", None, "北京!", ["北", "京"]),
        ("en", None, "Sonyの本社", ["sony", "の", "本", "社"]),
        ("en", None, "Café・Bar東", ["caf", "bar", "東"]),
        ("en", None, "A・B", ["a", "b"]),
        ("en", None, "Москва!", ["москва!"]),
        ("en", "squad", "北京!", []),
        ("de", None, "Müllers Hund", ["müllers", "hund"]),
        ("zh", None, "北京", ["北", "京"]),
        ("en", None, "1,000", ["1", "000"]),
        ("en", None, "A\x00b\x1fC_d\x7f[9]", ["a", "b", "c", "d", "9"]),
        ("en", None, "\u212a2 K2", ["k2", "k2"]),  # the sign of kelvin, whose lower case is a k
        ("en", None, "\u0130s", ["i", "s"]),  # whose lower case is an i and a dot above
    ],
)
def test_words_of_rouge(lang: str, profile: str | None, text: str, tokens: list[str]) -> None:
    assert rouge_words(lang, profile)(text) == tokens


TOKENS = st.lists(st.sampled_from("a b c d e f".split()), max_size=60) | st.lists(st.sampled_from("ab"), max_size=9)


@given(TOKENS, TOKENS)
def test_shared_tokens_are_those_of_both_bags(gold: list[str], pred: list[str]) -> None:
    assert shared(gold, pred) == sum((Counter(gold) & Counter(pred)).values())


def slow_matches(reference: list[str], hypothesis: list[str]) -> list[int]:
    """N-grams as tuples, in bags."""
    sides = reference, hypothesis
    grams = [[Counter(zip(*(each[i:] for i in range(n)), strict=False)) for each in sides] for n in range(1, 5)]
    return [sum((one & other).values()) for one, other in grams]


@settings(max_examples=300)
@given(TOKENS, TOKENS)
def test_matched_n_grams_are_those_of_both_bags(reference: list[str], hypothesis: list[str]) -> None:
    assert bleu_room._matches(reference, hypothesis) == slow_matches(reference, hypothesis)


def test_n_grams_of_many_different_words_do_not_run_over() -> None:
    words = [f"w{i}" for i in range(60_000)]  # 60,000 ** 4 is more than 2 ** 63
    other = [*words[30_000:], *words[:30_000]]
    assert bleu_room._matches(words, other) == [60_000, 59_998, 59_996, 59_994]


MARKED = (
    "a",
    "3.5",
    "1,0",
    "-",
    "-\n",
    "\n",
    " ",
    " ",
    "\t",
    ".",
    ",",
    "&amp;",
    "&",
    "<skipped>",
    "<",
    "ü",
    "'s",
    "|",
    "_",
    "1-2",
)
MARKS = st.lists(st.sampled_from([*MARKED, "x-y", "\x85", "\u2028"]), max_size=14)


@settings(max_examples=1000)
@given(MARKS.map("".join), st.sampled_from(["", "one two ", "a, "]))
def test_words_parted_one_by_one_are_those_of_the_whole_text(text: str, more: str) -> None:
    for answer in (text, more * bleu_room._LONG + text):
        assert bleu_room._13a(answer) == bleu_room._by_rules(answer)


@pytest.mark.parametrize(("gold", "pred"), [("b", "a b a"), ("a b a", "b"), ("c", "a b"), ("a b", "c"), ("a", "a")])
def test_rouge_l_of_one_word_is_that_of_its_longest_common_subsequence(gold: str, pred: str) -> None:
    left, right = gold.split(), pred.split()
    common = longest_common_subsequence(left, right)
    assert rouge_l(left, right) == pytest.approx(2 * common / (len(left) + len(right)), abs=1e-15)
