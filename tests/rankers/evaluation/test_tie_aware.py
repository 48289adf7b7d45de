"""Expected values over ties: equal to the plain average over every order, written out."""

from __future__ import annotations

from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankers.evaluation.measures
from rankers.evaluation import ties
from rankers.evaluation.qrels import Qrels
from rankers.evaluation.tie_aware import first_relevant, mean_over_ties, precisions, tie_averaged
from rankers.types import Run

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


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # Three of equal score, one of them relevant: it stands first, second or third, a third of the time each.
        ("RR", (1 + 1 / 2 + 1 / 3) / 3),
        ("AP", (1 + 1 / 2 + 1 / 3) / 3),
        ("P@1", 1 / 3),
        ("Success@2", 2 / 3),
        ("R@2", 2 / 3),
        ("nDCG@2", (1 + 1 / np.log2(3)) / 3),
    ],
)
def test_literal_cases(measure: str, value: float) -> None:
    scores, grades = {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 0, "b": 1, "c": 0}
    parsed = rankers.evaluation.measures.parse(measure)
    if parsed.NAME == "nDCG":
        parsed = parsed(gains={0: 0, 1: 1})
    assert tie_averaged(parsed, ties.order("q", scores), ties.group_sizes(scores), grades) == pytest.approx(value)


def test_without_ties_nothing_is_averaged() -> None:
    relevant, single = np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4, dtype=np.int64)
    assert mean_over_ties(relevant, single).tolist() == [0, 1, 0, 1]
    assert first_relevant(relevant, single).tolist() == [0, 1, 0, 0]
    assert precisions(relevant, single).tolist() == [0, 0.5, 0, 0.5]


def test_nothing_ranked_gives_nothing() -> None:
    nothing, no_groups = np.zeros(0), np.zeros(0, dtype=np.int64)
    for of in (mean_over_ties, first_relevant, precisions):
        assert of(nothing, no_groups).shape == (0,)
