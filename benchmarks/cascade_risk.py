"""Simulations of ``answersim.fit_cascade``: how often the true share of added errors is above the promised risk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.evaluation.cascades import DOUBTS, NEVER
from answersim.stats.risk import fixed_sequence, rows_needed
from answersim.types import FloatArray
from benchmarks.paper_sets import say

POPULATION = 400_000  # answers by which true rates are computed
ERRORS = 1.7  # standard deviations from which on a verdict of the last stage is an error: 4.5 % of them
TRAP = 0.992  # the probability that the cheap stage gives all answers to a trap question, which are wrong
# The number of answers per question, their correlation, and the share of trap questions. With these values, the share
# of added errors is just above the risk from the cuts .01 and .99.
SETTINGS = ((1, 0.0, 0.0), (5, 0.5, 0.0), (1, 0.0, 0.022), (5, 0.5, 0.022), (20, 0.5, 0.022))
LABELS = (500, 1500, 3000)
RISK, CONFIDENCE = 0.02, 0.95
CUTS = (NEVER, *((doubt, round(1 - doubt, 3)) for doubt in DOUBTS))


class Simulated(NamedTuple):
    """Simulations of one kind of answers."""

    labels: int  # the number of labeled answers
    size: int  # the number of answers per question
    alike: float  # the correlation of the latent variables of labels and errors between answers to one question
    traps: float  # the share of questions to which all answers are wrong, and the cheap stage is rather sure of them
    risk: float  # the promised maximum share of added errors
    confidence: float  # the promised confidence
    repeats: int  # the number of simulations
    broken: float  # the share of the simulations in which the true share of added errors is above the risk
    exact: float  # the same share if each question counts as one answer
    ignoring: float  # the same share if the bound treats all answers as independent
    saved: float  # the mean share of the calls of the last stage that were saved; 0 if there are too few questions
    saved_exact: float  # the same share if each question counts as one answer
    possible: float  # the share that is saved by the most liberal cuts whose true risk is within the bound


class Sample(NamedTuple):
    """Answers: probabilities by an overconfident cheap stage and by the last stage, labels and questions, (n,) each."""

    cheap: FloatArray
    last: FloatArray
    labels: NDArray[np.bool_]
    groups: NDArray[np.int64]


def sample(questions: int, size: int, alike: float, traps: float, rng: np.random.Generator) -> Sample:
    """Draw answers to this many questions. ``size``, ``alike`` and ``traps`` are those of ``Simulated``."""
    groups = np.repeat(np.arange(questions), size)

    def noise() -> FloatArray:
        shared = rng.normal(size=questions)[groups]
        return np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.normal(size=questions * size)

    quality = noise()
    trap = (rng.random(questions) < traps)[groups]
    labels = (rng.random(questions * size) < 1 / (1 + np.exp(-4 * quality))) & ~trap
    last = np.where(noise() < ERRORS, labels, ~labels).astype(np.float64)
    return Sample(np.where(trap, TRAP, 1 / (1 + np.exp(-5 * quality))), last, labels, groups)


def outcomes(drawn: Sample) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which answers are added errors, and which ones are decided early, for each of ``CUTS``; (cuts, n) each."""
    early = np.stack([(drawn.cheap <= low) | (drawn.cheap >= high) for low, high in CUTS])
    verdicts = np.where(early, drawn.cheap, drawn.last) >= 0.5
    return (verdicts != drawn.labels) & ((drawn.last >= 0.5) == drawn.labels), early


def simulated(repeats: int, seed: int = 0) -> Iterator[Simulated]:
    """Yield one row per number of labels and kind of answers."""
    for labels in LABELS:
        for size, alike, traps in SETTINGS:
            say(f"{labels} labels, {size} answers per question, alike by {alike}, {traps} traps")
            rng = np.random.default_rng(seed)
            added, early = (
                every.mean(axis=1) for every in outcomes(sample(POPULATION // size, *(size, alike, traps), rng))
            )
            chosen = np.zeros((3, repeats), dtype=np.int64)  # 0: nothing is decided early
            enough = labels // size >= rows_needed(RISK, CONFIDENCE)
            for i in range(repeats):
                drawn = sample(labels // size, size, alike, traps, rng)
                errors, _ = outcomes(drawn)
                alone = np.arange(len(drawn.labels))
                for j, (groups, whole) in enumerate(((drawn.groups, False), (drawn.groups, True), (alone, False))):
                    if j < 2 and not enough:
                        continue
                    kept = [rate.kept for rate in fixed_sequence(errors, groups, RISK, CONFIDENCE, exact=whole)]
                    chosen[j, i] = max(sum(kept) - 1, 0)
            broken, exact, ignoring = (float((added > RISK)[cuts].mean()) for cuts in chosen)
            saved, saved_exact, _ = (float(early[cuts].mean()) for cuts in chosen)
            yield Simulated(
                *(labels, size, alike, traps, RISK, CONFIDENCE, repeats, broken, exact, ignoring),
                *(saved, saved_exact, float(early[added <= RISK].max())),
            )
