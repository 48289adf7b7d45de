"""Ties: one order of equal scores, decided by a seed and nothing else."""

from __future__ import annotations

from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankers.evaluation.measures
from rankers.evaluation import ties
from rankers.evaluation.qrels import Qrels
from rankers.evaluation.ties import first_relevant, mean_over_ties, precisions
from rankers.types import Run

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


def test_groups_are_counted_from_the_best_score_down() -> None:
    assert ties.group_sizes({"a": 0.0, "b": 2.0, "c": -0.0, "d": 2.0, "e": 2.0}).tolist() == [3, 2]
    assert ties.group_sizes({}).tolist() == []


NAMES = ["AP", "AP@2", "RR", "RR@2", "P@1", "P@3", "R@1", "R@3", "nDCG", "nDCG@2", "Success@1", "Success@2"]


def orders(scores: dict[str, float]) -> list[list[str]]:
    """Every ranking that these scores allow."""
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    groups = [list(group) for _, group in groupby(ranked, key=scores.__getitem__)]
    return [[each for part in parts for each in part] for parts in product(*map(permutations, groups))]


@given(
    scores=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 0.5, 1.0]), min_size=1),
    grades=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1),
    relevant=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_the_closed_form_is_the_average_over_every_order(
    scores: dict[str, float], grades: dict[str, int], relevant: int
) -> None:
    every = orders(scores)
    untied = {str(i): {each: -place for place, each in enumerate(order)} for i, order in enumerate(every)}
    qrels = Qrels(dict.fromkeys(untied, grades), relevant=relevant)
    result = rankers.evaluation.measures.measure(Run("all orders", untied), qrels, NAMES, without_positives="zero")
    tied = rankers.evaluation.measures.measure(
        Run("ties", {"q": scores}), Qrels({"q": grades}, relevant=relevant), NAMES, without_positives="zero"
    )
    for name in NAMES:
        assert tied.tie_averaged[name][0] == pytest.approx(result.values[name].mean(), abs=1e-9), name


def test_nothing_ranked_gives_nothing() -> None:
    nothing, no_groups = np.zeros(0), np.zeros(0, dtype=np.int64)
    for of in (mean_over_ties, first_relevant, precisions):
        assert of(nothing, no_groups).shape == (0,)


def test_scores_are_close_if_single_precision_makes_them_equal() -> None:
    scores = {"far": {"a": 1.0, "b": 2.0}, "near": {"a": 1.0, "b": 1.0 + 1e-9}, "huge": {"a": 1e300, "b": 1e301}}
    assert list(ties.close(scores)) == ["near", "huge"]
