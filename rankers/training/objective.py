"""What a step of a training reads and minimizes, and the record of an epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from torch import Tensor, nn

from rankers.inputs.batch import Batch


class DivergenceError(FloatingPointError, ValueError):
    """A training arrived at numbers that are not finite: its settings do not suit it."""


class Step(NamedTuple):
    """What one step reads.

    Attributes:
        batch: The pairs, row by row: the positive of each question and its negatives, or one candidate per row.
        relevance: 1 for positives, 0 for negatives, (questions, candidates).
        mask: False where a row has no candidate, (questions, candidates).
    """

    batch: Batch
    relevance: Tensor
    mask: Tensor


class Objective(Protocol):
    """What a step minimizes."""

    def __call__(self, network: nn.Module, step: Step, /) -> Tensor:
        """Return a scalar with a gradient."""
        ...


class Epoch(NamedTuple):
    """The record of an epoch; epoch 0 is the network at the start.

    Attributes:
        epoch: Its number.
        loss: The mean over its steps; nan for epoch 0.
        dev: The measure on dev.
        seconds: What it and those before it took, with their looks at dev, over all sittings.
    """

    epoch: int
    loss: float
    dev: float
    seconds: float


@runtime_checkable
class StatefulObjective(Protocol):
    """An objective with a state, which is saved beside that of the network. It is called after each epoch.

    Attributes:
        statistics: One NamedTuple per finished epoch.
    """

    statistics: Any

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        """Handle the end of an epoch; also called before the first epoch, with epoch 0."""
        ...

    def summary(self) -> str:
        """Return a summary of the last epoch in a few words; "" for nothing."""
        ...

    def state(self) -> Mapping[str, Tensor]:
        """Return what a resumed training needs at the end of an epoch: tensors by name."""
        ...

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        ...
