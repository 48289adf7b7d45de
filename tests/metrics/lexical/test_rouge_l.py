"""ROUGE-L: the longest common subsequence, and the words that it compares."""

import pytest

from answersim.metrics.catalog.lookup import metric
from answersim.metrics.lexical.rouge_l import longest_common_subsequence, rouge_l, rouge_words
from tests.cases import every


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


@pytest.mark.parametrize(("gold", "pred"), [("b", "a b a"), ("a b a", "b"), ("c", "a b"), ("a b", "c"), ("a", "a")])
def test_rouge_l_of_one_word_is_that_of_its_longest_common_subsequence(gold, pred):
    left, right = gold.split(), pred.split()
    common = longest_common_subsequence(left, right)
    assert rouge_l(left, right) == pytest.approx(2 * common / (len(left) + len(right)), abs=1e-15)


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
