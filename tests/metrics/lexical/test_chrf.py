"""chrF: cases by hand, equal to sacrebleu on any text, and its settings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

import answersim
from tests.cases import every

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


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
def test_scores_by_hand(gold, pred, score):
    assert answersim.score(gold, pred, "chrf") == pytest.approx(score, abs=1e-12)


@given(gold=texts, pred=texts, word_order=st.sampled_from([0, 2]))
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
