"""summarize_cascade: what a cascade decided, saved and cost, and how much agreement with its last stage it lost."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from answersim import arguments
from answersim.calibration.decision import decided
from answersim.composite.cascade import Cascade, Decisions
from answersim.composite.usage import CascadeUsage, usage_of
from answersim.evaluation.cascades import cascade_of, groups_of, labels_of, probabilities_of
from answersim.runtime.progress import progress as bars
from answersim.scoring.cache import CacheLike, ScoreCache, cache_of
from answersim.scoring.pairs import Checked, check
from answersim.scoring.score import score_checked
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.paired import paired
from answersim.stats.resampling import Bootstrap, Estimate, bootstrap_settings
from answersim.text_tables import Result, html_result, with_interval
from answersim.types import FloatArray, Metric, Scores, reads_questions


@dataclass(frozen=True)
class CascadeSummary(Result):
    """What a cascade did for some answers.

    Attributes:
        scores: The scores of the answers: probabilities.
        stages: The name of the stage that settled each answer.
        usage: How many answers each stage settled, and how many pairs it scored.
        cost: What the stages cost, by their own reports or by prices; 0 if there are neither.
        cost_alone: What the last stage alone would have cost; nan if that is not known.
        agreement: The share of the answers with the same verdict as by the last stage alone, without "unsure"; None if
            the verdicts of the last stage are not known.
        accuracy: The share of the answers whose verdict equals the label; None without labels.
        more_errors: The share of errors minus that of the last stage alone; None unless labels and the verdicts of the
            last stage are known.
        unsure: The share of the answers whose probability is between .3 and .7.
    """

    scores: Scores
    stages: tuple[str, ...]
    usage: CascadeUsage
    cost: float
    cost_alone: float
    agreement: Estimate | None
    accuracy: Estimate | None
    more_errors: Estimate | None
    unsure: float

    def summary(self) -> list[str]:
        """Return the usage in sentences."""
        last = self.usage.names[-1]
        lines = [str(self.usage)]
        if self.cost or self.cost_alone > 0:
            alone = "" if math.isnan(self.cost_alone) else f"; {last} alone would have cost {self.cost_alone:.4g}"
            lines.append(f"cost {self.cost:.4g}{alone}")
        if self.agreement is not None:
            lost = Estimate(1 - self.agreement.value, 1 - self.agreement.high, 1 - self.agreement.low)
            lines.append(f"another verdict than {last} alone: {_shares(lost)} of the answers")
        if self.accuracy is not None:
            lines.append(f"correct verdicts: {_shares(self.accuracy)}")
        if self.more_errors is not None:
            lines.append(f"errors, less those of {last} alone: {_shares(self.more_errors)} of the answers")
        return lines

    def __str__(self) -> str:
        return "\n".join(self.summary())

    def _repr_html_(self) -> str:
        first, *more = self.summary()
        return html_result([first], closing=[*more, self.scores.signature])


def summarize_cascade(
    metric: Metric,
    gold: Any,
    pred: Any,
    *,
    question: Any = None,
    alone: Any = None,
    labels: Any = None,
    groups: Sequence[Hashable] | None = None,
    prices: Mapping[str, float] | None = None,
    bootstrap: Bootstrap = Bootstrap(),
    progress: bool = True,
    cache: CacheLike | None = None,
) -> CascadeSummary:
    """Score answers with a cascade, and return the scores with what each stage decided, saved and cost.

    Args:
        metric: A cascade.
        gold: The gold answers. See ``answersim.score``.
        pred: The predictions, shape (n,).
        question: The questions, for the stages that read them.
        alone: The probabilities (or verdicts 0 and 1) by the last stage alone, shape (n,), from which the agreement
            that is lost follows. True to compute them, for which the last stage scores all answers.
        labels: Whether each prediction is correct, 0 or 1, shape (n,).
        groups: What dependent answers have in common; by default the question, if there are questions.
        prices: The price of a scored pair by the name of the stage, for stages that do not report what they spent.
        bootstrap: The coverage of the intervals. Nothing is resampled.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: A folder where the scores of stages are stored and looked up.

    Raises:
        TypeError: If the metric is not a cascade.
        ValueError: If lengths differ, ``alone`` is not a probability, or a label is neither 0 nor 1.
        LookupError: If a price is for a stage that the cascade does not have.

    >>> import answersim
    >>> cascade = answersim.metric("cascade", stages=["typed", "recall", "f1"])
    >>> golds, preds = ["Rome", "11"], ["in Rome", "eleven"]
    >>> result = summarize_cascade(cascade, golds, preds, alone=True)
    >>> result.stages, result.usage.saved, result.agreement.value
    (('recall', 'typed'), 2, 0.5)
    """
    cascade = cascade_of(metric)
    checked = check(gold, pred, question)
    n = len(checked.first)
    if not n:
        raise ValueError("there are no answers, so there is no usage; give at least one")
    truth = None if labels is None else labels_of(labels, n)
    clusters = groups_of(groups, checked, n)
    level = bootstrap_settings(bootstrap).level
    given = alone if alone is None or alone is True else _probabilities(alone, n)
    progress = arguments.flag("progress", progress)
    scores, decisions = _decided(cascade, checked, progress, cache_of(cache))
    usage = usage_of(cascade, decisions)
    cost, cost_alone = usage.cost(prices), usage.cost_alone(prices)
    if given is True:
        with bars(progress):
            given = last_alone(cascade, checked, cache_of(cache))
    means = ClusteredMeans(clusters, level)
    verdicts = scores.values >= 0.5
    agreement = accuracy = more = None
    if given is not None:
        agreement = means.of(verdicts == (given >= 0.5))
    if truth is not None:
        accuracy = means.of(verdicts == truth)
    if truth is not None and given is not None and n > 1:
        gaps = (verdicts != truth).astype(np.float64) - ((given >= 0.5) != truth)
        difference = paired(gaps, groups=clusters, level=level)
        more = Estimate(difference.value, difference.low, difference.high)
    return CascadeSummary(
        scores,
        tuple(cascade.names[i] for i in decisions.of_predictions.tolist()),
        *(usage, cost, cost_alone, agreement, accuracy, more),
        float((decided(scores.values) == "unsure").mean()),
    )


def _decided(cascade: Cascade, checked: Checked, progress: bool, cache: ScoreCache | None) -> tuple[Scores, Decisions]:
    """Return the scores of a cascade, and its decisions."""
    seen: list[Decisions] = []
    scores = score_checked(
        cascade,
        checked if reads_questions(cascade) else checked._replace(questions=None),
        allowed=progress,
        cache=cache,
        report=lambda ran, decisions: seen.append(decisions) if ran is cascade else None,
    )
    return scores, seen[0]


def last_alone(cascade: Cascade, checked: Checked, cache: ScoreCache | None) -> FloatArray:
    """Return the probability of each prediction by the last stage alone, shape (n,)."""
    if not len(checked.first):
        return np.empty(0, dtype=np.float64)
    last = probabilities_of(cascade.stages[-1], checked, cache)
    return np.maximum.reduceat(last, checked.first.astype(np.intp, copy=False))


def _probabilities(alone: Any, n: int) -> FloatArray:
    """Return the probabilities of the last stage alone, checked."""
    values = alone.values if isinstance(alone, Scores) else arguments.numbers("alone", alone, "one per prediction")
    if len(values) != n:
        raise ValueError(f"there are {n} predictions and {len(values)} numbers in alone; give one per prediction")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("alone contains a number that is not between 0 and 1; give probabilities, or verdicts 0 and 1")
    return values


def _shares(estimate: Estimate) -> str:
    return f"{with_interval(estimate, '.2f', 100)} %"
