"""The objective of ADDAX: the hinge, both constraints on codes, and what it tells of an epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from rankers.inputs.batch import Batch
from rankers.inputs.embedding import Embedding
from rankers.inputs.vocabulary import WordPieces, pad_ids
from rankers.models.addax import Config, Network
from rankers.models.addax_objective import AddaxObjective, Constraints
from rankers.modules.hashing import quantization, reconstruction
from rankers.training import losses
from rankers.training.objective import Epoch, Step
from rankers.training.recipe import Recipe

QUESTIONS = [[30, 31, 32], [9], [22, 40]]
ANSWERS = [[41, 30, 22, 9], [31, 32], [9, 9, 45, 47, 30, 31], [50]]
PAIRS = [(0, 2), (0, 0), (1, 1), (1, 3), (2, 2), (2, 0)]


def batch(pairs: list[tuple[int, int]] = PAIRS) -> Batch:
    made = [pad_ids(rows) for rows in (QUESTIONS, ANSWERS)]
    return Batch(*made, *(torch.tensor(places) for places in zip(*pairs, strict=True)))


@pytest.fixture
def network(tiny: Callable[..., Path]) -> Callable[..., Network]:
    """``network(use_mag=False)`` stands on a tiny BERT of 32 features; it starts the same each time."""

    def make(**settings: Any) -> Network:
        config = Config(str(tiny("bert")), question_length=5, answer_length=9, bits=8, widths=(10, 16), **settings)
        torch.manual_seed(0)
        return Network(config, Embedding(torch.zeros(len(range(WordPieces(str(tiny("bert"))).size)), 2))).eval()

    return make


@pytest.fixture
def step() -> Step:
    """Three questions with a right answer and a wrong one each."""
    return Step(batch(), torch.tensor([[1.0, 0.0]] * 3), torch.ones(3, 2, dtype=torch.bool))


def test_the_objective_is_the_hinge_and_both_constraints(network: Callable[..., Network], step: Step) -> None:
    for reduction in ("word", "text"):
        made = network(delta=0.01, gamma=0.3, l2_reduction=reduction)
        with torch.no_grad():
            result = AddaxObjective(0.7)(made, step)
            scores = made(step.batch).view(3, 2)
            expected = losses.hinge(scores, step.relevance, step.mask, 0.7)
            words = torch.cat([hybrid(made, pair) for pair in PAIRS])  # H_D of all words
            hashed = made.denoiser(words)
            expected += 0.01 * quantization(hashed, 6) + 0.3 * reconstruction(hashed, words, 6, reduction)
        torch.testing.assert_close(result, expected, atol=1e-5, rtol=1e-5)
    plain = network(use_hashing=False, delta=9.0, gamma=9.0)
    scores = plain(step.batch).view(3, 2)
    assert torch.equal(AddaxObjective()(plain, step), losses.hinge(scores, step.relevance, step.mask))


def hybrid(made: Network, pair: tuple[int, int]) -> torch.Tensor:
    """H_D of a pair."""
    u, v = (made.encoder(pad_ids([row])).vectors[0] for row in (QUESTIONS[pair[0]], ANSWERS[pair[1]]))
    return side(made.answer_cell, v, u, (u @ v.T / 32**0.5).T)


def test_the_objective_of_another_network_is_refused(step: Step) -> None:
    with pytest.raises(TypeError, match="was given a Linear"):
        AddaxObjective()(torch.nn.Linear(1, 1), step)


def side(cell: Any, own: torch.Tensor, other: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    """One side of the siamese cell for texts without padding (the cell's own test has it word by word)."""
    shared = s.softmax(1) @ other
    width = s.shape[1]
    e = torch.sigmoid(s @ cell.feature.weight[:, :width].T + cell.feature.bias)
    p = torch.sigmoid(s @ cell.share.weight[:, :width].T + cell.share.bias)
    return cell.highway(torch.cat([p * shared * e, (1 - p) * (own - shared) * (1 - e)], dim=-1))


def ended(objective: AddaxObjective, net: torch.nn.Module, epoch: int) -> None:
    objective.end_epoch(Epoch(epoch, 0.0, 0.0, 0.0), net)


def test_the_statistics_of_an_epoch_have_its_codes_and_gates(network: Callable[..., Network], step: Step) -> None:
    made, objective = network(), AddaxObjective()
    ended(objective, made, 0)
    assert (objective.statistics, objective.summary()) == ([], "")
    with torch.no_grad():
        values = [float(objective(made, step)) for _ in range(2)]
        judged = made.judge(step.batch)
    ended(objective, made, 1)
    (report,) = objective.statistics
    assert report[1:4] == pytest.approx((report.hinge, float(judged.quantization), float(judged.reconstruction)))
    assert values[0] == pytest.approx(report.hinge + 1e-6 * report.quantization + 0.003 * report.reconstruction)
    assert 0 <= report.question_gates < 0.5
    made.question_cell.feature.weight.data.mul_(1000)  # type: ignore[union-attr]
    objective(made, step)
    made(step.batch)  # a look at dev
    ended(objective, made, 2)
    assert objective.statistics[1].question_gates > 0.5
    assert f"saturated gates {objective.statistics[1].question_gates:.0%}" in objective.summary()


def test_without_cells_no_gate_is_saturated(network: Callable[..., Network], step: Step) -> None:
    made, objective = network(use_mag=False), AddaxObjective()
    objective(made, step)
    ended(objective, made, 1)
    assert objective.statistics[0][4:] == (0, 0)
    assert all(math.isfinite(report) for report in objective.statistics[0])


def test_a_restored_objective_has_its_statistics(network: Callable[..., Network], step: Step) -> None:
    made, objective, other = network(), AddaxObjective(), AddaxObjective()
    objective(made, step)
    ended(objective, made, 1)
    other.restore(objective.state())
    assert other.statistics == objective.statistics


def test_the_recipe_decides_the_margin() -> None:
    assert Constraints().resolve(Recipe(margin=0.3)).build().margin == 0.3
