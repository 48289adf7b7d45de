"""The objective of ADDAX: the hinge, both constraints on codes, and what it tells of an epoch."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from rankers.models.addax import AddaxObjective, Constraints, Network
from rankers.modules.mag import quantization, reconstruction
from rankers.modules.vocabulary import pad_ids
from rankers.training import objective
from rankers.training.objective import Epoch, Step
from rankers.training.recipe import Recipe
from tests.rankers.models.small_addax import ANSWERS, PAIRS, QUESTIONS, side


def test_the_objective_is_the_hinge_and_both_constraints(addax: Callable[..., Network], addax_step: Step) -> None:
    for reduction in ("word", "text"):
        made = addax(delta=0.01, gamma=0.3, l2_reduction=reduction)
        with torch.no_grad():
            result = AddaxObjective(0.7)(made, addax_step)
            scores = made(addax_step.batch).view(3, 2)
            expected = objective.hinge(scores, addax_step.relevance, addax_step.mask, 0.7)
            words = torch.cat([hybrid(made, pair) for pair in PAIRS])  # H_D of all words
            hashed = made.denoiser(words)
            expected += 0.01 * quantization(hashed, 6) + 0.3 * reconstruction(hashed, words, 6, reduction)
        torch.testing.assert_close(result, expected, atol=1e-5, rtol=1e-5)
    plain = addax(use_hashing=False, delta=9.0, gamma=9.0)
    scores = plain(addax_step.batch).view(3, 2)
    assert torch.equal(
        AddaxObjective()(plain, addax_step), objective.hinge(scores, addax_step.relevance, addax_step.mask)
    )


def hybrid(made: Network, pair: tuple[int, int]) -> torch.Tensor:
    """H_D of a pair."""
    u, v = (made.encoder(pad_ids([row])).vectors[0] for row in (QUESTIONS[pair[0]], ANSWERS[pair[1]]))
    return side(made.answer_cell, v, u, (u @ v.T / 32**0.5).T)


def test_the_objective_of_another_network_is_refused(addax_step: Step) -> None:
    with pytest.raises(TypeError, match="was given a Linear"):
        AddaxObjective()(torch.nn.Linear(1, 1), addax_step)


def ended(objective: AddaxObjective, net: torch.nn.Module, epoch: int) -> None:
    objective.end_epoch(Epoch(epoch, 0.0, 0.0, 0.0), net)


def test_the_statistics_of_an_epoch_have_its_codes_and_gates(addax: Callable[..., Network], addax_step: Step) -> None:
    made, objective = addax(), AddaxObjective()
    ended(objective, made, 0)
    assert (objective.statistics, objective.summary()) == ([], "")
    with torch.no_grad():
        values = [float(objective(made, addax_step)) for _ in range(2)]
        judged = made.judge(addax_step.batch)
    ended(objective, made, 1)
    (report,) = objective.statistics
    assert report[1:4] == pytest.approx((report.hinge, float(judged.quantization), float(judged.reconstruction)))
    assert values[0] == pytest.approx(report.hinge + 1e-6 * report.quantization + 0.003 * report.reconstruction)
    assert 0 <= report.question_gates < 0.5
    made.question_cell.feature.weight.data.mul_(1000)  # type: ignore[union-attr]
    objective(made, addax_step)
    made(addax_step.batch)  # a look at dev
    ended(objective, made, 2)
    assert objective.statistics[1].question_gates > 0.5
    assert f"saturated gates {objective.statistics[1].question_gates:.0%}" in objective.summary()


def test_without_cells_no_gate_is_saturated(addax: Callable[..., Network], addax_step: Step) -> None:
    made, objective = addax(use_mag=False), AddaxObjective()
    objective(made, addax_step)
    ended(objective, made, 1)
    assert objective.statistics[0][4:] == (0, 0)
    assert all(math.isfinite(report) for report in objective.statistics[0])


def test_a_restored_objective_has_its_statistics(addax: Callable[..., Network], addax_step: Step) -> None:
    made, objective, other = addax(), AddaxObjective(), AddaxObjective()
    objective(made, addax_step)
    ended(objective, made, 1)
    other.restore(objective.state())
    assert other.statistics == objective.statistics


def test_the_recipe_decides_the_margin() -> None:
    assert Constraints().resolve(Recipe(margin=0.3)).build().margin == 0.3
