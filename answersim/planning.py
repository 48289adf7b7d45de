"""One plan for several metrics: every part of a combined metric and every encoder runs once for all who need it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from answersim.errors import renumbered
from answersim.lexical.token_metric import TokenMetric, token_columns
from answersim.neural.encoders import EncoderMetric, placement, score_shared
from answersim.progress import bar
from answersim.types import CompositeMetric, FloatArray, Metric, Pair, check_finite, reads_questions

_CHUNK = 4096


def score_all(
    metrics: Sequence[Metric], pairs: Sequence[Pair], questions: Sequence[str] | None = None
) -> list[FloatArray]:
    """For each metric, in order, one number a pair, shape (n,).

    Equal metrics run once, also where one of them is a part of another; the encoder metrics among them run together,
    and so do those of tokens; the others one after the other. A metric that reads no question is called as ever. A
    combined metric's own ``__call__`` is ``combine(pairs, score_all(parts, pairs, questions))``, so that both ways give
    one number.

    Args:
        metrics: Whatever is asked for.
        pairs: The answers.
        questions: One a pair, empty where there is none; or None.

    Raises:
        ValueError: A metric did not give one number a pair.
        NonFiniteScoreError: If a metric gave a number that is nan or infinite. The error names the pair.
    """
    basic = {_key(each): each for metric in metrics for each in _basic(metric)}
    shared = {name: each for name, each in basic.items() if isinstance(each, EncoderMetric)}
    found = dict(zip(shared, score_shared(list(shared.values()), pairs), strict=True)) if shared else {}
    by_tokens = {name: each for name, each in basic.items() if type(each) is TokenMetric}
    if by_tokens:
        found |= zip(by_tokens, _token_columns(list(by_tokens.values()), pairs), strict=True)
    for name, each in basic.items():
        if name not in found:
            found[name] = _column(each, pairs, questions)
    return [_combined(metric, pairs, found) for metric in metrics]


def _key(metric: Metric) -> Hashable:
    """What tells apart the metrics that must run: equal ones sign equally, and run in the same place."""
    return metric.signature, placement(metric)


def _basic(metric: Metric) -> list[Metric]:
    """The metrics that must run for this one: itself, or all that it is made of."""
    if not isinstance(metric, CompositeMetric):
        return [metric]
    return [basic for part in metric.parts for basic in _basic(part)]


def _combined(metric: Metric, pairs: Sequence[Pair], found: Mapping[Hashable, FloatArray]) -> FloatArray:
    """The numbers of this metric, from those of all that had to run."""
    if not isinstance(metric, CompositeMetric):
        return found[_key(metric)]
    return _checked(metric, metric.combine(pairs, [_combined(part, pairs, found) for part in metric.parts]), pairs)


def _token_columns(metrics: Sequence[TokenMetric], pairs: Sequence[Pair]) -> list[FloatArray]:
    """All metrics of tokens together, so that each answer is parted once for those that do it in the same way."""
    columns = [np.empty(len(pairs), dtype=np.float64) for _ in metrics]
    with bar(len(pairs), "+".join(each.name for each in metrics), "pair") as shown:
        for start in range(0, len(pairs), _CHUNK):
            some = pairs[start : start + _CHUNK]
            for metric, column, numbers in zip(metrics, columns, token_columns(metrics, some), strict=True):
                with renumbered(start):
                    column[start : start + _CHUNK] = _checked(metric, numbers, some)
            shown.update(len(some))
    return columns


def _column(metric: Metric, pairs: Sequence[Pair], questions: Sequence[str] | None) -> FloatArray:
    # A cross-encoder batches by length over all pairs, counts over all what it cut, and shows its own bar.
    if hasattr(metric, "scorer"):
        return _numbers(metric, pairs, questions)
    column = np.empty(len(pairs), dtype=np.float64)
    with bar(len(pairs), metric.signature.split("|", 1)[0], "pair") as shown:
        for start in range(0, len(pairs), _CHUNK):
            stop = min(start + _CHUNK, len(pairs))
            asked = None if questions is None else questions[start:stop]
            with renumbered(start):
                column[start:stop] = _numbers(metric, pairs[start:stop], asked)
            shown.update(stop - start)
    return column


def _numbers(metric: Metric, pairs: Sequence[Pair], questions: Sequence[str] | None) -> FloatArray:
    """What the metric says of these pairs, and of their questions where it reads them and there are any."""
    if questions is not None and any(questions) and reads_questions(metric):
        return _checked(metric, metric(pairs, questions), pairs)
    return _checked(metric, metric(pairs), pairs)


def _checked(metric: Metric, numbers: FloatArray, pairs: Sequence[Pair]) -> FloatArray:
    found = np.asarray(numbers, dtype=np.float64)
    if found.shape != (len(pairs),):
        raise ValueError(f"{metric.signature} gave an array of {found.shape} for {len(pairs)} pairs")
    return check_finite(found, pairs, metric.signature)
