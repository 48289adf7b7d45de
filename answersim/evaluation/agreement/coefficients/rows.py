"""The content of a correlation study: rows by metric and subset, comparisons, and indistinguishable groups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from answersim._base.errors import unknown
from answersim.evaluation.agreement.coefficients.binary import BinaryRow
from answersim.evaluation.agreement.coefficients.system_order import SystemOrderRow
from answersim.evaluation.agreement.judgments import Judgments

ALL = "all"  # the name of the subset that leaves nothing out
PAIRWISE = "pairwise"  # the name of pairwise accuracy with calibrated ties


def chance(coefficient: str) -> float:
    """Return the average of a coefficient for scores that are drawn at random; nan if it is unknown."""
    if coefficient == PAIRWISE:
        return math.nan  # it depends on the ties of the labels and of the scores
    return 0.5 if coefficient.startswith("auc") else 0.0


class Measured(NamedTuple):
    """One coefficient of one metric over one subset; nan if it is not defined, as for a constant column."""

    value: float  # the coefficient over all rows of the subset
    low: float = math.nan  # the lower end of its bootstrap interval
    high: float = math.nan  # the upper end
    # the highest value that any order of the same scores could reach on these labels (see ``ceilings``)
    ceiling: float = math.nan
    # the share of the ceiling that is reached, counted from the value of chance (0, or .5 for an AUC)
    share: float = math.nan


@dataclass(frozen=True)
class Row:
    """How far one metric agrees with the labels over one subset."""

    subset: str  # the name of the subset, such as "all" or "F1=0"
    metric: str  # the name of the metric, or of the column of its scores
    n: int  # the number of rows in the subset
    distinct: int  # the number of different scores. 1 is a constant metric, for which no correlation is defined.
    tied: float  # the share of all pairs of rows to which the metric gives equal scores
    # by coefficient: "pearson", "spearman", "tau-b", "tau-c", "pairwise", and "auc>=1" for each label cut
    measured: Mapping[str, Measured]
    # the largest difference of two scores that "pairwise" counts as a tie: the one that gives it the highest value
    epsilon: float = math.nan
    signature: str = ""  # the signature of the scores; "" for numbers of unknown origin

    def __post_init__(self) -> None:
        object.__setattr__(self, "measured", MappingProxyType(dict(self.measured)))

    @property
    def constant(self) -> bool:
        """Whether all scores are equal (or there are none), so that no coefficient is defined."""
        return self.distinct < 2


class Subset(NamedTuple):
    """A subset of the pairs that is studied separately."""

    name: str  # the name
    n: int  # the number of rows
    labels: tuple[tuple[float, int], ...]  # (label, rows) in ascending order of the label
    tied: float  # the share of all pairs of rows that have equal labels
    # by coefficient, the value that a perfect ranking without ties would reach on these labels
    ceilings: Mapping[str, float]
    # Krippendorff's alpha of the raters on the subset, by the distance of two labels: "ordinal", "interval" and
    # "nominal". It is empty unless there are several raters.
    alpha: Mapping[str, float] = MappingProxyType({})
    # by coefficient, the agreement of each rater with the mean of the others, averaged over raters. It is empty unless
    # there are several.
    between_raters: Mapping[str, float] = MappingProxyType({})


class Comparison(NamedTuple):
    """The difference of the coefficients of two metrics over one subset, and its significance.

    A p is two-sided and nan if its test was not requested or is not defined (permutation: not for "pairwise").
    ``holm_...`` is the same p raised by Holm's step-down correction over its family: all comparisons of the study by
    the same coefficient and the same test, over all subsets.
    """

    subset: str
    coefficient: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    p_bootstrap: float = math.nan
    p_permutation: float = math.nan
    holm_bootstrap: float = math.nan
    holm_permutation: float = math.nan


class Group(NamedTuple):
    """Metrics that a coefficient over a subset cannot distinguish, best first. Groups may overlap."""

    subset: str
    coefficient: str
    metrics: tuple[str, ...]


class Best(NamedTuple):
    """Which metric agrees best with the labels over a subset by a coefficient, if any agrees at all.

    A metric agrees if its whole interval is above chance, and disagrees if its whole interval is below.
    """

    subset: str  # the name of the subset
    coefficient: str  # the name of the coefficient
    metric: str | None  # the one with the highest coefficient among those that agree; None if none does
    # the metrics that are indistinguishable from it, if all pairs of metrics were compared
    rivals: tuple[str, ...] = ()
    disagreeing: tuple[str, ...] = ()  # the metrics that disagree: they order the pairs against the labels


@dataclass(frozen=True)
class CorrelationStudy:
    """The content of a correlation study. ``Agreement`` is the result with its tables and files."""

    name: str  # the name of the set
    lang: str  # the language of its answers
    subsets: tuple[Subset, ...]  # in the order of the rows; the first is "all"
    rows: tuple[Row, ...]  # subset by subset, in each the metrics in the order they were given
    comparisons: tuple[Comparison, ...] = ()  # subset by subset, coefficient by coefficient
    groups: tuple[Group, ...] = ()  # indistinguishable metrics, if all pairs were compared
    # the settings of the study: level, resamples, interval method, seed, comparisons and tests
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # remarks for the reader: subsets left out as too small, metrics left out
    # the agreement of metrics, baselines and raters with the labels, if labels are yes and no
    binary: tuple[BinaryRow, ...] = ()
    # subset by subset, the coefficients of the columns that ignore the gold answers: "length" (few words score high)
    # and "constant". They are in no comparison and no group.
    baselines: tuple[Row, ...] = ()
    # how columns order systems, if a column "system" names systems that answered the same questions
    orders: tuple[SystemOrderRow, ...] = ()

    # the pairs with their labels and scores, for a page; None of a study that was made from numbers
    judged: Judgments | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    @property
    def n(self) -> int:
        """The number of all rows."""
        return self.subsets[0].n

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics in the order of the rows."""
        return tuple(dict.fromkeys(row.metric for row in self.rows))

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The names of all coefficients, in the order of the rows."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.measured))

    def row(self, metric: str, subset: str = ALL) -> Row:
        """Return the row of this metric and subset. Raise LookupError with the nearest name if there is none."""
        for row in self.rows:
            if (row.metric, row.subset) == (metric, subset):
                return row
        if metric not in self.metrics:
            raise unknown("metric of the study", metric, self.metrics)
        raise unknown("subset of the study", subset, [known.name for known in self.subsets])

    def best(self, subset: str = ALL, coefficient: str = "tau-b") -> Best:
        """Return the metric that agrees best with the labels, decided by the intervals.

        Raise LookupError if no subset or coefficient has this name, ValueError if chance is unknown for this
        coefficient ("pairwise").
        """
        level = chance(coefficient)
        if math.isnan(level):
            raise ValueError(f"{coefficient!r} has no known value for chance; use another coefficient")
        if subset not in (names := [known.name for known in self.subsets]):
            raise unknown("subset of the study", subset, names)
        if coefficient not in self.coefficients:
            raise unknown("coefficient", coefficient, self.coefficients)
        rows = [row for row in self.rows if row.subset == subset and coefficient in row.measured]
        measured = {row.metric: row.measured[coefficient] for row in rows}
        agreeing = {name: estimate.value for name, estimate in measured.items() if estimate.low > level}
        against = tuple(name for name, estimate in measured.items() if estimate.high < level)
        if not agreeing:
            return Best(subset, coefficient, None, (), against)
        first = max(agreeing, key=agreeing.__getitem__)
        groups = [
            group.metrics for group in self.groups if group[:2] == (subset, coefficient) and first in group.metrics
        ]
        near = dict.fromkeys(name for names in groups for name in names if name != first)
        return Best(subset, coefficient, first, tuple(near), against)
