"""Two or more systems on a page: differences in the share right, and the answers that changed."""

from __future__ import annotations

from dataclasses import replace

from answersim.calibration.verdicts import VerdictRule
from answersim.evaluation.compare import basis, compare_decided
from answersim.evaluation.comparison import Comparison
from answersim.evaluation.correction import MeanEstimate
from answersim.evaluation.labeled_differences import difference_of_labels
from answersim.report.gathering import SystemAnswers, decided_of
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.resampling import Bootstrap
from answersim.text_tables import p_value, with_interval

CHANGES = ("went wrong", "became right", "lower", "higher")


def compared(
    answers: SystemAnswers, metric: str, rule: VerdictRule, *, noise: float = 0.0, bootstrap: Bootstrap = Bootstrap()
) -> tuple[Comparison, ...]:
    """Compare every two systems by the share of right answers, or by the mean score if the rule counts none.

    There are no comparisons of fewer than two systems or answers, and ``labeled`` is None if too few questions have the
    labels of both systems.
    """
    n = len(answers.ids)
    if len(answers.preds) < 2 or n < 2:
        return ()
    decided = decided_of(answers, metric)
    pairs = compare_decided(decided, rule, groups=answers.questions, noise=noise, bootstrap=bootstrap).pairs
    means = ClusteredMeans(range(n) if answers.questions is None else answers.questions, bootstrap.level)

    def labeled(pair: Comparison) -> MeanEstimate | None:
        apart = basis(decided, *pair.names)
        try:
            return difference_of_labels(apart, answers.labels, pair.names, means.numbers, means.level)
        except ValueError:  # fewer questions with both labels than an interval needs
            return None

    return tuple(replace(pair, labeled=labeled(pair)) for pair in pairs)


def sentence(pair: Comparison, unit: str) -> str:
    """Return which of the two is better, or that this is undecided.

    Args:
        pair: The comparison.
        unit: The unit of the difference: "points", or the name of a metric.
    """
    first, second = pair.names
    value, low, high = pair.decisive
    verb = "is not distinguishable from"
    if pair.decisive_p < 1 - pair.level and (low > 0 or high < 0):
        verb = f"is {'better' if value > 0 else 'worse'} than"
    p = p_value(pair.decisive_p, "p").replace(" ", "\N{NO-BREAK SPACE}")
    factor, form = (1, "+.3f") if pair.points is None else (100, "+.1f")
    return f"{second} {verb} {first}: {with_interval(pair.decisive, form, factor, f' {unit}')}, {p}"
