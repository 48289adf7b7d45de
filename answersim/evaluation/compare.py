"""compare: is system B better than system A on the same questions, by how much, and which answers changed?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from answersim.answers.blocks import AnswerBlock
from answersim.answers.reader import Answers, read_answers
from answersim.arguments import listed, names
from answersim.arguments import seed as seed_of
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import Decided, VerdictRule, Verdicts, verdict_settings
from answersim.evaluation import system_columns
from answersim.evaluation.abstentions import with_abstentions
from answersim.evaluation.changes import changed, flickering, noise_of
from answersim.evaluation.comparison import Attempts, Comparison, Comparisons, Points
from answersim.evaluation.final_answers import noting
from answersim.evaluation.human_labels import SystemLabels
from answersim.evaluation.labeled_differences import checked, difference_of_labels
from answersim.evaluation.labeling import INCLUSION, STRATUM
from answersim.evaluation.paired_scores import paired_scores
from answersim.evaluation.system_columns import by_system
from answersim.scores import Scores
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import named_metric
from answersim.signature import column_signature
from answersim.stats.attempts import attempt_differences, attempt_rates
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.paired import paired_all
from answersim.stats.resampling import Bootstrap, Estimate, bootstrap_settings, generator, holm
from answersim.stats.soft_pairwise import exchanges, soft_pairwise_accuracy
from answersim.types import FloatArray, OneNamed

QUESTION = "question"  # a column of this name must agree in all files, whether it is read or not


def compare(
    data: Any,
    metric: OneNamed = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    score: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    calibration: CalibrationLike | Verdicts | None = ANY,
    noise: float | None = None,
    extract: Any = None,
    lang: str = "en",
    bootstrap: Bootstrap = Bootstrap(),
    cache: CacheLike | None = None,
    progress: bool = True,
) -> Comparisons:
    """Compare every two systems on the same questions: paired differences with intervals, tests, and what changed.

    Right answers are counted as in ``evaluate``. If they can be counted, the difference of their shares decides which
    system is better, else that of the mean scores. Holm's correction is over all pairs. Numbers without a table are
    compared by ``answersim.evaluation.compare.compare_all``.

    Args:
        data: What ``answersim.read_answers`` reads or returns: a table with several columns of predictions, or a table
            per system.
        metric: As for ``evaluate``.
        pred: The columns of the predictions; of a table per system, one column.
        gold: The column of the gold answers.
        question: The column of the questions. Intervals are then over questions, and metrics that can read the question
            do.
        score: A column of scores or verdicts (0 and 1), instead of a metric; of one table, one column per system.
        label: The column of human labels, with gaps; of one table, one column per system. They count if every system
            has some. The difference of the labels is then estimated by prediction-powered inference, from at least 10
            questions with both labels. The columns "inclusion" and "stratum" are those of ``answersim label``.
        calibration: As for ``evaluate``.
        noise: Differences of scores up to this are noise. By default, the largest difference of bf16 and fp32 that was
            measured for the metric (``benchmarks/results/precision.md``); 0 for lexical metrics and given scores.
        extract: As for ``evaluate``, and so is ``lang``.
        lang: The language of the answers.
        bootstrap: The coverage of the intervals, and the permutations of the soft pairwise accuracy.
        cache: As for ``answersim.score_pairs``, and so is ``progress``.
        progress: Whether long work may show a progress bar.

    Raises:
        FileNotFoundError, LookupError, TypeError: As ``evaluate``.
        ValueError: As ``evaluate``; if there are fewer than two systems or questions, or too few labels; or if the
            columns of scores or labels are neither one nor one per system.

    >>> answers = {"gold": ["Rome", "Oslo"] * 20}
    >>> answers["old"] = ["Rome", "Bergen"] * 20
    >>> answers["new"] = ["Rome", "in Oslo"] * 20
    >>> found = compare(answers, "recall", pred=["old", "new"])
    >>> print(found.pair.summary()[1].partition(" (")[0])
    40 right answers against 20: 20 became right, and 0 went wrong

    Source: ``answersim.stats.paired`` for the interval, p and the detectable difference.
    """
    source = read_answers(data, pred=pred, gold=gold, question=question)
    scores = names("score", score)
    answers, systems, labels = _columns(source, scores, names("label", label), calibration)
    compared = compare_all(
        systems,
        metric,
        gold=None if score else answers.golds,
        question=None if score else answers.questions,
        groups=answers.questions if answers.groups is None else answers.groups,
        labels=labels,
        calibration=calibration,
        noise=noise,
        extract=extract,
        lang=lang,
        bootstrap=bootstrap,
        cache=cache,
        progress=progress,
    )
    pairs = [
        replace(pair, changed=tuple([row._replace(id=answers.ids[row.row]) for row in pair.changed]))
        for pair in compared.pairs
    ]
    return replace(compared, pairs=tuple(pairs), answers=answers, metric=", ".join(scores) or compared.metric)


def _columns(
    source: Answers, scores: Sequence[str], labels: Sequence[str], calibration: CalibrationLike | Verdicts | None
) -> tuple[AnswerBlock, dict[str, Any], dict[str, SystemLabels] | None]:
    """Return the answers, the texts or scores of each system, and the labels if every system has some."""
    own = (*scores, *labels, *((INCLUSION, STRATUM) if labels else ()))
    agreeing = () if source.columns.question is not None else (QUESTION,)
    answers = source.with_columns(own=tuple(dict.fromkeys(own)), agreeing=agreeing).read()
    if len(answers.predictions) < 2:
        raise ValueError(
            f"there is one system, {next(iter(answers.predictions))!r}, but a comparison needs at least 2: give one "
            "table per system, or the columns of several systems in one table (--pred a,b; pred=['a', 'b'])"
        )
    several = len(source.columns.preds) == 1
    found = system_columns.labels(answers, by_system(answers, "label", labels, several)) if labels else None
    if found is not None and len(found) < len(answers.predictions):
        found = None  # a table need not have labels
    systems: dict[str, Any] = dict(answers.predictions)
    if scores:
        systems = dict(system_columns.scores(answers, by_system(answers, "score", scores, several)))
        if verdict_settings(calibration).calibration not in (ANY, None) and len(scores) == 1:
            systems = {system: Scores(values, column_signature(scores[0])) for system, values in systems.items()}
    return answers, systems, found


def compare_all(
    systems: Mapping[str, Any],
    metric: OneNamed = None,
    *,
    gold: Any = None,
    question: Any = None,
    groups: Sequence[Hashable] | None = None,
    labels: Mapping[str, Any] | None = None,
    calibration: CalibrationLike | Verdicts | None = ANY,
    noise: float | None = None,
    extract: Any = None,
    lang: str = "en",
    bootstrap: Bootstrap = Bootstrap(),
    cache: CacheLike | None = None,
    progress: bool = True,
) -> Comparisons:
    """Compare every two of several systems by values in memory; ``compare`` reads them.

    ``systems``: by system, its predictions (texts), or its scores or verdicts (numbers): one per question, in one
    order. Numbers that are all 0 or 1 are verdicts. ``gold``: the gold answers, if there are texts: a text per
    question, or a list of texts that are all correct. ``labels``: human labels by system, nan where nobody labeled;
    ``SystemLabels`` if the questions were not labeled with one probability. If the probabilities of two systems are
    equal for all questions with both labels, and at least half of the questions with a label have both, the questions
    were drawn once for both. Otherwise the answers of each system were drawn independently, and the products count.
    They are left out for a system whose answers were labeled where those of the other one were drawn. Strata are used
    where two systems have equal ones for all questions with both labels. The other arguments are those of ``compare``.
    Raise ValueError if lengths differ, a score is nan, there are fewer than 2 questions or systems, or too few labels.
    Raise TypeError if texts are given without gold answers, or scores with them.

    >>> result = compare_all({"old": [1, 1, 0, 1] * 25, "new": [1, 1, 1, 0] * 25}).pair
    >>> result.better, result.same, result.worse, result.changed[0]
    (25, 50, 25, ChangedRow(row=3, change='went wrong', first=1.0, second=0.0, id=''))
    """
    if len(systems) < 2:
        raise ValueError(
            f"{len(systems)} system is given, but a comparison needs at least 2; give each a different name"
        )
    bootstrap_settings(bootstrap)
    name, built = ("", None) if gold is None else named_metric(metric, calibration, lang, extract)
    with noting() as of_metric:
        scores, signature, scale = paired_scores(systems, built, gold, question, cache=cache, progress=progress)
    rule = verdict_settings(calibration).rule(signature, scale)
    decided = {system: rule.decide(values) for system, values in scores.items()}
    notes: list[str] = []
    if built is not None:
        decided, notes = with_abstentions(decided, systems, gold, question, built)
    found = compare_decided(
        decided,
        rule,
        signature=signature,
        labels=labels,
        groups=question if groups is None else groups,
        noise=noise_of(built, name, noise),
        bootstrap=bootstrap,
    )
    return replace(found, metric=name, is_computed=built is not None, notes=(*of_metric, *notes))


def compare_decided(
    decided: Mapping[str, Decided],
    rule: VerdictRule,
    *,
    signature: str = "",
    labels: Mapping[str, Any] | None = None,
    groups: Sequence[Hashable] | None = None,
    noise: float = 0.0,
    bootstrap: Bootstrap = Bootstrap(),
) -> Comparisons:
    """Compare every two of several systems whose answers are decided already.

    ``labels``: as for ``compare_all``. ``groups``: what each row belongs to; each row is its own if not given. Raise
    ValueError as ``compare_all``.
    """
    level = bootstrap.level
    scores = {name: found.scores for name, found in decided.items()}
    n = len(next(iter(scores.values())))
    if n < 2:
        raise ValueError(
            f"{n} question is given, but an interval needs at least 2, and a narrow one hundreds; give more"
        )
    means = ClusteredMeans(_groups(groups, n), level)
    clusters = means.numbers
    labeled = checked(labels, n)
    reach = max(1.0, *(float(np.ptp(values)) for values in scores.values()))
    shares = _shares(decided, means)
    couples = list(combinations(scores, 2))
    apart = [scores[other] - scores[one] for one, other in couples]
    bounds = [(-reach, reach)] * len(couples)
    right = {name: column for name, one in decided.items() if shares and (column := one.right()) is not None}
    gaps = [right[other].astype(np.float64) - right[one] for one, other in couples if right]
    found = paired_all([*apart, *gaps], groups=clusters, bounds=[*bounds, *[(-1.0, 1.0)] * len(gaps)], level=level)
    pairs = []
    for i, (one, other) in enumerate(couples):
        value, low, high, p, least = found[i]
        points = None
        if gaps:
            gap = found[len(couples) + i]
            counts = int(right[one].sum()), int(right[other].sum())
            points = Points(counts, (shares[one], shares[other]), Estimate(*gap[:3]), gap.p, gap.p, gap.least)
        pairs.append(
            Comparison(
                names=(one, other),
                n=n,
                points=points,
                means=(float(scores[one].mean()), float(scores[other].mean())),
                difference=Estimate(value, low, high),
                p=p,
                p_holm=p,
                better=int((apart[i] > noise).sum()),
                same=int((np.abs(apart[i]) <= noise).sum()),
                worse=int((apart[i] < -noise).sum()),
                changed=changed(decided[one], decided[other], noise),
                least_difference=least,
                rule=rule,
                noise=noise,
                flicker=int(flickering(scores[one], scores[other], rule.threshold, noise).sum()),
                labeled=difference_of_labels(basis(decided, one, other), labeled, (one, other), clusters, level),
                signature=signature,
                level=level,
                attempts=_attempts(decided[one], decided[other], means),
            )
        )
    return Comparisons(_with_holm(pairs), _accuracy(scores, labeled, bootstrap))


def _shares(decided: Mapping[str, Decided], means: ClusteredMeans) -> dict[str, Estimate]:
    """Return the share of right answers of each system with the interval of ``evaluate``; empty without counts."""
    right = {name: found.right() for name, found in decided.items()}
    if any(values is None for values in right.values()):
        return {}
    estimates = means.of_all([(values, None, None) for values in right.values()])
    return dict(zip(right, estimates, strict=True))


def _attempts(first: Decided, second: Decided, means: ClusteredMeans) -> Attempts | None:
    """Return the answers that were not attempted; None if all were, or the rule counts no answers."""
    found = [(one.right(), tried) for one in (first, second) if (tried := one.attempted()) is not None]
    if len(found) < 2 or all(tried.all() for _, tried in found):
        return None
    one, two = (attempt_rates(right, tried, means, np.ones_like(tried)) for right, tried in found)
    counts = int((~found[0][1]).sum()), int((~found[1][1]).sum())
    return Attempts(counts, (one, two), *attempt_differences(*found, groups=means.numbers, level=means.level))


def basis(decided: Mapping[str, Decided], one: str, other: str) -> FloatArray:
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
    """Return what each question belongs to: itself if groups are not given."""
    found = np.arange(n) if groups is None else listed("groups", groups, "one name per question")
    if len(found) != n:
        raise ValueError(f"{len(found)} groups are given for {n} questions; give one per question")
    return found


def _accuracy(scores: Mapping[str, FloatArray], labeled: Mapping[str, SystemLabels], bootstrap: Bootstrap) -> float:
    """Return the soft pairwise accuracy of the scores; nan unless every answer has a label."""
    if set(labeled) != set(scores) or any(np.isnan(one.labels).any() for one in labeled.values()):
        return float("nan")
    human = np.stack([labeled[name].labels for name in scores])
    rng = generator(seed_of("rng", bootstrap.rng), "soft pairwise accuracy")
    signs = exchanges(bootstrap.resamples, human.shape[1], rng)
    return float(soft_pairwise_accuracy(human, np.stack(list(scores.values()))[None], signs)[0])
