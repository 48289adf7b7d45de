"""Fit a calibration: curve and thresholds on labeled pairs, evaluated on held-out pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import finite, listed, mapping, number, shown, text
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim.calibration.model.model import Calibration
from answersim.calibration.model.parts import METHODS, Method, Provenance, Quality, Threshold
from answersim.calibration.scores import Scores
from answersim.stats.calibration.cross_fit import folds_of
from answersim.stats.calibration.monotone import Curve, isotonic, logistic
from answersim.stats.calibration.reliability import reliability
from answersim.stats.calibration.thresholds import RULES, Rule, choose, count, resampled
from answersim.stats.coefficients.auc import auc
from answersim.stats.intervals.resampling import Bootstrap, Estimate, bootstrap_settings, estimated

FOLDS = 5  # parts of the cross-validation. Every threshold is chosen again without the part that evaluates it.
LEAST = 10  # pairs of each kind: with fewer, a fold may contain none, and every interval is as wide as the scale
_FIT: dict[Method, Callable[[Any, Any], Curve]] = {"isotonic": isotonic, "logistic": logistic}


class Rows(NamedTuple):
    """Scores, labels (True is equivalent) and the number of the group of each pair; shape (n,) each."""

    scores: FloatArray
    labels: NDArray[np.bool_]
    groups: NDArray[np.int64]

    def at(self, places: Any) -> Rows:
        """Return the rows at these positions or under this mask, with groups numbered again."""
        groups = np.unique(self.groups[places], return_inverse=True)[1]
        return Rows(self.scores[places], self.labels[places], groups)


def calibrate(
    scores: Any,
    labels: Any,
    *,
    cut: float | None = None,
    groups: Sequence[Any] | None = None,
    signature: str | None = None,
    method: Method | Literal["auto"] = "auto",
    target: float = 0.95,
    bootstrap: Bootstrap = Bootstrap(),
    metric: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Calibration:
    """Learn probabilities and thresholds for these scores from human labels.

    Args:
        scores: One finite number per pair, shape (n,); higher must mean more similar. ``Scores`` have a signature.
        labels: Human labels, shape (n,): 0 or 1, False or True; or grades with ``cut``.
        cut: Labels of at least this are equivalent.
        groups: One value per pair that dependent pairs have in common, such as the question. Pairs of one group are
            held out together and resampled together. By default, each pair is its own group.
        signature: The signature of the scores, if they have none.
        method: The curve: "isotonic" (any rising shape; needs hundreds of pairs), "logistic" (two parameters), or
            "auto", the one with the smaller Brier score on held-out pairs.
        target: The precision of the rule "precision": the threshold is the lowest score from which on at least this
            share of the labeled pairs is equivalent. ``Threshold.precision`` is the share on held-out pairs.
        bootstrap: The coverage of the intervals, the number of resamples, and the random numbers for folds and
            resamples.
        metric: How the metric is built: "name" and options.
        metadata: More about the data, such as their license, as JSON values.

    Returns:
        A ``Calibration``. A threshold is the middle between two scores, or inf if no score fits. Of several equally
        good thresholds, it is the lowest. ``threshold("accuracy")`` contains the accuracy on held-out pairs. If the
        AUC of a metric does not differ from .5, the curve is flat and there are no verdicts.

    Raises:
        TypeError, LookupError: If ``scores`` or ``labels`` are not numbers, or no method has this name.
        ValueError: If the lengths differ, a number is nan, all scores are equal, labels are not 0 and 1 and there is no
            ``cut``, fewer than ten labels are of one kind, or a setting is outside its range.

    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=400)
    >>> scores = 3 * labels + rng.normal(size=400)
    >>> calibration = calibrate(scores, labels, signature="mine|v:1")
    >>> calibration.probability([0.0, 1.5, 3.0]).round(1).tolist()
    [0.0, 0.5, 1.0]
    >>> calibration.verdicts([0.0, 1.5, 3.0]).tolist()
    ['different', 'unsure', 'equivalent']

    Source: Zadrozny & Elkan 2002 and Platt 1999 (curves); Varma & Simon 2006 (choosing within the folds).
    """
    cut = None if cut is None else finite("cut", cut)
    drawing, target = bootstrap_settings(bootstrap), number("target", target)
    metric = mapping("metric", {} if metric is None else metric)
    metadata = mapping("metadata", {} if metadata is None else metadata)
    rng = np.random.default_rng(drawing.rng)
    recorded = scores.signature if isinstance(scores, Scores) else ""
    signature = recorded if signature is None else text("signature", signature)
    if recorded and signature != recorded:
        raise ValueError(
            f"signature is {signature!r}, but the scores have the signature {recorded!r}; leave signature out"
        )
    rows, label = _rows(scores, labels, cut, groups)
    if text("method", method) not in ("auto", *METHODS):
        raise unknown("method", method, ("auto", *METHODS))
    if not 0 < target < 1:
        raise ValueError(f"target is {target:g}, but it must be between 0 and 1")
    return _fitted(rows, label, method, target, drawing, rng, signature=signature, metric=metric, metadata=metadata)


def _fitted(
    rows: Rows,
    label: str,
    method: Method | Literal["auto"],
    target: float,
    drawing: Bootstrap,
    rng: np.random.Generator,
    **about: Any,
) -> Calibration:
    """Return the calibration of these rows, by checked settings."""
    parts = _parts(rows, rng)
    samples = list(resampled(rows.groups, drawing.resamples, rng))
    probabilities, called = _held_out(rows, parts, target)
    squares = {name: float(np.square(probabilities[name] - rows.labels).mean()) for name in METHODS}
    chosen = min(METHODS, key=lambda name: squares[name]) if method == "auto" else method
    estimate, level = _Estimates(rows.labels, samples, drawing.level), drawing.level
    drawn = np.concatenate([auc(rows.scores, rows.labels, 1, block) for block in samples])
    area = estimated(auc(rows.scores, rows.labels, 1)[0], drawn, level)
    counts = len(rows.labels), int(rows.labels.sum()), int(rows.groups.max()) + 1
    return Calibration(
        **about,
        curve=_FIT[chosen](rows.scores, rows.labels),
        thresholds=tuple(
            Threshold(rule, _cut(rows, samples, rule, target, level), *estimate.calls(called[rule])) for rule in RULES
        ),
        reliability=reliability(probabilities[chosen], rows.labels, samples, level=level, rng=rng),
        quality=Quality(
            area.value, squares["isotonic"], squares["logistic"], float(rows.labels.var()), area.low, area.high
        ),
        provenance=Provenance(*counts, label, target, level, FOLDS, drawing.resamples),
    )


def _held_out(
    rows: Rows, parts: NDArray[np.int64], target: float
) -> tuple[dict[Method, FloatArray], dict[Rule, NDArray[np.bool_]]]:
    """Return probabilities and calls of each pair, by a calibration that was fitted without it; shape (n,) each."""
    n = len(rows.labels)
    probabilities: dict[Method, FloatArray] = {method: np.empty(n) for method in METHODS}
    called: dict[Rule, NDArray[np.bool_]] = {rule: np.zeros(n, dtype=bool) for rule in RULES}
    for fold in range(int(parts.max()) + 1):
        out = parts == fold
        without, scores = rows.at(~out), rows.scores[out]
        for method, fit in _FIT.items():
            probabilities[method][out] = fit(without.scores, without.labels)(scores)
        counts = count(without.scores, without.labels)
        for rule in RULES:
            called[rule][out] = scores >= counts.cuts[choose(counts, rule, target)[0]]
    return probabilities, called


def _cut(rows: Rows, samples: Sequence[NDArray[np.int32]], rule: Rule, target: float, level: float) -> Estimate:
    """Return the threshold of this rule on all pairs, with the percentile interval of its choice on resamples."""
    whole = count(rows.scores, rows.labels)
    value = float(whole.cuts[choose(whole, rule, target)[0]])
    chosen = np.concatenate([choose(count(rows.scores, rows.labels, sample), rule, target) for sample in samples])
    # By rank, not by the mean of two values, because some are infinite.
    ends = np.quantile(chosen, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return Estimate(value, float(whole.cuts[ends[0]]), float(whole.cuts[ends[1]]))


class _Estimates(NamedTuple):
    """Shares among pairs, with bootstrap intervals from one set of resamples."""

    labels: NDArray[np.bool_]
    samples: Sequence[NDArray[np.int32]]
    level: float

    def share(self, hits: NDArray[np.bool_], among: NDArray[np.bool_]) -> Estimate:
        """Return the share of hits among these pairs; nan if there are none."""
        hits, size = hits & among, int(among.sum())
        value = float(hits.sum() / size) if size else float("nan")
        parts = []
        for sample in self.samples:
            held = sample @ among.astype(np.int64)
            parts.append(
                np.divide(sample @ hits.astype(np.int64), held, out=np.full(len(sample), np.nan), where=held > 0)
            )
        return estimated(value, np.concatenate(parts), self.level)

    def calls(self, called: NDArray[np.bool_]) -> tuple[Estimate, Estimate, Estimate]:
        """Return accuracy, precision and recall."""
        everywhere = np.ones_like(called)
        return (
            self.share(called == self.labels, everywhere),
            self.share(self.labels, called),
            self.share(called, self.labels),
        )


def _rows(scores: Any, labels: Any, cut: float | None, groups: Sequence[Any] | None) -> tuple[Rows, str]:
    """Return the checked rows, and the rule for labels in words."""
    numbers, grades = _column("scores", scores), _column("labels", labels)
    if len(numbers) != len(grades):
        raise ValueError(
            f"there are {len(numbers)} scores and {len(grades)} labels; give one score and one label per pair"
        )
    if cut is None:
        if odd := sorted(set(grades.tolist()) - {0.0, 1.0}):
            raise ValueError(
                f"a label is {odd[0]:g}, but labels are 0 and 1; for grades, give the lowest grade of equivalent "
                f"pairs, such as cut={max(odd):g}"
            )
        truth, label = grades == 1, "1 of 0 and 1"
    else:
        truth, label = grades >= cut, f"at least {cut:g}"
    right = int(truth.sum())
    for kind, size in (("equivalent", right), ("different", len(truth) - right)):
        if size < LEAST:
            raise ValueError(
                f"{size} of {len(truth)} pairs are {kind} by their labels ({label}), but a calibration needs at least "
                f"{LEAST} of each kind; label more pairs, or choose another cut"
            )
    if numbers.min() == numbers.max():
        raise ValueError(f"all {len(numbers)} scores are {numbers[0]:g}, so they do not distinguish the pairs")
    return Rows(numbers, truth, _numbered(groups, len(numbers))), label


def _numbered(groups: Sequence[Any] | None, n: int) -> NDArray[np.int64]:
    if groups is None:
        return np.arange(n)
    groups = listed("groups", groups)
    if len(groups) != n:
        raise ValueError(f"there are {len(groups)} groups and {n} scores; give one group per pair")
    numbers: dict[Any, int] = {}
    for i, group in enumerate(groups):
        try:
            numbers.setdefault(group, len(numbers))
        except Exception as error:  # a list, a DataFrame ...: the values may be of any kind
            raise TypeError(
                f"groups[{i}] is {shown(group)}, which cannot be compared with other values ({type(error).__name__}: "
                f"{error}); give strings or numbers"
            ) from None
    return np.array([numbers[group] for group in groups], dtype=np.int64)


def _column(name: str, values: Any) -> FloatArray:
    try:
        column = np.asarray(values, dtype=np.float64)
    except Exception:  # the values may be of any kind
        raise TypeError(f"{name} are not all numbers; give one number per pair") from None
    if column.ndim != 1:
        raise ValueError(
            f"{name} have the shape {column.shape}, but they must have the shape (n,), one number per pair"
        )
    if not np.isfinite(column).all():
        at = int(np.flatnonzero(~np.isfinite(column))[0])
        raise ValueError(f"{name}[{at}] is {column[at]}, but it must be a finite number; leave out pairs without one")
    return column


def _parts(rows: Rows, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of each pair. Groups are assigned at random. Both labels must remain if a fold is left out."""
    parts = folds_of(rows.groups, FOLDS, rng)
    for fold in range(FOLDS):
        left = rows.labels[parts != fold]
        if left.all() or not left.any():
            raise ValueError(
                f"without one of {FOLDS} folds, all pairs have the same label, so nothing can be fitted; "
                "give more groups with both kinds of pairs"
            )
        training_scores = rows.scores[parts != fold]
        if training_scores.min() == training_scores.max():
            raise ValueError(f"without one of {FOLDS} folds, all scores are equal; give more pairs")
    return parts
