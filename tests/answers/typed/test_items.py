"""Lists: split, compared in any order, and matched by any metric."""

import numpy as np
import pytest

import answersim
from answersim.answers.typed.items import MOST, Items, compare_items, match_items, read_items, split_items
from answersim.answers.typed.question import asked
from tests.cases import cases_of, every

CASES = cases_of(__file__)


def read(text: str) -> Items | None:
    return read_items(text, "en", lambda item, _: item if item.isdigit() else None)


@every(("text", "items"), CASES["a_list_is_split"])
def test_a_list_is_split(text, items):
    assert split_items(text) == items


def test_a_clause_is_no_item_and_one_item_no_list():
    assert read("red") is None
    assert read("It was a long day for all of us who came, and so we went home") is None
    assert read("a, " * (MOST + 1)) is None


@every(("gold", "pred", "relation"), CASES["lists_are_compared_in_any_order"])
def test_lists_are_compared_in_any_order(gold, pred, relation):
    assert compare_items(read(gold), read(pred)).relation == relation


def test_the_question_decides_about_the_order():
    first, second = read("red, blue"), read("blue, red")
    assert compare_items(first, second, asked("Name the colors in order.")).relation == "different"
    assert compare_items(first, first, asked("Name the colors in order.")).relation == "equal"
    assert compare_items(first, second, asked("Which colors border it?")).relation == "equal"
    names = read("Ann and Bob"), read("Bob and Ann")
    assert compare_items(*names).rule == "order"
    assert compare_items(*names, asked("Who are the parents?")).relation == "equal"


def test_items_are_matched_in_any_order_by_any_metric():
    em = answersim.metric("em")
    assert match_items("red, white and blue", "blue, red", em)[:2] == (1.0, 2 / 3)
    assert match_items(["x y", "c d"], ["c d", "x z"], answersim.metric("f1")).matches == ((0, 1, 0.5), (1, 0, 1.0))
    assert match_items("red", "green", em)[:3] == (0.0, 0.0, 0.0)
    assert match_items("", "", em)[:3] == (1.0, 1.0, 1.0)
    assert match_items("red", [], em)[:3] == (0.0, 0.0, 0.0)


def test_the_best_assignment_is_found_where_a_greedy_one_fails():
    scores = {("a", "x"): 0.9, ("a", "y"): 0.8, ("b", "x"): 0.8, ("b", "y"): 0.0}
    result = match_items(
        ["a", "b"], ["x", "y"], lambda pairs: np.array([scores[pair.gold, pair.pred] for pair in pairs])
    )
    assert result.precision == pytest.approx(0.8)


def test_bad_lists_are_refused():
    em = answersim.metric("em")
    with pytest.raises(ValueError, match="gold has 101 items, but at most 100 are matched"):
        match_items(["a"] * 101, ["a"], em)
    with pytest.raises(TypeError, match="pred contains 3, but an item is a string"):
        match_items(["a"], [3], em)
