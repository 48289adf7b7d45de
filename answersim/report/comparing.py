"""Two or more systems on a page: differences in the share right, and the answers that changed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

from answersim.calibration.verdicts import Decided, VerdictRule
from answersim.evaluation.changes import ChangedRow
from answersim.evaluation.compare import compare_decided
from answersim.evaluation.comparison import Comparison
from answersim.report.gathering import SystemAnswers, decided_of
from answersim.stats.resampling import Bootstrap, Estimate
from answersim.text_tables import p_value, with_interval
from answersim.types import FloatArray

CHANGES = ("went wrong", "became right", "lower", "higher")


class PairRow(NamedTuple):
    """Two systems. Differences are second minus first, in points of the share right, or of the mean score.

    Attributes:
        first: The name of a system.
        second: The name of the other system.
        difference: The difference, with its interval.
        p: p after Holm's correction over all pairs.
        labeled: The difference by human labels, or None.
        went_wrong: How many answers are right for the first system, and wrong or unsure for the second.
        became_right: How many answers are right for the second system, and wrong or unsure for the first.
        better: How many answers of the second system have a higher score, by more than the noise.
        same: How many have the same, and ``worse`` how many have a lower one.
        flicker: How many have a score nearer to the cut than the noise, so that another machine may decide otherwise.
        changed: The answers that changed.
    """

    first: str
    second: str
    difference: Estimate
    p: float
    labeled: Estimate | None
    went_wrong: int
    became_right: int
    better: int
    same: int
    worse: int
    flicker: int
    changed: tuple[ChangedRow, ...]

    def sentence(self, level: float, unit: str) -> str:
        """Return which of the two is better, or that this is undecided.

        Args:
            level: The coverage of the interval.
            unit: The unit of the difference: "points", or the name of a metric.
        """
        value, low, high = self.difference
        verb = "is not distinguishable from"
        if self.p < 1 - level and (low > 0 or high < 0):
            verb = f"is {'better' if value > 0 else 'worse'} than"
        p = p_value(self.p, "p").replace(" ", "\N{NO-BREAK SPACE}")
        difference = with_interval(self.difference, "+.1f" if unit == "points" else "+.3f", unit=f" {unit}")
        return f"{self.second} {verb} {self.first}: {difference}, {p}"


class Compared(NamedTuple):
    """All pairs of systems.

    Attributes:
        pairs: In the order of the systems.
        rule: The rule that decides which answers are right.
        noise: The difference of scores that may be numerical noise.
        level: The coverage of the intervals.
    """

    pairs: tuple[PairRow, ...]
    rule: VerdictRule
    noise: float
    level: float


def compared(
    answers: SystemAnswers, metric: str, rule: VerdictRule, *, noise: float = 0.0, bootstrap: Bootstrap = Bootstrap()
) -> Compared | None:
    """Compare every two systems by the share of right answers, or by the mean score if the rule counts none.

    Returns:
        None if there are fewer than two systems or fewer than two answers.
    """
    n, systems = len(answers.ids), list(answers.preds)
    if len(systems) < 2 or n < 2:
        return None
    how: dict[str, Any] = {"groups": answers.questions, "bootstrap": bootstrap}
    decided = decided_of(answers, metric)
    found = compare_decided(decided, rule, noise=noise, **how).pairs
    labeled = _by_labels(answers, decided, rule, how)
    rows = tuple(_row(pair, gap) for pair, gap in zip(found, labeled, strict=True))
    return Compared(rows, rule, noise, bootstrap.level)


def _row(pair: Comparison, labeled: Estimate | None) -> PairRow:
    return PairRow(
        *pair.names,
        pair.difference if pair.points is None else pair.points.difference.times(100),
        pair.p_holm if pair.points is None else pair.points.p_holm,
        None if labeled is None else labeled.times(100),
        pair.counts("went wrong"),
        pair.counts("became right"),
        pair.better,
        pair.same,
        pair.worse,
        pair.flicker,
        pair.changed,
    )


def _by_labels(
    answers: SystemAnswers, decided: Mapping[str, Decided], rule: VerdictRule, how: Mapping[str, Any]
) -> list[Estimate | None]:
    """Return the difference of the labels for each pair of systems, None if there are too few labels."""
    pairs = list(combinations(answers.preds, 2))
    if not answers.labels:
        return [None] * len(pairs)
    found: list[Estimate | None] = []
    for one, other in pairs:
        try:
            (pair,) = compare_decided(
                {name: decided[name] for name in (one, other)},
                rule,
                labels=_of(answers.labels, one, other),
                inclusion=_of(answers.inclusion, one, other),
                strata=_of(answers.strata, one, other),
                **how,
            ).pairs
        except ValueError:  # fewer questions with both labels than an interval needs
            found.append(None)
            continue
        found.append(None if pair.labeled is None else pair.labeled.estimate)
    return found


def _of(values: Mapping[str, FloatArray], *systems: str) -> dict[str, FloatArray]:
    return {name: values[name] for name in systems if name in values}
