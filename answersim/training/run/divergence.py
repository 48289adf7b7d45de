"""Stop a training whose loss or weights are no longer finite, before it is written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

_REMEDY = "the training diverged, and this state is not written; lower the learning rate, or check the base"


def check_finite(tensors: Mapping[str, torch.Tensor], content: str) -> None:
    """Check that all values are finite. Raise ValueError if a value is not finite."""
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise ValueError(f"{content}: {name} has values that are not finite; {_REMEDY}")


def check_loss(loss: float, step: int) -> None:
    """Check that the loss of this step, counted from 1, is finite. Raise ValueError if not."""
    if not math.isfinite(loss):
        raise ValueError(f"the loss of step {step} is {loss}; {_REMEDY}")
