"""What is printed about a calibration: its summary, its thresholds and its shares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import typer

from answersim.commands.printing import print_table

if TYPE_CHECKING:
    from answersim.calibration.model import Calibration
    from answersim.calibration.parts import VerdictThreshold
    from answersim.stats.resampling import Estimate


def print_calibration(calibration: Calibration) -> None:
    """Print a summary of a calibration."""
    from answersim.agreement.tables import printable
    from answersim.calibration.wording import promises

    provenance, shown = calibration.provenance, calibration.reliability
    typer.echo(printable(calibration.signature))
    of = "" if provenance.groups == provenance.n else f" of {provenance.groups:,} groups"
    typer.echo(
        f"{provenance.n:,} pairs{of}, {provenance.equivalent / provenance.n:.1%} equivalent (label: {provenance.label})"
    )
    typer.echo(
        f"AUC {calibration.quality.auc:.3f}; curve: {calibration.method}; "
        f"numbers below on pairs held out ({provenance.folds} folds)"
    )
    typer.echo()
    print_table(
        (
            "threshold for",
            "score from",
            "95 %" if provenance.level == 0.95 else f"{provenance.level:.0%}",
            "accuracy",
            "precision",
            "recall",
        ),
        [
            (
                {"accuracy": "best accuracy", "f1": "best F1"}.get(threshold.rule, f"precision {provenance.target:g}"),
                number(threshold.cut.value),
                f"{number(threshold.cut.low)} .. {number(threshold.cut.high)}",
                *map(percent, (threshold.accuracy, threshold.precision, threshold.recall)),
            )
            for threshold in calibration.thresholds
        ],
    )
    typer.echo()
    print_table(
        ("verdict", "score", "given to", "right", ""),
        [_side("equivalent", "from", calibration.equivalent), _side("different", "below", calibration.different)],
    )
    for line in promises(calibration):
        typer.echo(line)
    if "best cut" in (calibration.equivalent.kind, calibration.different.kind):
        typer.echo(
            "to promise less: --target, --target-different. A target that is chosen after this result is kept with "
            "less confidence"
        )
    typer.echo()
    print_table(
        ("pairs", "probability", "are equivalent"),
        [(str(row.n), f"{row.probability:.3f}", percent(row.share)) for row in shown.bins],
    )
    typer.echo()
    error, brier = shown.error, shown.brier
    typer.echo(
        f"calibration error {error.value:.3f} [{error.low:.3f}, {error.high:.3f}], by chance alone "
        f"{shown.by_chance:.3f}; Brier {brier.value:.3f} [{brier.low:.3f}, {brier.high:.3f}], "
        f"of a constant {calibration.quality.constant:.3f}"
    )


def _side(verdict: str, where: str, side: VerdictThreshold) -> tuple[str, str, str, str, str]:
    from answersim.calibration.wording import kind_of

    if side.kind == "never":
        return verdict, "never", "", "", ""
    return verdict, cut_words(where, side), percent(side.share), percent(side.right), kind_of(side)


def cut_words(where: str, side: VerdictThreshold) -> str:
    """Describe where a verdict begins: "from 0.5720", or "always" or "never" for a cut beyond all scores."""
    if math.isinf(side.cut):
        return "always" if where == "below" and side.cut > 0 else "never"
    return f"{where} {number(side.cut)}"


def percent(estimate: Estimate) -> str:
    """Return a share with its interval, in percent; "never" if it is undefined."""
    if estimate.value != estimate.value:
        return "never"
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def number(value: float) -> str:
    """Format a score; "none" for infinity, which no score reaches."""
    return "none" if value in (float("inf"), float("-inf")) else f"{value:.4f}"
