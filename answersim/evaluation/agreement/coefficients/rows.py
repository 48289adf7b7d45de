"""The content of a correlation study: rows by metric and subset, comparisons, and indistinguishable groups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

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
