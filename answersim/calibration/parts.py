"""The parts of a calibration: thresholds, what is promised for a verdict, provenance, and measurements."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias, get_args

from answersim.stats.resampling import Estimate
from answersim.stats.thresholds import Rule

Method: TypeAlias = Literal["isotonic", "logistic"]
Kind: TypeAlias = Literal["promised", "best cut", "never"]

METHODS: tuple[Method, ...] = get_args(Method)
KINDS: tuple[Kind, ...] = get_args(Kind)


class Threshold(NamedTuple):
    """A score from which on answers are called equivalent, and how often that is correct."""

    rule: Rule  # what the threshold optimizes: the accuracy, F1, or the recall at a precision
    cut: Estimate  # the score, with the bootstrap interval of the choice; inf if no score fits
    accuracy: Estimate  # the accuracy of the decision, on pairs that the choice of the threshold did not use
    precision: Estimate  # the share of pairs called equivalent that are equivalent, likewise; nan if there are none
    recall: Estimate  # the share of equivalent pairs that are called equivalent, likewise


class VerdictThreshold(NamedTuple):
    """What the labels can promise for the verdict "equivalent" or "different": the basis of ``min_precision``."""

    # the promise is kept from this score on (equivalent), or below it (different). If it cannot be kept, the cut is inf
    # (equivalent) or -inf (different).
    cut: float
    # how often the verdict is correct, on pairs that the choice of the cut did not use; nan for no verdict
    right: Estimate
    # the share of all pairs with the verdict, likewise. Both intervals are for the pairs, and do not include the
    # variation of the cut.
    share: Estimate
    # "promised" if the cut keeps the target with the requested confidence. "best cut" if the labels could promise the
    # target for neither verdict. Both cuts are then that of the best accuracy, and only ``right`` states how often they
    # are correct. "never" if the target cannot be kept at any cut.
    kind: Kind = "promised"
    largest: float = math.nan  # the largest target that these labels could promise
    # about how many labels such as these the target needs; nan if the verdict is promised, and if no number of labels
    # is enough
    needed: float = math.nan


class Provenance(NamedTuple):
    """The data and the settings of a calibration."""

    n: int  # the number of pairs
    equivalent: int  # how many of them are equivalent by their labels
    groups: int  # the number of groups (questions); n if each pair is its own
    label: str  # the rule for the labels: "1 of 0 and 1", or "at least 2"
    target: float  # the precision that "equivalent" and the rule "precision" promise
    target_different: float  # the precision that "different" promises
    recall: float  # the lowest recall of the rule "precision"
    confidence: float  # the confidence that the promise of the verdicts holds for further pairs of the same kind
    level: float  # the coverage of all intervals
    folds: int  # the number of folds of the cross-validation
    resamples: int  # the number of bootstrap resamples


class Quality(NamedTuple):
    """Further measurements, on held-out pairs."""

    auc: float  # how often an equivalent pair scores above a different one, with ties as half; needs no calibration
    isotonic: float  # the Brier score of the isotonic curve
    logistic: float  # the Brier score of the logistic curve
    constant: float  # the Brier score of a constant probability, the share of equivalent pairs
    auc_low: float = math.nan  # the lower end of the interval of ``auc``
    auc_high: float = math.nan  # the upper end
