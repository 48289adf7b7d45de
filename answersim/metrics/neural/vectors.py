"""Cosines of vectors, row by row."""

from __future__ import annotations

import numpy as np

from answersim._base.arrays import FloatArray


def cosine(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the cosine of each row of one array with the same row of the other, between -1 and 1, shape (n,).

    Two equal rows give 1 up to the rounding of one operation, and results are clipped to [-1, 1]. A row of zeros gives
    0. A row with a value that is not finite gives nan.

    >>> cosine(np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 2.0], [3.0, 4.0]]))
    array([0., 1.])
    """
    with np.errstate(invalid="ignore", over="ignore"):
        product = np.einsum("nd,nd->n", first, second)
        norms = np.sqrt(np.einsum("nd,nd->n", first, first) * np.einsum("nd,nd->n", second, second))
        cosines = np.divide(product, norms, out=np.zeros_like(product), where=norms != 0)
    return np.clip(np.where(np.isfinite(product), cosines, np.nan), -1.0, 1.0)
