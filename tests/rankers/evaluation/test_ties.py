"""Ties: one order of equal scores, decided by a seed and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rankers.evaluation import ties

SCORES = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3), st.sampled_from([0.0, -0.0, 0.5, 1.0]), max_size=12
)


@given(SCORES, st.integers(0, 5))
def test_scores_fall_and_no_document_is_lost(scores: dict[str, float], seed: int) -> None:
    ordered = ties.order("q", scores, seed)
    assert sorted(ordered) == sorted(scores)
    assert [scores[each] for each in ordered] == sorted(scores.values(), reverse=True)


@given(SCORES, st.integers(0, 5))
def test_the_order_of_the_mapping_changes_nothing(scores: dict[str, float], seed: int) -> None:
    assert ties.order("q", dict(reversed(scores.items())), seed) == ties.order("q", scores, seed)


def test_equal_scores_follow_neither_their_ids_nor_those_of_another_question() -> None:
    scores = {f"d{i:02}": 1.0 for i in range(20)}
    orders = [ties.order(question, scores, seed) for question in ("q1", "q2") for seed in (0, 1)]
    assert all(order not in (sorted(scores), sorted(scores, reverse=True)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4


def test_every_document_of_a_tie_comes_first_about_as_often() -> None:
    firsts = [ties.order("q", {"a": 1.0, "b": 1.0, "c": 1.0}, seed)[0] for seed in range(600)]
    assert all(150 < firsts.count(each) < 250 for each in "abc")


def test_a_difference_too_small_for_32_bits_is_no_tie() -> None:
    scores = {"a": 0.5, "b": 0.5 + 1e-12}
    assert ties.order("q", scores) == ["b", "a"]
    assert ties.group_sizes(scores).tolist() == [1, 1]


def test_groups_are_counted_from_the_best_score_down() -> None:
    assert ties.group_sizes({"a": 0.0, "b": 2.0, "c": -0.0, "d": 2.0, "e": 2.0}).tolist() == [3, 2]
    assert ties.group_sizes({}).tolist() == []
