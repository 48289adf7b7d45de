"""The parts of a calibration: thresholds, provenance and measurements. An impossible number is a ValueError."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from answersim.stats.calibration.reliability import Reliability
from answersim.stats.calibration.thresholds import Rule
from answersim.stats.intervals.resampling import Estimate

Method: TypeAlias = Literal["isotonic", "logistic"]

METHODS: tuple[Method, ...] = get_args(Method)
_BUILT = {"name": str, "lang": str, "profile": (str, type(None)), "options": Mapping, "column": str}


@dataclass(frozen=True)
class Threshold:
    """A score from which on answers are called equivalent, and how often that is correct."""

    rule: Rule  # what the threshold optimizes: the accuracy, F1, or the recall at a precision
    cut: Estimate  # the score, with the bootstrap interval of the choice; inf if no score fits
    accuracy: Estimate  # the accuracy of the decision, on pairs that the choice of the threshold did not use
    precision: Estimate  # the share of pairs called equivalent that are equivalent, likewise; nan if there are none
    recall: Estimate  # the share of equivalent pairs that are called equivalent, likewise

    def __post_init__(self) -> None:
        for end, value in self.cut._asdict().items():
            if math.isnan(value) or value == -math.inf:
                raise flaw(f"cut.{end}", value, "it must be a number, or inf for a threshold that none reaches")
        _check_order("cut", self.cut)
        check_share("accuracy", self.accuracy)
        check_share("precision", self.precision, defined=False)
        check_share("recall", self.recall, defined=False)


@dataclass(frozen=True)
class Provenance:
    """The data and the settings of a calibration."""

    n: int  # the number of pairs
    equivalent: int  # how many of them are equivalent by their labels
    groups: int  # the number of groups (questions); n if each pair is its own
    label: str  # the rule for the labels: "1 of 0 and 1", or "at least 2"
    target: float  # the precision of the rule "precision"
    level: float  # the coverage of all intervals
    folds: int  # the number of folds of the cross-validation
    resamples: int  # the number of bootstrap resamples

    def __post_init__(self) -> None:
        for name, least in (("n", 2), ("equivalent", 1), ("groups", 1), ("folds", 2), ("resamples", 1)):
            if getattr(self, name) < least:
                raise flaw(name, getattr(self, name), f"it is a number of at least {least}")
        for name, most in (("equivalent", self.n - 1), ("groups", self.n)):
            if getattr(self, name) > most:
                raise flaw(name, getattr(self, name), f"of {self.n} pairs it can be at most {most}")
        for name in ("target", "level"):
            if not 0 < getattr(self, name) < 1:
                raise flaw(name, getattr(self, name), "it must be between 0 and 1")


@dataclass(frozen=True)
class Quality:
    """Further measurements, on held-out pairs."""

    auc: float  # how often an equivalent pair scores above a different one, with ties as half; needs no calibration
    isotonic: float  # the Brier score of the isotonic curve
    logistic: float  # the Brier score of the logistic curve
    constant: float  # the Brier score of a constant probability, the share of equivalent pairs
    auc_low: float = math.nan  # the lower end of the interval of ``auc``
    auc_high: float = math.nan  # the upper end

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            _check_range(name, value, defined=not name.startswith("auc_"))
        _check_order("auc", Estimate(math.nan, self.auc_low, self.auc_high))


def check_reliability(reliability: Reliability, n: int) -> None:
    """Check that the bins contain n pairs, and that shares and errors are possible."""
    for i, row in enumerate(reliability.bins):
        if row.n < 1:
            raise flaw(f"reliability.bins[{i}].n", row.n, "a bin contains at least 1 pair")
        _check_range(f"reliability.bins[{i}].probability", row.probability)
        check_share(f"reliability.bins[{i}].share", row.share)
    if (held := sum(row.n for row in reliability.bins)) != n:
        raise flaw("reliability.bins", f"{held} pairs", f"each of the {n} pairs must be in exactly one bin")
    check_share("reliability.error", reliability.error)
    _check_range("reliability.by_chance", reliability.by_chance)
    check_share("reliability.brier", reliability.brier)


def check_metric(metric: Mapping[str, Any]) -> None:
    """Check the types of the entries that state how the metric is built."""
    for name, kind in _BUILT.items():
        if name in metric and not isinstance(metric[name], kind):  # type: ignore[arg-type] # types or tuples
            raise flaw(f"metric.{name}", metric[name], f"it must be {'an object' if kind is Mapping else 'a text'}")


def check_share(where: str, estimate: Estimate, *, defined: bool = True) -> None:
    """Check a share with its interval. The interval may be nan, and the share if it may be undefined."""
    _check_range(f"{where}.value", estimate.value, defined=defined)
    _check_range(f"{where}.low", estimate.low, defined=False)
    _check_range(f"{where}.high", estimate.high, defined=False)
    _check_order(where, estimate)


def flaw(where: str, value: Any, rule: str) -> ValueError:
    """Return the error for a field with this value, which breaks this rule."""
    return ValueError(f"{where} is {str(value)[:60]!r}, but {rule}")


def _check_order(where: str, estimate: Estimate) -> None:
    if estimate.low > estimate.high:
        raise flaw(f"{where}.low", estimate.low, f"it must not be above {where}.high, {estimate.high}")


def _check_range(where: str, value: float, *, defined: bool = True) -> None:
    if not 0 <= value <= 1 and (defined or not math.isnan(value)):
        raise flaw(where, value, "it must be from 0 to 1")
