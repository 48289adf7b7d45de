"""Two or more systems on a page: differences in the share right, and the answers that changed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from answersim.evaluation.changes import ChangedRow, noise_of
from answersim.evaluation.comparison import Comparison, compare_all
from answersim.report.gathering import SystemAnswers
from answersim.stats.resampling import Estimate
from answersim.types import FloatArray

CHANGES = ("went wrong", "became right", "lower", "higher")
RESAMPLES = (10_000, 1_000)  # of the randomization test, for few and for many answers
FEW = 10_000  # answers of all pairs of systems


class PairRow(NamedTuple):
    """Two systems. Differences are second minus first, in points of the share right, or of the mean score.

    Attributes:
        first: The name of a system.
        second: The name of the other system.
        difference: The difference, with its interval.
        p: The p of the randomization test, after Holm's correction over all pairs.
        labeled: The difference by human labels, or None.
        went_wrong: How many answers are called right for the first system, but not for the second.
        became_right: How many answers are called right for the second system, but not for the first.
        better: How many answers of the second system have a higher score, by more than the noise.
        same: How many have the same, and ``worse`` how many have a lower one.
        flicker: How many have a score nearer to the cut than the noise, so that another machine may decide otherwise.
        changed: The answers that changed.
    """

    first: str
    second: str
    difference: Estimate
    p: float
    labeled: Estimate | None
    went_wrong: int
    became_right: int
    better: int
    same: int
    worse: int
    flicker: int
    changed: tuple[ChangedRow, ...]

    def sentence(self, level: float, unit: str) -> str:
        """Return which of the two is better, or that this is undecided.

        Args:
            level: The coverage of the interval.
            unit: The unit of the difference: "points", or the name of a metric.
        """
        value, low, high = self.difference
        verb = "is not distinguishable from"
        if self.p < 1 - level and (low > 0 or high < 0):
            verb = f"is {'better' if value > 0 else 'worse'} than"
        p = "p < .001" if self.p < 0.001 else f"p = {self.p:.3f}".replace("0.", ".", 1)
        p = p.replace(" ", "\N{NO-BREAK SPACE}")
        form = "+.1f" if unit == "points" else "+.3f"
        return f"{self.second} {verb} {self.first}: {value:{form}} {unit} [{low:{form}}, {high:{form}}], {p}"


class Compared(NamedTuple):
    """All pairs of systems.

    Attributes:
        pairs: In the order of the systems.
        cut: The score from which an answer is called right.
        noise: The difference of scores that may be numerical noise.
        level: The coverage of the intervals.
        resamples: The number of resamples of the randomization test.
    """

    pairs: tuple[PairRow, ...]
    cut: float
    noise: float
    level: float
    resamples: int


def compared(answers: SystemAnswers, metric: str, *, level: float = 0.95, seed: int = 0) -> Compared | None:
    """Compare every two systems by the share right, or by the mean score without a calibration.

    Returns:
        None if there are fewer than two systems or fewer than two answers.
    """
    n, systems = len(answers.ids), list(answers.preds)
    if len(systems) < 2 or n < 2:
        return None
    scores = answers.scores[metric]
    cut, noise = right_from(answers, metric), _noise(metric)
    resamples = RESAMPLES[n * len(list(combinations(systems, 2))) > FEW]
    how: dict[str, Any] = {
        "clusters": answers.questions, "level": level, "resamples": resamples, "seed": seed, "progress": False,
        "metric": "recall",  # not used: scores are given
    }  # fmt: skip
    once = {"resamples": 1} if answers.verdicts else {}  # with verdicts, the test is of the shares
    by_score = compare_all(scores, cut=cut, noise=noise, **{**how, **once}).pairs
    shares: Mapping[str, FloatArray] = {
        system: (calls == "right").astype(np.float64) for system, calls in answers.verdicts.items()
    }
    by_share = compare_all(shares, **how).pairs if shares else by_score
    labeled = _by_labels(answers, how)
    factor = 100.0 if shares else 1.0
    return Compared(
        tuple(
            PairRow(
                *score.names,
                _times(share.difference, factor),
                share.p_holm,
                None if gap is None else _times(gap, 100.0),
                score.counts("went wrong"),
                score.counts("became right"),
                score.better,
                score.same,
                score.worse,
                score.flicker,
                score.changed,
            )
            for score, share, gap in zip(by_score, by_share, labeled, strict=True)
        ),
        cut,
        noise,
        level,
        resamples,
    )


def right_from(answers: SystemAnswers, metric: str) -> float:
    """Return the score from which answers are called right: the lowest of those that are; .5 without verdicts."""
    if not answers.verdicts:
        return 0.5
    scores = answers.scores[metric]
    right = np.concatenate([scores[system][calls == "right"] for system, calls in answers.verdicts.items()])
    every = np.concatenate(list(scores.values()))
    return float(right.min()) if len(right) else float(np.nextafter(every.max(), np.inf))


def _noise(metric: str) -> float:
    """Return the numerical noise of the scores of this metric; 0 if it is unknown."""
    try:
        return noise_of(metric, None, is_computed=True)
    except LookupError:  # a metric of the user
        return 0.0


def _by_labels(answers: SystemAnswers, how: Mapping[str, Any]) -> list[Estimate | None]:
    """Return the difference of the labels for each pair of systems, None if there are too few labels."""
    pairs = list(combinations(answers.preds, 2))
    if not answers.labels:
        return [None] * len(pairs)
    basis = answers.probabilities or next(iter(answers.scores.values()))
    found: list[Estimate | None] = []
    for one, other in pairs:
        try:
            (pair,) = compare_all(
                {name: basis[name] for name in (one, other)},
                labels=_of(answers.labels, one, other),
                inclusion=_of(answers.inclusion, one, other),
                strata=_of(answers.strata, one, other),
                **{**how, "resamples": 1},
            ).pairs
        except ValueError:  # fewer questions with both labels than an interval needs
            found.append(None)
            continue
        found.append(_labeled(pair))
    return found


def _of(values: Mapping[str, FloatArray], *systems: str) -> dict[str, FloatArray]:
    return {name: values[name] for name in systems if name in values}


def _labeled(pair: Comparison) -> Estimate | None:
    given = pair.labeled
    return None if given is None else Estimate(given.value, given.low, given.high)


def _times(estimate: Estimate, factor: float) -> Estimate:
    return Estimate(*(factor * number for number in estimate))
