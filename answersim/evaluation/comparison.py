"""Is system B better than system A on the same questions, by how much, and which answers changed?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from answersim.arguments import between, finite, listed, numbers, whole
from answersim.cache import CacheLike
from answersim.default_metric import default_metric
from answersim.errors import unknown
from answersim.evaluation.changes import Change, ChangedRow, changed, flickering, noise_of
from answersim.evaluation.correction import FEWEST_LABELS, Corrected
from answersim.scoring import common_index, score_pairs
from answersim.stats.cluster_bootstrap import numbered
from answersim.stats.paired import least_difference, paired_difference
from answersim.stats.prediction_powered import prediction_powered
from answersim.stats.randomization import randomization
from answersim.stats.resampling import Estimate, generator, holm
from answersim.stats.soft_pairwise import exchanges, soft_pairwise_accuracy
from answersim.text_tables import html_result, number
from answersim.types import FloatArray, Metric, Scores

if TYPE_CHECKING:
    from typing_extensions import Unpack

CUT = 0.5
RESAMPLES = 10_000
PERMUTATIONS = 1000
POWER = 0.8


class Comparison(NamedTuple):
    """Two systems on the same questions. Differences are second less first.

    Attributes:
        names: The two systems.
        n: How many questions.
        means: The mean score of each.
        right: How many scores of each reach the cut.
        difference: The difference of the means, with its interval.
        p: Of Fisher's randomization test, two-sided.
        p_holm: After Holm's correction over all comparisons that were made together; p itself if it is alone.
        better: How many questions the second system scores higher on by more than the noise.
        same: How many score the same within the noise, and ``worse`` how many score lower.
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
        verb = f"is {sign} than" if sure else "is not told apart from"
        return (
            f"{second} {verb} {first}: {self.means[1]:.3f} against {self.means[0]:.3f}, difference "
            f"{self.difference.value:+.3f} [{self.difference.low:+.3f}, {self.difference.high:+.3f}], "
            f"p {'< .001' if self.p_holm < 0.001 else f'= {self.p_holm:.3f}'}, {self.n:,} questions"
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
    resamples: int
    seed: int
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
    "resamples": RESAMPLES,
    "seed": 0,
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
            system has its own: if they are equal for all questions with both labels, the questions were drawn once for
            both systems; else the answers of each system were drawn independently, and the products count. None for
            a system whose answers were labeled where those of the other one were drawn.
        strata: The stratum of each question, if the labeled ones were drawn by strata once for both systems;
            ``answersim label`` writes it. A tuple of two, if each system has its own: they are used where they are
            equal for all questions with both labels.
        names: The names of the two systems.
        settings: All further ones:

            - gold: The gold answers, if a and b are texts: a text per question, or a list of texts that are all
              correct.
            - question: The questions, for a metric that reads them.
            - metric: The metric that scores the texts; ``answersim``, or ``recall`` without its extra, if not given.
            - clusters: What each row belongs to, if several rows are alike.
            - cut: The score from which an answer counts as right, for the counts and the changed rows; .5.
            - noise: Differences of scores up to this are noise. By default, the largest difference of bf16 and fp32
              that was measured for the metric (``benchmarks/results/precision.md``); the largest of them for other
              metrics that run a network; 0 for lexical metrics, and for scores that are given as numbers.
            - level: The coverage of the intervals; .95.
            - resamples, seed: Of the randomization test; 10,000 and 0.
            - lang, profile, progress, cache: As for ``answersim.score_pairs``.

    Raises:
        ValueError: If lengths differ, a score is nan, there are fewer than 2 questions, or too few labels.
        TypeError: If texts are given without gold answers, or scores with them, or there is no such setting.

    >>> result = compare([0.9, 0.8, 0.1, 0.7] * 25, [0.9, 0.9, 0.9, 0.2] * 25, names=("old", "new"))
    >>> print(result)
    new is better than old: 0.725 against 0.625, difference +0.100 [+0.004, +0.192], p = 0.037, 100 questions
    >>> result.better, result.same, result.worse, result.changed[0]
    (50, 25, 25, ChangedRow(row=3, change='went wrong', first=0.7, second=0.2))

    Source: ``answersim.stats.paired`` (interval), ``answersim.stats.randomization`` (test).
    """
    if len(set(names)) < 2:
        raise ValueError(
            f"both systems are called {names[0]!r}, but their names must differ; give each a name of its own"
        )
    if inclusion is not None and not isinstance(inclusion, tuple):
        inclusion = (inclusion, inclusion)
    if strata is not None and not isinstance(strata, tuple):
        strata = (strata, strata)
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
        raise ValueError(f"{len(systems)} system is given, but 2 are compared at least; names must differ")
    level, cut = between("level", how["level"], 0, 1), finite("cut", how["cut"])
    resamples, seed = whole("resamples", how["resamples"], 1), whole("seed", how["seed"], 0)
    metric = default_metric(how["profile"]) if how["metric"] is None else how["metric"]
    scores, signature = _scores(systems, metric, how)
    n = len(next(iter(scores.values())))
    if n < 2:
        raise ValueError(f"{n} question is compared, but an interval needs 2 at least, and a useful one hundreds")
    groups = _clusters(how["clusters"], n)
    labeled = {name: _labels(name, values, n) for name, values in (labels or {}).items()}
    drawn = {name: _probabilities(name, values, n) for name, values in (inclusion or {}).items()}
    layers = {name: _strata(name, values, n) for name, values in (strata or {}).items()}
    margin = noise_of(metric, how["noise"], is_computed=how["gold"] is not None)
    pairs = []
    for one, other in combinations(scores, 2):
        apart = scores[other] - scores[one]
        reach = max(1.0, *(float(np.ptp(values)) for values in scores.values()))
        value, low, high, error = paired_difference(apart, clusters=groups, reach=reach, level=level)
        totals: FloatArray = apart if groups is None else np.bincount(groups, weights=apart).astype(np.float64)
        p = randomization(totals, resamples, generator(seed, one, other))
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
                least_difference=least_difference(error, level, POWER),
                cut=cut,
                noise=margin,
                flicker=int(flickering(scores[one], scores[other], cut, margin).sum()),
                labeled=_of_labels(apart, labeled, drawn, layers, (one, other), groups, level),
                signature=signature,
                level=level,
            )
        )
    raised = holm([pair.p for pair in pairs])
    pairs = [pair._replace(p_holm=float(p)) for pair, p in zip(pairs, raised, strict=True)]
    return Comparisons(tuple(pairs), _accuracy(scores, labeled, seed))


def _scores(systems: Mapping[str, Any], metric: str | Metric, how: Settings) -> tuple[dict[str, FloatArray], str]:
    """Return the scores by system and their signature, "" for scores that were given as numbers."""
    gold, question = how["gold"], how["question"]
    common_index(dict(systems) | ({} if gold is None else {"gold": gold}))
    columns: dict[str, Any] = {
        name: values if isinstance(values, Scores) else listed(name, values, "texts, or numbers")
        for name, values in systems.items()
    }
    lengths = {name: len(values) for name, values in columns.items()}
    if gold is not None:
        lengths["gold"] = len(gold := listed("gold", gold, "texts, or lists of texts"))
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"the lengths differ: {', '.join(f'{n} of {name}' for name, n in lengths.items())}; give the answers to "
            "the same questions in the same order"
        )
    texts = {name: any(isinstance(value, str) for value in values) for name, values in columns.items()}
    if any(texts.values()) and gold is None:
        raise TypeError("predictions are given as texts, but no gold answers; give gold=, or the scores as numbers")
    if gold is not None:
        if not all(texts.values()) and lengths["gold"]:
            other = next(name for name, is_text in texts.items() if not is_text)
            raise TypeError(f"gold answers are given, but {other} is no list of texts; give predictions, or no gold=")
        questions = None if question is None else listed("question", question, "texts")
        found = {
            name: _only(
                score_pairs(
                    list(zip(gold, values, strict=True)),
                    [metric],
                    questions=questions,
                    lang=how["lang"],
                    profile=how["profile"],
                    progress=how["progress"],
                    cache=how["cache"],
                )
            )
            for name, values in columns.items()
        }
        return {name: scores.values for name, scores in found.items()}, next(iter(found.values())).signature
    if question is not None:
        raise TypeError("questions are given, but a and b are scores; leave question= out")
    signatures = {values.signature for values in columns.values() if isinstance(values, Scores)}
    if len(signatures) > 1:
        raise ValueError(
            f"the scores are of different metrics: {', '.join(sorted(signatures))}; score both systems with one metric"
        )
    given = {name: numbers(name, values, "one score per question") for name, values in columns.items()}
    for name, values in given.items():
        if values.ndim != 1 or not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values.ravel()))[0]) if values.ndim == 1 else 0
            raise ValueError(
                f"{name}: the score of question {at + 1} is {values.ravel()[at]}, but every question needs a finite "
                "score in both systems; score it, or leave the question out of both"
            )
    return given, signatures.pop() if signatures else ""


def _only(scored: Mapping[str, Scores]) -> Scores:
    return next(iter(scored.values()))


def _clusters(clusters: Sequence[Hashable] | None, n: int) -> Any:
    if clusters is None:
        return None
    groups = listed("clusters", clusters, "one name per question")
    if len(groups) != n:
        raise ValueError(f"{len(groups)} clusters are given for {n} questions; give one per question")
    return numbered(groups)


def _labels(name: str, values: Any, n: int) -> FloatArray:
    column = numbers(f"labels of {name}", values, "one label per question, nan for none")
    if column.shape != (n,) or np.isinf(column).any():
        raise ValueError(
            f"the labels of {name} have the shape {column.shape} or contain infinity; give one finite number per "
            f"question ({n}), and nan for no label"
        )
    return column


def _probabilities(name: str, values: Any, n: int) -> FloatArray:
    column = numbers(f"inclusion of {name}", values, "one probability per question, nan for a question without label")
    given = column[~np.isnan(column)]
    if column.shape != (n,) or not ((given > 0) & (given <= 1)).all():
        raise ValueError(
            f"the inclusion of {name} has the shape {column.shape} or a probability that is not above 0 and at most 1; "
            f"give one per question ({n}), and nan for a question without label"
        )
    return column


def _strata(name: str, values: Any, n: int) -> FloatArray:
    column = numbers(f"strata of {name}", values, "one number per question, nan for a question without label")
    if column.shape != (n,) or np.isinf(column).any():
        raise ValueError(
            f"the strata of {name} have the shape {column.shape} or contain infinity; give one finite number per "
            f"question ({n}), and nan for a question without label"
        )
    return column


def _shared_strata(
    both: NDArray[np.bool_],
    strata: Mapping[str, FloatArray],
    inclusion: Mapping[str, FloatArray],
    pair: tuple[str, str],
) -> FloatArray | None:
    """Return the strata by which the questions were drawn once for both systems; None if this is not known."""
    if not _drawn_once(both, [inclusion[name] for name in pair if name in inclusion]):
        return None
    given = [strata[name] for name in pair if name in strata]
    if not given or any(np.isnan(values[both]).any() for values in given):
        return None
    return given[0] if all((values[both] == given[0][both]).all() for values in given) else None


def _drawn_once(both: NDArray[np.bool_], given: Sequence[FloatArray]) -> bool:
    """Return whether the probabilities are those of one sample of questions for both systems."""
    return len(given) < 2 or bool((given[0][both] == given[1][both]).all())


def _weights(both: NDArray[np.bool_], inclusion: Mapping[str, FloatArray], pair: tuple[str, str]) -> FloatArray | None:
    """Return 1 / probability that both answers to a question are labeled; None if no probability is known."""
    given = [inclusion[name] for name in pair if name in inclusion]
    if not given:
        return None
    probabilities = given[0] if _drawn_once(both, given) else given[0] * given[1]
    if np.isnan(probabilities[both]).any():
        row = int(np.flatnonzero(both & np.isnan(probabilities))[0])
        raise ValueError(
            f"question {row + 1} has both labels, but no inclusion probability for {' or '.join(pair)}; give that of "
            "every labeled question, or of none"
        )
    weights: FloatArray = 1 / np.where(both, probabilities, 1.0)
    return weights


def _of_labels(
    apart: FloatArray,
    labels: Mapping[str, FloatArray],
    inclusion: Mapping[str, FloatArray],
    strata: Mapping[str, FloatArray],
    pair: tuple[str, str],
    groups: Any,
    level: float,
) -> Corrected | None:
    """Return the difference of the labels, estimated from the questions whose two answers are labeled."""
    if not labels:
        return None
    if missing := [name for name in pair if name not in labels]:
        raise ValueError(f"{missing[0]} has no labels, but the other system has; give those of both, or of none")
    gaps = labels[pair[1]] - labels[pair[0]]
    n = int((~np.isnan(gaps)).sum())
    if n < FEWEST_LABELS:
        raise ValueError(
            f"{n} questions have a label for both {pair[0]} and {pair[1]}, but {FEWEST_LABELS} are needed at least; "
            "label both answers to the same questions, or give no labels"
        )
    weights = _weights(~np.isnan(gaps), inclusion, pair)
    layers = _shared_strata(~np.isnan(gaps), strata, inclusion, pair)
    found = prediction_powered(
        apart, gaps, weights=weights, clusters=groups, strata=layers, share=False, reach=1.0, level=level
    )
    alone = Estimate(found.plain, found.plain_low, found.plain_high)
    notes = (
        ()
        if np.ptp(gaps[~np.isnan(gaps)])
        else ("all labeled questions have the same difference of labels, so that the scores cannot help",)
    )
    return Corrected(
        found.value, found.low, found.high, found.labels_worth, len(gaps), n, alone, float(apart.mean()),
        found.explained, "ppi", level, notes,
    )  # fmt: skip


def _accuracy(scores: Mapping[str, FloatArray], labels: Mapping[str, FloatArray], seed: int) -> float:
    """Return the soft pairwise accuracy of the scores; nan unless every answer has a label."""
    if set(labels) != set(scores) or any(np.isnan(values).any() for values in labels.values()):
        return float("nan")
    human = np.stack([labels[name] for name in scores])
    signs = exchanges(PERMUTATIONS, human.shape[1], generator(seed, "soft pairwise accuracy"))
    return float(soft_pairwise_accuracy(human, np.stack(list(scores.values()))[None], signs)[0])
