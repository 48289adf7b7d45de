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
    """A score from which on answers are called equivalent, and how often that is correct.

    Attributes:
        rule: What the threshold optimizes: the accuracy, F1, or the recall at a precision.
        cut: The score, with the bootstrap interval of the choice; inf if no score fits.
        accuracy: The accuracy of the decision, on pairs that the choice of the threshold did not use.
        precision: The share of pairs called equivalent that are equivalent, likewise; nan if there are none.
        recall: The share of equivalent pairs that are called equivalent, likewise.
    """

    rule: Rule
    cut: Estimate
    accuracy: Estimate
    precision: Estimate
    recall: Estimate


class VerdictThreshold(NamedTuple):
    """What the labels can promise for the verdict "equivalent" or "different": the basis of ``min_precision``.

    Attributes:
        cut: The promise is kept from this score on (equivalent), or below it (different). If it cannot be kept, the
            cut is inf (equivalent) or -inf (different).
        right: How often the verdict is correct, on pairs that the choice of the cut did not use; nan for no verdict.
        share: The share of all pairs with the verdict, likewise. Both intervals are for the pairs, and do not include
            the variation of the cut.
        kind: "promised" if the cut keeps the target with the requested confidence. "best cut" if the labels could
            promise the target for neither verdict. Both cuts are then that of the best accuracy, and only ``right``
            states how often they are correct. "never" if the target cannot be kept at any cut.
        largest: The largest target that these labels could promise.
        needed: About how many labels such as these the target needs; nan if the verdict is promised, and if no
            number of labels is enough.
    """

    cut: float
    right: Estimate
    share: Estimate
    kind: Kind = "promised"
    largest: float = math.nan
    needed: float = math.nan


class Provenance(NamedTuple):
    """The data and the settings of a calibration.

    Attributes:
        n: The number of pairs.
        equivalent: How many of them are equivalent by their labels.
        groups: The number of groups (questions); n if each pair is its own.
        label: The rule for the labels: "1 of 0 and 1", or "at least 2".
        target: The precision that "equivalent" and the rule "precision" promise.
        target_different: The precision that "different" promises.
        recall: The lowest recall of the rule "precision".
        confidence: The confidence that the promise of the verdicts holds for further pairs of the same kind.
        level: The coverage of all intervals.
        folds: The number of folds of the cross-validation.
        resamples: The number of bootstrap resamples.
    """

    n: int
    equivalent: int
    groups: int
    label: str
    target: float
    target_different: float
    recall: float
    confidence: float
    level: float
    folds: int
    resamples: int


class Quality(NamedTuple):
    """Further measurements, on held-out pairs.

    Attributes:
        auc: How often an equivalent pair scores above a different one, with ties as half; needs no calibration.
        isotonic: The Brier score of the isotonic curve.
        logistic: The Brier score of the logistic curve.
        constant: The Brier score of a constant probability, the share of equivalent pairs.
        auc_low: The lower end of the interval of ``auc``.
        auc_high: The upper end.
    """

    auc: float
    isotonic: float
    logistic: float
    constant: float
    auc_low: float = math.nan
    auc_high: float = math.nan
