"""Is system B better than system A on the same questions, by how much, and which answers changed?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from answersim.arguments import between, listed
from answersim.calibration.decision import UNSURE
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import Decided, VerdictRule, verdict_rule
from answersim.errors import unknown
from answersim.evaluation.changes import Change, ChangedRow, changed, flickering, noise_of
from answersim.evaluation.correction import MeanEstimate
from answersim.evaluation.labeled_differences import checked, difference_of_labels
from answersim.evaluation.paired_scores import paired_scores
from answersim.scoring.cache import CacheLike
from answersim.scoring.score import default_for
from answersim.stats.cluster_bootstrap import numbered
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.paired import paired
from answersim.stats.resampling import Estimate, generator, holm
from answersim.stats.soft_pairwise import exchanges, soft_pairwise_accuracy
from answersim.text_tables import Result, content, counted, flat, html_result, number
from answersim.types import FloatArray, Metric

if TYPE_CHECKING:
    from typing_extensions import Unpack

PERMUTATIONS, SEED = 1000, 0  # of the soft pairwise accuracy


class Points(NamedTuple):
    """Two shares of right answers and their paired difference, from 0 to 1; 0.01 is a point.

    Attributes:
        right: How many answers of each system are right.
        shares: The share of right answers of each, with its interval, as in ``evaluate``.
        difference: The difference of the shares, with its interval.
        p: The two-sided p of no difference, from the procedure of the interval: below 1 - ``level`` if and only if the
            interval does not contain 0.
        p_holm: p after Holm's correction, as in ``Comparison``.
        least_difference: The true difference that the test would find at this n in 8 of 10 cases.
    """

    right: tuple[int, int]
    shares: tuple[Estimate, Estimate]
    difference: Estimate
    p: float
    p_holm: float
    least_difference: float


@dataclass(frozen=True)
class Comparison(Result):
    """Two systems on the same questions. Differences are second minus first.

    Attributes:
        names: The two systems.
        n: The number of answers of each.
        points: The shares of right answers and their difference; None if ``rule`` counts no answers.
        means: The mean score of each.
        difference: The difference of the mean scores, with its interval.
        p: The two-sided p of no difference of the scores, likewise.
        p_holm: p after Holm's correction over all comparisons that were made together; p itself for a single one.
        better: How many questions the second system scores higher on by more than the noise.
        same: How many questions have the same score within the noise.
        worse: How many questions the second system scores lower on by more than the noise.
        changed: The questions that are not the same: those that went wrong first (right before, and now wrong or
            unsure), then those that became right, then the others; the largest difference first.
        least_difference: The true difference of scores that the test would find at this n in 8 of 10 cases.
        rule: The rule that decides which answers are right.
        noise: The difference of scores that may be numerical noise.
        flicker: How many questions have a score within the noise of the threshold of the rule, so that another machine
            may decide otherwise.
        labeled: The difference of the human labels, estimated from the labels and the scores; None without labels.
        signature: What decides the scores; "" if they were given as numbers.
        level: The coverage of the intervals.
    """

    names: tuple[str, str]
    n: int
    points: Points | None
    means: tuple[float, float]
    difference: Estimate
    p: float
    p_holm: float
    better: int
    same: int
    worse: int
    changed: tuple[ChangedRow, ...]
    least_difference: float
    rule: VerdictRule
    noise: float
    flicker: int
    labeled: MeanEstimate | None
    signature: str
    level: float

    @property
    def decisive(self) -> Estimate:
        """The difference that decides: of the shares of right answers if they are counted, else of the mean scores."""
        return self.difference if self.points is None else self.points.difference

    def __str__(self) -> str:
        first, second = self.names
        if self.points is None:
            verb = _verb(self.difference.value, self.p_holm, self.level)
            return f"{second} {verb} {first}: {self._scores()}; {counted(self.n, 'answer')}"
        (value, low, high), (one, two) = self.points.difference, self.points.shares
        verb = _verb(value, self.points.p_holm, self.level)
        return (
            f"{second} {verb} {first}: {100 * two.value:.1f} % right against {100 * one.value:.1f} %, "
            f"{100 * value:+.1f} points [{100 * low:+.1f}, {100 * high:+.1f}], {_tested(self.points, self.level)}; "
            f"{counted(self.n, 'answer')}"
        )

    def _scores(self) -> str:
        value, low, high = self.difference
        return (
            f"mean score {self.means[1]:.3f} against {self.means[0]:.3f}, difference {value:+.3f} [{low:+.3f}, "
            f"{high:+.3f}], {_tested(self, self.level)}"
        )

    def summary(self) -> list[str]:
        """Return the result in sentences: the difference, what changed, how answers are counted, and human labels."""
        lines = [str(self)]
        least = f"a true difference of {self.least_difference:.3f} would be found in 8 of 10 cases"
        if self.points is not None:
            one, two = self.points.right
            lines += [
                f"{two:,} right answers against {one:,}: {self.counts('became right'):,} became right, and "
                f"{self.counts('went wrong'):,} went wrong (are wrong or unsure now)",
                self._scores(),
            ]
            least = (
                f"a true difference of {100 * self.points.least_difference:.1f} points would be found in 8 of 10 cases"
            )
        lines += [
            f"higher score for {self.better:,}, same for {self.same:,}, lower for {counted(self.worse, 'answer')}",
            least,
            f"counted: {self.rule.sentence}",
        ]
        if self.flicker:
            lines.append(
                f"verdict flicker: {counted(self.flicker, 'question')} with a score nearer to the threshold "
                f"{self.rule.threshold:.4g} than {self.noise:g}, the numerical noise"
            )
        if self.labeled is not None:
            mine = self.labeled
            worth = f", worth {mine.labels_worth:,.0f} without scores" if mine.n_labeled < mine.n else ""
            lines.append(
                f"by human labels: {mine.value:+.3f} [{mine.low:+.3f}, {mine.high:+.3f}] from "
                f"{counted(mine.n_labeled, 'labeled question')}{worth}"
            )
        return lines

    def footer(self) -> list[str]:
        """Return the signature of the scores, if there is one."""
        return [self.signature] if self.signature else []

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record: the shares of right answers, the mean scores, their differences and p."""
        points = {} if self.points is None else flat(self.points)
        record = {"first": self.names[0], "second": self.names[1], **flat(self)}
        return [record | {f"right_{name}": value for name, value in points.items()}]

    def counts(self, change: Change) -> int:
        """Return how many questions changed in this way."""
        return sum(row.change == change for row in self.changed)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        points, threshold = self.points, self.rule.threshold
        return content(self) | {
            "points": None
            if points is None
            else points._asdict()
            | {
                "shares": [share._asdict() for share in points.shares],
                "difference": points.difference._asdict(),
            },
            "difference": self.difference._asdict(),
            "changed": [row._asdict() for row in self.changed],
            "rule": {
                "counted by": self.rule.basis,
                "threshold": threshold if math.isfinite(threshold) else None,
                "sentence": self.rule.sentence,
            },
            "labeled": None if self.labeled is None else content(self.labeled),
        }


def _verb(value: float, p: float, level: float) -> str:
    if p >= 1 - level:
        return "is not distinguishable from"
    return "is better than" if value > 0 else "is worse than"


def _tested(found: Points | Comparison, level: float) -> str:
    """Return p after Holm's correction; with p itself if the interval, which is for a single comparison, excludes 0."""
    alone = f" after Holm's correction, {_p(found.p)} alone" if found.p < 1 - level <= found.p_holm else ""
    return f"{_p(found.p_holm)}{alone}"


def _p(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {value:.3f}"


@dataclass(frozen=True)
class Comparisons(Result):
    """All pairs of several systems.

    Attributes:
        pairs: Each pair, in the order of the systems. ``p_holm`` is over all of them.
        accuracy: The soft pairwise accuracy of the scores: whether they order the systems as the human labels do, and
            are as sure of each pair; nan unless all answers of all systems have a label.
    """

    pairs: tuple[Comparison, ...]
    accuracy: float

    def summary(self) -> list[str]:
        """Return one sentence per pair."""
        return [str(pair) for pair in self.pairs]

    def footer(self) -> list[str]:
        """Return the soft pairwise accuracy, if all answers have a label."""
        if math.isnan(self.accuracy):
            return []
        return [f"soft pairwise accuracy with the human labels: {number(self.accuracy)}"]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per pair."""
        return [record for pair in self.pairs for record in pair.records()]

    def __str__(self) -> str:
        return "\n".join([*self.summary(), *self.footer()])

    def to_dict(self) -> dict[str, Any]:
        """Return all pairs as JSON values, and the soft pairwise accuracy."""
        return {"pairs": [pair.to_dict() for pair in self.pairs], "accuracy": self.accuracy}

    def _repr_html_(self) -> str:
        return "".join(pair._repr_html_() for pair in self.pairs) + html_result((), closing=self.footer())


class Settings(TypedDict, total=False):
    """The settings of ``compare`` and ``compare_all``, described at ``compare``. The usual ones are ``_USUAL``."""

    gold: Any
    question: Any
    metric: str | Metric | None
    groups: Sequence[Hashable] | None
    calibration: CalibrationLike | None
    unsure: float
    min_precision: float | None
    cut: float | None
    noise: float | None
    level: float
    lang: str | None
    profile: str | None
    progress: bool
    cache: CacheLike | None


_USUAL: Settings = {
    "gold": None,
    "question": None,
    "metric": None,
    "groups": None,
    "calibration": ANY,
    "unsure": UNSURE,
    "min_precision": None,
    "cut": None,
    "noise": None,
    "level": 0.95,
    "lang": None,
    "profile": None,
    "progress": True,
    "cache": None,
}


def compare(
    a: Any,
    b: Any,
    *,
    labels: tuple[Any, Any] | None = None,
    inclusion: Any = None,
    strata: Any = None,
    names: tuple[str, str] = ("A", "B"),
    **settings: Unpack[Settings],
) -> Comparison:
    """Compare two systems on the same questions: the paired difference with its interval, a test, and what changed.

    Right answers are counted as in ``evaluate``. If they can be counted, the difference of their shares decides which
    system is better, else that of the mean scores.

    Args:
        a: The predictions of the first system (texts), or its scores or verdicts (numbers): one per question.
        b: Those of the second system, in the same order.
        labels: Human labels of the answers of both systems, nan where nobody labeled: 1 for a correct answer. With few
            labels, the difference of the labels is estimated by prediction-powered inference, see
            ``answersim.estimate_mean``. At least 10 questions need both labels.
        inclusion: The probability of each question to be labeled, above 0 and at most 1, if it was not the same for
            all; ``answersim label`` writes it. Questions without both labels may be nan. A tuple of two, if each
            system has its own. If they are equal for all questions with both labels, and at least half of the questions
            with a label have both, the questions were drawn once for both systems. Otherwise the answers of each system
            were drawn independently, and the products count. None for a system whose answers were labeled where those
            of the other one were drawn.
        strata: The stratum of each question, if the labeled ones were drawn by strata once for both systems;
            ``answersim label`` writes it. A tuple of two, if each system has its own: they are used where they are
            equal for all questions with both labels.
        names: The names of the two systems.
        settings: Further settings:

            - gold: The gold answers, if a and b are texts: a text per question, or a list of texts that are all
              correct.
            - question: The questions, for a metric that reads them, and for the intervals, which are over questions.
            - metric: The metric that scores the texts; the default metric if not given.
            - groups: What each row belongs to, if several rows are alike; the question by default.
            - calibration, unsure, min_precision, cut: What decides which answers are right, as for ``evaluate``.
              Numbers that are all 0 or 1 are verdicts.
            - noise: Differences of scores up to this are noise. By default, the largest difference of bf16 and fp32
              that was measured for the metric (``benchmarks/results/precision.md``); the largest of them for other
              metrics that run a network; 0 for lexical metrics, and for scores that are given as numbers.
            - level: The coverage of the intervals; .95.
            - lang, profile, progress, cache: As for ``answersim.score_pairs``.

    Raises:
        ValueError: If lengths differ, a score is nan, there are fewer than 2 questions, or too few labels.
        TypeError: If texts are given without gold answers, or scores with them, or there is no such setting.

    >>> result = compare([0.9, 0.8, 0.1, 0.7] * 25, [0.9, 0.9, 0.9, 0.2] * 25, names=("old", "new"), cut=0.5)
    >>> print(result.summary()[1])
    75 right answers against 75: 25 became right, and 25 went wrong (are wrong or unsure now)
    >>> result.better, result.same, result.worse, result.changed[0]
    (50, 25, 25, ChangedRow(row=3, change='went wrong', first=0.7, second=0.2))

    Source: ``answersim.stats.paired`` for the interval, p and the detectable difference.
    """
    if len(set(names)) < 2:
        raise ValueError(
            f"both systems are called {names[0]!r}, but their names must differ; give each a name of its own"
        )
    if inclusion is not None and not isinstance(inclusion, tuple):
        inclusion = (inclusion, None)  # of the questions, which were drawn once
    if strata is not None and not isinstance(strata, tuple):
        strata = (strata, None)
    return compare_all(
        {names[0]: a, names[1]: b},
        labels=None if labels is None else dict(zip(names, labels, strict=True)),
        inclusion=_by_name(names, inclusion),
        strata=_by_name(names, strata),
        **settings,
    ).pairs[0]


def _by_name(names: tuple[str, str], values: tuple[Any, Any] | None) -> dict[str, Any]:
    return {} if values is None else {name: one for name, one in zip(names, values, strict=True) if one is not None}


def compare_all(
    systems: Mapping[str, Any],
    *,
    labels: Mapping[str, Any] | None = None,
    inclusion: Mapping[str, Any] | None = None,
    strata: Mapping[str, Any] | None = None,
    **settings: Unpack[Settings],
) -> Comparisons:
    """Compare every two of several systems, with Holm's correction over all pairs.

    Args and raises as ``compare``; ``systems``, ``labels``, ``inclusion`` and ``strata`` are by the name of the system.
    """
    if unknown_names := [name for name in settings if name not in _USUAL]:
        raise TypeError(str(unknown("setting of a comparison", unknown_names[0], _USUAL)))
    how: Settings = {**_USUAL, **settings}
    if len(systems) < 2:
        raise ValueError(
            f"{len(systems)} system is given, but a comparison needs at least 2; give each a different name"
        )
    level = between("level", how["level"], 0, 1)
    metric = default_for(how["calibration"]) if how["metric"] is None else how["metric"]
    of_scoring: dict[str, Any] = {name: how[name] for name in ("lang", "profile", "progress", "cache")}
    scores, signature, scale = paired_scores(systems, metric, how["gold"], how["question"], **of_scoring)
    rule = verdict_rule(
        signature,
        scale=scale,
        calibration=how["calibration"],
        unsure=how["unsure"],
        min_precision=how["min_precision"],
        cut=how["cut"],
    )
    decided = {name: rule.decide(values) for name, values in scores.items()}
    groups = how["question"] if how["groups"] is None else how["groups"]
    return compare_decided(
        decided,
        rule,
        signature=signature,
        labels=labels,
        inclusion=inclusion,
        strata=strata,
        groups=groups,
        noise=noise_of(metric, how["noise"], is_computed=how["gold"] is not None),
        level=level,
    )


def compare_decided(
    decided: Mapping[str, Decided],
    rule: VerdictRule,
    *,
    signature: str = "",
    labels: Mapping[str, Any] | None = None,
    inclusion: Mapping[str, Any] | None = None,
    strata: Mapping[str, Any] | None = None,
    groups: Sequence[Hashable] | None = None,
    noise: float = 0.0,
    level: float = 0.95,
) -> Comparisons:
    """Compare every two of several systems whose answers are decided already.

    Args:
        decided: The scores, probabilities and verdicts of each system, all of one length.
        rule: The rule that decided.
        signature: The signature of the scores.
        labels: As for ``compare_all``, and so are ``inclusion`` and ``strata``.
        inclusion: By system.
        strata: By system.
        groups: What each row belongs to; each row is its own if not given.
        noise: The difference of scores that may be numerical noise.
        level: The coverage of the intervals.

    Raises:
        ValueError: As ``compare_all``.
    """
    scores = {name: found.scores for name, found in decided.items()}
    n = len(next(iter(scores.values())))
    if n < 2:
        raise ValueError(
            f"{n} question is given, but an interval needs at least 2, and a narrow one hundreds; give more"
        )
    groups = _groups(groups, n)
    labeled = checked(labels, inclusion, strata, n)
    reach = max(1.0, *(float(np.ptp(values)) for values in scores.values()))
    shares = _shares(decided, groups, level)
    pairs = []
    for one, other in combinations(scores, 2):
        apart = scores[other] - scores[one]
        value, low, high, p, least = paired(apart, groups=groups, bounds=(-reach, reach), level=level)
        points = None
        if (before := decided[one].right()) is not None and (after := decided[other].right()) is not None:
            gaps = after.astype(np.float64) - before
            found = paired(gaps, groups=groups, level=level)
            counts = int(before.sum()), int(after.sum())
            points = Points(counts, (shares[one], shares[other]), Estimate(*found[:3]), found.p, found.p, found.least)
        pairs.append(
            Comparison(
                names=(one, other),
                n=n,
                points=points,
                means=(float(scores[one].mean()), float(scores[other].mean())),
                difference=Estimate(value, low, high),
                p=p,
                p_holm=p,
                better=int((apart > noise).sum()),
                same=int((np.abs(apart) <= noise).sum()),
                worse=int((apart < -noise).sum()),
                changed=changed(decided[one], decided[other], noise),
                least_difference=least,
                rule=rule,
                noise=noise,
                flicker=int(flickering(scores[one], scores[other], rule.threshold, noise).sum()),
                labeled=difference_of_labels(_basis(decided, one, other), labeled, (one, other), groups, level),
                signature=signature,
                level=level,
            )
        )
    return Comparisons(_with_holm(pairs), _accuracy(scores, labeled.labels))


def _shares(decided: Mapping[str, Decided], groups: Any, level: float) -> dict[str, Estimate]:
    """Return the share of right answers of each system with the interval of ``evaluate``; empty without counts."""
    right = {name: found.right() for name, found in decided.items()}
    n = len(next(iter(decided.values())).scores)
    if any(values is None for values in right.values()):
        return {}
    means = ClusteredMeans(np.arange(n) if groups is None else groups, level)
    return {name: means.of(values, np.ones(n, dtype=bool)) for name, values in right.items()}


def _basis(decided: Mapping[str, Decided], one: str, other: str) -> FloatArray:
    """Return what extends the labels: the difference of the probabilities if there are any, else of the scores."""
    first, second = decided[one], decided[other]
    if first.probabilities is None or second.probabilities is None:
        return second.scores - first.scores
    return second.probabilities - first.probabilities


def _with_holm(pairs: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the comparisons with p after Holm's correction, for the scores and for the right answers."""
    of_scores = holm([pair.p for pair in pairs])
    of_points = holm([pair.p if pair.points is None else pair.points.p for pair in pairs])
    return tuple(
        replace(
            pair,
            p_holm=float(p),
            points=None if pair.points is None else pair.points._replace(p_holm=float(p_points)),
        )
        for pair, p, p_points in zip(pairs, of_scores, of_points, strict=True)
    )


def _groups(groups: Sequence[Hashable] | None, n: int) -> Any:
    if groups is None:
        return None
    groups = listed("groups", groups, "one name per question")
    if len(groups) != n:
        raise ValueError(f"{len(groups)} groups are given for {n} questions; give one per question")
    return numbered(groups)


def _accuracy(scores: Mapping[str, FloatArray], labels: Mapping[str, FloatArray]) -> float:
    """Return the soft pairwise accuracy of the scores; nan unless every answer has a label."""
    if set(labels) != set(scores) or any(np.isnan(values).any() for values in labels.values()):
        return float("nan")
    human = np.stack([labels[name] for name in scores])
    signs = exchanges(PERMUTATIONS, human.shape[1], generator(SEED, "soft pairwise accuracy"))
    return float(soft_pairwise_accuracy(human, np.stack(list(scores.values()))[None], signs)[0])
