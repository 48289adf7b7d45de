"""A calibration in tables and lines, as ``answersim calibrate`` prints it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from answersim.calibration import wording
from answersim.calibration.model import Calibration
from answersim.calibration.parts import VerdictThreshold
from answersim.stats.resampling import Estimate
from answersim.text_tables import TextTable, printable, with_interval


def described(calibration: Calibration) -> Iterator[str | TextTable]:
    """Yield the lines and tables on a calibration: its data, thresholds, verdicts, promises and reliability."""
    provenance, shown = calibration.provenance, calibration.reliability
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
    sides = (
        _rule_row("equivalent", "from", calibration.equivalent),
        _rule_row("different", "below", calibration.different),
    )
    yield TextTable("", ("verdict", "score", "given to", "right", ""), sides)
    yield from wording.promises(calibration)
    if "best cut" in (calibration.equivalent.kind, calibration.different.kind):
        yield (
            "To lower the promise, set --target or --target-different. A target that is chosen after this result is "
            "kept with less confidence"
        )
    bins = tuple((str(row.n), f"{row.probability:.3f}", percent(row.share)) for row in shown.bins)
    yield TextTable("", ("pairs", "probability", "are equivalent"), bins)
    yield (
        f"calibration error {with_interval(shown.error, '.3f')}, by chance alone {shown.by_chance:.3f}; Brier score "
        f"{with_interval(shown.brier, '.3f')}, and {calibration.quality.constant:.3f} if the mean is always predicted"
    )


def _rule_row(verdict: str, where: str, side: VerdictThreshold) -> tuple[str, str, str, str, str]:
    if side.kind == "never":
        return verdict, "never", "", "", ""
    return verdict, format_cut(where, side), percent(side.share), percent(side.right), wording.kind_of(side)


def format_cut(where: str, side: VerdictThreshold) -> str:
    """Describe where a verdict begins: "from 0.5720", or "always" or "never" for a cut beyond all scores."""
    if math.isinf(side.cut):
        return "always" if where == "below" and side.cut > 0 else "never"
    return f"{where} {number(side.cut)}"


def percent(estimate: Estimate) -> str:
    """Return a share with its interval, in percent; "never" if it is undefined.

    >>> percent(Estimate(0.5, 0.25, 0.75)), percent(Estimate(math.nan, math.nan, math.nan))
    ('50.0 [25.0, 75.0]', 'never')
    """
    if estimate.value != estimate.value:
        return "never"
    return with_interval(estimate, ".1f", 100)


def number(value: float) -> str:
    """Format a score; "none" for infinity, which no score reaches.

    >>> number(0.572), number(math.inf)
    ('0.5720', 'none')
    """
    return "none" if math.isinf(value) else f"{value:.4f}"
