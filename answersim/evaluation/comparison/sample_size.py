"""How many labels an interval of a given width needs, and how many questions the comparison of two systems needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

from answersim._base.arguments import between, listed, refuse, text, whole
from answersim._base.text_tables import Result, TextTable, counted
from answersim.answers.tables.system_columns import recorded_rows, scores
from answersim.evaluation.labels.correction import estimate_mean
from answersim.evaluation.labels.human_labels import FEWEST_LABELS
from answersim.evaluation.labels.label_sources import system_labels
from answersim.evaluation.systems.systems import evaluate
from answersim.scoring.cache import CacheLike
from answersim.stats.intervals.proportion import jeffreys, t_quantile, wilson
from answersim.stats.intervals.resampling import Bootstrap, bootstrap_settings
from answersim.types import OneNamed

WIDTHS = (0.2, 0.1, 0.06, 0.04)
_MOST = 10_000_000  # labels and questions beyond which no number is searched


@dataclass(frozen=True)
class LabelPlan(Result):
    """How many labels an interval needs."""

    width: float  # the width of the interval, from end to end
    labels: int | None  # how many labels suffice with the scores; None if no number does, see ``least_width``
    labels_alone: int | None  # how many suffice without scores; None if no number does
    least_width: float  # the width if every row had a label. It remains because the rows themselves are a sample.

    def summary(self) -> list[str]:
        """Return the plan in a sentence."""
        if self.labels is None:
            least = f"the least is {self.least_width:.3f}"
            return [f"no number of labels gives an interval of width {self.width:g}; {least}"]
        alone = "no number suffices" if self.labels_alone is None else f"{self.labels_alone:,} are needed"
        return [f"{counted(self.labels, 'label')} give an interval of width {self.width:g}; without scores {alone}"]


@dataclass(frozen=True)
class SamplePlan(Result):
    """How many labels intervals of several widths need.

    Attributes:
        plans: One per width.
        share: The expected share of correct answers.
        explained: The share of the variance of the labels that the scores explain.
        rows: How many rows have scores; None if their number is unlimited.
        level: The coverage of the intervals.
    """

    plans: tuple[LabelPlan, ...]
    share: float
    explained: float
    rows: int | None
    level: float

    def summary(self) -> list[str]:
        """Return what is planned, and the least width if a width needs more rows than there are."""
        of_rows = "" if self.rows is None else f", of {self.rows:,} rows"
        lines = [
            f"labels for a {self.level:.0%} interval of the share of correct answers, if it is {self.share:.0%} and "
            f"the score explains {self.explained:.0%} of the variance of the labels{of_rows}"
        ]
        if self.rows is not None and any(label_plan.labels is None for label_plan in self.plans):
            lines.append(
                f"not enough rows: with all {self.rows:,} labeled, the interval is {self.plans[0].least_width:.3f} "
                "wide, because the rows themselves are a sample; score more rows"
            )
        return lines

    def tables(self) -> list[TextTable]:
        """Return the number of labels by width."""
        header = ("width", "interval such as", "labels with the score", "labels alone")
        return [TextTable("", header, tuple(self._cells(label_plan) for label_plan in self.plans))]

    def records(self) -> list[dict[str, Any]]:
        """Return one record per width."""
        return [record for label_plan in self.plans for record in label_plan.records()]

    def _cells(self, label_plan: LabelPlan) -> tuple[str, ...]:
        low, high = max(0, self.share - label_plan.width / 2), min(1, self.share + label_plan.width / 2)
        counts = ("not enough rows" if n is None else f"{n:,}" for n in (label_plan.labels, label_plan.labels_alone))
        return (f"{label_plan.width:g}", f"[{low:.1%}, {high:.1%}]", *counts)


@dataclass(frozen=True)
class QuestionPlan(Result):
    """How many questions the comparison of two systems needs. The other fields are those of ``plan``."""

    questions: int
    drop: float
    differing: float
    level: float
    power: float

    def summary(self) -> list[str]:
        """Return the plan in a sentence."""
        return [
            f"{self.questions:,} questions: a true difference of {self.drop:g} is found in {self.power:.0%} of all "
            f"cases, if the systems differ on {self.differing:.0%} of the questions"
        ]


@overload
def plan(
    *, drop: float, differing: float | None = None, power: float | None = None, bootstrap: Bootstrap = Bootstrap()
) -> QuestionPlan: ...
@overload
def plan(
    data: Any = None,
    metric: OneNamed = None,
    *,
    labels: Any = "label",
    width: float | Sequence[float] | None = None,
    score: str | None = None,
    share: float | None = None,
    explained: float | None = None,
    rows: int | None = None,
    bootstrap: Bootstrap = Bootstrap(),
    progress: bool = True,
    cache: CacheLike | None = None,
) -> SamplePlan: ...
def plan(
    data: Any = None,
    metric: OneNamed = None,
    *,
    labels: Any = "label",
    width: float | Sequence[float] | None = None,
    score: str | None = None,
    share: float | None = None,
    explained: float | None = None,
    rows: int | None = None,
    drop: float | None = None,
    differing: float | None = None,
    power: float | None = None,
    bootstrap: Bootstrap = Bootstrap(),
    progress: bool = True,
    cache: CacheLike | None = None,
) -> SamplePlan | QuestionPlan:
    """Compute how many labels intervals need, or with ``drop``, how many questions a comparison of two systems needs.

    Args:
        data: The answers of one system with some labels, as ``answersim.read_answers`` reads or returns them. They
            decide ``share``, ``explained`` and ``rows``.
        metric: With data, the metric that scores the answers, as for ``answersim.evaluate``.
        labels: With data, human labels as for ``answersim.evaluate``, such as a sheet; by default the column "label".
        width: The width of the interval from end to end, or several; by default .2, .1, .06 and .04.
        score: With data, a column of scores instead of a metric. The texts are then not read.
        share: The expected share of correct answers; by default .8.
        explained: The share of the variance of the labels that the score explains; by default .5.
        rows: How many rows have scores. By default, their number is unlimited.
        drop: The difference between two systems that is to be detected.
        differing: With ``drop``, the share of the questions that only one of the two systems answers correctly; by
            default .15.
        power: With ``drop``, the probability of detecting the difference; by default .8.
        bootstrap: The coverage of the intervals, or 1 less the level of significance of the comparison. Nothing is
            resampled.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: Where the scores of networks are stored and looked up.

    Raises:
        ValueError: If a number is outside its range, an argument has no effect on this plan, or the data have labels
            of one class only.

    >>> plan(drop=0.02, differing=0.1).questions
    1955
    >>> both = plan(width=[0.1, 0.05], explained=0.6, rows=2000)
    >>> [one.labels for one in both.plans]
    [115, 568]
    """
    level = bootstrap_settings(bootstrap).level
    of_data = {"metric": metric, "score": score}
    of_labels = {"width": width, **of_data, "share": share, "explained": explained, "rows": rows, "data": data}
    if drop is not None:
        refuse(of_labels, "drop= plans a comparison, which has none; leave one of them out")
        apart, sure = (0.15 if differing is None else differing), (0.8 if power is None else power)
        drop = between("drop", drop, 0, 1)
        needed = questions_for_difference(drop, differing=apart, level=level, power=sure)
        return QuestionPlan(needed, drop, apart, level, sure)
    refuse({"differing": differing, "power": power}, "it is for a comparison; give drop= too, or leave it out")
    if data is None:
        refuse(of_data, "there is no data; give some, or leave it out")
        share, explained = (0.8 if share is None else share), (0.5 if explained is None else explained)
    else:
        refuse({"share": share, "explained": explained, "rows": rows}, "the data decide it; leave it out")
        share, explained, rows = _of_answers(data, metric, score, labels, level, progress=progress, cache=cache)
    widths = WIDTHS if width is None else (width,) if isinstance(width, (int, float)) else listed("width", width)
    plans = [labels_for_width(width, share=share, explained=explained, rows=rows, level=level) for width in widths]
    if not plans:
        raise ValueError("width is empty; give at least one width between 0 and 1")
    return SamplePlan(tuple(plans), share, explained, rows, level)


def _of_answers(
    data: Any, metric: OneNamed, score: str | None, labels: Any, level: float, **columns: Any
) -> tuple[float, float, int]:
    """Return the share, the explained share, and the number of answers."""
    if score is None:
        evaluation = evaluate(data, metric, labels=labels, keep=(), bootstrap=Bootstrap(level), **columns)
        if len(evaluation.systems) > 1:
            raise _several(len(evaluation.systems))
        name, share = evaluation.name, evaluation.labeled[0].ppi
    else:
        refuse({"metric": metric}, "score= names a column of given scores; leave one of them out")
        answers, score = recorded_rows(data), text("score", score)
        if len(answers.predictions) > 1:
            raise _several(len(answers.predictions))
        (system,) = answers.predictions
        of_system = system_labels(labels, answers)[system]
        drawn: Any = {"inclusion": of_system.inclusion, "strata": of_system.strata, "bootstrap": Bootstrap(level)}
        name, column = answers.name, scores(answers, {system: score})[system]
        share = estimate_mean(column, of_system.labels, **drawn)
    if not 0 < share.value < 1 or math.isnan(share.explained):
        raise ValueError(
            f"{name}: the share is estimated as {share.value:g}, from labels of one class; label more rows, or give "
            "the share and the explained share instead of the data"
        )
    return share.value, min(share.explained, 0.999), share.n


def _several(n: int) -> ValueError:
    return ValueError(f"there are {n} systems, but a plan is for one; give one table, and one column of predictions")


def labels_for_width(
    width: float, *, share: float = 0.5, explained: float = 0.0, rows: int | None = None, level: float = 0.95
) -> LabelPlan:
    """Return how many labels give an interval of ``answersim.estimate_mean`` of this expected width, from end to end.

    ``share``: the expected share of correct answers; .5 is the worst case. ``explained``: the share of the variance of
    the labels that the scores explain, as ``MeanEstimate.explained``; 0 is the worst case. ``rows``: how many rows have
    scores; None for an unlimited number. Raise ValueError if a number is outside its range.
    """
    width, share = between("width", width, 0, 1), between("share", share, 0, 1)
    explained = 0.0 if explained == 0 else between("explained", explained, 0, 1)
    level = between("level", level, 0, 1)
    n_rows = None if rows is None else whole("rows", rows, FEWEST_LABELS)

    def expected(n: int, score: float) -> float:
        low, high = _expected_interval(n, share, score, n_rows, level)
        return high - low

    last = n_rows or _MOST
    return LabelPlan(
        width,
        _first(lambda n: expected(n, explained) <= width, last),
        _first(lambda n: expected(n, 0.0) <= width, last),
        0.0 if n_rows is None else expected(last, explained),
    )


def questions_for_difference(
    difference: float, *, differing: float = 0.2, level: float = 0.95, power: float = 0.8
) -> int:
    """Return how many questions are needed to detect a difference of two systems in the share of correct answers.

    ``differing``: the share of questions on which one system is correct and the other is not; at least the difference.
    ``level``: 1 less the level of significance of the two-sided test. Raise ValueError for a number outside its range.

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


def _expected_interval(n: int, share: float, explained: float, rows: int | None, level: float) -> tuple[float, float]:
    """Return the interval of typical labels, as ``prediction_powered`` makes it for a score that is 0 or 1.

    The share of scores that are 1 is that of the correct answers. So the share of correct answers among them is larger
    than among the others by the root of what the scores explain.
    """
    of_file = 0.0 if rows is None else explained * share * (1 - share) / rows
    if explained == 0:
        return wilson(share, n, t_quantile(level, math.inf))
    below = above = 0.0
    apart = math.sqrt(explained)
    for group_share, correct in ((share, share + (1 - share) * apart), (1 - share, share * (1 - apart))):
        low, high = jeffreys(correct, n * group_share, level)
        below += (group_share * (correct - low)) ** 2
        above += (group_share * (high - correct)) ** 2
    of_file *= t_quantile(level, n - 2) ** 2
    return max(0.0, share - math.sqrt(below + of_file)), min(1.0, share + math.sqrt(above + of_file))


def _first(holds: Callable[[int], bool], last: int) -> int | None:
    """Return the first number from ``FEWEST_LABELS`` to last for which this holds, or None; it holds from there on."""
    if not holds(last):
        return None
    low, high = FEWEST_LABELS, last
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
