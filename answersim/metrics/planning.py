"""Plan the computation of several metrics: each part of a composite and each encoder runs once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, partial
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from answersim import answers as answers_room
from answersim import metrics as metrics_room
from answersim._base.arrays import FloatArray
from answersim._base.errors import renumbered
from answersim._base.golds import with_choices
from answersim._base.runtime.progress import bar
from answersim._base.signature import Stored
from answersim.metrics.lexical.token_metric import TokenMetric, token_columns
from answersim.types import CompositeMetric, Metric, Pair, Truncates, capabilities, check_finite, reads_questions

if TYPE_CHECKING:
    from answersim.metrics.neural.encoders import EncoderMetric

_CHUNK = 4096


class _Answers(NamedTuple):
    """What metrics read: pairs, and the question of each or None."""

    pairs: Sequence[Pair]
    questions: Sequence[str] | None = None

    def at(self, positions: Sequence[int]) -> _Answers:
        """Return the pairs at these positions."""
        questions = self.questions and [self.questions[i] for i in positions]
        return _Answers([self.pairs[i] for i in positions], questions)

    def visible(self) -> _Answers:
        """Return the pairs without markup; the same object if none has any. A gold answer keeps its options."""
        pairs, is_same = [], True
        for gold, pred in self.pairs:
            seen, answer = answers_room.text.markup.visible_pair(gold, pred)
            if seen is not gold or answer is not pred:
                seen, is_same = with_choices(seen, gold), False
            pairs.append(Pair(seen, answer))
        return self if is_same else _Answers(pairs, self.questions)


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
    metrics: Sequence[Metric], pairs: Sequence[Pair], questions: Sequence[str] | None = None
) -> list[FloatArray]:
    """Compute the scores of all metrics and run each shared encoder once.

    Equal metrics run once, also if one of them is a part of another. Metrics with an encoder run together, and so do
    those of tokens. The others run one after the other. A composite metric combines the numbers of its parts. If its
    ``Capabilities.visible_text`` is set, they get the answers without markup, and ``combine`` gets them as given.

    Args:
        metrics: The metrics, in the order of the result.
        pairs: Gold and predicted answers.
        questions: One per pair, "" for none. A metric that reads no questions ignores them.

    Returns:
        One float64 array per metric, in order, each of shape (n_pairs,). The arrays are empty if there are no pairs.

    Raises:
        ValueError: If a metric does not return one number per pair, or two metrics have one signature.
        NonFiniteScoreError: If a number is nan or infinite. The error names the pair.
    """
    answers = _Answers(pairs, questions if questions is not None and any(questions) else None)
    if len(metrics) == 1 and (column := _alone(metrics[0], answers, answers)) is not None:
        return [column]
    plan = _Plan(answers)
    basic = [basic_metric for metric in metrics for basic_metric in _basic(metric)]
    check_signatures([*metrics, *(basic_metric for basic_metric, _ in basic)])
    for seen in (False, True):
        plan.run(
            {_key(basic_metric): basic_metric for basic_metric, reads_visible in basic if reads_visible is seen}, seen
        )
    return [plan.column(metric) for metric in metrics]


def _alone(metric: Metric, form: _Answers, as_given: _Answers) -> FloatArray | None:
    """Return the numbers of a metric that shares nothing: it has no parts, or one, which shares nothing. Else None."""
    if not isinstance(metric, CompositeMetric):
        return _column(metric, form)
    if len(metric.parts) != 1:
        return None
    column = _alone(metric.parts[0], as_given.visible() if capabilities(metric).visible_text else form, as_given)
    return None if column is None else _combined(metric, [column], as_given)


def _combined(metric: CompositeMetric, columns: Sequence[FloatArray], as_given: _Answers) -> FloatArray:
    return _checked(metric, metric.combine(as_given.pairs, columns, as_given.questions), as_given.pairs)


class _Plan:
    """The answers as given and without markup, and the numbers of metrics that ran on either form."""

    def __init__(self, answers: _Answers) -> None:
        self.given = answers
        self.columns: dict[tuple[Hashable, bool], FloatArray] = {}

    @cached_property
    def visible(self) -> _Answers:
        """The answers without markup; the answers as given if none has any."""
        return self.given.visible()

    def run(self, metrics: Mapping[Hashable, Metric], seen: bool) -> None:
        """Run metrics without parts together. One that read all pairs as given runs again for pairs with markup."""
        if not metrics:
            return
        both = {key: metric for key, metric in metrics.items() if seen and (key, False) in self.columns}
        numbers_of = _run(
            {key: metric for key, metric in metrics.items() if key not in both}, self.visible if seen else self.given
        )
        if both:
            pairs = zip(self.given.pairs, self.visible.pairs, strict=True)
            changed = [i for i, (pair, plain_pair) in enumerate(pairs) if pair != plain_pair]
            with renumbered(changed):
                again = _run(both, self.visible.at(changed)) if changed else {}
            for key in both:
                numbers_of[key] = self.columns[key, False].copy()
                numbers_of[key][changed] = again.get(key, 0.0)
        self.columns |= {(key, seen): numbers for key, numbers in numbers_of.items()}

    def column(self, metric: Metric, seen: bool = False) -> FloatArray:
        """Return the numbers of a metric, from those of all metrics without parts."""
        if not isinstance(metric, CompositeMetric):
            return self.columns[_key(metric), seen]
        seen = seen or capabilities(metric).visible_text
        return _combined(metric, [self.column(inner, seen) for inner in metric.parts], self.given)


def _run(metrics: Mapping[Hashable, Metric], answers: _Answers) -> dict[Hashable, FloatArray]:
    """Return the numbers of these metrics, which have no parts."""
    shared = {
        key: cast("EncoderMetric", metric)
        for key, metric in metrics.items()
        if capabilities(metric).encoder is not None
    }
    numbers: dict[Hashable, FloatArray] = {}
    if shared:
        numbers |= zip(
            shared, metrics_room.neural.encoders.score_shared(list(shared.values()), answers.pairs), strict=True
        )
    tokens = {key: metric for key, metric in metrics.items() if type(metric) is TokenMetric}
    if len(tokens) > 1:  # each answer is split once for those with one tokenizer
        split = partial(_tokens, list(tokens.values()))
        numbers |= zip(tokens, _chunked(list(tokens.values()), answers, split), strict=True)
    return numbers | {key: _column(metric, answers) for key, metric in metrics.items() if key not in numbers}


def _tokens(metrics: Sequence[TokenMetric], answers: _Answers) -> list[FloatArray]:
    return token_columns(metrics, answers.pairs)


def _column(metric: Metric, answers: _Answers) -> FloatArray:
    """Return the numbers of a metric without parts."""
    if type(metric) is TokenMetric and len(answers.pairs) == 1:
        return _checked(metric, metric(answers.pairs), answers.pairs)
    supports = capabilities(metric)
    if supports.encoder is not None:
        return metrics_room.neural.encoders.score_shared([cast("EncoderMetric", metric)], answers.pairs)[0]
    if supports.batches_all or len(answers.pairs) == 1:
        return _checked(metric, _numbers(metric, answers)[0], answers.pairs)
    return _chunked([metric], answers, partial(_numbers, metric))[0]


def _numbers(metric: Metric, answers: _Answers) -> list[FloatArray]:
    """Return the numbers of the metric. It gets the questions if it reads them and there are any."""
    if answers.questions is not None and reads_questions(metric):
        return [metric(answers.pairs, answers.questions)]
    return [metric(answers.pairs)]


def _chunked(
    metrics: Sequence[Metric], answers: _Answers, run: Callable[[_Answers], list[FloatArray]]
) -> list[FloatArray]:
    """Return the numbers of metrics that run together, computed in chunks with one progress bar."""
    pairs, questions = answers
    columns = [np.empty(len(pairs), dtype=np.float64) for _ in metrics]
    with bar(len(pairs), "+".join(metric.signature.split("|", 1)[0] for metric in metrics), "pair") as progress_bar:
        for start in range(0, len(pairs), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            with renumbered(start):
                for i, numbers in enumerate(run(_Answers(pairs[chunk], questions and questions[chunk]))):
                    columns[i][chunk] = _checked(metrics[i], numbers, pairs[chunk])
            progress_bar.update(len(pairs[chunk]))
    return columns


def _key(metric: Metric) -> Hashable:
    """Return what identifies a metric that must run: its signature, and where its network runs."""
    return metric.signature, metrics_room.neural.encoders.placement(metric)


def _basic(metric: Metric, seen: bool = False) -> list[tuple[Metric, bool]]:
    """Return the metrics that must run for this one, itself or all its parts, and whether they read no markup."""
    if not isinstance(metric, CompositeMetric):
        return [(metric, seen)]
    seen = seen or capabilities(metric).visible_text
    return [basic for inner in metric.parts for basic in _basic(inner, seen)]


def check_signatures(metrics: Sequence[Metric]) -> None:
    """Check that no two metrics of different kinds have one signature: the scores of one would be used for both."""
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
    forms = _Plan(_Answers(pairs))
    for basic_metric, seen in _basic(metric) if pairs else ():
        read = (forms.visible if seen else forms.given).pairs
        if capabilities(basic_metric).encoder is not None:
            cut |= metrics_room.neural.encoders.truncated_pairs(cast("EncoderMetric", basic_metric), read)
        elif isinstance(basic_metric, Truncates):
            cut |= basic_metric.truncated(read, questions if reads_questions(basic_metric) else None)
    return cut


def _checked(metric: Metric, numbers: FloatArray, pairs: Sequence[Pair]) -> FloatArray:
    column = np.asarray(numbers, dtype=np.float64)
    if column.shape != (len(pairs),):
        raise ValueError(
            f"{metric.signature} returned an array of shape {column.shape} for {len(pairs)} pairs; it must return one "
            "number per pair"
        )
    if len(column) == 1 and isfinite(column[0]):
        return column
    return check_finite(column, pairs, metric.signature)
