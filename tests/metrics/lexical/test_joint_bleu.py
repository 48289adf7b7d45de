"""BLEU of several gold answers at once: cases by hand, and equal to sacrebleu on any texts."""

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

import answersim
from tests.cases import every

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
