"""A test for authors of metrics: does a metric keep the promises of all metrics?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.metrics.testing.properties import PAIRS, QUESTIONS, Call, promises, scores
from answersim.types import Metric, Pair, reads_questions

__all__ = ["PAIRS", "QUESTIONS", "check_metric"]


def check_metric(metric: Metric, pairs: Sequence[Pair] = PAIRS, *, tolerance: float = 1e-6) -> None:
    """Check that a metric keeps the promises of all metrics on these pairs.

    The metric has a signature, one line of text that does not change by scoring. It returns one finite float64 per
    pair, in order, and an empty array for no pairs. The same input gives the same numbers. The score of a pair does not
    depend on the other pairs (alone, in any batch, in any order) within ``tolerance``. The pairs are not modified. If a
    metric reads questions, an empty question counts as no question, and the score of a pair with its question does not
    depend on the other pairs. ``answersim.evaluation.doctor`` reports the same checks, and further ones, without
    stopping at the first failure.

    Raises:
        AssertionError: If a promise is broken. The message names it.

    >>> from answersim.metrics.catalog.lookup import metric
    >>> check_metric(metric("f1"))
    """
    listed = [Pair(*pair) for pair in pairs]
    if not isinstance(metric, Metric):
        raise AssertionError(f"{metric!r} is not a metric: it must have a signature and be callable with pairs")
    signed = metric.signature
    if not (isinstance(signed, str) and signed and "\n" not in signed):
        raise AssertionError(f"the signature must be one line, but it is {signed!r}")
    call = _strict(metric)
    scores(call, listed)
    if metric.signature != signed:
        raise AssertionError("the signature must not change by scoring")
    questions = [QUESTIONS[i % len(QUESTIONS)] for i in range(len(listed))] if reads_questions(metric) else None
    for check in promises(call, listed, questions, tolerance):
        finding = check()
        if not finding.holds:
            raise AssertionError(f"{finding.promise}, but {finding.detail}")


def _strict(metric: Metric) -> Call:
    """Return a call of the metric that accepts only an array of float64, of one dimension."""

    def call(pairs: list[Pair], questions: Sequence[str] | None) -> FloatArray:
        numbers = metric(pairs, questions) if questions is not None and reads_questions(metric) else metric(pairs)
        if not (isinstance(numbers, np.ndarray) and numbers.dtype == np.float64):
            raise AssertionError(f"the result must be an array of float64, but it is {type(numbers)}")
        if numbers.ndim != 1:
            raise AssertionError(
                f"there must be one number per pair, but {len(pairs)} pairs gave an array of {numbers.shape}"
            )
        return numbers

    return call
