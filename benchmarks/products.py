"""The highest rate of matrix products on a machine, and the operations that texts need: the limit for encoders."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim.metrics.neural.tokens import tokenize
from answersim.types import Pair, capabilities

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


def needs(metric: Any, pairs: Sequence[Pair]) -> dict[Shape, float]:
    """Count the floating-point operations of the matrix products that these pairs need, by the shape of the network.

    Texts, or pairs of texts, with equal tokens count once per encoder, because they run once. A composite metric needs
    the operations of its parts, and those of parts on the same encoder count once. Only the first token of each pair
    is read from the last layer of a cross-encoder, so only its operations count there.
    """
    read: dict[Any, set[tuple[int, ...]]] = {}
    depth: dict[Any, int] = {}
    scorers: set[Any] = set()
    for part in getattr(metric, "parts", (metric,)):
        encoder, cost = capabilities(part).encoder, capabilities(part).cost
        if cost != "model":
            continue  # a lexical metric
        backbone = part.scorer if encoder is None else encoder
        limit = backbone.max_length
        if encoder is not None:
            request = part.request(pairs)
            texts: Sequence[Any] = list(dict.fromkeys(request.texts))
            limit, layers = request.max_length, backbone.layers if request.layer is None else request.layer
        else:
            both = {"mean": 2, "max": 2}.get(part.order, 1)
            texts = [(pair.gold, pair.pred) for pair in pairs] + [(pair.pred, pair.gold) for pair in pairs] * (both - 1)
            texts, layers = list(dict.fromkeys(texts)), int(backbone.checkpoint.config["num_hidden_layers"])
            scorers.add(backbone)
        sequences = tokenize(backbone.checkpoint, texts, limit).ids
        read.setdefault(backbone, set()).update(map(tuple, sequences))
        depth[backbone] = max(depth.get(backbone, 0), layers)
    needed: dict[Shape, float] = {}
    for backbone, sequences_ in read.items():
        shape = shape_of(backbone.checkpoint, depth[backbone])
        lengths = [len(ids) for ids in sequences_]
        count = operations(lengths, shape)
        if backbone in scorers:
            count = operations(lengths, shape._replace(layers=shape.layers - 1)) + read_by_the_first(lengths, shape)
        needed[shape] = needed.get(shape, 0.0) + count
    return needed


def shape_of(checkpoint: Any, layers: int) -> Shape:
    """Return the shape of this number of layers of a network."""
    return Shape(layers, int(checkpoint.config["hidden_size"]), int(checkpoint.config["intermediate_size"]))


def read_by_the_first(lengths: Sequence[int], shape: Shape) -> float:
    """Count the operations of a layer that is read at the first token only. All tokens need keys and values.

    >>> read_by_the_first([2], Shape(layers=1, width=3, inner=5))
    192.0
    """
    tokens, texts = float(sum(lengths)), len(lengths)
    first = 2 * shape.width**2 + 2 * shape.width * shape.inner  # query and output, and the feed-forward layer
    return 2.0 * (tokens * 2 * shape.width**2 + texts * first + 2 * tokens * shape.width)


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
