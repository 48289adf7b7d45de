"""BLEU, chrF and ROUGE: by hand, with the values of their authors' programs, and of several references."""

import math
from collections import Counter

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.chrf import CHRF

import answersim
from answersim.answers.text.tokens import has_unspaced
from answersim.metrics.catalog.lookup import metric
from answersim.metrics.lexical import bleu as bleu_room
from answersim.metrics.lexical.bleu import bleu, bleu_words
from answersim.metrics.lexical.rouge_l import longest_common_subsequence, rouge_words
from tests.cases import every


def test_bleu_by_hand():
    # unigrams 3 of 4, bigrams 1 of 3, trigrams 0 of 2 (smoothed to 1/2 of one), four-grams 0 of 1 (to 1/4): no penalty
    gold, pred = "a b c".split(), "a b x c".split()
    expected = (3 / 4 * 1 / 3 * 1 / (2 * 2) * 1 / (4 * 1)) ** (1 / 4)
    assert bleu(gold, pred) == pytest.approx(expected, abs=1e-12)
    # one word of three: orders 1 only, brevity penalty exp(1 - 3 / 1)
    assert bleu(gold, ["a"]) == pytest.approx(math.exp(-2), abs=1e-12)


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
    return [sum((first & second).values()) for first, second in grams]


@given(TOKENS, TOKENS)
def test_matched_n_grams_are_those_of_both_bags(reference, hypothesis):
    assert bleu_room._matches(reference, hypothesis) == slow_matches(reference, hypothesis)


words = st.lists(st.sampled_from("the a cat, sat on-mat 3.5 1,000 É x y".split()), min_size=1, max_size=12)
texts = words.map(" ".join)


@every(
    ("golds", "pred", "score"),
    [
        (["the cat sat down", "a cat lay on it"], "the cat lay on it", 1.0),  # no gold answer alone has every 4-gram
        (["Paris"], "Paris", 1.0),
        (["Rome", "Paris"], "Oslo", 0.0),
        (["", "Rome"], "", 1.0),
        (["Rome"], "", 0.0),
    ],
)
def test_scores_by_hand(golds, pred, score):
    expected = sacrebleu.sentence_bleu(pred, golds).score / 100 if "cat" in pred else score
    assert answersim.score(golds, pred, "sacrebleu") == pytest.approx(expected, abs=1e-12)
    if "cat" in pred:
        assert expected > max(answersim.score(gold, pred, "bleu") for gold in golds)


@given(golds=st.lists(texts, min_size=1, max_size=4), pred=texts)
def test_equal_to_sacrebleu_with_several_references(golds, pred):
    expected = sacrebleu.sentence_bleu(pred, golds).score / 100
    assert answersim.score(golds, pred, "sacrebleu") == pytest.approx(expected, abs=1e-9)
    rows = answersim.score([golds, golds[:1]], [pred, pred], "sacrebleu")
    assert rows[0] == answersim.score(golds, pred, "sacrebleu")
    assert rows[1] == pytest.approx(answersim.score(golds[0], pred, "bleu", profile="squad"), abs=1e-9)


def test_chinese_has_the_tokenizer_of_sacrebleu():
    golds, pred = ["我爱北京", "我喜欢北京天安门"], "我爱北京天安门"
    expected = sacrebleu.sentence_bleu(pred, golds, tokenize="zh").score / 100
    assert answersim.score(golds, pred, "sacrebleu", lang="zh") == pytest.approx(expected, abs=1e-9)
    assert answersim.metric("sacrebleu", lang="ja").signature == "sacrebleu|tokenize:char|rev:1"


def test_a_structure_is_an_error_with_the_remedy():
    with pytest.raises(ValueError, match="sacrebleu compares texts; give a list of them"):
        answersim.score([{"spans": ["a"]}], ["a"], "sacrebleu")


chrf_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@every(
    ("gold", "pred", "score"),
    [
        ("Paris", "Paris", 1.0),
        ("Paris", "P a r i s", 1.0),  # spaces do not count
        ("Paris", "paris", (4 / 5 + 3 / 4 + 2 / 3 + 1 / 2 + 0) / 5),  # n = 1 .. 5, as there are no 6-grams
        ("a", "b", 0.0),
        ("", "", 1.0),
        ("", "a", 0.0),
    ],
)
def test_scores_by_hand_of_chrf(gold, pred, score):
    assert answersim.score(gold, pred, "chrf") == pytest.approx(score, abs=1e-12)


@given(gold=chrf_texts, pred=chrf_texts, word_order=st.sampled_from([0, 2]))
def test_equal_to_sacrebleu_on_any_text(gold, pred, word_order):
    if not gold.strip() and not pred.strip():
        return  # 0 in sacrebleu
    expected = CHRF(word_order=word_order).sentence_score(pred, [gold]).score / 100
    assert answersim.score(gold, pred, "chrf", word_order=word_order) == pytest.approx(expected, abs=1e-9)


def test_the_settings_are_signed_and_checked():
    assert answersim.metric("chrf", beta=1).signature == "chrf|char_order:6|word_order:0|beta:1|rev:1"
    with pytest.raises(ValueError, match="char_order is 0"):
        answersim.metric("chrf", char_order=0)
    with pytest.raises(TypeError, match=r"beta is 1\.5"):
        answersim.metric("chrf", beta=1.5)
    with pytest.raises(LookupError, match="chrf has no profile 'unicode'"):
        answersim.metric("chrf", profile="unicode")


THEIRS = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-lsum": "rougeLsum"}
SCORER = RougeScorer(list(THEIRS.values()), use_stemmer=False)
rouge_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.lists(
    st.sampled_from(["the", "a", "cat,", "on-mat", "3.5", "Cat", "É", "\n", "\n\n", "sat", "x\ny"]), max_size=20
).map(" ".join)


@every(
    ("name", "gold", "pred", "score"),
    [
        ("rouge-1", "the old dukes", "the dukes", 0.8),  # 2 of 2 and 2 of 3
        ("rouge-1", "a a b", "a b b", 2 / 3),
        ("rouge-2", "the old dukes", "old dukes", 2 / 3),  # 1 of 1 and 1 of 2
        ("rouge-2", "dukes", "dukes", 0.0),  # no pair of words
        ("rouge-lsum", "a b\nc", "c\na b", 1.0),
        ("rouge-lsum", "a b c", "c a b", 2 / 3),
        ("rouge-lsum", "w1 w2 w3 w4 w5", "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", 8 / 15),  # Lin 2004, section 3.2: R = 4/5
        ("rouge-lsum", "\n", "", 0.0),
        ("rouge-1", "", "", 0.0),
    ],
)
def test_scores_by_hand_of_rouge_n(name, gold, pred, score):
    assert answersim.score(gold, pred, name) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("name", THEIRS)
@given(gold=rouge_texts, pred=rouge_texts)
def test_equal_to_rouge_score_on_any_text(name, gold, pred):
    if any(not line.strip() for text in (gold, pred) for line in text.split("\n")):
        return  # a blank line has the one token "" in rouge-l with this profile, as the SAS paper counted it
    expected = SCORER.score(gold, pred)[THEIRS[name]].fmeasure
    assert answersim.score(gold, pred, name, profile="squad") == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", THEIRS)
@given(gold=rouge_texts, pred=rouge_texts)
def test_the_english_default_is_rouge_score_for_texts_of_ascii(name, gold, pred):
    lines = [line for text in (gold, pred) for line in text.split("\n") if line.strip()]
    if has_unspaced(gold + pred) or not all(any(c.isascii() and c.isalnum() for c in line) for line in lines):
        return  # a line without such tokens falls back to its plain words
    expected = SCORER.score(gold, pred)[THEIRS[name]].fmeasure
    assert answersim.score(gold, pred, name) == pytest.approx(expected, abs=1e-9)


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
def test_the_longest_common_subsequence_by_hand(one, other, length):
    assert longest_common_subsequence(list(one), list(other)) == length
    assert longest_common_subsequence(list(other), list(one)) == length


@every(
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
def test_words_of_rouge(lang, profile, text, tokens):
    assert rouge_words(lang, profile)(text) == tokens


@every("profile", ["squad", "paper"])
@every(
    ("gold", "pred", "expected"),
    [
        ("Москва", "Киев", 0),  # rouge_score: 0, because neither text has a token
        ("Москва", "Москва", 0),
        ("東京", "大阪", 0),
        ("Москва", "", 0),
        ("", "?", 0),
        ("?", "!", 0),
        ("Москва", "Moscow", 0),
        ("Москва 1", "Киев 1", 1),
        ("", "", 1),  # two blank answers: the table of the paper
        (" ", "\t", 1),
    ],
)
def test_an_answer_without_tokens_of_rouge_score_is_not_an_empty_answer(profile, gold, pred, expected):
    rouge = metric("rouge-l", profile=profile)
    assert rouge([(gold, pred)]).tolist() == [expected]
    assert rouge([(gold, pred)] * 3 + [("cat " * 300, "cat " * 300)]).tolist() == [expected] * 3 + [1]
