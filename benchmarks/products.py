"""What a machine multiplies at most, and what texts need: the limit that encoders are held against."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

Clock = Callable[[], float]
_TOKENS, _TIMES = 16384, 20  # of a product that fills a card, and how often


class Shape(NamedTuple):
    """What decides how many operations an encoder's layer needs.

    Attributes:
        layers: How many there are.
        width: Of a token's state.
        inner: Of the feed-forward layer.
    """

    layers: int
    width: int
    inner: int


def operations(lengths: Sequence[int], shape: Shape) -> float:
    """Floating-point operations of the matrix products that texts of so many tokens need, two for each multiplication.

    A layer multiplies each token's state with 4 matrices of (d, d) and 2 of (d, inner), and in attention each token
    with each of its text twice.

    >>> operations([2], Shape(layers=1, width=3, inner=5))
    312.0
    """
    tokens = np.asarray(lengths, dtype=np.float64)
    layer = tokens.sum() * (4 * shape.width**2 + 2 * shape.width * shape.inner)
    return float(2 * shape.layers * (layer + 2 * (tokens**2).sum() * shape.width))


def multiplied_a_second(
    shape: Shape,
    precision: str,
    device: str = "cpu",
    *,
    tokens: int = 0,
    times: int = 0,
    clock: Clock = time.perf_counter,
) -> float:
    """Operations a second in matrix products of the sizes of a layer, on this device: the best of three rounds.

    On a processor, of torch's ``linear`` and of products by oneDNN with the weights laid out, the faster ones: MKL,
    which ``linear`` asks in fp32, uses half of what processors of other makers than its own can do.

    Args:
        shape: Of the layer.
        precision: "fp32", "bf16" or "fp16".
        device: Of torch.
        tokens: Rows of a product; as many as fill the device where not given.
        times: How often a round multiplies; long enough for a clock where not given.
        clock: Tells the seconds.
    """
    import torch

    from answersim.neural.linear import Linear

    tokens, times = tokens or (4096 if device == "cpu" else _TOKENS), times or (10 if device == "cpu" else _TIMES)
    kind = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[precision]
    sizes = [(shape.width, 3 * shape.width), (shape.width, shape.width)]
    sizes += [(shape.width, shape.inner), (shape.inner, shape.width)]
    done = 2 * times * tokens * sum(a * b for a, b in sizes)
    limit = 0.0
    with torch.inference_mode():
        states = [torch.randn(tokens, a).to(device, kind) for a, _ in sizes]
        weights = [torch.randn(b, a).to(device, kind) for a, b in sizes]
        for lay_out in (False, True) if device == "cpu" else (False,):
            products = [Linear(weight, torch.zeros_like(weight[:, 0]), lay_out=lay_out) for weight in weights]
            taken = []
            for _ in range(4):
                start = clock()
                for _ in range(times):
                    for product, state in zip(products, states, strict=True):
                        product(state)
                wait(device)
                taken.append(clock() - start)
            limit = max(limit, done / min(taken[1:]))
    return limit


def wait(device: str) -> None:
    """Until the device has done all that it was given."""
    import torch

    if torch.device(device).type != "cpu":
        torch.get_device_module(torch.device(device)).synchronize()
