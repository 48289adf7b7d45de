"""Metrics of tokens: each answer is tokenized once, and blocks change no score."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.text.tokens import Tokenizer, tokenizer
from answersim.metrics import planning
from answersim.metrics.lexical import token_metric
from answersim.metrics.lexical.bleu import bleu, bleu_paper, bleu_words
from answersim.metrics.lexical.f1 import f1
from answersim.metrics.lexical.recall import containment, recall
from answersim.metrics.lexical.rouge_l import rouge_words
from answersim.metrics.lexical.token_metric import TokenMetric, blocks, token_columns, tokens
from answersim.types import Pair

PAIRS = [Pair("a b", "b"), Pair("c", "a b"), Pair("b", "c"), Pair("", "c d")]


class Counting:
    """White-space tokens, and how often each text was asked for."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, text: str) -> list[str]:
        self.asked[text] += 1
        return text.split()


def test_an_answer_is_tokenized_once_for_all_metrics_and_pairs():
    split = Counting()
    both = [TokenMetric("f1", Tokenizer("w", split), f1), TokenMetric("recall", Tokenizer("w", split), recall)]
    result = token_columns(both, PAIRS)
    assert split.asked == {"a b": 1, "b": 1, "c": 1, "": 1, "c d": 1}
    assert [each.tolist() for each in result] == [[2 / 3, 0, 0, 0], [0.5, 0, 0, 0]]
    split.asked.clear()
    planning.score_all(both, PAIRS)
    assert set(split.asked.values()) == {1}


def test_two_tokenizers_with_one_name_are_distinguished():
    plain, reverse = Tokenizer("w", str.split), Tokenizer("w", lambda text: text[::-1].split())
    metrics = [TokenMetric("first", each, lambda gold, _: float(gold[0] == "ab")) for each in (plain, reverse)]
    assert [token_column.tolist() for token_column in token_columns(metrics, [Pair("ab", "")])] == [[1.0], [0.0]]
    assert tokenizer("en") == rouge_words("en")  # which is so of ours: one name, two ways
    assert tokenizer("en")("Ünder") != rouge_words("en")("Ünder")


@pytest.mark.parametrize("lang", ["en", "de", "zh"])
def test_a_tokenizer_requested_twice_is_one_object(lang):
    assert tokenizer(lang).split is tokenizer(lang).split
    assert rouge_words(lang).split is rouge_words(lang).split


def test_tokens_stand_in_the_order_of_the_pairs():
    assert tokens(str.split, PAIRS[:2]) == ([["a", "b"], ["c"]], [["b"], ["a", "b"]])


@given(
    st.lists(st.tuples(st.text(max_size=9), st.text(max_size=9)), max_size=30), st.integers(1, 40), st.integers(1, 7)
)
def test_blocks_are_all_pairs_in_order_and_small(texts, most, many):
    pairs = [Pair(*text) for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_metric, "_CHARACTERS", most)
        patch.setattr(token_metric, "_PAIRS", many)
        result = [pairs[block] for block in blocks(pairs, most)]
        metric = TokenMetric("f1", Tokenizer("w", str.split), f1)
        column = metric(pairs)
    assert [pair for block in result for pair in block] == pairs
    for block in result:
        assert 1 <= len(block) <= many
        assert sum(len(gold) + len(pred) for gold, pred in block[:-1]) < most
    np.testing.assert_array_equal(column, [f1(gold.split(), pred.split()) for gold, pred in pairs])


COUNTED = [
    *(
        TokenMetric(way.name, way, each)
        for way in (tokenizer("en"), tokenizer("de", "squad"), tokenizer("de"))
        for each in (f1, recall, containment)
    ),
    TokenMetric("bleu", bleu_words(), bleu),
    TokenMetric("bleu-paper", Tokenizer("white-space", str.split), bleu_paper),
]
ODD = st.sampled_from(
    "the a An x y The. É “the” a’s – ß İ ΑΣ ΑΣ. \x01a a\x00 a\x00\x00 \x00 \x1f \x1b \u3000 \xa0 ?! 1,5 "
    "longword-of-letters longword-of-numbers \ud800 «an». 東京 theの ปี2008 A・B ﾄｳ".split(" ")
)
TEXTS = st.lists(st.tuples(ODD | st.text(max_size=9), st.sampled_from(["", " ", " ", "\n", "\x1c"])), max_size=12).map(
    lambda parts: "".join(word + space for word, space in parts)
)


def one_by_one(metric: TokenMetric, pairs: list[Pair]) -> list[float]:
    return [metric.similarity(metric.text(gold), metric.text(pred)) for gold, pred in pairs]


@given(st.lists(st.builds(Pair, TEXTS, TEXTS), max_size=6), st.integers(0, 2))
def test_many_pairs_have_the_numbers_of_one_after_the_other(pairs, same):
    pairs += [Pair(gold, gold) for gold, _ in pairs[:same]]
    result = [metric(pairs) for metric in COUNTED]
    together = token_columns(COUNTED, pairs)
    expected = [one_by_one(metric, pairs) for metric in COUNTED]
    assert [each.tolist() for each in result] == expected  # to the last bit
    assert [each.tolist() for each in together] == expected


def test_many_long_pairs_have_the_numbers_of_one_after_the_other():
    rng = np.random.default_rng(0)
    vocabulary = ["the", "of", "a", "Élan", "“the”", "end.", "naïve", *(f"word{i**3}" for i in range(400))]

    def text(n: int) -> str:
        return " ".join(rng.choice(vocabulary, n, p=(weights := 1 / np.arange(3, len(vocabulary) + 3)) / weights.sum()))

    pairs = [Pair(text(n), text(n // 2 + 9)) for n in rng.integers(100, 300, 60)]
    pairs[7:7] = [Pair("", pairs[0].pred), Pair(pairs[0].gold, "the"), Pair("The the", "the, the"), Pair("", "")]
    pairs.append(Pair(f"{pairs[5].gold} {'x' * 999}", f"{pairs[5].pred} {'x' * 999}"))
    for metric in COUNTED:
        assert metric(pairs).tolist() == one_by_one(metric, pairs)


def test_memory_does_not_grow_with_the_pairs():
    import tracemalloc

    metric = TokenMetric("f1", tokenizer("en"), f1)
    text = " ".join(f"word{i}" for i in range(200))

    def peak(n: int) -> int:
        pairs = [Pair(f"{text} {i}", f"{text} {-i}") for i in range(n)]
        tracemalloc.start()
        metric(pairs)
        high = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return high

    peak(50)  # what is remembered, once
    assert peak(800) < 1.5 * peak(200)


MANY = """
import resource, sys
from answersim import planning
from answersim.metrics.catalog.lookup import metric
from answersim.types import Pair

n = int(sys.argv[1])
pairs = [Pair(f"the word{i % 9973} of {i}", f"word{i % 7919} a {i}") for i in range(n)]
planning.score_all([metric(name) for name in ("em", "f1", "rouge-l")], pairs)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@pytest.mark.slow
def test_a_million_pairs_take_less_than_a_gigabyte():
    run = subprocess.run([sys.executable, "-c", MANY, "1000000"], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 1000
