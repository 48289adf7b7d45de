"""Which answers are right: the one rule of every command, page and integration.

The rule follows from the metric and from what the user gives. It is, in this order: a threshold of the user; the
verdict of a calibration; the score itself, if it is a probability, or a verdict of 0 and 1. Without any of them,
answers have scores only, and the rule states how to get counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import finite, shown
from answersim._base.arrays import FloatArray
from answersim._base.errors import ShortAnswersWarning, warn_user
from answersim._base.signature import asks_question, language_of
from answersim.calibration import wording
from answersim.calibration.model.decision import HIGH, LOW, Verdict, band, cuts, decided
from answersim.calibration.model.model import Calibration, verdicts_at
from answersim.calibration.scores import Scores
from answersim.calibration.storing import ANY, MAKE_ONE, CalibrationLike, find
from answersim.calibration.transfer import Transfer, condition, transfer_of
from answersim.types import Scale

AnswerVerdict: TypeAlias = Literal["right", "wrong", "unsure", "not attempted"]

ANSWER_VERDICTS: tuple[AnswerVerdict, ...] = get_args(AnswerVerdict)
OF_ANSWER: dict[Verdict, AnswerVerdict] = {"equivalent": "right", "different": "wrong", "unsure": "unsure"}
MAJORITY = 0.5  # a binary score above is right; only a mean of several verdicts can be equal to it


class Decided(NamedTuple):
    """Scores with what a rule decides of them."""

    scores: FloatArray  # the scores, shape (n,)
    # the probability that each answer is right, shape (n,); None unless the rule has one for each answer
    probabilities: FloatArray | None
    # positions in ``ANSWER_VERDICTS``, int8, shape (n,); None if the rule counts no answers
    verdicts: NDArray[np.int8] | None

    def right(self) -> NDArray[np.bool_] | None:
        """Return whether each answer is right, shape (n,); None if the rule counts no answers."""
        return None if self.verdicts is None else self.verdicts == ANSWER_VERDICTS.index("right")

    def attempted(self) -> NDArray[np.bool_] | None:
        """Return whether each answer was attempted, shape (n,); None likewise."""
        return None if self.verdicts is None else self.verdicts != ANSWER_VERDICTS.index("not attempted")


@dataclass(frozen=True)
class VerdictRule:
    """From the scores of one metric to verdicts. ``verdict_rule`` returns the rule of a metric."""

    # "threshold" of the user, "calibration", "probability" (the scores are probabilities), "binary" (the scores are
    # verdicts of 0 and 1), or "none" (scores only)
    basis: Literal["threshold", "calibration", "probability", "binary", "none"]
    metric: str  # the name of the metric, for the sentences
    calibration: Calibration | None = None  # the calibration, if it is the basis
    low: float = LOW  # an answer is wrong up to this probability
    high: float = HIGH  # and right from this one on
    stated: float | None = None  # the score from which an answer is right, if the user gave one
    why: str = ""  # why there is no basis, for "none"
    instead: str = ""  # which metrics count, for "none"

    @property
    def counts(self) -> bool:
        """Whether the rule counts right answers."""
        return self.basis != "none"

    @property
    def threshold(self) -> float:
        """The score from which an answer is right; inf if none is, nan if the rule counts no answers."""
        if self.calibration is None:
            of_basis = {"threshold": self.stated, "probability": self.high, "binary": MAJORITY}
            return float(of_basis.get(self.basis) or 0.0) if self.counts else math.nan
        if not self.calibration.separates:
            return math.inf
        return cuts(self.calibration.curve, self.low, self.high)[1]

    def probabilities(self, scores: Any, preds: Sequence[str] | None = None) -> FloatArray | None:
        """Return the probability that each answer is right, in the same shape; None if the rule has none.

        ``preds``: the predictions, or the final answers that were read out of them; None if they are unknown. If the
        calibration has a limit of words (``Calibration.least_words``), shorter and unknown ones have nan.
        """
        return self._of_scores(scores, preds)[0]

    def verdicts(self, scores: Any, preds: Sequence[str] | None = None) -> NDArray[np.str_] | None:
        """Return "equivalent", "different" or "unsure" for each score, in the same shape; None without a basis.

        ``preds``: as of ``probabilities``. Without a probability, the verdict is "unsure".
        """
        return self._of_scores(scores, preds)[1]

    def _of_scores(
        self, scores: Any, preds: Sequence[str] | None, *, warn: bool = False
    ) -> tuple[FloatArray | None, NDArray[np.str_] | None, bool]:
        """Return ``probabilities``, ``verdicts``, and whether the calibration has a verdict for each prediction."""
        values = _values(scores)
        if self.calibration is not None:
            covered = self._covered(values.shape, preds, warn=warn)
            probabilities = self.calibration.probability(scores)
            verdicts = verdicts_at(self.calibration, probabilities, self.low, self.high)
            if not covered.all():
                return np.where(covered, probabilities, np.nan), np.where(covered, verdicts, "unsure"), False
            return probabilities, verdicts, True
        if self.basis == "probability":
            return values, decided(values, self.low, self.high), True
        if self.basis == "binary":
            below = np.where(values < MAJORITY, "different", "unsure")
            return None, np.where(values > MAJORITY, "equivalent", below), True
        right = None if self.stated is None else values >= self.stated
        return None, None if right is None else np.where(right, "equivalent", "different"), True

    def answer_verdicts(self, scores: Any, preds: Sequence[str] | None = None) -> NDArray[np.str_] | None:
        """Return "right", "wrong" or "unsure" for each score, in the same shape; None without a basis."""
        verdicts = self.verdicts(scores, preds)
        return None if verdicts is None else np.array(ANSWER_VERDICTS)[_codes(verdicts)]

    @property
    def least_words(self) -> int:
        """The fewest words of a prediction that the rule decides on; 0 if there is no limit."""
        return 0 if self.calibration is None else self.calibration.least_words

    def _covered(self, shape: tuple[int, ...], preds: Sequence[str] | None, *, warn: bool) -> NDArray[np.bool_]:
        """Return whether the calibration has a verdict for each prediction, in the shape of the scores."""
        if not self.least_words:
            return np.ones(shape, dtype=np.bool_)
        words = [0] * int(np.prod(shape)) if preds is None else [len(pred.split()) for pred in preds]
        covered = np.array(words).reshape(shape) >= self.least_words
        if warn and not covered.all():
            missing = int((~covered).sum())
            warn_user(ShortAnswersWarning(missing, covered.size, self.metric, self.least_words))
        return covered

    def decide(self, scores: Any, preds: Sequence[str] | None = None) -> Decided:
        """Return the scores with their probabilities and verdicts. A warning counts predictions that are too short."""
        probabilities, verdicts, has_all = self._of_scores(scores, preds, warn=True)
        codes = None if verdicts is None else _codes(verdicts)
        return Decided(_values(scores), probabilities if has_all else None, codes)

    def scored(
        self, scores: Scores, preds: Sequence[str] | None = None, truncated: NDArray[np.bool_] | None = None
    ) -> Scores:
        """Return the same scores with their probabilities and verdicts.

        ``preds``: as of ``decide``. ``truncated``: whether the metric read only a part of each pair, shape (n,);
        unknown counts as False. Raise ValueError if the rule counts no answers.
        """
        probabilities, verdicts, _ = self._of_scores(scores, preds, warn=True)
        if verdicts is None:
            raise ValueError(f"these scores have no verdicts: {self.sentence}")
        return scores.with_verdicts(
            np.full(len(scores), np.nan) if probabilities is None else probabilities,
            verdicts,
            np.zeros(len(scores), dtype=np.bool_) if truncated is None else truncated,
        )

    @property
    def caution(self) -> list[str]:
        """On which data the calibration was measured, for which language, and what that is worth; else empty."""
        if self.calibration is None:
            return []
        lines = [*wording.language_caution(self.calibration), wording.caution(self.calibration)]
        return [*lines, condition(self.transfer)]

    @property
    def transfer(self) -> Transfer | None:
        """The error of the probabilities on other systems and sets; None if it is not known."""
        return None if self.calibration is None else transfer_of(self.calibration)

    @property
    def sentence(self) -> str:
        """How answers are counted, with the threshold; without a basis, how to get counts."""
        if self.calibration is not None:
            return wording.counting(self.calibration, self.metric, self.low, self.high)
        if self.basis == "threshold":
            return f"an answer is right from the given threshold on, {self.metric} {self.stated:g}, and wrong below"
        if self.basis == "probability":
            return (
                f"an answer is right from {self.metric} {self.high:g} on, wrong up to {self.low:g}, "
                "and unsure between, because these scores are probabilities"
            )
        if self.basis == "binary":
            return (
                f"an answer is right if {self.metric} is 1 and wrong if it is 0 (of a mean of several verdicts, the "
                "majority counts, and 0.5 is unsure)"
            )
        return f"{self.why}, so answers are not counted as right or wrong. To count them, {self.instead}{_REMEDY}"


_REMEDY = (
    "give the score from which an answer is right with --threshold (calibration=answersim.Verdicts(threshold=...)), or "
    "make a calibration of labels with 'answersim calibrate' for --calibration (calibration=)"
)


@dataclass(frozen=True)
class Verdicts:
    """What decides which answers are right, if it is more than a calibration: ``calibration=Verdicts(threshold=0.5)``.

    Attributes:
        calibration: A calibration, its file or name, "shipped" for the one of the metric, or None for none.
        low: The probability up to which an answer is wrong, above 0 and at most .5.
        high: The probability from which an answer is right, at least .5 and below 1. Between them, it is unsure.
        threshold: The score from which an answer is right, instead of a calibration.
    """

    calibration: CalibrationLike | None = ANY
    low: float = LOW
    high: float = HIGH
    threshold: float | None = None

    def rule(self, signature: str, scale: Scale = "any", name: str | None = None) -> VerdictRule:
        """Return the rule for scores with this signature. Arguments and errors are those of ``verdict_rule``."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        return verdict_rule(signature, scale=scale, name=name, **settings)


def verdict_settings(value: CalibrationLike | Verdicts | None) -> Verdicts:
    """Return the settings that an argument ``calibration=`` states."""
    return value if isinstance(value, Verdicts) else Verdicts(value)


def verdict_rule(
    signature: str,
    *,
    scale: Scale = "any",
    name: str | None = None,
    calibration: CalibrationLike | None = ANY,
    low: float = LOW,
    high: float = HIGH,
    threshold: float | None = None,
    required: bool = False,
) -> VerdictRule:
    """Return the rule for scores with this signature.

    ``signature``: with ``question:yes`` if questions were read; "" for numbers of unknown origin. ``scale``: that of
    the metric, or ``scale_of`` the numbers. ``name``: of the metric, for the sentences; if None, the beginning of the
    signature. ``required``: whether a rule that counts no answers is an error. The others
    are those of ``Verdicts``.
    """
    name = name or signature.split("|", 1)[0] or "the score"
    low, high = band(low, high)
    moved = {end: value for end, value, default in (("low", low, LOW), ("high", high, HIGH)) if value != default}
    if threshold is not None:
        settings = {"calibration": None if calibration == ANY else calibration, **moved}
        for setting, value in settings.items():
            if value is not None:
                raise ValueError(
                    f"threshold is {shown(threshold)} and {setting} is {shown(value)}, but a threshold alone decides; "
                    "leave one of them out"
                )
        return VerdictRule("threshold", name, stated=_threshold(threshold, scale, name))
    known, why = _calibration(calibration, signature, name, required and scale in ("any", "cosine", "similarity"))
    if known is not None:
        return VerdictRule("calibration", name, known, low, high)
    if scale == "probability":
        return VerdictRule("probability", name, low=low, high=high)
    for end, value in moved.items():
        raise ValueError(f"{end} is {value:g}, but {name} has no probabilities, so it has no effect; leave it out")
    return (
        VerdictRule("binary", name)
        if scale == "binary"
        else VerdictRule("none", name, why=why, instead=_instead(name, signature))
    )


def scale_of(columns: Iterable[FloatArray]) -> Scale:
    """Return the scale of numbers of unknown origin: "binary" if every one is 0 or 1.

    >>> scale_of([np.array([1.0, 0.0])]), scale_of([np.array([1.0, 0.5])])
    ('binary', 'any')
    """
    return "binary" if all(((values == 0) | (values == 1)).all() for values in columns) else "any"


def _threshold(value: Any, scale: Scale, name: str) -> float:
    """Return the threshold. Raise ValueError if it is above all scores of this scale, or at most the lowest."""
    threshold = finite("threshold", value)
    if scale != "any" and threshold > 1:
        raise ValueError(f"threshold is {threshold!r}, but {name} is at most 1, and no answer would be right")
    if scale != "any" and threshold <= (lowest := -1 if scale == "cosine" else 0):
        raise ValueError(f"threshold is {threshold!r}, but {name} is at least {lowest}, and all answers would be right")
    return threshold


def _calibration(
    calibration_like: CalibrationLike | None, signature: str, name: str, required: bool
) -> tuple[Calibration | None, str]:
    """Return the calibration for these scores if there is one, else the reason."""
    if calibration_like is None:
        return None, "no calibration is used"
    try:
        return find(calibration_like, signature), ""
    except LookupError as error:
        if calibration_like != ANY or required:
            raise
        if "is not used for" in str(error):  # in this language
            return None, str(error).removesuffix(f"; {MAKE_ONE}")
    if not signature:
        return None, "the metric of these scores is not known"
    settings = " with questions" if asks_question(signature) else " with these settings"
    language = language_of(signature) or "en"
    if len(language) == 2 and language != "en":  # BLEU signs its tokens there: "13a+char"
        settings = f" in the language {language!r}"
    return None, f"no calibration ships for {name}{settings}"


def _instead(name: str, signature: str) -> str:
    """Return which other metrics count in the language of these scores: not each signature contains it."""
    names = ("answersim", "typed+recall") if (language := language_of(signature)) == "en" else ("answersim",)
    others = " or ".join(other for other in names if other != name)
    extra = " (with the extra multilingual)" if len(language or "") == 2 and language != "en" else ""
    return f"use {others}{extra}, " if others else ""


def _codes(verdicts: NDArray[np.str_]) -> NDArray[np.int8]:
    """Return the positions in ``ANSWER_VERDICTS``, in the same shape."""
    codes = np.zeros(verdicts.shape, dtype=np.int8)
    for verdict, of_answer in OF_ANSWER.items():
        codes[verdicts == verdict] = ANSWER_VERDICTS.index(of_answer)
    return codes


def _values(scores: Any) -> FloatArray:
    values = scores.values if isinstance(scores, Scores) else scores
    return np.asarray(values, dtype=np.float64)
