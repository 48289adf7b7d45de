"""Losses against loops, with masks and a teacher."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from rankers.training.objective import LOSSES, get_loss, hinge, listwise, pointwise

unhurried = settings(deadline=None)  # the machine may be busy


def slow_hinge(scores: np.ndarray, relevance: np.ndarray, mask: np.ndarray, margin: float) -> float:
    result = []
    for row, rel, there in zip(scores, relevance, mask, strict=True):
        for i, j in product(range(len(row)), repeat=2):
            if there[i] and there[j] and rel[i] > rel[j]:
                result.append(max(0.0, margin - (row[i] - row[j])))
    return sum(result) / len(result) if result else 0.0


def slow_pointwise(scores: np.ndarray, relevance: np.ndarray, mask: np.ndarray) -> float:
    result = []
    for score, rel in zip(scores[mask], relevance[mask], strict=True):
        probability = 1 / (1 + math.exp(-score))
        result.append(-math.log(probability if rel > 0 else 1 - probability))
    return sum(result) / len(result) if result else 0.0


def slow_listwise(scores: np.ndarray, relevance: np.ndarray, mask: np.ndarray, temperature: float) -> float:
    result = []
    for row, rel, there in zip(scores, relevance, mask, strict=True):
        remaining = [i for i in range(len(row)) if there[i]]
        total = sum(rel[i] for i in remaining)
        if total > 0:
            normaliser = math.log(sum(math.exp(row[i] / temperature) for i in remaining))
            result.append(-sum(rel[i] / total * (row[i] / temperature - normaliser) for i in remaining))
    return sum(result) / len(result) if result else 0.0


@st.composite
def lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, 4)))
    n = shape[0] * shape[1]
    scores = draw(st.lists(st.floats(-5, 5), min_size=n, max_size=n))
    grades = draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 3]), min_size=n, max_size=n))
    mask = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return tuple(np.array(entry).reshape(shape) for entry in (scores, grades, mask))  # type: ignore[return-value]


def tensors(given_lists: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[Tensor, Tensor, Tensor]:
    scores, relevance, mask = given_lists
    return torch.tensor(scores, dtype=torch.float64), torch.tensor(relevance, dtype=torch.float64), torch.tensor(mask)


@unhurried
@given(lists(), st.sampled_from([0.0, 0.2, 1.0]))
def test_the_hinge_is_the_mean_over_pairs(given_lists, margin):
    assert float(hinge(*tensors(given_lists), margin)) == pytest.approx(slow_hinge(*given_lists, margin), abs=1e-9)


@unhurried
@given(lists())
def test_pointwise_is_the_mean_cross_entropy_over_candidates(given_lists):
    assert float(pointwise(*tensors(given_lists))) == pytest.approx(slow_pointwise(*given_lists), abs=1e-9)


@unhurried
@given(lists(), st.sampled_from([0.5, 1.0, 2.0]))
def test_listwise_is_the_mean_cross_entropy_over_questions(given_lists, temperature):
    expected = slow_listwise(*given_lists, temperature)
    assert float(listwise(*tensors(given_lists), temperature)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("hidden", [1e30, -1e30, math.inf, math.nan])
def test_what_the_mask_hides_counts_neither_in_the_loss_nor_in_its_gradient(name, hidden):
    seen = torch.tensor([[0.4, -0.2], [0.1, 0.3]], requires_grad=True)
    relevance = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    alone = get_loss(name)(seen, relevance, torch.ones(2, 2, dtype=torch.bool))
    (expected,) = torch.autograd.grad(alone, seen)

    both = torch.cat([seen.detach(), torch.full((2, 1), hidden)], dim=1)
    wide = torch.cat([both, torch.full((1, 3), hidden)]).requires_grad_()  # a column and a row that are not there
    mask = torch.tensor([[True, True, False], [True, True, False], [False, False, False]])
    loss = get_loss(name)(wide, torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), mask)
    (gradient,) = torch.autograd.grad(loss, wide)

    torch.testing.assert_close(loss, alone)
    torch.testing.assert_close(gradient[:2, :2], expected)
    assert not gradient[~mask].any()


@pytest.mark.parametrize("name", LOSSES)
def test_where_nothing_can_be_compared_loss_and_gradient_are_0(name):
    scores = torch.tensor([[0.4, -0.2], [0.1, 0.3]], requires_grad=True)
    loss = get_loss(name)(scores, torch.zeros(2, 2), torch.zeros(2, 2, dtype=torch.bool))
    loss.backward()
    assert float(loss.detach()) == 0
    assert scores.grad is not None
    assert not scores.grad.any()


def test_an_unknown_loss_is_refused_with_the_nearest_one():
    with pytest.raises(LookupError, match="no loss is called 'hing'; did you mean 'hinge'"):
        get_loss("hing")
