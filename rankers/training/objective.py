"""The input and the objective of a training step, the losses, and the record of an epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from answersim._base.errors import unknown
from rankers.modules.scoring import Batch


def hinge(scores: Tensor, relevance: Tensor, mask: Tensor, margin: float = 1.0) -> Tensor:
    """Return the mean of max(0, margin - (positive - negative)) over pairs of two candidates of one question.

    The positive of a pair is the more relevant candidate, so grades are used as they are.

    >>> float(hinge(torch.tensor([[0.5, 0.25]]), torch.tensor([[1.0, 0.0]]), torch.ones(1, 2, dtype=torch.bool)))
    0.75

    Source: the committee paper, equation 2; GGSA, section 3.3 (margin .1).
    """
    gaps = scores[:, :, None] - scores[:, None, :]  # (q, c, c): first minus second
    pairs = (relevance[:, :, None] > relevance[:, None, :]) & mask[:, :, None] & mask[:, None, :]
    return _mean((margin - gaps).clamp(min=0), pairs)


def pointwise(scores: Tensor, relevance: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over candidates of the cross entropy of sigmoid(score) with relevant or not.

    For a score that is the difference of two logits, this is the cross entropy of their softmax.

    Source: GGSA, section 3.3.
    """
    target = (relevance > 0).to(scores.dtype)
    seen = scores.masked_fill(~mask, 0)
    return _mean(functional.binary_cross_entropy_with_logits(seen, target, reduction="none"), mask)


def listwise(scores: Tensor, relevance: Tensor, mask: Tensor, temperature: float = 1.0) -> Tensor:
    """Return the mean over questions of the cross entropy of softmax(scores / temperature) with relevance / its sum.

    Questions without a relevant candidate are left out.

    Source: Cao et al. 2007, "Learning to rank: from pairwise approach to listwise approach" (top-one ListNet), with the
    share of relevance instead of a softmax of it.
    """
    logs = functional.log_softmax((scores / temperature).masked_fill(~mask, -torch.inf), dim=1)
    target = relevance.masked_fill(~mask, 0)
    total = target.sum(dim=1)
    entropy = -(target * logs.masked_fill(~mask, 0)).sum(dim=1)
    return _mean(entropy / total.clamp(min=torch.finfo(scores.dtype).tiny), total > 0)


LOSSES: dict[str, Callable[..., Tensor]] = {"hinge": hinge, "pointwise": pointwise, "listwise": listwise}


def get_loss(name: str, margin: float = 1.0, temperature: float = 1.0) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Return the loss of this name with its settings: "hinge" has a margin, "listwise" a temperature."""
    if name not in LOSSES:
        raise unknown("loss", name, LOSSES)
    settings = {"hinge": {"margin": margin}, "listwise": {"temperature": temperature}}.get(name, {})
    return partial(LOSSES[name], **settings)


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    """Return the mean where mask is True, or 0 with a gradient of 0 if it is nowhere True."""
    return values.masked_fill(~mask, 0).sum() / mask.sum().clamp(min=1)


class DivergenceError(FloatingPointError, ValueError):
    """Raised if a training arrives at numbers that are not finite, because its settings are unsuitable."""


class Step(NamedTuple):
    """The input of one step."""

    batch: Batch  # the pairs, row by row: the positive of each question and its negatives, or one candidate per row
    relevance: Tensor  # 1 for positives, 0 for negatives, (questions, candidates)
    mask: Tensor  # false where a row has no candidate, (questions, candidates)


Objective = Callable[[nn.Module, Step], Tensor]  # returns a scalar with a gradient, which a step minimizes


class Epoch(NamedTuple):
    """The record of an epoch; epoch 0 is the network at the start."""

    epoch: int  # the number of the epoch
    loss: float  # the mean loss over its steps; nan for epoch 0
    dev: float  # the measure on dev
    # the total time of this epoch and those before it in seconds, including evaluation on dev, over all resumed runs
    seconds: float


class Stateful:
    """A part of a training with a state that is saved with that of the network. Here the state is the statistics.

    Attributes:
        row: The NamedTuple of the statistics of an epoch; its first field is the number of the epoch. None for none.
        statistics: One row per finished epoch.
    """

    row: Any = None
    statistics: Sequence[Any] = ()

    def summary(self) -> str:
        """Return a summary of the last epoch in a few words; "" for none."""
        return ""

    def state(self) -> dict[str, Tensor]:
        """Return the state that a resumed training needs in addition to the epoch: tensors by name."""
        if self.row is None:
            return {}
        return {"statistics": torch.tensor(self.statistics, dtype=torch.float64).view(-1, len(self.row._fields))}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        if self.row is not None:
            self.statistics = [self.row(int(epoch), *others) for epoch, *others in state["statistics"].tolist()]


class StatefulObjective(Stateful):
    """An objective with a state."""

    def __call__(self, network: nn.Module, step: Step, /) -> Tensor:
        """Return a scalar with a gradient."""
        raise NotImplementedError

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        """Handle the end of an epoch. This is also called before the first epoch, with epoch 0."""
        raise NotImplementedError
