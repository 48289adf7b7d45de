"""EM, F1, recall, containment, ROUGE-L and BLEU: cases that can be checked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.catalog.lookup import metric
from answersim.metrics.lexical import bleu as bleu_room
from answersim.metrics.lexical.exact_match import exact_match
from answersim.metrics.lexical.f1 import f1
from answersim.metrics.lexical.recall import containment, recall
from answersim.metrics.lexical.rouge_l import rouge_l
from answersim.types import Pair
from tests.cases import every

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


SPACES = ("-\n", "\n", " ", " ", "\t", "\x85", "\u2028")
MARKED = "a 3.5 1,0 - . , &amp; & <skipped> < ü 's | _ 1-2 x-y".split()
MARKS = st.lists(st.sampled_from([*MARKED, *SPACES]), max_size=14)


@given(MARKS.map("".join), st.sampled_from(["", "one two ", "a, "]))
def test_tokens_of_single_words_are_those_of_the_whole_text(text, more):
    for answer in (text, more * bleu_room._LONG + text):
        assert bleu_room._13a(answer) == bleu_room._by_rules(answer)
