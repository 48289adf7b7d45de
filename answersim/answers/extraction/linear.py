"""The linear classifiers of short texts: a table of weights for hashed features, made by ``tools.weights``."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np

from answersim._base.arrays import FloatArray

SIZE = 1 << 16  # of a table of weights


def positions(features: Iterable[str], size: int = SIZE) -> Iterable[int]:
    """Return the positions of features in a table of a size, which depend on their names alone."""
    return map(size.__rmod__, map(zlib.crc32, map(str.encode, features)))  # the rest of the division by the size


def margin(classifier: str, places: Sequence[int]) -> float:
    """Return how far a text with features at these places, each once, is of the class: above 0 if it rather is."""
    weights, intercept = _weights(classifier)
    return float(weights[places].sum() / sqrt(len(places))) + intercept


@cache
def _weights(classifier: str) -> tuple[FloatArray, float]:
    """Return a logistic regression: one weight per position of its table, and the intercept."""
    with np.load(Path(__file__).with_name(f"{classifier}_weights.npz")) as stored:
        return stored["weights"] * float(stored["scale"]), float(stored["intercept"])
