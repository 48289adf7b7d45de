"""A metric that waits, as one whose service is slow or hangs."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.types import Capabilities, Pair


class Waiting:
    """It takes so many seconds for each batch unless it is released before, fails for "bad", and lists its batches."""

    signature = "waiting|rev:1"
    capabilities = Capabilities(cost="remote", scale="probability")

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.calls: list[int] = []
        self.released = threading.Event()

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        self.calls.append(len(pairs))
        self.released.wait(self.seconds)
        if any("bad" in pred for _, pred in pairs):
            raise RuntimeError("the service of the metric is gone")
        return np.ones(len(pairs))
