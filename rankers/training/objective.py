"""The input and the objective of a training step, and the record of an epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from torch import Tensor, nn

from rankers.modules.batch import Batch
from rankers.training.losses import distillation


class DivergenceError(FloatingPointError, ValueError):
    """Raised if a training arrives at numbers that are not finite, because its settings are unsuitable."""


class Teacher(NamedTuple):
    """The scores of a teacher for the pairs of a step."""

    scores: Tensor  # nan for none, (questions, candidates)
    weight: float  # the weight of the distillation, from 0 to 1; the rest is that of the loss
    temperature: float  # the temperature of the scores of the teacher


class Step(NamedTuple):
    """The input of one step."""

    batch: Batch  # the pairs, row by row: the positive of each question and its negatives, or one candidate per row
    relevance: Tensor  # 1 for positives, 0 for negatives, (questions, candidates)
    mask: Tensor  # false where a row has no candidate, (questions, candidates)
    teacher: Teacher | None = None  # what it learns from the scores of a teacher, or None

    def mixed(self, loss: Tensor, scores: Tensor) -> Tensor:
        """Return this loss, mixed with the divergence of these scores of all pairs from those of the teacher."""
        if self.teacher is None:
            return loss
        weight, (targets, _, temperature) = self.teacher.weight, self.teacher
        taught = distillation(scores.view_as(self.relevance), targets, temperature)
        return (1 - weight) * loss + weight * taught


class Objective(Protocol):
    """Protocol of objectives, which a step minimizes."""

    def __call__(self, network: nn.Module, step: Step, /) -> Tensor:
        """Return a scalar with a gradient."""
        ...


class Epoch(NamedTuple):
    """The record of an epoch; epoch 0 is the network at the start."""

    epoch: int  # the number of the epoch
    loss: float  # the mean loss over its steps; nan for epoch 0
    dev: float  # the measure on dev
    # the total time of this epoch and those before it in seconds, including evaluation on dev, over all resumed runs
    seconds: float


@runtime_checkable
class StatefulObjective(Protocol):
    """An objective with a state, which is saved with that of the network. It is called after each epoch."""

    statistics: Any  # one NamedTuple per finished epoch

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        """Handle the end of an epoch. This is also called before the first epoch, with epoch 0."""
        ...

    def summary(self) -> str:
        """Return a short summary of the last epoch, or "" for none."""
        ...

    def state(self) -> Mapping[str, Tensor]:
        """Return the state that a resumed training needs at the end of an epoch: tensors by name."""
        ...

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        ...
