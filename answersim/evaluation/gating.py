"""May a candidate replace the baseline? A decision on the paired interval, and a summary of it."""

from __future__ import annotations

from typing import NamedTuple

from answersim.arguments import between
from answersim.evaluation.comparison import Comparison
from answersim.text_tables import html_result

NOT_WORSE, WORSE, UNKNOWN = 0, 1, 3  # exit statuses; 2 is an error


class Decision(NamedTuple):
    """A decision about a candidate.

    Attributes:
        status: 0 if the candidate is not worse by more than the allowed drop, 1 if it is, 3 if undecided.
        reason: One sentence: what the interval excludes.
        max_drop: The allowed drop of the mean score.
        comparison: The comparison that the decision is based on.
    """

    status: int
    reason: str
    max_drop: float
    comparison: Comparison

    @property
    def verdict(self) -> str:
        """The status in words."""
        return {NOT_WORSE: "not worse", WORSE: "worse", UNKNOWN: "undecided"}[self.status]

    def _repr_html_(self) -> str:
        return html_result([f"{self.verdict}: {self.reason}"]) + self.comparison._repr_html_()


def gate(comparison: Comparison, max_drop: float, *, identical: bool = False) -> Decision:
    """Decide whether the second system of a comparison is not worse than the first: a test of non-inferiority.

    The interval of the difference decides. At a level of 95 %, a candidate whose true drop is just the allowed one
    passes in at most 3 % of all samples of questions, and one without a drop is called worse in fewer. This holds in
    all our simulations of verdicts, and of scores whose rare losses are not larger than all differences that the
    sample has (``benchmarks/results/coverage.md``). If nearly all scores differ a little, and a loss of 1 on 2 % of
    the questions was not drawn, more pass: 16 % with 100 questions, 48 % with 30. Verdicts do not have this weakness.

    ==========  ======================================================================================
    status      the interval of candidate less baseline
    ==========  ======================================================================================
    0           is above -max_drop: a larger drop is excluded
    1           is below -max_drop: the drop is larger
    3           contains -max_drop: more questions, or a larger allowed drop, are needed
    ==========  ======================================================================================

    Args:
        comparison: The baseline first, the candidate second.
        max_drop: The allowed drop of the mean score, from 0 to 1. With 0, only a candidate that is better passes, or
            one with identical predictions.
        identical: Whether all predictions are identical. Then nothing changed on these questions, and the status is 0.

    Raises:
        ValueError: If the allowed drop is outside 0 to 1.

    >>> from answersim.evaluation.comparison import compare
    >>> same = compare([0.9, 0.1] * 300, [0.9, 0.1] * 300)
    >>> gate(same, 0.01).status, gate(same, 0.001).status
    (0, 3)

    Source: Piaggio et al. 2012, "Reporting of noninferiority and equivalence randomized trials".
    """
    drop = between("max_drop", max_drop, 0, 1, ends=True)
    low, high = comparison.difference.low, comparison.difference.high
    interval = f"[{low:+.4f}, {high:+.4f}]"
    share = f"{comparison.level:.0%}"
    if identical:
        return Decision(NOT_WORSE, "all predictions are identical, so nothing changed", drop, comparison)
    if low > -drop:
        reason = f"the {share} interval of the difference, {interval}, is above -{drop:g}"
        return Decision(NOT_WORSE, reason, drop, comparison)
    if high < -drop:
        reason = f"the {share} interval of the difference, {interval}, is below -{drop:g}"
        return Decision(WORSE, reason, drop, comparison)
    needed = _questions(comparison, drop)
    reason = f"the {share} interval of the difference, {interval}, contains -{drop:g}"
    if needed > comparison.n:
        reason += f"; if there is no true difference, about {needed:,} questions would decide in 8 of 10 cases"
    return Decision(UNKNOWN, reason, drop, comparison)


def _questions(comparison: Comparison, drop: float) -> int:
    """Return about how many questions would exclude the drop if there is none; 0 if no number does."""
    return 0 if drop == 0 else int(comparison.n * (comparison.least_difference / drop) ** 2) + 1


def markdown(decision: Decision, metric: str) -> str:
    """Return a summary for a pull request.

    Args:
        decision: The decision.
        metric: The name of the metric.
    """
    found = decision.comparison
    baseline, candidate = (name.replace("|", "\\|") for name in found.names)
    title = {
        NOT_WORSE: f"Pass: {candidate} is not worse than {baseline} by {decision.max_drop:g} or more",
        WORSE: f"Fail: {candidate} is worse than {baseline} by more than {decision.max_drop:g}",
        UNKNOWN: f"Undecided: it is unclear whether {candidate} is worse than {baseline} by {decision.max_drop:g}",
    }[decision.status]
    difference = found.difference
    lines = [
        f"### {title}",
        "",
        f"Decided on `{metric}` over {found.n:,} questions: {decision.reason}.",
        "",
        "| | baseline | candidate | difference |",
        "| --- | ---: | ---: | ---: |",
        f"| mean score | {found.means[0]:.4f} | {found.means[1]:.4f} | {difference.value:+.4f} "
        f"[{difference.low:+.4f}, {difference.high:+.4f}] |",
        f"| scores of at least {found.cut:g} | {found.right[0]:,} | {found.right[1]:,} | "
        f"{found.right[1] - found.right[0]:+,} |",
        "",
        f"- better on {found.better:,}, same on {found.same:,}, worse on {found.worse:,} questions",
        f"- {found.counts('went wrong'):,} went wrong, {found.counts('became right'):,} became right",
        f"- verdict flicker: {found.flicker:,} questions have a score nearer to the threshold {found.cut:g} than the "
        f"numerical noise ({found.noise:g})",
        f"- p {f'= {found.p:.4f}' if found.p >= 0.0001 else '< .0001'} (from the procedure of the interval); a "
        f"difference of {found.least_difference:.4f} would be found in 8 of 10 cases",
    ]
    if found.signature:
        lines.append(f"- signature: `{found.signature}`")
    return "\n".join(lines) + "\n"
