"""What a step of a training reads, what it makes small, and what is known at the end of an epoch."""

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
        batch: The pairs, row by row: the right answer of each question and its wrong ones, or one candidate a row.
        relevance: 1 for right, 0 for wrong, (questions, candidates).
        mask: False where a row has no candidate, (questions, candidates).
    """

    batch: Batch
    relevance: Tensor
    mask: Tensor


class Objective(Protocol):
    """What a step makes small."""

    def __call__(self, network: nn.Module, step: Step, /) -> Tensor:
        """Return a scalar with a gradient."""
        ...


class Epoch(NamedTuple):
    """What is known at the end of an epoch; epoch 0 is the network as it started.

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
    """An objective that remembers: it is told of each epoch, and its state is kept beside the network's.

    Attributes:
        reports: What it knows of each epoch that was ended, as NamedTuples.
    """

    reports: Any

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        """Handle the end of an epoch; also called before the first epoch, with epoch 0."""
        ...

    def summary(self) -> str:
        """Return what is to be told of the epoch that ended last, in a few words; "" for nothing."""
        ...

    def state(self) -> Mapping[str, Tensor]:
        """Return what a resumed run needs at the end of an epoch: tensors by name."""
        ...

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Become what gave this state."""
        ...
