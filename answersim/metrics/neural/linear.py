"""Linear layers with fixed weights. On a CPU, oneDNN computes them from weights that were reordered once.

``torch.nn.functional.linear`` reorders the weights for its kernels at every call. A layer whose weights were reordered
beforehand takes 8 to 18 % less time (layers of the sizes of all-MiniLM-L6-v2, 1,024 to 8,192 tokens, one thread), and
the activation is computed while the result is still in the cache of the CPU. The numbers differ in their last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu, linear

_USUAL_ROWS = 2048  # tokens of a batch: the layout is optimized for products of about this many rows
_MOST = 1 << 28  # the maximum number of weights of one model that are stored a second time in that layout: 1 GB in fp32


class Linear:
    """From states (t, a) to activation(states @ weight.T + bias), (t, b)."""

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor,
        activation: Callable[[Tensor], Tensor] | None = None,
        *,
        lay_out: bool = True,
    ) -> None:
        """Take weights that do not change afterwards.

        ``weight``: (b, a). ``bias``: (b,). ``activation``: oneDNN computes the exact GELU together with the layer.
        ``lay_out``: whether a second copy of the weights may be kept, in the order in which they are read.
        """
        self.weight, self.bias, self.activation = weight, bias, activation
        self._fused = "gelu" if activation is gelu else "none"
        self._laid_out = _laid_out(weight) if lay_out else None

    def __call__(self, states: Tensor) -> Tensor:
        """Return the outputs for these states, (t, b)."""
        if self._laid_out is not None:
            projected = torch.ops.mkldnn._linear_pointwise(states, self._laid_out, self.bias, self._fused, [], "none")
            return projected if self.activation is None or self._fused == "gelu" else self.activation(projected)
        projected = linear(states, self.weight, self.bias)
        return projected if self.activation is None else self.activation(projected)


def worth_laying_out(numbers: int) -> bool:
    """Return whether a model with this many weights is small enough to be stored twice."""
    return numbers <= _MOST


def _laid_out(weight: Tensor) -> Any:
    """Return the reordered weights; None if torch has no such kernels for this type and device."""
    if weight.device.type != "cpu" or weight.dtype not in _kinds():
        return None
    return torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), _USUAL_ROWS)


@cache
def _kinds() -> frozenset[torch.dtype]:
    """Return the dtypes for which the kernels work here, tested once on a small product."""
    return frozenset(kind for kind in (torch.float32, torch.bfloat16) if _works(kind))


def _works(kind: torch.dtype) -> bool:
    """Return whether a small product is correct. These functions are private to torch and may change."""
    if kind is torch.bfloat16 and not getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", bool)():
        return False
    weight = torch.linspace(-1, 1, 12, dtype=torch.float32).view(3, 4).to(kind)
    bias, states = (
        torch.linspace(0, 1, 3, dtype=torch.float32).to(kind),
        torch.linspace(-2, 3, 20, dtype=torch.float32).view(5, 4).to(kind),
    )
    expected = gelu(linear(states.double(), weight.double(), bias.double()))
    try:
        layout = torch.ops.mkldnn._reorder_linear_weight(weight, _USUAL_ROWS)
        product = torch.ops.mkldnn._linear_pointwise(states, layout, bias, "gelu", [], "none")
    except (AttributeError, RuntimeError, NotImplementedError, TypeError):
        return False
    return torch.allclose(product.double(), expected, atol=1e-5 if kind is torch.float32 else 5e-2)
