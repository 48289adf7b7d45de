"""A calibration: a curve to probabilities, thresholds, and the quality of both on held-out pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import numbers as as_numbers
from answersim._base.arguments import text
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.signature import asks_question, without_extraction
from answersim._base.text_tables import Result, flat
from answersim.calibration.model.decision import HIGH, LOW, Verdict, decided
from answersim.calibration.model.parts import (
    Method,
    Provenance,
    Quality,
    Threshold,
    check_metric,
    check_reliability,
    flaw,
)
from answersim.calibration.model.rule_revisions import FINGERPRINT, equal_signatures
from answersim.calibration.scores import Scores
from answersim.stats.calibration.monotone import Curve, Isotonic
from answersim.stats.calibration.reliability import Reliability
from answersim.stats.calibration.thresholds import RULES, Rule

LEAST_WORDS = "least_words"  # the key of ``Calibration.least_words`` in the metadata


@dataclass(frozen=True, eq=False)
class Calibration(Result):
    """From the scores of one metric to probabilities and verdicts.

    A calibration is valid for pairs of the kind that it was made from. The share of equivalent pairs at a score depends
    on the system and the questions, so another data set needs another calibration, or at least a check.

    Attributes:
        signature: The signature of the metric whose scores it is for.
        curve: From a score to the probability that the pair is equivalent.
        thresholds: One per rule, for decisions without "unsure".
        reliability: The reliability of the probabilities, on held-out pairs.
        quality: Further measurements.
        provenance: The data and the settings.
        metric: How the metric is built: "name", "lang", "profile" and options; empty if unknown.
        metadata: More about the data, such as its license and checks, as JSON values.
    """

    signature: str
    curve: Curve
    thresholds: tuple[Threshold, ...]
    reliability: Reliability
    quality: Quality
    provenance: Provenance
    metric: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rules = [threshold.rule for threshold in self.thresholds]
        if sorted(rules) != sorted(RULES):
            raise flaw("thresholds", rules, f"there must be one for each rule: {', '.join(RULES)}")
        check_reliability(self.reliability, self.provenance.n)
        check_metric(self.metric)

    def __eq__(self, other: object) -> bool:
        """Return whether both have equal values, where nan equals nan."""
        if not isinstance(other, Calibration):
            return NotImplemented
        names = [item.name for item in fields(self) if item.name not in ("metric", "metadata")]
        return all(repr(getattr(self, name)) == repr(getattr(other, name)) for name in names) and (
            (self.metric, self.metadata) == (other.metric, other.metadata)
        )

    __hash__: ClassVar[None]  # type: ignore[assignment] # its metadata may be of any kind

    def __repr__(self) -> str:
        return f"Calibration({self.signature!r}, method={self.method!r}, n={self.provenance.n})"

    def summary(self) -> list[str]:
        """Return what the calibration is for, and how well its scores separate the labels."""
        provenance, quality = self.provenance, self.quality
        auc = f"{quality.auc:.3f} [{quality.auc_low:.3f}, {quality.auc_high:.3f}]"
        return [
            f"calibration of {self.metric.get('name') or self.signature.partition('|')[0] or 'scores'}: "
            f"{provenance.n:,} labeled pairs, {100 * provenance.equivalent / provenance.n:.0f} % equivalent; AUC {auc}"
        ]

    def footer(self) -> list[str]:
        """Return the signature of the scores."""
        return [self.signature] if self.signature else []

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per threshold."""
        return [flat(threshold) for threshold in self.thresholds]

    @property
    def least_words(self) -> int:
        """The fewest words of a prediction that verdicts are given for; 0 if there is no limit."""
        return int(self.metadata.get(LEAST_WORDS, 0))

    @property
    def majority(self) -> tuple[Verdict, float]:
        """The verdict that is correct most often if it is always given, and how often it is correct."""
        share = self.provenance.equivalent / self.provenance.n
        return ("equivalent", share) if share >= 0.5 else ("different", 1 - share)

    @property
    def method(self) -> Method:
        """The kind of curve."""
        return "isotonic" if isinstance(self.curve, Isotonic) else "logistic"

    def probability(self, scores: Any) -> FloatArray:
        """Return the probability of each score, from 0 to 1, in the same shape. It never decreases with the score.

        Raises:
            ValueError: If ``Scores`` have another signature, or a score is not a finite number.
        """
        return self.curve(self._checked(scores))

    @property
    def separates(self) -> bool:
        """Whether the scores separate equivalent from other pairs: the AUC differs from .5. True if this is unknown."""
        return not self.quality.auc_low <= 0.5

    def verdicts(self, scores: Any, *, low: float = LOW, high: float = HIGH) -> NDArray[np.str_]:
        """Return the verdict of each score, "equivalent", "unsure" or "different", in the same shape.

        A verdict agrees with the probability: "different" up to ``low``, "equivalent" from ``high`` on.
        If the scores do not separate the labels, every pair is "unsure".

        Args:
            scores: Finite numbers, or ``Scores`` of the metric.
            low: The probability up to which a pair is "different", above 0 and at most .5.
            high: The probability from which a pair is "equivalent", at least .5 and below 1. Between: "unsure".

        Raises:
            ValueError: As ``probability``; if ``low`` or ``high`` is outside its range.
        """
        return verdicts_at(self, self.probability(scores), low, high)

    def threshold(self, rule: Rule) -> Threshold:
        """Return the threshold that was chosen by this rule. Raise LookupError if there is no such rule."""
        rule = text("rule", rule, "accuracy")  # type: ignore[assignment] # it is looked up at once
        for threshold in self.thresholds:
            if threshold.rule == rule:
                return threshold
        raise unknown("rule for a threshold", rule, [threshold.rule for threshold in self.thresholds])

    def check(self, signature: str) -> None:
        """Check that this calibration is for scores with this signature.

        A signature with another revision of the rules of a composite metric counts as equal if the fingerprint of this
        calibration is listed for it (see ``rule_revisions``).

        Raises:
            ValueError: If the scores are of another metric, setting or revision. The message names the parts that
                differ.
        """
        signature = text("signature", signature)
        ours, theirs = self.signature, signature
        if "extract:" not in ours:  # an answer that was read out is an answer
            theirs = without_extraction(theirs)
        if ours != theirs and theirs not in equal_signatures(ours, self.metadata.get(FINGERPRINT)):
            raise ValueError(
                f"this calibration is for {_shown(self.signature)}, but the scores are of {_shown(signature)}"
                f"{_difference(ours, theirs)}. {_question_remedy(ours, theirs)}Make one for these scores: "
                "answersim.calibrate(scores, labels), or 'answersim calibrate FILE' with your own labels"
            )

    def _checked(self, scores: Any) -> FloatArray:
        if isinstance(scores, Scores):
            self.check(scores.signature)
        numbers = scores.values if isinstance(scores, Scores) else as_numbers("scores", scores, "numbers")
        if not np.isfinite(numbers).all():
            raise ValueError(f"a score is {numbers[~np.isfinite(numbers)][0]}, but only finite numbers have a verdict")
        return numbers


def verdicts_at(calibration: Calibration, probabilities: FloatArray, low: float, high: float) -> NDArray[np.str_]:
    """Return the verdict of each probability by a calibration, in the same shape. See ``Calibration.verdicts``."""
    verdicts = decided(probabilities, low, high)
    return verdicts if calibration.separates else np.full_like(verdicts, "unsure")


def _question_remedy(ours: str, theirs: str) -> str:
    """Return the remedy if only one of the signatures contains ``question:yes``, else an empty string."""
    if asks_question(theirs) and not asks_question(ours):
        return "It was made without questions: leave the question out, or use a calibration made with questions. "
    if asks_question(ours) and not asks_question(theirs):
        return "It was made with questions: give the question too, or use a calibration made without questions. "
    return ""


def _shown(signature: str) -> str:
    return repr(signature) if signature else "unknown origin (no signature)"


def _difference(ours: str, theirs: str) -> str:
    """Return which parts of two signatures differ, as the end of a sentence."""
    if not ours or not theirs:
        return ""
    (our_name, *our_parts), (their_name, *their_parts) = ours.split("|"), theirs.split("|")
    if our_name != their_name:
        return f": {their_name} is another metric than {our_name}"
    mine, his = (dict(field.partition(":")[::2] for field in parts) for parts in (our_parts, their_parts))
    differing = [key for key in {**mine, **his} if mine.get(key) != his.get(key)]
    differences = [f"{key} is {his.get(key, 'missing')} and not {mine.get(key, 'missing')}" for key in differing]
    return f": {', '.join(differences)}"
