"""Metrics of tokens: by hand, with their options, and what a language and a profile make of the words."""

import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.text.tokens import BY_LANGUAGE, Tokenizer, tokenizer
from answersim.metrics import planning
from answersim.metrics.catalog import lookup
from answersim.metrics.catalog.lookup import metric
from answersim.metrics.lexical import bleu as bleu_room
from answersim.metrics.lexical import bleu as make_bleu
from answersim.metrics.lexical import factories, meteor
from answersim.metrics.lexical.bleu import bleu, bleu_paper, bleu_words
from answersim.metrics.lexical.exact_match import exact_match
from answersim.metrics.lexical.f1 import f1
from answersim.metrics.lexical.recall import containment, recall
from answersim.metrics.lexical.rouge_l import rouge_l
from answersim.metrics.lexical.token_metric import TokenMetric, token_columns
from answersim.types import Pair
from tests.cases import every

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
    assert [row.tolist() for row in result] == [[2 / 3, 0, 0, 0], [0.5, 0, 0, 0]]
    split.asked.clear()
    planning.score_all(both, PAIRS)
    assert set(split.asked.values()) == {1}


COUNTED = [
    *(
        TokenMetric(way.name, way, entry)
        for way in (tokenizer("en"), tokenizer("de", "squad"), tokenizer("de"))
        for entry in (f1, recall, containment)
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
    assert [row.tolist() for row in result] == expected  # to the last bit
    assert [entry.tolist() for entry in together] == expected


def test_many_long_pairs_have_the_numbers_of_one_after_the_other():
    rng = np.random.default_rng(0)
    vocabulary = ["the", "of", "a", "Élan", "“the”", "end.", "naïve", *(f"word{i**3}" for i in range(400))]

    def text(n: int) -> str:
        return " ".join(rng.choice(vocabulary, n, p=(weights := 1 / np.arange(3, len(vocabulary) + 3)) / weights.sum()))

    pairs = [Pair(text(n), text(n // 2 + 9)) for n in rng.integers(100, 300, 60)]
    pairs[7:7] = [Pair("", pairs[0].pred), Pair(pairs[0].gold, "the"), Pair("The the", "the, the"), Pair("", "")]
    pairs.append(Pair(f"{pairs[5].gold} {'x' * 999}", f"{pairs[5].pred} {'x' * 999}"))
    for counted in COUNTED:
        assert counted(pairs).tolist() == one_by_one(counted, pairs)


MANY = """
import sys
from answersim.metrics import planning
from answersim.metrics.catalog.lookup import metric
from answersim.types import Pair

n = int(sys.argv[1])
pairs = [Pair(f"the word{i % 9973} of {i}", f"word{i % 7919} a {i}") for i in range(n)]
planning.score_all([metric(name) for name in ("em", "f1", "rouge-l")], pairs)
with open("/proc/self/status") as status:  # ru_maxrss begins with the memory of the process that started this one
    print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of a process from /proc")
def test_a_million_pairs_take_less_than_a_gigabyte():
    run = subprocess.run([sys.executable, "-c", MANY, "1000000"], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 1000


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
def test_overlap_by_hand(gold, pred, m, f, r, c, l):  # noqa: E741
    tokens = gold.split(), pred.split()
    result = [measure(*tokens) for measure in (exact_match, f1, recall, containment, rouge_l)]
    assert result == pytest.approx([m, f, r, c, l], abs=1e-12)


DEFAULT = ("em", "f1", "recall", "containment", "bleu", "rouge-l", "meteor")


@every("name", [name for name in DEFAULT if name != "em"])
@every(
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
def test_words_that_two_answers_share_count_in_scripts_without_spaces(name, gold, pred):
    assert metric(name)([Pair(gold, pred)])[0] > 0


def test_a_metric_of_tokens_has_its_name_tokenizer_settings_and_revision():
    metric = factories.answer_tokens("em", exact_match, 3, match="same")(lang="en", profile=None)
    assert metric.signature.startswith("em|")
    assert "match:same" in metric.signature
    assert metric.signature.endswith("rev:3")
    assert metric([Pair("The Eiffel Tower", "eiffel tower"), Pair("Rome", "Oslo")]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("factory", "name"), [(make_bleu.build_paper, "bleu-paper"), (meteor.build, "meteor")])
def test_a_profile_that_a_metric_does_not_have_is_an_error_with_those_that_it_has(factory, name):
    with pytest.raises(LookupError, match=f"{name} has no profile 'unicode', only embedded, paper"):
        factory(lang="en", profile="unicode")


@pytest.mark.parametrize("factory", [make_bleu.build, make_bleu.build_paper, meteor.build])
def test_an_unknown_profile_is_an_error_with_the_nearest(factory):
    with pytest.raises(LookupError, match="did you mean 'paper'"):
        factory(lang="en", profile="papr")


def test_the_paper_profile_of_meteor_exchanges_the_answers():
    assert "order:pred-gold" in meteor.build(lang="de", profile="paper").signature
    assert meteor.build(lang="en", profile="paper") == meteor.build(
        lang="en", profile=None, order="pred-gold", words="nltk-2021"
    )


LEXICAL = [name for name in lookup.names() if lookup.entry(name).kind == "lexical"]


@every("name", LEXICAL)
@every("profile", BY_LANGUAGE)
def test_a_profile_of_weights_changes_no_lexical_metric(name, profile):
    """So that one call can give a lexical and a neural metric the same profile."""
    for lang in ("en", "de", "zh"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bleu-paper and meteor warn of some languages
            metric, plain = (lookup.metric(name, lang=lang, profile=stated) for stated in (profile, None))
        assert metric == plain
        assert metric.signature == plain.signature


def test_answers_match_if_they_have_the_same_tokens_in_the_same_order():
    assert exact_match(["eiffel", "tower"], ["eiffel", "tower"]) == 1.0
    for pred in (["tower", "eiffel"], ["eiffel"], ["eiffel", "tower", "tower"]):
        assert exact_match(["eiffel", "tower"], pred) == exact_match(pred, ["eiffel", "tower"]) == 0.0


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


TOKENS_WITH_SPACES = st.lists(st.sampled_from(["a", "b", "", " ", "a b", "b "]), max_size=6)


@given(TOKENS_WITH_SPACES, TOKENS_WITH_SPACES)
def test_containment_is_a_contiguous_sublist_for_any_tokens(gold, pred):
    starts = range(len(pred) - len(gold) + 1)
    expected = any(pred[i : i + len(gold)] == gold for i in starts) if gold and pred else gold == pred
    assert containment(gold, pred) == expected


SPACES = ("-\n", "\n", " ", " ", "\t", "\x85", "\u2028")


MARKED = "a 3.5 1,0 - . , &amp; & <skipped> < ü 's | _ 1-2 x-y".split()


MARKS = st.lists(st.sampled_from([*MARKED, *SPACES]), max_size=14)


@given(MARKS.map("".join), st.sampled_from(["", "one two ", "a, "]))
def test_tokens_of_single_words_are_those_of_the_whole_text(text, more):
    for answer in (text, more * bleu_room._LONG + text):
        assert bleu_room._13a(answer) == bleu_room._by_rules(answer)
