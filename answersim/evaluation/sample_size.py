"""How many labels an interval of a given width needs, and how many questions the comparison of two systems needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from answersim.arguments import between, whole
from answersim.evaluation.correction import FEWEST_LABELS
from answersim.stats.proportion import jeffreys, t_quantile, wilson
from answersim.text_tables import Result, counted

_MOST = 10_000_000  # labels and questions beyond which no number is searched


@dataclass(frozen=True)
class LabelPlan(Result):
    """How many labels an interval needs.

    Attributes:
        width: The width of the interval, from end to end.
        labels: How many labels suffice with the scores; None if no number does, see ``least_width``.
        labels_alone: How many suffice without scores; None if no number does.
        least_width: The width if every row had a label. It remains because the rows themselves are a sample.
    """

    width: float
    labels: int | None
    labels_alone: int | None
    least_width: float

    def summary(self) -> list[str]:
        """Return the plan in a sentence."""
        if self.labels is None:
            least = f"the least is {self.least_width:.3f}"
            return [f"no number of labels gives an interval of width {self.width:g}; {least}"]
        alone = "no number suffices" if self.labels_alone is None else f"{self.labels_alone:,} are needed"
        return [f"{counted(self.labels, 'label')} give an interval of width {self.width:g}; without scores {alone}"]


def labels_for_width(
    width: float,
    *,
    share: float = 0.5,
    explained: float = 0.0,
    rows: int | None = None,
    finite_population: bool = False,
    level: float = 0.95,
) -> LabelPlan:
    """Return how many labels give an interval of ``answersim.estimate_mean`` of this expected width.

    Args:
        width: From end to end: .1 for an interval such as [.75, .85].
        share: The share of correct answers that you expect. .5 is the worst case.
        explained: The share of the variance of the labels that the scores explain, from 0 to below 1: the square of
            their correlation, and ``MeanEstimate.explained`` of labels that you have. 0 is the worst case.
        rows: How many rows have scores. By default, their number is unlimited.
        finite_population: Whether exactly these rows are of interest, as in ``answersim.estimate_mean``.
        level: The coverage.

    Raises:
        ValueError: If a number is outside its range, or ``finite_population`` is given without ``rows``.

    >>> print(labels_for_width(0.1, share=0.8, explained=0.6, rows=2000))
    115 labels give an interval of width 0.1; without scores 245 are needed
    """
    width, share = between("width", width, 0, 1), between("share", share, 0, 1)
    explained = 0.0 if explained == 0 else between("explained", explained, 0, 1)
    level = between("level", level, 0, 1)
    n_rows = None if rows is None else whole("rows", rows, FEWEST_LABELS)
    if finite_population and n_rows is None:
        raise ValueError("finite_population is True, but the number of rows is not given; give rows=")

    def expected(n: int, score: float) -> float:
        low, high = _expected_interval(n, share, score, n_rows, finite_population, level)
        return high - low

    last = n_rows or _MOST
    least = expected(last, explained)
    return LabelPlan(
        width,
        _first(lambda n: expected(n, explained) <= width, last),
        _first(lambda n: expected(n, 0.0) <= width, last),
        0.0 if n_rows is None else least,
    )


def questions_for_difference(
    difference: float, *, differing: float = 0.2, level: float = 0.95, power: float = 0.8
) -> int:
    """Return how many questions are needed to detect a difference of two systems in the share of correct answers.

    Args:
        difference: The true difference, such as .02.
        differing: The share of questions on which one system is correct and the other is not; at least the difference.
        level: 1 less the level of significance of the two-sided test.
        power: The probability of detecting the difference.

    Raises:
        ValueError: If a number is outside its range.

    >>> questions_for_difference(0.02, differing=0.1)
    1955

    Source: Connor 1987, "Sample size for testing differences in proportions for the paired-sample design", in the
    form for a known variance.
    """
    difference, differing = between("difference", difference, 0, 1), between("differing", differing, 0, 1, ends=True)
    level, power = between("level", level, 0, 1), between("power", power, 0.5, 1)
    if differing < difference:
        raise ValueError(
            f"differing is {differing:g}, but systems whose shares differ by {difference:g} differ on at least that "
            "share of the questions; give a larger share"
        )
    quantiles = t_quantile(level, math.inf) + t_quantile(2 * power - 1, math.inf)
    return math.ceil(quantiles**2 * (differing - difference**2) / difference**2)


def _expected_interval(
    n: int, share: float, explained: float, rows: int | None, finite_population: bool, level: float
) -> tuple[float, float]:
    """Return the interval of typical labels, as ``prediction_powered`` makes it for a score that is 0 or 1.

    The share of scores that are 1 is that of the correct answers. So the share of correct answers among them is larger
    than among the others by the root of what the scores explain.
    """
    rest = 1 - n / (rows or math.inf) if finite_population else 1.0
    of_file = 0.0 if finite_population or rows is None else explained * share * (1 - share) / rows
    if explained == 0:
        return wilson(share, n / rest if rest > 0 else math.inf, t_quantile(level, math.inf))
    below = above = 0.0
    apart = math.sqrt(explained)
    for part, correct in ((share, share + (1 - share) * apart), (1 - share, share * (1 - apart))):
        low, high = jeffreys(correct, n * part, level)
        below += (part * (correct - low)) ** 2
        above += (part * (high - correct)) ** 2
    of_file *= t_quantile(level, n - 2) ** 2
    return max(0.0, share - math.sqrt(below * rest + of_file)), min(1.0, share + math.sqrt(above * rest + of_file))


def _first(holds: Callable[[int], bool], last: int) -> int | None:
    """Return the first number from ``FEWEST_LABELS`` to last for which this holds, or None; it holds from there on."""
    if not holds(last):
        return None
    low, high = FEWEST_LABELS, last
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
