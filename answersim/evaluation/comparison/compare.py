"""compare: is system B better than system A on the same questions, by how much, and which answers changed?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from answersim._base.arguments import names
from answersim._base.arguments import seed as seed_of
from answersim._base.arrays import FloatArray
from answersim._base.signature import column_signature
from answersim.answers.tables import system_columns
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.table import Answers
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import Decided, VerdictRule, Verdicts, scale_of, verdict_settings
from answersim.evaluation.comparison.changes import changed, noise_of
from answersim.evaluation.comparison.comparison import Attempts, Comparison, Comparisons, Points, ScoreDifference
from answersim.evaluation.labels.human_labels import SystemLabels
from answersim.evaluation.labels.label_sources import system_labels
from answersim.evaluation.labels.labeled_shares import difference_of_labels
from answersim.evaluation.labels.verifiers import resolved_in
from answersim.evaluation.systems.deciding import decided_answers, rule_of
from answersim.scoring.cache import CacheLike
from answersim.stats.attempts import attempt_differences, attempt_rates
from answersim.stats.coefficients.soft_pairwise import exchanges, soft_pairwise_accuracy
from answersim.stats.intervals.clustered_means import ClusteredMeans
from answersim.stats.intervals.paired import paired_all
from answersim.stats.intervals.resampling import Bootstrap, Estimate, bootstrap_settings, generator, holm
from answersim.types import OneNamed

QUESTION = "question"  # a column of this name must agree in all files, whether it is read or not


def compare(
    data: Any,
    metric: OneNamed = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    score: str | Sequence[str] | None = None,
    labels: Any = None,
    calibration: CalibrationLike | Verdicts | None = ANY,
    noise: float | None = None,
    extract: Any = None,
    lang: str = "auto",
    bootstrap: Bootstrap = Bootstrap(),
    cache: CacheLike | None = None,
    progress: bool = True,
) -> Comparisons:
    """Compare every two systems on the same questions: paired differences with intervals, tests, and what changed.

    Right answers are counted as in ``evaluate``. If they can be counted, the difference of their shares decides which
    system is better, else that of the mean scores. Holm's correction is over all pairs.

    Args:
        data: What ``answersim.read_answers`` reads or returns: a table with several columns of predictions, or a table
            per system.
        metric: As for ``evaluate``.
        pred: The columns of the predictions; of a table per system, one column.
        gold: The column of the gold answers.
        question: The column of the questions. Intervals are then over questions, and metrics that can read the question
            do.
        score: A column of scores or verdicts (0 and 1), instead of a metric; of one table, one column per system.
        labels: Human labels as for ``evaluate``, of at least two systems. The difference of the labels of each pair of
            them is then estimated by prediction-powered inference. At least 10 questions must have both labels.
        calibration: As for ``evaluate``.
        noise: Differences of scores up to this are noise. By default, the largest difference of bf16 and fp32 that was
            measured for the metric (``benchmarks/results/precision.md``); 0 for lexical metrics and given scores.
        extract: As for ``evaluate``.
        lang: As for ``evaluate``.
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

    Source: ``answersim.stats.intervals.paired`` for the interval, p and the detectable difference.
    """
    bootstrap_settings(bootstrap)
    scores = names("score", score)
    answers = _checked(read_answers(data, pred=pred, gold=gold, question=question))
    first = None if scores else resolved_in(answers, metric, calibration, lang, extract)[1]
    labeled = _labels(labels, answers)
    notes: list[str] = []
    if first is None:
        signature, rule, decided = _recorded(answers, scores, calibration)
    else:
        signature, rule = rule_of(first, answers)
        running: dict[str, Any] = {"cache": cache, "progress": progress}
        decided, _, notes = decided_answers(answers, first.metric, rule, **running)
    comparisons = compare_decided(
        decided,
        rule,
        signature=signature,
        labels=labeled,
        groups=answers.questions if answers.groups is None else answers.groups,
        ids=answers.ids,
        noise=noise_of(None, "", noise) if first is None else noise_of(first.metric, first.name, noise),
        bootstrap=bootstrap,
    )
    name = ", ".join(scores) if first is None else first.name
    return replace(comparisons, answers=answers, metric=name, is_computed=first is not None, notes=tuple(notes))


def _checked(answers: Answers) -> Answers:
    """Return these answers. Raise ValueError if there is one system, or questions that are not read differ."""
    if len(answers.systems) < 2:
        raise ValueError(
            f"there is one system, {answers.systems[0]!r}, but a comparison needs at least 2: give one table per "
            "system, or the columns of several systems in one table (--pred a,b; pred=['a', 'b'])"
        )
    if answers.columns.question is None and answers.has(QUESTION):
        answers.values(QUESTION)
    return answers


def _labels(labels: Any, answers: Answers) -> dict[str, SystemLabels]:
    """Return the labels of each system that has any. Raise ValueError if that is a single one."""
    by_system = {} if labels is None else system_labels(labels, answers)
    if len(by_system) == 1:
        raise ValueError(
            f"the labels are of {next(iter(by_system))} alone, but their difference needs those of two systems; give "
            "the labels of the others too, or none"
        )
    return by_system


def _recorded(
    answers: Answers, scores: Sequence[str], calibration: CalibrationLike | Verdicts | None
) -> tuple[str, VerdictRule, dict[str, Decided]]:
    """Return the signature of recorded scores, their rule and what it decides."""
    of_systems = system_columns.by_system(answers, "score", scores)
    values, settings = system_columns.scores(answers, of_systems), verdict_settings(calibration)
    is_calibrated = settings.calibration not in (ANY, None) and len(scores) == 1
    signature = column_signature(scores[0]) if is_calibrated else ""
    rule = settings.rule(signature, scale_of(values.values()))
    return signature, rule, {system: rule.decide(column) for system, column in values.items()}


def compare_decided(
    decided: Mapping[str, Decided],
    rule: VerdictRule,
    *,
    signature: str = "",
    labels: Mapping[str, SystemLabels] | None = None,
    groups: Sequence[Hashable] | None = None,
    ids: Sequence[str] | None = None,
    noise: float = 0.0,
    bootstrap: Bootstrap = Bootstrap(),
) -> Comparisons:
    """Compare every two of several systems whose answers are decided already.

    ``decided``: what the rule decided of each system, with one entry per question in one order. ``labels``: the labels
    by system. ``groups``: what each row belongs to; each row is its own if not given. ``ids``: those of the rows.
    """
    level = bootstrap.level
    scores = {name: of_system.scores for name, of_system in decided.items()}
    n = len(next(iter(scores.values())))
    if n < 2:
        raise ValueError(
            f"{n} question is given, but an interval needs at least 2, and a narrow one hundreds; give more"
        )
    means = ClusteredMeans(np.arange(n) if groups is None else groups, level)
    clusters = means.numbers
    labeled = labels or {}
    reach = max(1.0, *(float(np.ptp(values)) for values in scores.values()))
    right = {name: column for name, of_system in decided.items() if (column := of_system.right()) is not None}
    shares = means.of_all([(column, None, None) for column in right.values()]) if right else []
    share_of = dict(zip(right, shares, strict=True))  # with the interval of ``evaluate``
    couples = list(combinations(scores, 2))
    apart = [scores[second] - scores[first] for first, second in couples]
    gaps = [right[second].astype(np.float64) - right[first] for first, second in couples if right]
    bounds = [*[(-reach, reach)] * len(couples), *[(-1.0, 1.0)] * len(gaps)]
    differences = paired_all([*apart, *gaps], groups=clusters, bounds=bounds, level=level)
    pairs = []
    for i, (first, second) in enumerate(couples):
        value, low, high, p, least = differences[i]
        distance = np.minimum(*(np.abs(scores[name] - rule.threshold) for name in (first, second)))
        points = None
        if gaps:
            gap = differences[len(couples) + i]
            counts = int(right[first].sum()), int(right[second].sum())
            points = Points(counts, (share_of[first], share_of[second]), Estimate(*gap[:3]), gap.p, gap.p, gap.least)
        pairs.append(
            Comparison(
                names=(first, second),
                n=n,
                points=points,
                scores=ScoreDifference(
                    means=(float(scores[first].mean()), float(scores[second].mean())),
                    difference=Estimate(value, low, high),
                    p=p,
                    p_holm=p,
                    least_difference=least,
                    better=int((apart[i] > noise).sum()),
                    same=int((np.abs(apart[i]) <= noise).sum()),
                    worse=int((apart[i] < -noise).sum()),
                    flicker=int((distance < noise).sum()),
                ),
                changed=changed(decided[first], decided[second], noise, ids),
                rule=rule,
                noise=noise,
                labeled=difference_of_labels(basis(decided, first, second), labeled, (first, second), clusters, level),
                signature=signature,
                level=level,
                attempts=_attempts(decided[first], decided[second], means),
            )
        )
    return Comparisons(_with_holm(pairs), _accuracy(scores, labeled, bootstrap))


def _attempts(first: Decided, second: Decided, means: ClusteredMeans) -> Attempts | None:
    """Return the answers that were not attempted; None if all were, or the rule counts no answers."""
    attempted = [
        (of_system.right(), tried) for of_system in (first, second) if (tried := of_system.attempted()) is not None
    ]
    if len(attempted) < 2 or all(tried.all() for _, tried in attempted):
        return None
    rates, rates_then = (attempt_rates(right, tried, means, np.ones_like(tried)) for right, tried in attempted)
    counts = int((~attempted[0][1]).sum()), int((~attempted[1][1]).sum())
    return Attempts(
        counts, (rates, rates_then), *attempt_differences(*attempted, groups=means.numbers, level=means.level)
    )


def basis(decided: Mapping[str, Decided], first_name: str, second_name: str) -> FloatArray:
    """Return what extends the labels: the difference of the probabilities if there are any, else of the scores."""
    first, second = decided[first_name], decided[second_name]
    if first.probabilities is None or second.probabilities is None:
        return second.scores - first.scores
    return second.probabilities - first.probabilities


def _with_holm(pairs: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the comparisons with p after Holm's correction, for the scores and for the right answers."""
    of_scores = holm([pair.scores.p for pair in pairs])
    of_points = holm([pair.scores.p if pair.points is None else pair.points.p for pair in pairs])
    return tuple(
        replace(
            pair,
            scores=pair.scores._replace(p_holm=float(p)),
            points=None if pair.points is None else pair.points._replace(p_holm=float(p_points)),
        )
        for pair, p, p_points in zip(pairs, of_scores, of_points, strict=True)
    )


def _accuracy(scores: Mapping[str, FloatArray], labeled: Mapping[str, SystemLabels], bootstrap: Bootstrap) -> float:
    """Return the soft pairwise accuracy of the scores; nan unless every answer has a label."""
    if set(labeled) != set(scores) or any(np.isnan(system_labels.labels).any() for system_labels in labeled.values()):
        return float("nan")
    human = np.stack([labeled[name].labels for name in scores])
    rng = generator(seed_of("rng", bootstrap.rng), "soft pairwise accuracy")
    signs = exchanges(bootstrap.resamples, human.shape[1], rng)
    return float(soft_pairwise_accuracy(human, np.stack(list(scores.values()))[None], signs)[0])
