"""Is system B better than system A on the same questions, by how much, and which answers changed?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from answersim import catalog
from answersim.arguments import between, finite, listed
from answersim.cache import CacheLike
from answersim.errors import unknown
from answersim.evaluation.changes import Change, ChangedRow, changed, flickering, noise_of
from answersim.evaluation.correction import Corrected
from answersim.evaluation.labeled_differences import checked, difference_of_labels
from answersim.evaluation.paired_scores import paired_scores
from answersim.stats.cluster_bootstrap import numbered
from answersim.stats.paired import paired
from answersim.stats.resampling import Estimate, generator, holm
from answersim.stats.soft_pairwise import exchanges, soft_pairwise_accuracy
from answersim.text_tables import html_result, number
from answersim.types import FloatArray, Metric

if TYPE_CHECKING:
    from typing_extensions import Unpack

CUT = 0.5
PERMUTATIONS, SEED = 1000, 0  # of the soft pairwise accuracy


class Comparison(NamedTuple):
    """Two systems on the same questions. Differences are second minus first.

    Attributes:
        names: The two systems.
        n: The number of questions.
        means: The mean score of each.
        right: How many scores of each reach the cut.
        difference: The difference of the means, with its interval.
        p: The two-sided p of no difference, from the procedure of the interval: below 1 - ``level`` if and only if the
            interval does not contain 0.
        p_holm: p after Holm's correction over all comparisons that were made together; p itself for a single one.
        better: How many questions the second system scores higher on by more than the noise.
        same: How many questions have the same score within the noise.
        worse: How many questions the second system scores lower on by more than the noise.
        changed: The questions that are not the same: those that went wrong first, then those that became right, then
            the others; the largest difference first.
        least_difference: The true difference that the test would find at this n in 8 of 10 cases.
        cut: The score from which an answer counts as right.
        noise: The difference of scores that may be numerical noise.
        flicker: How many questions have a score within the noise of the cut, so that another machine may decide
            otherwise.
        labeled: The difference of the human labels, estimated from the labels and the scores; None without labels.
        signature: What decides the scores; "" if they were given as numbers.
        level: The coverage of the intervals.
    """

    names: tuple[str, str]
    n: int
    means: tuple[float, float]
    right: tuple[int, int]
    difference: Estimate
    p: float
    p_holm: float
    better: int
    same: int
    worse: int
    changed: tuple[ChangedRow, ...]
    least_difference: float
    cut: float
    noise: float
    flicker: int
    labeled: Corrected | None
    signature: str
    level: float

    def __str__(self) -> str:
        first, second = self.names
        sure = self.p_holm < 1 - self.level
        sign = "better" if self.difference.value > 0 else "worse"
        verb = f"is {sign} than" if sure else "is not distinguishable from"
        contradicts = self.p < 1 - self.level <= self.p_holm  # the interval, which is for a single comparison
        alone = f" after Holm's correction, {_p(self.p)} alone" if contradicts else ""
        return (
            f"{second} {verb} {first}: {self.means[1]:.3f} against {self.means[0]:.3f}, difference "
            f"{self.difference.value:+.3f} [{self.difference.low:+.3f}, {self.difference.high:+.3f}], "
            f"{_p(self.p_holm)}{alone}, {self.n:,} questions"
        )

    def lines(self) -> list[str]:
        """Return the result in sentences: the difference, what changed, and what human labels say."""
        lines = [
            str(self),
            f"better on {self.better:,}, same on {self.same:,}, worse on {self.worse:,} questions; "
            f"{self.counts('went wrong'):,} went wrong and {self.counts('became right'):,} became right at the "
            f"threshold {self.cut:g}",
            f"a true difference of {self.least_difference:.3f} would be found in 8 of 10 cases",
        ]
        if self.flicker:
            lines.append(
                f"verdict flicker: {self.flicker:,} questions have a score nearer to the threshold than "
                f"{self.noise:g}, the numerical noise"
            )
        if self.labeled is not None:
            mine = self.labeled
            worth = f", worth {mine.labels_worth:,.0f} without scores" if mine.n_labeled < mine.n else ""
            lines.append(
                f"by human labels: {mine.value:+.3f} [{mine.low:+.3f}, {mine.high:+.3f}] from {mine.n_labeled:,} "
                f"labeled questions{worth}"
            )
        return lines

    def _repr_html_(self) -> str:
        first, *more = self.lines()
        return html_result([first], closing=[*more, *([self.signature] if self.signature else [])])

    def counts(self, change: Change) -> int:
        """Return how many questions changed in this way."""
        return sum(row.change == change for row in self.changed)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return self._asdict() | {
            "difference": self.difference._asdict(),
            "changed": [row._asdict() for row in self.changed],
            "labeled": None if self.labeled is None else self.labeled._asdict(),
        }


class Comparisons(NamedTuple):
    """All pairs of several systems.

    Attributes:
        pairs: Each pair, in the order of the systems. ``p_holm`` is over all of them.
        accuracy: The soft pairwise accuracy of the scores: whether they order the systems as the human labels do, and
            are as sure of each pair; nan unless all answers of all systems have a label.
    """

    pairs: tuple[Comparison, ...]
    accuracy: float

    def _repr_html_(self) -> str:
        order = [f"soft pairwise accuracy with the human labels: {number(self.accuracy)}"]
        return "".join(pair._repr_html_() for pair in self.pairs) + (
            html_result((), closing=order) if self.accuracy == self.accuracy else ""
        )


class Settings(TypedDict, total=False):
    """The settings of ``compare`` and ``compare_all``, described at ``compare``. The usual ones are ``_USUAL``."""

    gold: Any
    question: Any
    metric: str | Metric | None
    clusters: Sequence[Hashable] | None
    cut: float
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
    "clusters": None,
    "cut": CUT,
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

    Args:
        a: The predictions of the first system (texts), or its scores or verdicts (numbers): one per question.
        b: Those of the second system, in the same order.
        labels: Human labels of the answers of both systems, nan where nobody labeled: 1 for a correct answer. With few
            labels, the difference of the labels is estimated by prediction-powered inference, see
            ``answersim.corrected``. At least 10 questions need both labels.
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
            - question: The questions, for a metric that reads them.
            - metric: The metric that scores the texts; ``answersim`` if not given.
            - clusters: What each row belongs to, if several rows are alike.
            - cut: The score from which an answer counts as right, for the counts and the changed rows; .5.
            - noise: Differences of scores up to this are noise. By default, the largest difference of bf16 and fp32
              that was measured for the metric (``benchmarks/results/precision.md``); the largest of them for other
              metrics that run a network; 0 for lexical metrics, and for scores that are given as numbers.
            - level: The coverage of the intervals; .95.
            - lang, profile, progress, cache: As for ``answersim.score_pairs``.

    Raises:
        ValueError: If lengths differ, a score is nan, there are fewer than 2 questions, or too few labels.
        TypeError: If texts are given without gold answers, or scores with them, or there is no such setting.

    >>> result = compare([0.9, 0.8, 0.1, 0.7] * 25, [0.9, 0.9, 0.9, 0.2] * 25, names=("old", "new"))
    >>> print(result)
    new is better than old: 0.725 against 0.625, difference +0.100 [+0.001, +0.199], p = 0.047, 100 questions
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
    level, cut = between("level", how["level"], 0, 1), finite("cut", how["cut"])
    metric = catalog.DEFAULT_METRIC if how["metric"] is None else how["metric"]
    of_scoring = {name: how[name] for name in ("lang", "profile", "progress", "cache")}
    scores, signature = paired_scores(systems, metric, how["gold"], how["question"], **of_scoring)
    n = len(next(iter(scores.values())))
    if n < 2:
        raise ValueError(
            f"{n} question is given, but an interval needs at least 2, and a narrow one hundreds; give more"
        )
    groups = _clusters(how["clusters"], n)
    labeled = checked(labels, inclusion, strata, n)
    margin = noise_of(metric, how["noise"], is_computed=how["gold"] is not None)
    pairs = []
    for one, other in combinations(scores, 2):
        apart = scores[other] - scores[one]
        reach = max(1.0, *(float(np.ptp(values)) for values in scores.values()))
        value, low, high, p, least = paired(apart, clusters=groups, bounds=(-reach, reach), level=level)
        pairs.append(
            Comparison(
                names=(one, other),
                n=n,
                means=(float(scores[one].mean()), float(scores[other].mean())),
                right=(int((scores[one] >= cut).sum()), int((scores[other] >= cut).sum())),
                difference=Estimate(value, low, high),
                p=p,
                p_holm=p,
                better=int((apart > margin).sum()),
                same=int((np.abs(apart) <= margin).sum()),
                worse=int((apart < -margin).sum()),
                changed=changed(scores[one], scores[other], cut, margin),
                least_difference=least,
                cut=cut,
                noise=margin,
                flicker=int(flickering(scores[one], scores[other], cut, margin).sum()),
                labeled=difference_of_labels(apart, labeled, (one, other), groups, level),
                signature=signature,
                level=level,
            )
        )
    raised = holm([pair.p for pair in pairs])
    pairs = [pair._replace(p_holm=float(p)) for pair, p in zip(pairs, raised, strict=True)]
    return Comparisons(tuple(pairs), _accuracy(scores, labeled.labels))


def _p(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p = {p:.3f}"


def _clusters(clusters: Sequence[Hashable] | None, n: int) -> Any:
    if clusters is None:
        return None
    groups = listed("clusters", clusters, "one name per question")
    if len(groups) != n:
        raise ValueError(f"{len(groups)} clusters are given for {n} questions; give one per question")
    return numbered(groups)


def _accuracy(scores: Mapping[str, FloatArray], labels: Mapping[str, FloatArray]) -> float:
    """Return the soft pairwise accuracy of the scores; nan unless every answer has a label."""
    if set(labels) != set(scores) or any(np.isnan(values).any() for values in labels.values()):
        return float("nan")
    human = np.stack([labels[name] for name in scores])
    signs = exchanges(PERMUTATIONS, human.shape[1], generator(SEED, "soft pairwise accuracy"))
    return float(soft_pairwise_accuracy(human, np.stack(list(scores.values()))[None], signs)[0])
