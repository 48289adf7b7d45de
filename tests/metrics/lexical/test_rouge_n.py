"""ROUGE-1, ROUGE-2 and ROUGE-Lsum: cases by hand, and equal to rouge_score on any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

import answersim
from answersim.answers.text.tokens import has_unspaced
from tests.cases import every

THEIRS = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-lsum": "rougeLsum"}
SCORER = RougeScorer(list(THEIRS.values()), use_stemmer=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.lists(
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
def test_scores_by_hand(name, gold, pred, score):
    assert answersim.score(gold, pred, name) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("name", THEIRS)
@given(gold=texts, pred=texts)
def test_equal_to_rouge_score_on_any_text(name, gold, pred):
    if any(not line.strip() for text in (gold, pred) for line in text.split("\n")):
        return  # a blank line has the one token "" in rouge-l with this profile, as the SAS paper counted it
    expected = SCORER.score(gold, pred)[THEIRS[name]].fmeasure
    assert answersim.score(gold, pred, name, profile="squad") == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", THEIRS)
@given(gold=texts, pred=texts)
def test_the_english_default_is_rouge_score_for_texts_of_ascii(name, gold, pred):
    lines = [line for text in (gold, pred) for line in text.split("\n") if line.strip()]
    if has_unspaced(gold + pred) or not all(any(c.isascii() and c.isalnum() for c in line) for line in lines):
        return  # a line without such tokens falls back to its plain words
    expected = SCORER.score(gold, pred)[THEIRS[name]].fmeasure
    assert answersim.score(gold, pred, name) == pytest.approx(expected, abs=1e-9)
