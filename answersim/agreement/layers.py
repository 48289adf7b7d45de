"""The layer of an encoder that agrees best with annotators: BERTScore of every layer from one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.agreement.judgments import Judgments, judgments
from answersim.agreement.resampled import coefficient_named, scored_subset
from answersim.agreement.subsets import subsets
from answersim.arguments import flag, mapping, numbers, shown, texts
from answersim.arguments import generator as generator_of
from answersim.arguments import seed as seed_of
from answersim.catalog import lookup
from answersim.errors import TruncationWarning, renumbered, unknown, warn_user
from answersim.runtime.progress import progress as progress_shown
from answersim.stats.resampling import COEFFICIENTS, Bootstrap, Estimate, bootstrap_settings, estimated, generator, holm
from answersim.text_tables import Result, TextTable, json_object, with_interval
from answersim.types import FloatArray, Pair, Scores

if TYPE_CHECKING:  # torch comes with it
    from answersim.neural.bertscore import BertScore

SUBSETS = ("all", "F1=0", "F1!=0")
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
    """The layer that agrees best with these labels, and how certain that choice is."""

    layer: int  # the one with the highest coefficient; of equal ones the lowest
    # its coefficient over all pairs, with its interval. It was chosen as the highest, so it is biased upwards.
    value: Estimate
    # the expected coefficient on other pairs: the mean over resamples of the coefficient that the layer chosen by a
    # resample has on the pairs that the resample left out
    unseen: float
    chosen: dict[int, float]  # by layer, the share of resamples that choose it; they sum to 1
    # the other layers that are indistinguishable from it: p of the paired difference, after Holm over all of them, is
    # not below 1 - level
    rivals: tuple[int, ...]
    coefficient: str  # the coefficient that determines the layer
    n: int  # the number of pairs

    def summary(self) -> list[str]:
        """Return the layer, how certain the choice is, and the layers that it is indistinguishable from."""
        others = ", ".join(map(str, self.rivals)) or "none"
        return [
            f"layer {self.layer}: {self.coefficient} {with_interval(self.value, '.3f')} over {self.n:,} pairs, "
            f"chosen by {100 * self.chosen[self.layer]:.0f} % of the resamples",
            f"expected on other pairs: {self.unseen:.3f}; indistinguishable layers: {others}",
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per layer: the share of resamples that choose it, and whether it is a rival."""
        return [
            {"layer": layer, "chosen": share, "recommended": layer == self.layer, "rival": layer in self.rivals}
            for layer, share in self.chosen.items()
        ]


@dataclass(frozen=True, eq=False)
class LayerStudy(Result):
    """All layers of an encoder compared on labeled pairs.

    Attributes:
        recommendation: The layer to use, and how certain that choice is.
        subset: The pairs that determine the layer.
        points: Each coefficient of each layer over each subset.
        scores: The scores of all pairs, by layer.
        judged: The labeled pairs.
        encoder: The fingerprint of the encoder.
        bootstrap: The resamples behind the intervals.
    """

    recommendation: Recommendation
    subset: str
    points: tuple[Point, ...]
    scores: Mapping[int, Scores]
    judged: Judgments
    encoder: str
    bootstrap: Bootstrap

    def summary(self) -> list[str]:
        """Return the layer, how certain the choice is, and how the intervals were drawn."""
        best = self.recommendation
        value, level = best.value, self.bootstrap.level
        share = 100 * best.chosen[best.layer]
        if not value.low > 0:
            certainty = "no layer agrees with the labels here: even the highest interval is not above 0"
        elif best.rivals:
            certainty = (
                f"not sure: {share:.0f} % of resamples choose it; layers that are not distinguishable from it: "
                f"{', '.join(map(str, best.rivals))}"
            )
        else:
            certainty = (
                f"sure: all other layers are worse (Holm, level {1 - level:.2g}); {share:.0f} % of resamples choose it"
            )
        rng = self.bootstrap.rng
        seeded = "" if isinstance(rng, np.random.Generator) else f", seed {rng}"
        return [
            f"layer {best.layer} has the highest {best.coefficient} on the {best.n:,} pairs ({self.subset}): "
            f"{with_interval(value, '.3f')}; expect {best.unseen:.3f} on pairs that did not choose it",
            certainty,
            f"{100 * level:g} % percentile bootstrap, {self.bootstrap.resamples:,} resamples of the pairs{seeded}",
        ]

    def tables(self) -> list[TextTable]:
        """Return the coefficient of each layer over each subset, and how often a resample chooses the layer."""
        best = self.recommendation
        points = [point for point in self.points if point.coefficient == best.coefficient]
        by = {(point.layer, point.subset): point for point in points}
        sizes = {point.subset: point.n for point in points}
        header = ["layer", *(f"{best.coefficient}, {name} (n={n})" for name, n in sizes.items()), "chosen"]
        rows = []
        for layer, share in best.chosen.items():
            cells = [with_interval(by[layer, name], ".3f") for name in sizes]
            rows.append((str(layer), *cells, f"{100 * share:.1f} %" + (" <-" if layer == best.layer else "")))
        return [TextTable("", tuple(header), tuple(rows))]

    def footer(self) -> list[str]:
        """Return the signature of the recommended layer."""
        return [f"signature: {self.scores[self.recommendation.layer].signature}"]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per layer, subset and coefficient."""
        return [point._asdict() for point in self.points]

    def to_dict(self) -> dict[str, Any]:
        """Return summary, recommendation and points for JSON; None for nan."""
        return json_object(
            {
                "summary": self.summary(),
                "recommendation": self.recommendation.to_dict(),
                "points": self.points,
                "signature": self.scores[self.recommendation.layer].signature,
            }
        )


def layers(
    data: Any,
    metric: str | BertScore = "bertscore-trained",
    *,
    subset: str = "all",
    coefficient: str = "kendall",
    bootstrap: Bootstrap = Bootstrap(),
    profile: str | None = None,
    progress: bool = True,
    **reading: Any,
) -> LayerStudy:
    """Compare all layers of an encoder on labeled pairs. One pass of the network scores them, and one is recommended.

    Args:
        data: ``Judgments``, or what ``judgments.judgments`` reads: a file, a DataFrame, columns by name.
        metric: A BERTScore, or the name of one, which selects the encoder. Its own layer does not matter.
        subset: The pairs that determine the layer: "all", "F1=0" (no shared word) or "F1!=0".
        coefficient: The coefficient that determines the layer: "kendall", "spearman" or "pearson".
        bootstrap: The coverage of the intervals, the number of resamples, and the seed or the generator that gives one.
        profile: The weights of a metric that is given by name.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        reading: Further settings of ``judgments``: label=, gold=, pred=, lang=.

    Raises:
        LookupError: If no subset, coefficient, metric or column has this name.
        ValueError: If the metric compares no layers, or the subset has fewer than two pairs.
        TypeError: If reading settings are given for data that are ``Judgments`` already.
    """
    if subset not in SUBSETS:
        raise unknown("subset", subset, SUBSETS)
    if coefficient not in COEFFICIENTS:
        raise unknown("coefficient", coefficient, COEFFICIENTS)
    drawing, progress = bootstrap_settings(bootstrap), flag("progress", progress)
    if isinstance(data, Judgments):
        if reading:
            raise TypeError(f"{min(reading)}= sets how data are read, but the data are Judgments already; leave it out")
        judged = data
    else:
        judged = judgments(data, **{"scores": ()} | reading)
    built = _built(metric, judged.lang, profile)
    parts = {part: mask for part, mask in subsets(judged).items() if part in SUBSETS and mask.sum() > 1}
    if subset not in parts:
        raise ValueError(f"{judged.name} has fewer than two pairs with {subset}; choose another subset")
    with progress_shown(progress):
        scored = score_layers(built, judged.pairs)
    mask, seed = parts[subset], seed_of("rng", drawing.rng)
    best = recommend(
        {layer: scores.values[mask] for layer, scores in scored.items()},
        judged.labels[mask],
        coefficient=coefficient,
        bootstrap=replace(drawing, rng=generator(seed, "layers", subset)),
    )
    points = curves(scored, judged.labels, parts, bootstrap=replace(drawing, rng=seed))
    return LayerStudy(best, subset, tuple(points), scored, judged, built.encoder.fingerprint, drawing)


def _built(metric: str | BertScore, lang: str, profile: str | None) -> BertScore:
    """Return the BERTScore. Raise ValueError if it is another metric."""
    from answersim.neural.bertscore import BertScore

    if not isinstance(metric, str) and profile is not None:
        raise TypeError(f"profile is {profile!r}, but the metric is already built; leave it out, or give a name")
    built = lookup.metric(metric, lang=lang, profile=profile) if isinstance(metric, str) else metric
    if not isinstance(built, BertScore):
        name = repr(metric) if isinstance(metric, str) else shown(metric)
        raise ValueError(f"metric is {name}, which compares no layers; give a BERTScore, such as bertscore-trained")
    return built


def score_layers(metric: BertScore, pairs: Sequence[Pair], layers: Sequence[int] | None = None) -> dict[int, Scores]:
    """Return the scores of this BERTScore at each of these layers. Layer 0 is the embeddings.

    Every text goes through the model once for all layers (once per chunk, if there are too many pairs to keep the
    states of all layers in memory); the numbers are those of the metric at that layer alone. ``metric``: the metric
    whose encoder, measure and token weights are used. Its own layer does not matter. Raise ValueError if the encoder
    has no such layer, or the metric is rescaled with the baseline of one layer.
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
    bootstrap: Bootstrap | None = None,
) -> list[Point]:
    """Return each coefficient of each layer with the labels by subset: the curves of Figure 3 of the SAS paper.

    ``columns``: the scores of each layer, shape (n,). ``bootstrap``: the resamples for percentile intervals, which all
    layers share. Without it, the intervals are nan.
    """
    points = []
    scores = _stack(columns)
    every = _labels(labels, scores.shape[1])
    drawing = Bootstrap() if bootstrap is None else bootstrap_settings(bootstrap)
    resamples, seed = 0 if bootstrap is None else drawing.resamples, seed_of("rng", drawing.rng)
    coefficients = texts("coefficients", coefficients)
    for subset, mask in mapping("parts", parts).items():
        if np.shape(mask) != every.shape or np.asarray(mask).dtype != np.bool_:
            raise ValueError(f"parts[{subset!r}] is {shown(mask)}, but it must be {len(every)} booleans, one per pair")
        part = scored_subset(mask, every, scores, resamples, generator(seed, "layers", subset))
        for name in coefficients:
            resampled = part.resampled(name)
            points += [
                Point(layer, subset, len(part.labels), name, float(value), *ends)
                for layer, value, ends in zip(
                    columns, resampled.values, resampled.intervals(drawing.level), strict=True
                )
            ]
    return points


def recommend(
    columns: Mapping[int, Any],
    labels: Any,
    *,
    coefficient: str = "kendall",
    bootstrap: Bootstrap = Bootstrap(),
) -> Recommendation:
    """Return the layer to use for these labels, and how certain the choice is.

    ``bootstrap``: the coverage of the interval, and the resamples, which all layers share. Rivals are tested at 1 -
    level. Raise ValueError if no coefficient is defined: the labels, or the scores of all layers, are constant. Raise
    LookupError if no coefficient has this name.

    >>> scores = {0: [0.5, 0.1, 0.4, 0.3, 0.2, 0.6], 1: [0.1, 0.2, 0.5, 0.6, 0.8, 0.9]}
    >>> found = recommend(scores, [0, 0, 1, 1, 2, 2])
    >>> found.layer, round(found.value.value, 2), found.rivals  # six pairs are too few to decide
    (1, 0.89, (0,))

    Source: the out-of-bag estimate after Efron & Tibshirani 1993, chapter 17; Holm 1979 for the rivals.
    """
    scores = _stack(columns)
    layers, given = list(columns), _labels(labels, scores.shape[1])
    drawing = bootstrap_settings(bootstrap)
    rng, level = generator_of("rng", drawing.rng), drawing.level
    compute = coefficient_named(coefficient)
    if np.isnan(compute(scores, given, None)).all():
        raise ValueError(
            f"no layer of {len(given)} pairs can be recommended: labels or scores are constant; give pairs that differ"
        )
    part = scored_subset(np.ones(len(given), dtype=bool), given, scores, drawing.resamples, rng)
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
        estimated(values[best], samples[best], level),
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
