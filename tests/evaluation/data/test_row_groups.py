"""Groups of rows: few values are groups of their own, many numbers are bins, and every row is in one."""

import numpy as np
import pytest

from answersim.evaluation.data.row_groups import by_kinds, by_values, question_kind
from tests.cases import every


def test_few_values_are_groups_of_their_own():
    groups = by_values("kind", ["b", None, 5, "b"])
    assert {name: mask.tolist() for name, mask in groups.items()} == {
        "kind=": [False, True, False, False],
        "kind=5": [False, False, True, False],
        "kind=b": [True, False, False, True],
    }


def test_many_numbers_are_four_bins_that_hold_every_row_once():
    groups = by_values("n", [str(i) for i in range(100)])
    assert list(groups) == ["n=0 .. 24.75", "n=24.75 .. 49.5", "n=49.5 .. 74.25", "n=74.25 .. 99"]
    assert (np.sum(list(groups.values()), axis=0) == 1).all()


@every("column", [[f"t{i}" for i in range(21)], [*map(str, range(21)), "nan"], [*range(21), "inf"]])
def test_many_texts_are_an_error(column):
    with pytest.raises(
        ValueError, match=r"'x' has 2[12] different values, but a column that defines subsets has at most 20"
    ):
        by_values("x", column)


def test_kinds_are_in_order_and_other_is_last():
    assert list(by_kinds("k", ["z", "other", "a"])) == ["k=a", "k=z", "k=other"]


@every(
    ("question", "lang", "kind"),
    [("How many?", "en", "how many"), ("Whose?", "en", "who"), ("Name it.", "en", "other"), ("Wem?", "de", "wer")],
)
def test_the_first_question_word_is_the_kind(question, lang, kind):
    assert question_kind(question, lang) == kind
