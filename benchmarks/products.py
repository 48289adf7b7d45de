"""The highest rate of matrix products on a machine, and the operations that texts need: the limit for encoders."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

Clock = Callable[[], float]
_TOKENS, _TIMES = 16384, 20  # rows of a product that fills a GPU, and its repetitions


class Shape(NamedTuple):
    """The sizes that decide how many operations an encoder needs."""

    layers: int  # the number of layers
    width: int  # the width of the state of a token
    inner: int  # the width of the feed-forward layer


def operations(lengths: Sequence[int], shape: Shape) -> float:
    """Count the floating-point operations of the matrix products for texts of so many tokens, two per multiplication.

    A layer multiplies the state of each token by 4 matrices of (d, d) and 2 of (d, inner). Attention multiplies each
    token by each token of its text twice.

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
    clock: Clock = time.perf_counter,
) -> float:
    """Measure operations per second in matrix products of the sizes of a layer on this device, best of three rounds.

    On a CPU, the result is that of the faster one of ``linear`` of PyTorch and oneDNN with packed weights. ``linear``
    uses MKL in fp32, which runs at half speed on CPUs that are not from Intel.
    """
    import torch

    from answersim.metrics.neural.linear import Linear

    tokens, times = (4096, 10) if device == "cpu" else (_TOKENS, _TIMES)
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
    """Wait until the device has finished all work."""
    import torch

    if torch.device(device).type != "cpu":
        torch.get_device_module(torch.device(device)).synchronize()
