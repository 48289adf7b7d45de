"""An objective with a state: what it remembers is saved with the training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from rankers.training.recipe import Recipe
from rankers.training.sampling import NoNegatives
from rankers.training.trainer import Epoch, Step
from tests.rankers.training.small_runs import killer, weights

ROWS = Recipe(epochs=3, batch_size=7, loss="pointwise", reads="rows", learning_rate=0.03)


class Counting:
    """An objective that remembers how many steps it took, and weighs the loss by it."""

    def __init__(self) -> None:
        self.steps, self.statistics = 0, []

    def __call__(self, network: nn.Module, step: Step) -> Tensor:
        self.steps += 1
        scores = network(step.batch).view_as(step.relevance)
        return nn.functional.binary_cross_entropy_with_logits(scores, step.relevance) * (1 + self.steps / 10)

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        self.statistics.append(epoch.epoch)

    def summary(self) -> str:
        return f"{self.steps} steps"

    def state(self) -> dict[str, Tensor]:
        return {"steps": torch.tensor(self.steps), "statistics": torch.tensor(self.statistics)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.steps, self.statistics = int(state["steps"]), state["statistics"].tolist()


@pytest.mark.parametrize("epoch", [1, 2])
def test_what_an_objective_remembers_survives_a_kill(epoch: int, bench: Any, tmp_path: Path) -> None:
    whole = bench.trainer(ROWS, NoNegatives(), objective=Counting())
    whole.finish()
    with pytest.raises(KeyboardInterrupt):
        bench.trainer(ROWS, NoNegatives(), objective=Counting(), hooks=(killer(epoch),)).finish(tmp_path)
    lines: list[str] = []
    resumed = bench.trainer(ROWS, NoNegatives(), objective=Counting())
    resumed.finish(tmp_path, lines.append)
    assert weights(resumed.network) == weights(whole.network)
    assert resumed.objective.state()["steps"] == whole.objective.state()["steps"] == 3 * -(-48 // 7)
    assert resumed.objective.statistics == whole.objective.statistics == [0, 1, 2, 3]
    assert lines[-1].endswith("; 21 steps")
