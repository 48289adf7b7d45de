"""What counts as answers and questions, and what is refused before any work."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pytest

import answersim
from tests.cases import every
from tests.scoring.length_metrics import Asked, Length


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        iter,
        np.array,
        lambda answers: np.array(answers, dtype=object),
        lambda answers: dict.fromkeys(answers).keys(),
    ],
)
def test_any_ordered_iterable_of_strings_will_do(make: Any) -> None:
    assert answersim.score(make(["x", "y"]), make(["x", "z"]), metric="em").values.tolist() == [1.0, 0.0]


def test_a_whole_table_is_refused() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"a": ["x"]})
    with pytest.raises(TypeError, match=r"gold is a DataFrame with the columns \['a'\]; give one of them"):
        answersim.score(frame, ["x"])
    with pytest.raises(TypeError, match="pred is a DataFrame"):
        answersim.score(["x"], frame)


def test_a_column_of_a_data_frame_will_do() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": ["x", "y"], "pred": ["x", "z"]}, index=[7, 3])
    assert answersim.score(frame["gold"], frame["pred"], metric="em").values.tolist() == [1.0, 0.0]


@every(
    ("gold", "pred", "error", "words"),
    [
        (["a", "b"], ["a"], ValueError, "gold has 2 entries and pred has 1"),
        (["a", None], ["a", "b"], TypeError, r"gold\[1\] is None"),
        (["a"], [None], TypeError, r"pred\[0\] is None .*empty string"),
        (["a"], [5], TypeError, r"pred\[0\] is 5 \(int\)"),
        (["a"], [float("nan")], TypeError, r"pred\[0\] is nan .*empty string"),
        (["a"], [b"a"], TypeError, r"pred\[0\] is b'a' \(bytes\)"),
        (["a"], [["a"]], TypeError, r"pred\[0\] is \['a'\]"),
        ([["a", 3]], ["a"], TypeError, r"gold\[0\] is 3"),
        ([{"a"}], ["a"], TypeError, r"gold\[0\] is \{'a'\}"),
        ([[]], ["a"], ValueError, r"gold\[0\] contains no reference"),
        ([], "a", ValueError, r"gold\[0\] contains no reference"),
        ("a", ["a"], TypeError, "gold is one string but pred is list"),
        ("a", None, TypeError, "pred is None|gold is one string"),
        (None, "a", TypeError, r"gold\[0\] is None"),
        (None, ["a"], TypeError, "gold is None"),
        ({"a": 1}, ["a"], TypeError, "gold is"),
        ({"a"}, ["a"], TypeError, "gold is"),
        (b"a", [b"a"], TypeError, "gold is b'a'"),
        (["a"], [decimal.Decimal(3)], TypeError, "Decimal"),
        (["ok", "\ud800x"], ["a", "b"], ValueError, r"gold\[1\] holds the lone surrogate U\+D800 at position 0"),
        ("a", "x\udfff", ValueError, r"pred\[0\] holds the lone surrogate U\+DFFF at position 1"),
    ],
)
def test_bad_answers_are_refused_before_any_work(gold: Any, pred: Any, error: type[Exception], words: str) -> None:
    mine = Length()
    with pytest.raises(error, match=words):
        answersim.score(gold, pred, metric=mine)
    assert mine.calls == 0


@every(
    ("pred", "question", "error", "words"),
    [
        ("a", ["who"], TypeError, r"question is \['who'\] \(list\), but for one prediction it must be one string"),
        ("a", 5, TypeError, r"question is 5 \(int\)"),
        ("a", "\ud800", ValueError, r"question\[0\] holds the lone surrogate"),
        (["a", "b"], "who", TypeError, r"question is the one string 'who' .*2 predictions; give .*\['who'\] \* 2"),
        (["a", "b"], ["who"], ValueError, "there are 1 questions and 2 predictions; give one per prediction"),
        (["a", "b"], ["who", None], TypeError, r"question\[1\] is None .*a question is a string; .*'no question'"),
        (["a", "b"], ["who", 7], TypeError, r"question\[1\] is 7 \(int\), but a question is a string"),
        (["a", "b"], {"who", "what"}, TypeError, "question is {"),
    ],
)
def test_a_bad_question_is_refused_before_any_work(
    pred: Any, question: Any, error: type[Exception], words: str
) -> None:
    mine = Asked()
    with pytest.raises(error, match=words):
        answersim.score(pred, pred, mine, question=question)
    assert mine.calls == 0


def test_nan_in_a_data_frame_is_an_error_that_names_its_row() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"pred\[1\] is nan"):
        answersim.score(["a", "b"], pandas.Series(["a", float("nan")], dtype=object))


@pytest.mark.parametrize("pairs", [["ab"], [("a",)], [("a", "b", "c")], [3], [None]])
def test_what_is_no_pair_is_refused(pairs: Any) -> None:
    with pytest.raises(TypeError, match=r"pairs\[0\]"):
        answersim.score_pairs(pairs, ["em"])
