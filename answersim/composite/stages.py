"""A stage of a cascade: a metric, its calibration, and the probabilities up to which and from which on it decides."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.arguments import shown
from answersim.calibration.model import Calibration
from answersim.calibration.storing import ANY, CalibrationLike, find
from answersim.composite.typed import opinions
from answersim.planning import takes_whole_rows
from answersim.signature import asks_question, with_question
from answersim.stats.monotone import Curve
from answersim.typed.api import REVISION as RULES_REVISION
from answersim.typed.api import rules_of
from answersim.types import FloatArray, Metric, Pair, StageScorer, capabilities, reads_questions

RULES = "typed"  # the stage of the rules of ``answersim.typed``, without a base metric
RAW = "none"  # instead of a calibration: the score is the probability
EVERY = (0.5, 0.5)  # the cuts of a stage that decides each pair for which it has a probability
# How often annotators call values equal that the rules call equal (468 of 470 answers), and different (18 of 334), on
# the parts train and dev of EVOUNA and of the 906 free questions of EfficientQA.
EQUAL, DIFFERENT = 0.995, 0.05


@dataclass(frozen=True)
class Stage:
    """One stage of a cascade."""

    name: str  # the name of the stage in the cascade
    metric: Metric | None  # the metric, or None for the rules of ``answersim.typed``
    low: float  # a pair with at most this probability is decided, as different
    high: float  # a pair with at least this probability is decided, as equivalent
    curve: Curve | None = None  # the curve from scores without a question to probabilities; None if there is none
    # the curve from scores with a question to probabilities; None if the metric reads no question, or if there is no
    # curve. The stage then never gets questions.
    with_question: Curve | None = None
    raw: bool = False  # whether the score is the probability
    lang: str = "en"  # the language of the answers, for the rules

    @property
    def reads_questions(self) -> bool:
        """Whether the metric gets questions: it reads them, and its scores with questions have a probability."""
        reads = self.metric is not None and reads_questions(self.metric)
        return reads and (self.raw or self.with_question is not None)

    @property
    def remote(self) -> bool:
        """Whether each score is a request to a service."""
        return self.metric is not None and capabilities(self.metric).cost == "remote"

    @property
    def whole_rows(self) -> bool:
        """Whether the metric scores all gold answers of a prediction together."""
        return self.metric is not None and takes_whole_rows(self.metric)

    @property
    def spent(self) -> float:
        """The money that the metric has spent so far, by its attribute ``spent``; nan if it has no such attribute."""
        return float(getattr(self.metric, "spent", np.nan))

    @property
    def signature(self) -> str:
        """The signature of the metric or of the rules, and the fingerprints of the two curves."""
        if self.metric is None:
            return f"{RULES}|rules:{rules_of(self.lang)}.{RULES_REVISION}|equal:{EQUAL}|different:{DIFFERENT}"
        curves = RAW if self.raw else f"{_fingerprint(self.curve)}+{_fingerprint(self.with_question)}"
        return f"{self.metric.signature}|calibration:{curves}"

    def probabilities(
        self, pairs: Sequence[Pair], questions: Sequence[str] | None, where: NDArray[np.int64], score: StageScorer
    ) -> FloatArray:
        """Return the probability of each of these pairs, shape (len(where),); nan where the rules have no opinion.

        ``where``: the positions of the pairs. Raise ValueError if a score cannot be a probability, or if a pair has no
        question and there is no calibration of scores without questions.
        """
        if self.metric is None:
            verdicts = opinions([pairs[i] for i in where.tolist()], self.lang)
            return np.where(np.isnan(verdicts), np.nan, np.where(verdicts == 1.0, EQUAL, DIFFERENT))
        scores = score(self.metric, where, self.reads_questions)
        if self.raw:
            return self._as_probabilities(scores)
        asked = np.zeros(len(where), dtype=np.bool_)
        if questions is not None and self.reads_questions:
            asked = np.array([bool(questions[i]) for i in where.tolist()], dtype=np.bool_)
        if self.curve is None and not asked.all():
            raise ValueError(
                f"the stage {self.name!r} has a calibration of scores with questions only, but a pair has no question; "
                "give the questions, or a calibration that was made without them too"
            )
        result = np.empty(len(where), dtype=np.float64)
        for mask, curve in ((~asked, self.curve), (asked, self.with_question)):
            if curve is not None and mask.any():
                result[mask] = curve(scores[mask])
        return result

    def _as_probabilities(self, scores: FloatArray) -> FloatArray:
        outside = ~((scores >= 0) & (scores <= 1))
        if outside.any():
            raise ValueError(
                f"the stage {self.name!r} has no calibration, so its scores must be probabilities, but one is "
                f"{scores[outside][0]}, which is not between 0 and 1; give it a calibration"
            )
        return scores


def calibrated(
    name: str,
    metric: Metric,
    given: CalibrationLike | Sequence[CalibrationLike] | None,
    cuts: tuple[float, float],
    *,
    last: bool,
) -> Stage:
    """Return a stage with its calibration.

    ``given``: a calibration, its file, the name of a shipped one, or two of them (made without and with questions);
    ``RAW`` if the score is the probability; None for those that ship for the metric. ``cuts``: the probabilities up to
    which and from which on the stage decides. ``last``: whether it is the last stage. A service without a calibration
    then gives probabilities. Raise LookupError if no calibration ships for the metric. Raise ValueError if the
    calibration is for another metric, or shows that the metric does not separate the labels.
    """
    remote = capabilities(metric).cost == "remote"
    if given == RAW or (given is None and last and remote):
        return Stage(name, metric, *cuts, raw=True)
    plain: Curve | None = None
    asked: Curve | None = None
    for calibration in _calibrations(name, metric, given):
        if not calibration.separates:
            raise ValueError(
                f"the scores of the stage {name!r} do not separate the labels of its calibration (AUC "
                f"{calibration.quality.auc:.3f}), so it can decide nothing; leave the stage out"
            )
        if asks_question(calibration.signature):
            asked = calibration.curve
        else:
            plain = calibration.curve
    return Stage(name, metric, *cuts, plain, asked)


def _calibrations(
    name: str, metric: Metric, given: CalibrationLike | Sequence[CalibrationLike] | None
) -> list[Calibration]:
    """Return the calibrations of the scores of a metric, each checked against its signature."""
    plain = metric.signature
    signatures = [plain, with_question(plain)] if reads_questions(metric) else [plain]
    if given is not None and given != ANY:
        listed: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given]
        found = [find(item) for item in listed]
        for calibration in found:
            asks = asks_question(calibration.signature) and len(signatures) > 1
            calibration.check(signatures[1] if asks else plain)
        return found
    found = []
    for signature in signatures:
        try:
            found.append(find(ANY, signature))
        except LookupError:
            continue
    if not found:
        raise LookupError(
            f"the stage {name!r} of the cascade needs a calibration, and none ships for {plain!r}; make one with "
            f"'answersim calibrate' and give it with calibrations={{{name!r}: FILE}}, or with "
            f"calibrations={{{name!r}: {RAW!r}}} if its scores are probabilities"
        )
    return found


def calibrations_of(given: Any) -> dict[str, Any]:
    """Return the calibrations by the name of the stage; from the command line they are "NAME=FILE,NAME=FILE".

    >>> calibrations_of("f1=mine.json, em=none")
    {'f1': 'mine.json', 'em': 'none'}
    """
    if given is None:
        return {}
    if isinstance(given, str):
        parts = [part.strip().partition("=") for part in given.split(",") if part.strip()]
        if flaws := [part for part in parts if not all(part)]:
            raise ValueError(f"calibrations contains {''.join(flaws[0])!r}; write NAME=FILE, with commas between them")
        return {name.strip(): file.strip() for name, _, file in parts}
    if not isinstance(given, Mapping):
        raise TypeError(f"calibrations is {shown(given)}, but it must be a mapping from stages to calibrations")
    return dict(given)


def _fingerprint(curve: Curve | None) -> str:
    return RAW if curve is None else hashlib.sha256(repr(curve).encode()).hexdigest()[:12]
