"""A frozen linear layer with a trained low-rank addition (LoRA)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


class LowRank(nn.Module):
    """W x + b + scale * B A x, in which only A and B are trained.

    B starts at zero, so that the layer starts as the frozen one. What is frozen is not in the state dict.

    Attributes:
        a: (rank, inputs).
        b: (outputs, rank).
        scale: alpha / rank; here 1.

    Source: Hu et al. 2021, "LoRA", equation 3; A starts as in peft.
    """

    scale = 1.0

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        """Wrap a linear layer; rank is at least 1."""
        super().__init__()
        self.register_buffer("weight", linear.weight.detach(), persistent=False)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach(), persistent=False)
        self.a = nn.Parameter(torch.empty(rank, linear.in_features))
        self.b = nn.Parameter(torch.zeros(linear.out_features, rank))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        """Return (..., outputs) for (..., inputs)."""
        frozen = functional.linear(x, self.weight, self.bias)  # type: ignore[arg-type] # a buffer is a Tensor
        return frozen + self.scale * functional.linear(functional.linear(x, self.a), self.b)


def adapt(module: nn.Module, rank: int) -> nn.Module:
    """Replace every linear layer inside a module by its ``LowRank`` version and return the same module."""
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            setattr(module, name, LowRank(child, rank))
        else:
            adapt(child, rank)
    return module
