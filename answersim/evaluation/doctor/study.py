"""examine: what metrics see and what they do not."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from answersim._base import arguments
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.runtime.progress import bar
from answersim._base.runtime.progress import progress as shown
from answersim._base.signature import with_question
from answersim.calibration.model.decision import cuts
from answersim.calibration.storing import ANY, find
from answersim.evaluation.data.minimal_pairs import Language, MinimalPair, Part, minimal_pairs
from answersim.evaluation.doctor.attacks import Attack, attackable, attacks
from answersim.evaluation.doctor.checks import SAMPLE, findings
from answersim.evaluation.doctor.results import ALL, AttackRow, DoctorReport, KindRow, MetricReport, Misordered
from answersim.evaluation.doctor.subject import MetricLike, Subject, as_subject
from answersim.metrics.testing.properties import Finding
from answersim.scoring import score as scoring
from answersim.scoring.cache import CacheLike
from answersim.stats.intervals.clustered_means import ClusteredMeans
from answersim.stats.intervals.resampling import Bootstrap, bootstrap_settings
from answersim.types import Pair

PARTS = ("dev", "test", ALL)
TOLERANCE = 1e-4  # the largest difference between two scores that count as equal in the checks of properties
TIE = 1e-9  # scores of one family that differ by no more are tied
RIGHT, MISS = "right (rewrites)", "wrong (close misses)"
_WORST = 10  # misordered minimal pairs that are kept


class _Texts(NamedTuple):
    """All pairs that every metric scores in one call: rewrites, close misses, attacks."""

    families: list[MinimalPair]
    attacked: list[int]  # the families that are attacked
    attacks: list[Attack]

    @property
    def pairs(self) -> list[Pair]:
        same = [Pair(pair.gold, pair.same) for pair in self.families]
        different = [Pair(pair.gold, pair.different) for pair in self.families]
        return [*same, *different, *(Pair(attack.gold, attack.pred) for attack in self.attacks)]

    @property
    def questions(self) -> list[str]:
        return [*(pair.question for pair in self.families * 2), *(attack.question for attack in self.attacks)]


def examine(
    metric: MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike],
    *,
    lang: Language = "en",
    profile: str | None = None,
    part: Literal["dev", "test", "all"] = "dev",
    pairs: Iterable[MinimalPair] | None = None,
    attacked: int = 60,
    properties: bool = True,
    bootstrap: Bootstrap = Bootstrap(),
    progress: bool = True,
    cache: CacheLike | None = None,
) -> DoctorReport:
    """Examine metrics: minimal pairs in the right order, properties, and wrong answers that are accepted.

    A minimal pair is a gold answer with a rewrite that keeps the meaning and a close miss that does not. Its order is
    right if the rewrite scores above the close miss. A tie counts half.

    Args:
        metric: One or several metrics: a name of ``answersim.names()``, a built metric, a function ``(gold list, pred
            list) -> numbers``, or "module:function". A function with a parameter ``questions`` gets the questions too.
            A mapping gives the metrics names.
        lang: The language of the minimal pairs and of named metrics: "en", "de", "zh" or "ja".
        profile: The profile of named metrics.
        part: "dev", "test" or "all" of the minimal pairs. A metric that was chosen or trained by one part is examined
            on the other.
        pairs: Minimal pairs to use instead, such as your own.
        attacked: Questions used for the attacks (0: none).
        properties: Whether the properties are checked.
        bootstrap: The coverage of the intervals. Nothing is resampled.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: Where scores of networks of named metrics are stored, as in ``answersim.score``.

    Raises:
        LookupError, ImportError, TypeError: If a metric cannot be found or loaded. See ``as_subject``.
        ValueError: If there are no minimal pairs, two metrics have one name, or a number is outside its range.

    >>> pairs = minimal_pairs("en", "dev")[:60]
    >>> examination = examine(["f1", "recall"], pairs=pairs, attacked=5)
    >>> examination["f1"].finding("symmetry").holds
    True
    >>> examination["recall"].finding("symmetry").holds
    False
    """
    if arguments.text("part", part, "dev") not in PARTS:
        raise unknown("part of the minimal pairs", part, PARTS)
    arguments.whole("attacked", attacked, 0)
    properties, progress = arguments.flag("properties", properties), arguments.flag("progress", progress)
    level = bootstrap_settings(bootstrap).level
    subjects = _subjects(metric, lang, profile)
    chosen: Part | None = None if part == ALL else part  # type: ignore[assignment] # checked above
    families = minimal_pairs(lang, chosen) if pairs is None else _families(pairs)
    sample = attackable(families, attacked)
    texts = _Texts(families, sample, attacks([families[i] for i in sample]))
    means = ClusteredMeans([pair.couple for pair in families], level)
    with shown(progress):
        of_ours = _scores_of_ours(subjects, texts, cache)
        reports = []
        with bar(len(subjects), "doctor", "metric") as line:
            for subject in subjects:
                reports.append(_report(subject, texts, of_ours, means, properties))
                line.update(1)
    settings: dict[str, Any] = {"language": lang, "part": part if pairs is None else "given", "families": len(families)}
    settings |= {"attacked": attacked, "tolerance": TOLERANCE, "level": level}
    return DoctorReport(tuple(reports), settings)


def _families(pairs: Any) -> list[MinimalPair]:
    """Check and return the minimal pairs of a user."""
    families = []
    for i, pair in enumerate(arguments.listed("pairs", pairs, "MinimalPair")):
        fields = MinimalPair._fields
        if not isinstance(pair, tuple) or len(pair) != len(fields) or not all(isinstance(text, str) for text in pair):
            raise TypeError(
                f"pairs[{i}] is {arguments.shown(pair)}, but it must be a MinimalPair, a tuple of the strings "
                f"{', '.join(fields)}"
            )
        families.append(MinimalPair(*pair))
    if not families:
        raise ValueError("there are no minimal pairs; give at least one")
    return families


def _subjects(metrics: Any, lang: str, profile: str | None) -> list[Subject]:
    settings: dict[str, Any] = {"lang": lang, "profile": profile}
    if isinstance(metrics, Mapping):
        examined = [as_subject(subject, name, **settings) for name, subject in metrics.items()]
    else:
        subjects = arguments.one_or_several("metric", metrics, "names or functions")
        examined = [as_subject(subject, **settings) for subject in subjects]
    if not examined:
        raise ValueError("no metric is given; name at least one")
    short = [subject.name.partition(",")[0] for subject in examined]  # without settings, unless names are then equal
    names = [name if short.count(name) == 1 else subject.name for subject, name in zip(examined, short, strict=True)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two metrics are called {twice[0]!r}; give a mapping with a name for each")
    return [replace(subject, name=name) for subject, name in zip(examined, names, strict=True)]


def _scores_of_ours(subjects: Sequence[Subject], texts: _Texts, cache: CacheLike | None) -> dict[str, FloatArray]:
    """Return the scores of the metrics of answersim by signature, so that shared encoders run once."""
    metrics = [subject.metric for subject in subjects if subject.metric is not None]
    if not metrics:
        return {}
    questions = texts.questions if any(subject.reads_questions for subject in subjects if subject.metric) else None
    by_signature = scoring.score_pairs(texts.pairs, metrics, question=questions, cache=cache)
    return {signature: scores.values for signature, scores in by_signature.items()}


def _report(
    subject: Subject, texts: _Texts, of_ours: Mapping[str, FloatArray], means: ClusteredMeans, properties: bool
) -> MetricReport:
    start = time.perf_counter()
    failures: list[str] = []
    if subject.metric is not None:
        numbers = of_ours[subject.signature]
    else:
        numbers, failures = _all_scores(subject, texts)
    n = len(texts.families)
    same, different, attacking = numbers[:n], numbers[n : 2 * n], numbers[2 * n :]
    promise = "every minimal pair and every attack has a finite score"
    all_findings = []
    if failures:
        all_findings.append(Finding("scores", promise, False, len(numbers), len(failures), 0.0, failures[0]))
    if properties:
        step = max(1, n // SAMPLE)
        all_findings += findings(subject, texts.families[::step][:SAMPLE], numbers, TOLERANCE)
    threshold, origin = _threshold(subject, texts, same, numbers) if texts.attacks else (float("nan"), "")
    rows = _attack_rows(texts, same, different, attacking, threshold, means.level) if texts.attacks else []
    return MetricReport(
        name=subject.name,
        signature=subject.signature,
        reads_questions=subject.reads_questions,
        kinds=tuple(_kind_rows(texts.families, same, different, means)),
        findings=tuple(all_findings),
        threshold=threshold,
        threshold_origin=origin,
        attacks=tuple(rows),
        worst=tuple(_worst(texts.families, same, different)),
        seconds=time.perf_counter() - start,
    )


def _all_scores(subject: Subject, texts: _Texts) -> tuple[FloatArray, list[str]]:
    """Return all scores of a metric of another library, and the errors of pairs that have none.

    A pair without a finite score gets the lowest score of all others.
    """
    pairs, questions = texts.pairs, texts.questions
    try:
        numbers = subject(pairs, questions)
        if numbers.shape == (len(pairs),) and np.isfinite(numbers).all():
            return numbers, []
    except Exception:  # a single bad pair can raise it; each pair is scored alone below, where its error is reported
        pass
    numbers, failures = np.full(len(pairs), np.nan), []
    for i, pair in enumerate(pairs):
        try:
            (numbers[i],) = subject([pair], [questions[i]])
            problem = "" if np.isfinite(numbers[i]) else f"the score is {numbers[i]}"
        except Exception as error:  # any function may be given
            problem = f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
        if problem:
            numbers[i] = np.nan
            failures.append(f"({pair.gold!r}, {pair.pred!r}): {problem}")
    if len(failures) == len(pairs):
        raise ValueError(f"{subject.name} scores no pair; the first error: {failures[0]}")
    return np.where(np.isnan(numbers), np.nanmin(numbers), numbers), failures


def _kind_rows(
    families: Sequence[MinimalPair], same: FloatArray, different: FloatArray, means: ClusteredMeans
) -> Iterable[KindRow]:
    gap = same - different
    tied = np.abs(gap) <= TIE
    values = np.where(tied, 0.5, (gap > 0).astype(np.float64))
    kinds = np.array([pair.kind for pair in families])
    for kind in (ALL, *dict.fromkeys(kinds.tolist())):
        inside = np.ones(len(families), dtype=bool) if kind == ALL else kinds == kind
        yield KindRow(kind, int(inside.sum()), means.of(values, inside), float(tied[inside].mean()))


def _worst(families: Sequence[MinimalPair], same: FloatArray, different: FloatArray) -> Iterable[Misordered]:
    gap = same - different
    for i in np.argsort(gap, kind="stable")[:_WORST]:
        if gap[i] < -TIE:
            pair = families[i]
            texts = (pair.kind, pair.family, pair.question, pair.gold, pair.same, pair.different)
            yield Misordered(*texts, float(same[i]), float(different[i]))


def _threshold(subject: Subject, texts: _Texts, same: FloatArray, numbers: FloatArray) -> tuple[float, str]:
    """Return the score from which on an answer counts as accepted, and the origin of this threshold.

    That is the lowest score which its shipped calibration calls equivalent. Without a calibration it is the median
    score of a rewrite. If that is the lowest score of all, as for exact match, it is the next higher score. It is
    infinite if all scores are equal.
    """
    if subject.metric is not None:
        has_questions = subject.reads_questions and any(texts.questions)
        signature = with_question(subject.signature) if has_questions else subject.signature
        try:
            cut = cuts(find(ANY, signature).curve)[1]
        except LookupError:
            cut = float("nan")
        if np.isfinite(cut):
            return float(cut), "the verdict equivalent of its shipped calibration"
    median = float(np.median(same))
    if median > numbers.min():
        return median, "the median of its rewrites, as no calibration ships for it"
    above = numbers[numbers > median]
    return float(above.min(initial=np.inf)), "the first score above the lowest one, which is the median of its rewrites"


def _attack_rows(
    texts: _Texts, same: FloatArray, different: FloatArray, attacking: FloatArray, threshold: float, level: float
) -> list[AttackRow]:
    """Return the shares of accepted answers: of rewrites, of close misses, and of each pattern."""
    groups: dict[str, tuple[FloatArray, list[str]]] = {
        RIGHT: (same[texts.attacked], [texts.families[i].same for i in texts.attacked]),
        MISS: (different[texts.attacked], [texts.families[i].different for i in texts.attacked]),
    }
    for name in dict.fromkeys(attack.pattern for attack in texts.attacks):
        at = [i for i, attack in enumerate(texts.attacks) if attack.pattern == name]
        groups[name] = attacking[at], [texts.attacks[i].pred for i in at]
    rows = []
    for name, (numbers, answers) in groups.items():
        accepted = (numbers >= threshold).astype(np.float64)
        share = ClusteredMeans(range(len(accepted)), level)
        best = int(numbers.argmax())
        example = answers[best] if name not in (RIGHT, MISS) and accepted[best] else ""
        rows.append(AttackRow(name, len(numbers), share.of(accepted), example))
    return rows
