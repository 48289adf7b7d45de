"""Fit and store the linear classifiers of short texts, which ``answersim.answers.extraction.linear`` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from answersim.answers.extraction.linear import SIZE

FOLDER = Path(__file__).parents[2] / "answersim/answers/extraction"


def matrix(positions: Sequence[Sequence[int]], size: int = SIZE) -> Any:
    """Return the features of texts as a sparse matrix of shape (n, size), each row of length 1."""
    from scipy.sparse import csr_matrix

    ends = np.cumsum([0, *map(len, positions)])
    values = np.concatenate([np.full(len(row), len(row) ** -0.5) for row in positions])
    return csr_matrix((values, np.concatenate([*positions]).astype(np.int64), ends), shape=(len(positions), size))


def fitted(
    features: Any, labels: ArrayLike, weights: Sequence[float] | None, inverse_strength: float
) -> tuple[NDArray[np.float64], float]:
    """Return the weights, shape (size,), and the intercept of a logistic regression on a matrix of features."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=inverse_strength, max_iter=500, solver="liblinear", random_state=0)
    model.fit(features, labels, weights)
    return model.coef_[0], float(model.intercept_[0])


def store(output: Path, weights: NDArray[np.float64], intercept: float, levels: int) -> None:
    """Write weights of so many levels on each side of zero, and the intercept."""
    scale = float(np.abs(weights).max()) / levels
    np.savez_compressed(output, weights=np.rint(weights / scale).astype(np.int8), scale=scale, intercept=intercept)
