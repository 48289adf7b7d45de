"""The objective of ADDAX: a hinge, and two constraints on the codes of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor, nn

from rankers.models.addax import Network
from rankers.training import losses
from rankers.training.objective import Epoch, Step
from rankers.training.recipe import Recipe


@dataclass(frozen=True)
class Constraints:
    """The settings of the objective. Delta, gamma and the reduction of L2 are settings of the network."""

    # the margin of the hinge of sums over the words of a question, so it is weaker for long questions
    margin: float = field(default=1.0, metadata={"by": "recipe"})

    def resolve(self, recipe: Recipe) -> Constraints:
        """Return the same settings with the margin of the recipe."""
        return replace(self, margin=recipe.margin)

    def build(self) -> AddaxObjective:
        """Return a new objective."""
        return AddaxObjective(self.margin)


class AddaxStatistics(NamedTuple):
    """Statistics of the codes and the gates of an epoch, as means over its steps."""

    epoch: int  # the number of the epoch, from 1
    hinge: float  # the hinge loss of the scores
    quantization: float  # L1, before delta; 0 without hashing
    reconstruction: float  # L2, before gamma; 0 without hashing
    # the share of the gates of the question cell that are near 0 or 1, counted on dev; 0 without cells
    question_gates: float
    answer_gates: float  # the same share for the answer cell


class AddaxObjective:
    """The mean hinge over positives and negatives, and delta L1 + gamma L2 over the codes of both (equation 15).

    The paper sums over triples, which only changes the scale of the gradient, and Adam does not depend on it. L1 is the
    mean over the answers of the step, positives and negatives.

    Attributes:
        margin: The margin of the hinge.
        statistics: One row per finished epoch.
    """

    def __init__(self, margin: float = 1.0) -> None:
        """Set up an objective before its first step."""
        self.margin = margin
        self.statistics: list[AddaxStatistics] = []
        self._steps: list[list[float]] = []

    def __call__(self, network: nn.Module, step: Step, /) -> Tensor:
        """Return a scalar with a gradient. Raise TypeError if the network is not ADDAX."""
        if not isinstance(network, Network):
            raise TypeError(f"the objective of ADDAX was given a {type(network).__name__}, which has no codes")
        judged, config = network.judge(step.batch), network.config
        hinge = losses.hinge(judged.scores.view_as(step.relevance), step.relevance, step.mask, self.margin)
        hinge = step.mixed(hinge, judged.scores)
        self._steps.append([float(loss.detach()) for loss in (hinge, judged.quantization, judged.reconstruction)])
        return hinge + config.delta * judged.quantization + config.gamma * judged.reconstruction

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        """Record the statistics of the epoch that ended."""
        gates = network.saturated_share() if isinstance(network, Network) else (0.0, 0.0)  # reset the counts
        if self._steps:
            means = torch.tensor(self._steps, dtype=torch.float64).mean(dim=0).tolist()
            self.statistics.append(
                AddaxStatistics(epoch.epoch, *means, *(0.0 if gate != gate else gate for gate in gates))
            )
        self._steps = []

    def summary(self) -> str:
        """Return the constraints and the saturated gates of the last epoch; "" before the first."""
        if not self.statistics:
            return ""
        last = self.statistics[-1]
        shares = f"{last.question_gates:.0%} and {last.answer_gates:.0%}"
        return f"L1 {last.quantization:.4g}, L2 {last.reconstruction:.4g}, saturated gates {shares}"

    def state(self) -> dict[str, Tensor]:
        """Return the statistics."""
        return {"statistics": torch.tensor(self.statistics, dtype=torch.float64).view(-1, len(AddaxStatistics._fields))}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        self.statistics = [AddaxStatistics(int(epoch), *others) for epoch, *others in state["statistics"].tolist()]
        self._steps = []
