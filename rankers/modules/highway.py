"""A highway layer: a closed gate passes the input on, and an open gate transforms it."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Highway(nn.Module):
    """W5 z + b5 with z = (1 - g) * x + g * relu(W3 x + b3) and g = sigmoid(W4 x + b4).

    Source: the ADDAX paper, equations 10 to 13; Srivastava et al. 2015, "Highway networks". The paper does not state
    the initial b4. Below 0, most of the input is passed on at first, as Srivastava et al. recommend.
    """

    def __init__(self, dim: int, out: int, *, gate_bias: float = -1.0) -> None:
        """Build a highway from ``dim`` to ``out``. ``gate_bias`` is the initial value of b4."""
        super().__init__()
        self.transform = nn.Linear(dim, dim)  # W3, b3
        self.gate = nn.Linear(dim, dim)  # W4, b4
        self.out = nn.Linear(dim, out)  # W5, b5
        nn.init.constant_(self.gate.bias, gate_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Return the output for each vector alone, (..., dim) -> (..., out)."""
        open_by = torch.sigmoid(self.gate(x))  # (..., dim)
        return self.out(x + open_by * (torch.relu(self.transform(x)) - x))
