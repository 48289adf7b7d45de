"""The layer of an encoder that agrees best with annotators: BERTScore of every layer from one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.agreement.resampled import coefficient_named, scored_subset
from answersim.arguments import between, mapping, numbers, shown, texts, whole
from answersim.arguments import generator as generator_of
from answersim.arguments import seed as seed_of
from answersim.errors import TruncationWarning, renumbered, warn_user
from answersim.stats.resampling import COEFFICIENTS, Estimate, generator, holm
from answersim.text_tables import Result
from answersim.types import FloatArray, Pair, Rng, Scores

if TYPE_CHECKING:  # torch comes with it
    from answersim.neural.bertscore import BertScore

# Token states of all layers live in memory together, so a chunk shrinks as layers and widths grow: about 400 MB.
_STATES = 100_000_000
_STATES_A_CHARACTER = 0.35  # tokens per character of short answers, with special tokens, rounded up


class Point(NamedTuple):
    """One coefficient of the scores of one layer with the labels over a subset, with its interval; nan if undefined."""

    layer: int
    subset: str
    n: int
    coefficient: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Recommendation(Result):
    """The layer that agrees best with these labels, and how certain that choice is.

    Attributes:
        layer: The one with the highest coefficient; of equal ones the lowest.
        value: Its coefficient over all pairs, with its interval. It was chosen as the highest, so it is biased upwards.
        unseen: The expected coefficient on other pairs: the mean over resamples of the coefficient that the layer
            chosen by a resample has on the pairs that the resample left out.
        chosen: By layer, the share of resamples that choose it; they sum to 1.
        rivals: The other layers that are indistinguishable from it: p of the paired difference, after Holm over all of
            them, is not below 1 - level.
        coefficient: The coefficient that determines the layer.
        n: The number of pairs.
    """

    layer: int
    value: Estimate
    unseen: float
    chosen: dict[int, float]
    rivals: tuple[int, ...]
    coefficient: str
    n: int

    def summary(self) -> list[str]:
        """Return the layer, how certain the choice is, and the layers that it is indistinguishable from."""
        value = f"{self.value.value:.3f} [{self.value.low:.3f}, {self.value.high:.3f}]"
        others = ", ".join(map(str, self.rivals)) or "none"
        return [
            f"layer {self.layer}: {self.coefficient} {value} over {self.n:,} pairs, chosen by "
            f"{100 * self.chosen[self.layer]:.0f} % of the resamples",
            f"expected on other pairs: {self.unseen:.3f}; indistinguishable layers: {others}",
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per layer: the share of resamples that choose it, and whether it is a rival."""
        return [
            {"layer": layer, "chosen": share, "recommended": layer == self.layer, "rival": layer in self.rivals}
            for layer, share in self.chosen.items()
        ]


def score_layers(metric: BertScore, pairs: Sequence[Pair], layers: Sequence[int] | None = None) -> dict[int, Scores]:
    """Return the scores of this BERTScore at each of these layers. Layer 0 is the embeddings.

    Every text goes through the model once for all layers (once per chunk, if there are too many pairs to keep the
    states of all layers in memory); the numbers are those of the metric at that layer alone.

    Args:
        metric: The metric whose encoder, measure and token weights are used. Its own layer does not matter.
        pairs: Gold and predicted answers.
        layers: The layers. By default, all layers.

    Raises:
        ValueError: If the encoder has no such layer, or the metric is rescaled with the baseline of one layer.
    """
    depth = int(metric.encoder.layers)  # type: ignore[attr-defined] # a Transformer has it; other encoders need layers=
    wanted = list(range(depth + 1)) if layers is None else list(dict.fromkeys(layers))
    if wrong := [layer for layer in wanted if not 0 <= layer <= depth]:
        raise ValueError(f"layer is {wrong[0]}, but this encoder has the layers 0 to {depth}")
    if metric.baseline is not None:
        raise ValueError("the metric is rescaled with the baseline of one layer; compare layers without a baseline")
    pairs = [Pair(*pair) for pair in pairs]
    metrics = [replace(metric, layer=layer) for layer in wanted]
    columns = np.empty((len(metrics), len(pairs)))
    cut = 0
    for start, stop in _chunks(pairs, len(metrics) * _width(metric)):
        batch = pairs[start:stop]
        encodings = metric.encoder.encode([one.request(batch) for one in metrics])
        for column, one, encoding in zip(columns, metrics, encodings, strict=True):
            with renumbered(start):
                column[start:stop] = one.score_encoding(batch, encoding)
        cut += encodings[0].n_truncated
    if cut:
        warn_user(TruncationWarning(cut, "texts", metric.encoder.fingerprint))
    return {layer: Scores(column, one.signature) for layer, column, one in zip(wanted, columns, metrics, strict=True)}


def curves(
    columns: Mapping[int, Any],
    labels: Any,
    parts: Mapping[str, NDArray[np.bool_]],
    *,
    coefficients: Sequence[str] = tuple(COEFFICIENTS),
    level: float = 0.95,
    resamples: int = 0,
    rng: Rng = 0,
) -> list[Point]:
    """Return each coefficient of each layer with the labels by subset: the curves of Figure 3 of the SAS paper.

    Args:
        columns: The scores of each layer, shape (n,).
        labels: Shape (n,).
        parts: Subsets by name, masks of shape (n,).
        coefficients: Names from ``COEFFICIENTS``.
        level: Coverage of the percentile bootstrap intervals.
        resamples: The number of resamples, which all layers share. With 0, the intervals are nan.
        rng: A seed, or a generator of random numbers, which draws one.
    """
    points = []
    scores = _stack(columns)
    every = _labels(labels, scores.shape[1])
    level, resamples, seed = (
        between("level", level, 0, 1),
        whole("resamples", resamples, 0),
        seed_of("rng", rng),
    )
    coefficients = texts("coefficients", coefficients)
    for subset, mask in mapping("parts", parts).items():
        if np.shape(mask) != every.shape or np.asarray(mask).dtype != np.bool_:
            raise ValueError(f"parts[{subset!r}] is {shown(mask)}, but it must be {len(every)} booleans, one per pair")
        part = scored_subset(mask, every, scores, resamples, generator(seed, "layers", subset))
        for name in coefficients:
            resampled = part.resampled(name)
            points += [
                Point(layer, subset, len(part.labels), name, float(value), *ends)
                for layer, value, ends in zip(columns, resampled.values, resampled.intervals(level), strict=True)
            ]
    return points


def recommend(
    columns: Mapping[int, Any],
    labels: Any,
    *,
    rng: Rng,
    coefficient: str = "kendall",
    level: float = 0.95,
    resamples: int = 1000,
) -> Recommendation:
    """Return the layer to use for these labels, and how certain the choice is.

    Args:
        columns: The scores of each layer, shape (n,).
        labels: Shape (n,).
        rng: A seed, or a generator of random numbers, for the resamples.
        coefficient: The name in ``COEFFICIENTS`` that determines the layer.
        level: Coverage of the interval; rivals are tested at 1 - level.
        resamples: The number of resamples, which all layers share.

    Raises:
        ValueError: If no coefficient is defined: the labels, or the scores of all layers, are constant.
        LookupError: If no coefficient has this name.

    >>> scores = {0: [0.5, 0.1, 0.4, 0.3, 0.2, 0.6], 1: [0.1, 0.2, 0.5, 0.6, 0.8, 0.9]}
    >>> found = recommend(scores, [0, 0, 1, 1, 2, 2], rng=0)
    >>> found.layer, round(found.value.value, 2), found.rivals  # six pairs are too few to decide
    (1, 0.89, (0,))

    Source: the out-of-bag estimate after Efron & Tibshirani 1993, chapter 17; Holm 1979 for the rivals.
    """
    scores = _stack(columns)
    layers, given = list(columns), _labels(labels, scores.shape[1])
    rng, level, resamples = generator_of("rng", rng), between("level", level, 0, 1), whole("resamples", resamples, 1)
    compute = coefficient_named(coefficient)
    if np.isnan(compute(scores, given, None)).all():
        raise ValueError(
            f"no layer of {len(given)} pairs can be recommended: labels or scores are constant; give pairs that differ"
        )
    part = scored_subset(np.ones(len(given), dtype=bool), given, scores, resamples, rng)
    resampled = part.resampled(coefficient)
    values, samples = resampled
    best = int(np.nanargmax(values))
    defined = ~np.isnan(samples).all(axis=0)
    winners = np.nanargmax(samples[:, defined], axis=0)
    chosen = np.bincount(winners, minlength=len(layers)) / max(1, len(winners))
    left_out = (part.counts[defined] == 0).astype(np.int64)
    outside = compute(scores, given, left_out)[winners, np.arange(len(winners))]
    others = [i for i in range(len(layers)) if i != best and not np.isnan(values[i])]
    p = holm([resampled.difference(best, i, level).p for i in others])
    return Recommendation(
        layers[best],
        Estimate(float(values[best]), *resampled.intervals(level)[best]),
        float(np.nanmean(outside)) if not np.isnan(outside).all() else float("nan"),
        dict(zip(layers, chosen.tolist(), strict=True)),
        tuple(layers[i] for i, corrected in zip(others, p, strict=True) if not corrected < 1 - level),
        coefficient,
        len(given),
    )


def _stack(columns: Mapping[int, Any]) -> FloatArray:
    given = {layer: numbers(f"columns[{layer!r}]", column) for layer, column in mapping("columns", columns).items()}
    if not given:
        raise ValueError("there are no layers to compare; give the scores of at least one")
    shapes = {column.shape for column in given.values()}
    if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
        raise ValueError(
            f"columns have the shapes {sorted(shapes)}, but each must have the shape (n,), one number per pair"
        )
    return np.stack(list(given.values()))


def _labels(labels: Any, n: int) -> FloatArray:
    values = numbers("labels", labels)
    if values.shape != (n,):
        raise ValueError(f"labels have the shape {values.shape}, but there are {n} pairs; give one label per pair")
    return values


def _width(metric: BertScore) -> int:
    """Return how many numbers a token has in one layer."""
    config = metric.encoder.checkpoint.config  # type: ignore[attr-defined] # as above
    return int(config.get("hidden_size", config.get("dim", 1024)))


def _chunks(pairs: Sequence[Pair], numbers: int) -> list[tuple[int, int]]:
    """Yield the start and stop of runs of pairs whose states fit in memory together, at so many numbers per token."""
    room = max(1.0, _STATES / numbers / _STATES_A_CHARACTER)
    bounds, held = [0], 0
    for i, (gold, pred) in enumerate(pairs):
        size = min(len(gold), 2000) + min(len(pred), 2000) + 12  # the special tokens of both
        if held and held + size > room:
            bounds.append(i)
            held = 0
        held += size
    return [(a, b) for a, b in zip(bounds, [*bounds[1:], len(pairs)], strict=True) if b > a]
