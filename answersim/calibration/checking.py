"""The rules for the numbers of a calibration that was fitted, built by hand, or read from a file.

Each function raises ValueError if a number is outside its range, or if two numbers contradict each other. The message
names the field, the value and the rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from answersim.calibration.parts import Provenance, Quality, Threshold, VerdictThreshold
from answersim.stats.reliability import Reliability
from answersim.stats.resampling import Estimate
from answersim.stats.thresholds import RULES

_BUILT = {"name": str, "lang": str, "profile": (str, type(None)), "options": Mapping, "column": str}


def check_metric(metric: Mapping[str, Any]) -> None:
    """Check the types of the entries that say how the metric is built."""
    for name, kind in _BUILT.items():
        value = metric.get(name)
        if name in metric and not isinstance(value, kind):  # type: ignore[arg-type] # types or tuples
            rule = "an object" if kind is Mapping else "a text"
            raise _flaw(f"metric.{name}", value, f"it must be {rule}")


def check_provenance(provenance: Provenance) -> None:
    """Check that counts and targets are possible."""
    for name, least in (("n", 2), ("equivalent", 1), ("groups", 1), ("folds", 2), ("resamples", 1)):
        value = getattr(provenance, name)
        if value < least:
            raise _flaw(f"provenance.{name}", value, f"it is a number of at least {least}")
    for name in ("equivalent", "groups"):
        most = provenance.n - (name == "equivalent")
        if getattr(provenance, name) > most:
            raise _flaw(
                f"provenance.{name}", getattr(provenance, name), f"of {provenance.n} pairs it can be at most {most}"
            )
    for name in ("target", "target_different", "confidence", "level"):
        if not 0 < getattr(provenance, name) < 1:
            raise _flaw(f"provenance.{name}", getattr(provenance, name), "it must be between 0 and 1")
    _in_range("provenance.recall", provenance.recall)


def check_sides(equivalent: VerdictThreshold, different: VerdictThreshold) -> None:
    """Check that the cuts of the two verdicts agree with their kinds and with each other."""
    for name, side, never in (("equivalent", equivalent, math.inf), ("different", different, -math.inf)):
        if math.isnan(side.cut):
            raise _flaw(f"{name}.cut", side.cut, "it must be a number, or inf or -inf")
        if side.cut == -never and name == "equivalent":
            raise _flaw(f"{name}.cut", side.cut, "it is finite, or inf for a verdict that is never given")
        if side.kind == "never" and side.cut != never:
            raise _flaw(f"{name}.kind", side.kind, f"the cut is {side.cut}, so the verdict is given")
        if side.kind == "promised" and side.cut == never:
            raise _flaw(f"{name}.kind", side.kind, f"the cut is {side.cut}, so the verdict is never given")
        _check_share(f"{name}.right", side.right, defined=False)
        _check_share(f"{name}.share", side.share)
        _in_range(f"{name}.largest", side.largest, defined=False)
        if side.needed < 1 or math.isinf(side.needed):
            raise _flaw(f"{name}.needed", side.needed, "it is a number of labels, at least 1")
    if different.cut > equivalent.cut:
        raise ValueError(
            f"scores below {different.cut} would be different and those from {equivalent.cut} on "
            "equivalent, so that some were both; different.cut must not be above equivalent.cut"
        )
    if (equivalent.kind == "best cut") != (different.kind == "best cut") or (
        equivalent.kind == "best cut" and equivalent.cut != different.cut
    ):
        raise _flaw(
            "different.kind",
            different.kind,
            f"equivalent.kind is {equivalent.kind!r}; if one cut is a best cut, both must be",
        )


def check_thresholds(thresholds: Sequence[Threshold]) -> None:
    """Check that there is one threshold for each rule, with possible shares."""
    rules = [threshold.rule for threshold in thresholds]
    if sorted(rules) != sorted(RULES):
        raise _flaw("thresholds", rules, f"there must be one for each rule: {', '.join(RULES)}")
    for i, threshold in enumerate(thresholds):
        where = f"thresholds[{i}]"
        for end, value in threshold.cut._asdict().items():
            if math.isnan(value) or value == -math.inf:
                raise _flaw(
                    f"{where}.cut.{end}", value, "it must be a number, or inf for a threshold that none reaches"
                )
        _check_order(f"{where}.cut", threshold.cut)
        _check_share(f"{where}.accuracy", threshold.accuracy)
        _check_share(f"{where}.precision", threshold.precision, defined=False)
        _check_share(f"{where}.recall", threshold.recall, defined=False)


def check_reliability(shown: Reliability, n: int) -> None:
    """Check that the bins contain n pairs, and that shares and errors are possible."""
    for i, row in enumerate(shown.bins):
        if row.n < 1:
            raise _flaw(f"reliability.bins[{i}].n", row.n, "a bin contains at least 1 pair")
        _in_range(f"reliability.bins[{i}].probability", row.probability)
        _check_share(f"reliability.bins[{i}].share", row.share)
    held = sum(row.n for row in shown.bins)
    if held != n:
        raise _flaw(
            "reliability.bins",
            f"{held} pairs",
            f"each of the {n} pairs must be in exactly one bin",
        )
    _check_share("reliability.error", shown.error)
    _in_range("reliability.by_chance", shown.by_chance)
    _check_share("reliability.brier", shown.brier)


def check_quality(quality: Quality) -> None:
    """Check that the measurements are from 0 to 1."""
    for name, value in quality._asdict().items():
        _in_range(f"quality.{name}", value, defined=not name.startswith("auc_"))
    _check_order("quality.auc", Estimate(math.nan, quality.auc_low, quality.auc_high))


def _check_share(where: str, estimate: Estimate, *, defined: bool = True) -> None:
    """Check a share with its interval. The interval may be nan, and the share if it may be undefined."""
    _in_range(f"{where}.value", estimate.value, defined=defined)
    _in_range(f"{where}.low", estimate.low, defined=False)
    _in_range(f"{where}.high", estimate.high, defined=False)
    _check_order(where, estimate)


def _check_order(where: str, estimate: Estimate) -> None:
    if estimate.low > estimate.high:
        raise _flaw(f"{where}.low", estimate.low, f"it must not be above {where}.high, {estimate.high}")


def _in_range(where: str, value: float, *, defined: bool = True) -> None:
    if not 0 <= value <= 1 and (defined or not math.isnan(value)):
        raise _flaw(where, value, "it must be from 0 to 1")


def _flaw(where: str, value: Any, rule: str) -> ValueError:
    return ValueError(f"{where} is {str(value)[:60]!r}, but {rule}")
