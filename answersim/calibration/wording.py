"""A calibration in sentences and tables, for the terminal, the cards and the report."""

from __future__ import annotations

import math
from collections.abc import Iterator

from answersim._base.text_tables import TextTable, printable, with_interval
from answersim.calibration.model.decision import HIGH, LOW, cuts
from answersim.calibration.model.model import Calibration
from answersim.calibration.shipped_index import ANY_LANGUAGE
from answersim.stats.intervals.resampling import Estimate


def described(calibration: Calibration) -> Iterator[str | TextTable]:
    """Yield what ``answersim calibrate`` prints: data, thresholds, verdicts and reliability."""
    provenance, reliability = calibration.provenance, calibration.reliability
    of = "" if provenance.groups == provenance.n else f" of {provenance.groups:,} groups"
    yield printable(calibration.signature)
    share = provenance.equivalent / provenance.n
    yield f"{provenance.n:,} pairs{of}, {share:.1%} equivalent (label: {provenance.label})"
    yield (
        f"AUC {calibration.quality.auc:.3f}; curve: {calibration.method}; "
        f"numbers below on pairs held out ({provenance.folds} folds)"
    )
    level = "95 %" if provenance.level == 0.95 else f"{provenance.level:.0%}"
    yield TextTable(
        "",
        ("threshold for", "score from", level, "accuracy", "precision", "recall"),
        tuple(
            (
                {"accuracy": "best accuracy", "f1": "best F1"}.get(threshold.rule, f"precision {provenance.target:g}"),
                number(threshold.cut.value),
                f"{number(threshold.cut.low)} .. {number(threshold.cut.high)}",
                *map(percent, (threshold.accuracy, threshold.precision, threshold.recall)),
            )
            for threshold in calibration.thresholds
        ),
    )
    yield decision(calibration)
    bins = tuple((str(row.n), f"{row.probability:.3f}", percent(row.share)) for row in reliability.bins)
    yield TextTable("", ("pairs", "probability", "are equivalent"), bins)
    yield (
        f"calibration error {with_interval(reliability.error, '.3f')}, by chance alone {reliability.by_chance:.3f}; "
        "Brier score "
        f"{with_interval(reliability.brier, '.3f')}, and {calibration.quality.constant:.3f} if the mean is always "
        "predicted"
    )


def decision(calibration: Calibration, low: float = LOW, high: float = HIGH) -> str:
    """Return from which probability and score on each verdict is given, and how often the best cut is correct."""
    if not calibration.separates:
        return _nothing(calibration)
    last, first = cuts(calibration.curve, low, high)
    accuracy = calibration.threshold("accuracy").accuracy
    band = f"equivalent from p {high:g}{_score(first, first > 0)}, different "
    band += f"up to p {low:g}{_score(last, last < 0)}, unsure between" if low < high else "below"
    return (
        f"{band}; without unsure, {_shares(accuracy)} are correct on held-out pairs of the calibration data, "
        f"which need not hold for other answers{_majority(calibration)}"
    )


def counting(calibration: Calibration, metric: str, low: float, high: float) -> str:
    """Return how answers are counted as right and wrong by a calibration, in one sentence."""
    if not calibration.separates:
        return f"no answer is right or wrong, all are unsure: {_nothing(calibration)}"
    last, first = cuts(calibration.curve, low, high)
    line = f"an answer is right from the probability {high:g} on{_score(first, first > 0)}"
    if low < high:
        line += f", wrong up to {low:g}{_score(last, last < 0)}, and unsure between"
    else:
        line += " and wrong below"
    if least := calibration.least_words:
        line += f"; a prediction of fewer than {least} words is unsure"
    return f"{line}, by the calibration of {metric}"


def basis(calibration: Calibration) -> str:
    """Return the data of a calibration, in a few words."""
    provenance, data = calibration.provenance, calibration.metadata.get("data")
    named = f" ({data})" if isinstance(data, str) else ""
    return f"calibration: {provenance.n:,} pairs{named}, {provenance.equivalent / provenance.n:.1%} equivalent"


def caution(calibration: Calibration) -> str:
    """Return on which data a calibration was measured, how often it was correct there, and what that is worth here."""
    accuracy = calibration.threshold("accuracy").accuracy
    return (
        f"{basis(calibration)}. Of the verdicts on its held-out pairs, {_shares(accuracy)} are correct without unsure. "
        "That is no property of these answers: label some of them to check"
    )


def language_caution(calibration: Calibration) -> list[str]:
    """Return the caution if this calibration is used in another language than its own; else an empty list."""
    check = calibration.metadata.get("language")
    if not isinstance(check, dict):
        return []
    if "n" not in check:
        return [
            f"caution: this calibration was not checked in the language {check['lang']!r}; label answers to check it"
        ]
    if calibration.metadata.get(ANY_LANGUAGE):
        return []
    return [
        f"caution: this calibration was made on English answers and is used for {check['lang']!r}. On {check['n']} "
        f"pairs ({check['data']}), {_shares(Estimate(*check['accuracy']))} of its verdicts were correct, where "
        f"{_percent(check['equivalent'])} were equivalent and it estimated {_percent(check['probability'])}"
    ]


def percent(estimate: Estimate) -> str:
    """Return a share with its interval, in percent; "never" if it is undefined.

    >>> percent(Estimate(0.5, 0.25, 0.75)), percent(Estimate(math.nan, math.nan, math.nan))
    ('50.0 [25.0, 75.0]', 'never')
    """
    return "never" if math.isnan(estimate.value) else with_interval(estimate, ".1f", 100)


def number(value: float) -> str:
    """Format a score; "none" for infinity, which no score reaches.

    >>> number(0.572), number(math.inf)
    ('0.5720', 'none')
    """
    return "none" if math.isinf(value) else f"{value:.4f}"


def _majority(calibration: Calibration) -> str:
    """Return a caution if the verdicts are not certainly better than the same verdict for all pairs."""
    verdict, share = calibration.majority
    if calibration.threshold("accuracy").accuracy.low > share:
        return f' ("{verdict}" for every pair: {_percent(share)})'
    return f'. That is not surely more than "{verdict}" for every pair, which is correct for {_percent(share)}'


def _score(cut: float, none: bool) -> str:
    """Return the score of a probability in brackets; ``none`` is whether an infinite one means no score."""
    if math.isinf(cut):
        return f" ({'no' if none else 'every'} score)"
    return f" (score {cut:.4f})"


def _nothing(calibration: Calibration) -> str:
    quality = calibration.quality
    return (
        f"No verdict but 'unsure' is ever given: these scores do not separate the labels (AUC {quality.auc:.3f} "
        f"[{quality.auc_low:.3f}, {quality.auc_high:.3f}], where chance has 0.5)."
    )


def _percent(share: float) -> str:
    """Return a share in percent with at most one decimal."""
    return f"{round(100 * share, 1):g} %"


def _shares(estimate: Estimate) -> str:
    return f"{with_interval(estimate, '.1f', 100)} %"
