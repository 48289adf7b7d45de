"""What a calibration is: a curve to probabilities, cuts for verdicts, and how all of it did on pairs held out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from answersim.arguments import numbers as as_numbers
from answersim.arguments import text
from answersim.calibration.checking import check
from answersim.errors import unknown
from answersim.signature import asks_question, current, explanation
from answersim.stats.monotone import Curve, Isotonic
from answersim.stats.reliability import Reliability
from answersim.stats.resampling import Estimate
from answersim.stats.thresholds import Rule
from answersim.types import FloatArray, Scores

Verdict: TypeAlias = Literal["equivalent", "unsure", "different"]
Method: TypeAlias = Literal["isotonic", "logistic"]
Kind: TypeAlias = Literal["promised", "best cut", "never"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
METHODS: tuple[Method, ...] = get_args(Method)
KINDS: tuple[Kind, ...] = get_args(Kind)


class Threshold(NamedTuple):
    """A score from which on answers are called equivalent, and how often that is right.

    Attributes:
        rule: What it was chosen for: the best accuracy, the best F1, or a precision.
        cut: The score, with the bootstrap interval of the choice; inf where no score serves.
        accuracy: How often the call is right, on pairs for which the threshold was chosen without them.
        precision: How many of those called equivalent are, likewise; nan where none was.
        recall: How many of the equivalent ones are called so, likewise.
    """

    rule: Rule
    cut: Estimate
    accuracy: Estimate
    precision: Estimate
    recall: Estimate


class Side(NamedTuple):
    """One of the two verdicts that commit themselves.

    Attributes:
        cut: From this score on (equivalent), or below it (different). For a verdict that is never given it is inf
            (equivalent) or -inf (different).
        right: How often the verdict is right, on pairs for which the cut was chosen without them; nan for no verdict.
        share: How many of all pairs get the verdict, likewise. Both intervals are for the pairs; another calibration
            would also have another cut.
        kind: "promised" if the cut keeps the target with the confidence that was asked for. "best cut" if the labels
            could promise the target for neither verdict, so that both begin at the cut of the best accuracy, and
            nothing but ``right`` says how often they are right. "never" if the verdict is never given.
        largest: The largest target that these labels could promise; nan in files of the first format.
        needed: About how many labels such as these the target needs; nan if the verdict is promised, if no number
            of labels would do, and in files of the first format.
    """

    cut: float
    right: Estimate
    share: Estimate
    kind: Kind = "promised"
    largest: float = math.nan
    needed: float = math.nan


class Facts(NamedTuple):
    """On what a calibration stands and how it was made.

    Attributes:
        n: The pairs.
        equivalent: How many of them people called equivalent.
        groups: How many groups (questions) they come from; n where each pair is its own.
        label: The rule for the labels: "1 of 0 and 1", or "at least 2".
        target: What "equivalent" and the rule "precision" promise: the share of these calls that is right.
        target_different: What "different" promises.
        recall: What the rule "precision" must find besides.
        confidence: How sure the verdicts' promise is to hold for further pairs of the same kind.
        level: The coverage of all intervals.
        folds: Into how many parts the pairs were split to be judged by a calibration made without them.
        resamples: How many a bootstrap interval rests on.
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
    """What was measured besides, on pairs held out.

    Attributes:
        auc: How often an equivalent pair scores above a different one, ties counting half; needs no calibration.
        isotonic: The Brier score of the isotonic curve.
        logistic: The Brier score of the logistic curve.
        constant: The Brier score of always saying the share of equivalent pairs.
        auc_low: The lower end of the interval of ``auc``; nan in files of the first format.
        auc_high: The upper end.
    """

    auc: float
    isotonic: float
    logistic: float
    constant: float
    auc_low: float = math.nan
    auc_high: float = math.nan


@dataclass(frozen=True, eq=False)
class Calibration:
    """From the scores of one metric to probabilities and verdicts.

    All of it holds for pairs of the kind that it was made from: what share of a score's pairs is equivalent depends on
    who answered what, so that another data set needs a calibration of its own, or at least a check.

    Attributes:
        signature: Whose scores: those of a metric with this signature and no other.
        curve: From a score to the probability that the pair is equivalent.
        equivalent: The scores that are called so.
        different: The scores that are called so; what lies between is "unsure". See ``Side.kind`` for what stands
            behind the two cuts: a promise, or the best cut where these labels can promise nothing.
        thresholds: One a rule, for calls without "unsure".
        reliability: Of the probabilities, on pairs held out.
        quality: What was measured besides.
        facts: On what it stands.
        metric: How the metric is built: "name", "lang", "profile" and options; empty where that is not known.
        story: What its maker says of data, licence and checks; free.
    """

    signature: str
    curve: Curve
    equivalent: Side
    different: Side
    thresholds: tuple[Threshold, ...]
    reliability: Reliability
    quality: Quality
    facts: Facts
    metric: Mapping[str, Any] = field(default_factory=dict)
    story: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check(self)

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same; nan, which is not itself, is the same here."""
        if not isinstance(other, Calibration):
            return NotImplemented
        names = [item.name for item in fields(self) if item.name not in ("metric", "story")]
        return all(repr(getattr(self, name)) == repr(getattr(other, name)) for name in names) and (
            (self.metric, self.story) == (other.metric, other.story)
        )

    __hash__ = None  # type: ignore[assignment] # its story may be of any kind

    def __repr__(self) -> str:
        return (
            f"Calibration({self.signature!r}, method={self.method!r}, n={self.facts.n}, "
            f"equivalent={self.equivalent.kind!r}, different={self.different.kind!r})"
        )

    @property
    def majority(self) -> tuple[Verdict, float]:
        """The verdict that is right most often if it is always given, and how often it is right."""
        share = self.facts.equivalent / self.facts.n
        return ("equivalent", share) if share >= 0.5 else ("different", 1 - share)

    @property
    def method(self) -> Method:
        """Which kind of curve."""
        return "isotonic" if isinstance(self.curve, Isotonic) else "logistic"

    def probability(self, scores: Any) -> FloatArray:
        """The probability of each score, from 0 to 1, in the same shape; a higher score never has a lower one.

        Raises:
            ValueError: ``Scores`` with another signature, or a score that is no finite number.
        """
        return self.curve(self._checked(scores))

    def verdicts(self, scores: Any) -> NDArray[np.str_]:
        """Each score's verdict, "equivalent", "unsure" or "different", in the same shape.

        Raises:
            ValueError: As ``probability``.
        """
        numbers = self._checked(scores)
        named = np.where(numbers < self.different.cut, "different", "unsure")
        return np.where(numbers >= self.equivalent.cut, "equivalent", named)

    def threshold(self, rule: Rule) -> Threshold:
        """The threshold that was chosen by this rule; LookupError for a rule that there is not."""
        rule = text("rule", rule, "accuracy")  # type: ignore[assignment] # it is looked up at once
        for threshold in self.thresholds:
            if threshold.rule == rule:
                return threshold
        raise unknown("rule for a threshold", rule, [threshold.rule for threshold in self.thresholds])

    def check(self, signature: str) -> None:
        """Check that this calibration is for scores with this signature.

        A signature of version 0.2.0 is equal to that of the revision which the metric had then.

        Raises:
            ValueError: If they are of another metric, setting or revision. The message names the parts that differ.
        """
        signature = text("signature", signature)
        ours, theirs = current(self.signature), current(signature)
        if ours != theirs:
            raise ValueError(
                f"this calibration is for {_shown(self.signature)}, but the scores are of {_shown(signature)}"
                f"{_difference(ours, theirs)}. {_question_remedy(ours, theirs)}Make one for these scores: "
                "answersim.calibrate(scores, labels), or 'answersim calibrate FILE' with labels of your own"
            )

    def _checked(self, scores: Any) -> FloatArray:
        if isinstance(scores, Scores):
            self.check(scores.signature)
        numbers = scores.values if isinstance(scores, Scores) else as_numbers("scores", scores, "numbers")
        if not np.isfinite(numbers).all():
            raise ValueError(f"a score is {numbers[~np.isfinite(numbers)][0]}, but only finite numbers have a verdict")
        return numbers


def _question_remedy(ours: str, theirs: str) -> str:
    """Return what to do if one signature says that questions were read and the other does not; else nothing."""
    if asks_question(theirs) and not asks_question(ours):
        return "It was made without questions: leave the question out, or use a calibration made with questions. "
    if asks_question(ours) and not asks_question(theirs):
        return "It was made with questions: give the question too, or use a calibration made without questions. "
    return ""


def _shown(signature: str) -> str:
    if not signature:
        return "unknown origin (no signature)"
    old = explanation(signature)
    return f"{signature!r} ({old})" if old else repr(signature)


def _difference(ours: str, theirs: str) -> str:
    """Which parts of two signatures differ, as the end of a sentence."""
    if not ours or not theirs:
        return ""
    (one, *our_parts), (other, *their_parts) = ours.split("|"), theirs.split("|")
    if one != other:
        return f": {other} is another metric than {one}"
    mine, his = (dict(part.partition(":")[::2] for part in parts) for parts in (our_parts, their_parts))
    differing = [key for key in {**mine, **his} if mine.get(key) != his.get(key)]
    differences = [f"{key} is {his.get(key, 'missing')} and not {mine.get(key, 'missing')}" for key in differing]
    return f": {', '.join(differences)}"
