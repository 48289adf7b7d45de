"""The metrics of token and n-gram overlap, case by case, and against their definitions."""

import math
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.chrf import CHRF

import answersim
from answersim.answers.text.tokens import BY_LANGUAGE, Tokenizer, has_unspaced, tokenizer
from answersim.metrics import planning
from answersim.metrics.catalog import lookup
from answersim.metrics.catalog.lookup import metric
from answersim.metrics.lexical import bleu as bleu_room
from answersim.metrics.lexical import bleu as make_bleu
from answersim.metrics.lexical import meteor, token_metric
from answersim.metrics.lexical.bleu import bleu, bleu_paper, bleu_words
from answersim.metrics.lexical.exact_match import exact_match
from answersim.metrics.lexical.f1 import f1
from answersim.metrics.lexical.recall import containment, recall
from answersim.metrics.lexical.rouge_l import longest_common_subsequence, rouge_l, rouge_words
from answersim.metrics.lexical.token_metric import TokenMetric, token_columns
from answersim.types import Pair
from tests.cases import cases_of, every

TABLES = cases_of(__file__)

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
@every(("gold", "pred"), TABLES["words_that_two_answers_share_count_in_scripts_without_spaces"])
def test_words_that_two_answers_share_count_in_scripts_without_spaces(name, gold, pred):
    assert metric(name)([Pair(gold, pred)])[0] > 0


def test_a_metric_of_tokens_has_its_name_tokenizer_settings_and_revision():
    metric = token_metric.answer_tokens("em", exact_match, 3, match="same")(lang="en", profile=None)
    assert metric.signature.startswith("em|")
    assert "match:same" in metric.signature
    assert metric.signature.endswith("rev:3")
    assert metric([Pair("The Eiffel Tower", "eiffel tower"), Pair("Rome", "Oslo")]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("factory", "name"), [(make_bleu.build_paper, "bleu-paper"), (meteor.build, "meteor")])
def test_a_profile_that_a_metric_does_not_have_is_an_error_with_those_that_it_has(factory, name):
    with pytest.raises(LookupError, match=f"{name} has no profile 'unicode', only embedded, paper"):
        factory(lang="en", profile="unicode")


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


@every("case", TABLES["containment_matches_whole_words_only"])
def test_containment_matches_whole_words_only(case):
    gold, pred, expected, *lang = case
    assert metric("containment", lang=lang[0] if lang else "en")([Pair(gold, pred)]).tolist() == [expected]


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


def test_bleu_by_hand():
    # unigrams 3 of 4, bigrams 1 of 3, trigrams 0 of 2 (smoothed to 1/2 of one), four-grams 0 of 1 (to 1/4): no penalty
    gold, pred = "a b c".split(), "a b x c".split()
    expected = (3 / 4 * 1 / 3 * 1 / (2 * 2) * 1 / (4 * 1)) ** (1 / 4)
    assert bleu(gold, pred) == pytest.approx(expected, abs=1e-12)
    # one word of three: orders 1 only, brevity penalty exp(1 - 3 / 1)
    assert bleu(gold, ["a"]) == pytest.approx(math.exp(-2), abs=1e-12)


@every(("lang", "text", "tokens"), TABLES["words_of_bleu"])
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


@every(("name", "gold", "pred", "score"), cases_of(__file__)["scores_by_hand_of_rouge_n"])
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


@every(("lang", "profile", "text", "tokens"), TABLES["words_of_rouge"])
def test_words_of_rouge(lang, profile, text, tokens):
    assert rouge_words(lang, profile)(text) == tokens


@every("profile", ["squad", "paper"])
@every(("gold", "pred", "expected"), TABLES["an_answer_without_tokens_of_rouge_score_is_not_an_empty_answer"])
def test_an_answer_without_tokens_of_rouge_score_is_not_an_empty_answer(profile, gold, pred, expected):
    rouge = metric("rouge-l", profile=profile)
    assert rouge([(gold, pred)]).tolist() == [expected]
    assert rouge([(gold, pred)] * 3 + [("cat " * 300, "cat " * 300)]).tolist() == [expected] * 3 + [1]
