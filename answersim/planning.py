"""Plan the computation of several metrics: each part of a composite and each encoder runs once for all of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from answersim.errors import renumbered
from answersim.lexical.token_metric import TokenMetric, token_columns
from answersim.markup import visible_pair
from answersim.neural.encoders import EncoderMetric, placement, score_shared, truncated_pairs
from answersim.runtime.progress import bar
from answersim.signature import Stored
from answersim.types import (
    CompositeMetric,
    FloatArray,
    Metric,
    Pair,
    ScoresRows,
    Truncates,
    capabilities,
    check_finite,
    reads_questions,
    with_choices,
)

_CHUNK = 4096

Numbers: TypeAlias = dict[Hashable, FloatArray]


class _Form(NamedTuple):
    """The pairs as they are given, or as they are seen without markup, and the numbers of metrics that read them so."""

    pairs: Sequence[Pair]
    numbers: Numbers


class Composite(Stored):
    """What metrics made of other metrics share."""

    @property
    def reads_questions(self) -> bool:
        """Whether one of the parts reads questions."""
        return capabilities(cast("Metric", self)).reads_questions

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        return score_all([cast("Metric", self)], pairs, questions)[0]


def score_all(
    metrics: Sequence[Metric],
    pairs: Sequence[Pair],
    questions: Sequence[str] | None = None,
    *,
    first: NDArray[np.int64] | None = None,
) -> list[FloatArray]:
    """Compute the scores of all metrics and run each shared encoder once.

    Equal metrics run once, also if one of them is a part of another. Metrics with an encoder run together, and so do
    those of tokens. The others run one after the other. The ``__call__`` of a composite metric is ``combine(pairs,
    score_all(parts, pairs, questions))``, so that both ways give the same numbers. If its
    ``Capabilities.visible_text`` is set, both get the answers without markup, and ``__call__`` is ``score_all([self],
    pairs, questions)[0]``.

    Args:
        metrics: The metrics, in the order of the result.
        pairs: Gold and predicted answers.
        questions: One per pair, "" for none. A metric that reads no questions ignores them.
        first: The position of the first pair of each prediction, for metrics that score whole rows. See ``ScoresRows``.

    Returns:
        One float64 array per metric, in order, each of shape (n_pairs,). The arrays are empty if there are no pairs.

    Raises:
        ValueError: If a metric does not return one number per pair, or two metrics have one signature.
        NonFiniteScoreError: If a number is nan or infinite. The error names the pair.
    """
    if len(metrics) == len(pairs) == 1 and type(metrics[0]) is TokenMetric:  # nothing to share
        return [_checked(metrics[0], metrics[0](pairs), pairs)]
    check_signatures([*metrics, *(part for part, _ in _basic_of(metrics))])
    forms = _forms(metrics, pairs, questions, first)
    return [_combined(metric, forms) for metric in metrics]


def _forms(
    metrics: Sequence[Metric],
    pairs: Sequence[Pair],
    questions: Sequence[str] | None,
    first: NDArray[np.int64] | None,
) -> tuple[_Form, _Form]:
    """Run all metrics that must run: on the pairs as given, and on the pairs without markup.

    If no pair has markup, both forms are one. A metric that reads both forms runs again for pairs with markup only.
    """
    basic = _basic_of(metrics)
    raw = {_key(part): part for part, seen in basic if not seen}
    plain = {_key(part): part for part, seen in basic if seen}
    shown = _without_markup(pairs) if plain else pairs
    if shown is pairs:
        form = _Form(pairs, _run(raw | plain, pairs, questions, first))
        return form, form
    given = _Form(pairs, _run(raw, pairs, questions, first))
    seen_only = _run({key: part for key, part in plain.items() if key not in raw}, shown, questions, None)
    both = {key: part for key, part in plain.items() if key in raw}
    changed = [i for i, (pair, seen) in enumerate(zip(pairs, shown, strict=True)) if pair != seen]
    with renumbered(changed):
        again = _run(both, [shown[i] for i in changed], questions and [questions[i] for i in changed], None)
    for key, numbers in again.items():
        seen_only[key] = given.numbers[key].copy()
        seen_only[key][changed] = numbers
    return given, _Form(shown, seen_only)


def _without_markup(pairs: Sequence[Pair]) -> Sequence[Pair]:
    """Return the pairs without markup; the same object if none has any."""
    shown = [_seen(*pair) for pair in pairs]
    return pairs if all(a is c and b is d for (a, b), (c, d) in zip(pairs, shown, strict=True)) else shown


def _seen(gold: str, pred: str) -> Pair:
    """Return a pair without markup. The gold answer keeps its options."""
    shown, answer = visible_pair(gold, pred)
    return Pair(with_choices(shown, gold), answer)


def _run(
    basic: Mapping[Hashable, Metric],
    pairs: Sequence[Pair],
    questions: Sequence[str] | None,
    first: NDArray[np.int64] | None,
) -> Numbers:
    """Return the numbers of these metrics, which have no parts."""
    if not basic:
        return {}
    shared = {key: cast(EncoderMetric, part) for key, part in basic.items() if capabilities(part).encoder is not None}
    numbers = dict(zip(shared, score_shared(list(shared.values()), pairs), strict=True)) if shared else {}
    by_tokens = {key: part for key, part in basic.items() if type(part) is TokenMetric}
    if by_tokens:
        numbers |= zip(by_tokens, _token_columns(list(by_tokens.values()), pairs), strict=True)
    return numbers | {key: _column(part, pairs, questions, first) for key, part in basic.items() if key not in numbers}


def check_signatures(metrics: Sequence[Metric]) -> None:
    """Check that no two metrics of different kinds have one signature: the scores of one would be used for both.

    Raise ValueError if two have.
    """
    kinds: dict[str, type] = {}
    for metric in metrics:
        kind = kinds.setdefault(metric.signature, type(metric))
        if kind is not type(metric):
            raise ValueError(
                f"two metrics have the signature {metric.signature!r}: a {kind.__module__}.{kind.__qualname__} and a "
                f"{type(metric).__module__}.{type(metric).__qualname__}; begin the signature of your own metric with a "
                "name of its own"
            )


def truncated(metric: Metric, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> NDArray[np.bool_]:
    """Return whether the metric, or a part of it, cannot read the whole of each pair, shape (n,). No network runs.

    A metric without an encoder that does not state it (see ``types.Truncates``) reads all.
    """
    cut = np.zeros(len(pairs), dtype=np.bool_)
    for part, seen in _basic(metric) if pairs else ():
        read = _without_markup(pairs) if seen else pairs
        if capabilities(part).encoder is not None:
            cut |= truncated_pairs(cast(EncoderMetric, part), read)
        elif isinstance(part, Truncates):
            cut |= part.truncated(read, questions if reads_questions(part) else None)
    return cut


def _key(metric: Metric) -> Hashable:
    """Return what identifies a metric that must run: its signature, and where its network runs."""
    return metric.signature, placement(metric)


def _basic(metric: Metric, seen: bool = False) -> list[tuple[Metric, bool]]:
    """Return the metrics that must run for this one, itself or all its parts, and whether they read no markup."""
    if not isinstance(metric, CompositeMetric):
        return [(metric, seen and not isinstance(metric, ScoresRows))]
    seen = seen or capabilities(metric).visible_text
    return [basic for part in metric.parts for basic in _basic(part, seen)]


def _basic_of(metrics: Sequence[Metric]) -> list[tuple[Metric, bool]]:
    return [basic for metric in metrics for basic in _basic(metric)]


def _combined(metric: Metric, forms: tuple[_Form, _Form], seen: bool = False) -> FloatArray:
    """Return the numbers of this metric from the numbers of all metrics that ran, by the form that they read."""
    known = forms[seen].numbers.get(_key(metric))
    if known is None and isinstance(metric, ScoresRows):
        known = forms[False].numbers.get(_key(metric))
    if known is not None:
        return known
    assert isinstance(metric, CompositeMetric)
    seen = seen or capabilities(metric).visible_text
    pairs = forms[seen].pairs
    return _checked(metric, metric.combine(pairs, [_combined(part, forms, seen) for part in metric.parts]), pairs)


def _token_columns(metrics: Sequence[TokenMetric], pairs: Sequence[Pair]) -> list[FloatArray]:
    """Compute all metrics of tokens together, so that each answer is split once for those with one tokenizer."""
    columns = [np.empty(len(pairs), dtype=np.float64) for _ in metrics]
    with bar(len(pairs), "+".join(metric.name for metric in metrics), "pair") as shown:
        for start in range(0, len(pairs), _CHUNK):
            chunk = pairs[start : start + _CHUNK]
            for metric, column, numbers in zip(metrics, columns, token_columns(metrics, chunk), strict=True):
                with renumbered(start):
                    column[start : start + _CHUNK] = _checked(metric, numbers, chunk)
            shown.update(len(chunk))
    return columns


def _column(
    metric: Metric, pairs: Sequence[Pair], questions: Sequence[str] | None, first: NDArray[np.int64] | None
) -> FloatArray:
    if isinstance(metric, ScoresRows):
        return _checked(metric, metric.score_rows(pairs, questions, first), pairs)
    if capabilities(metric).batches_all:
        return _numbers(metric, pairs, questions)
    column = np.empty(len(pairs), dtype=np.float64)
    with bar(len(pairs), metric.signature.split("|", 1)[0], "pair") as shown:
        for start in range(0, len(pairs), _CHUNK):
            stop = min(start + _CHUNK, len(pairs))
            part = None if questions is None else questions[start:stop]
            with renumbered(start):
                column[start:stop] = _numbers(metric, pairs[start:stop], part)
            shown.update(stop - start)
    return column


def _numbers(metric: Metric, pairs: Sequence[Pair], questions: Sequence[str] | None) -> FloatArray:
    """Return the numbers of the metric. It gets the questions if it reads them and there are any."""
    if questions is not None and any(questions) and reads_questions(metric):
        return _checked(metric, metric(pairs, questions), pairs)
    return _checked(metric, metric(pairs), pairs)


def _checked(metric: Metric, numbers: FloatArray, pairs: Sequence[Pair]) -> FloatArray:
    column = np.asarray(numbers, dtype=np.float64)
    if column.shape != (len(pairs),):
        raise ValueError(
            f"{metric.signature} returned an array of shape {column.shape} for {len(pairs)} pairs; it must return one "
            "number per pair"
        )
    return check_finite(column, pairs, metric.signature)
