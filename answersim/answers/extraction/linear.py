"""The linear classifiers of short texts: a table of weights for hashed features, made by ``tools.weights``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from answersim._base.arrays import FloatArray


def margin(classifier: str, positions: Sequence[int]) -> float:
    """Return how far a text is of a class: above 0 if it rather is.

    Args:
        classifier: The name of the classifier: "abstention" or "aside".
        positions: The positions of the features of the text in its table, each once.
    """
    weights, intercept = _weights(classifier)
    return float(weights[positions].sum() / np.sqrt(len(positions))) + intercept


@cache
def _weights(classifier: str) -> tuple[FloatArray, float]:
    """Return a logistic regression: one weight per position of its table, and the intercept."""
    with np.load(Path(__file__).with_name(f"{classifier}_weights.npz")) as stored:
        return stored["weights"] * float(stored["scale"]), float(stored["intercept"])
