"""Simulations of ``answersim.fit_cascade``: how often the true share of added errors is above the promised risk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.composite.cascade import Cascade
from answersim.composite.stages import EVERY, Stage
from answersim.evaluation.cascades import DOUBTS, NEVER, TooFewLabelsError, choose_cuts
from answersim.types import FloatArray, Pair
from benchmarks.paper_sets import say

POPULATION = 400_000  # answers by which true rates are computed
ERRORS = 1.7  # standard deviations from which on a verdict of the last stage is an error: 4.5 % of them
SETTINGS = ((1, 0.0), (5, 0.3), (5, 0.8), (20, 0.5))  # answers per question, and how alike they are
LABELS = (500, 1500)
RISK, CONFIDENCE = 0.02, 0.95


class Simulated(NamedTuple):
    """Simulations of one kind of answers.

    Attributes:
        labels: The number of labeled answers.
        size: Answers per question.
        alike: How alike the answers to one question are: the correlation of what decides labels and errors.
        risk: The promised largest share of added errors.
        confidence: The promised confidence.
        repeats: How many simulations.
        refused: The share in which there were too few labels.
        broken: The share of the others in which the true share of added errors is above the risk.
        ignoring: The same if the questions are ignored, so that the bound takes all answers for independent.
        saved: The mean share of the calls of the last stage that were saved.
        possible: The share that is saved by the most liberal cuts that keep the risk in truth.
    """

    labels: int
    size: int
    alike: float
    risk: float
    confidence: float
    repeats: int
    refused: float
    broken: float
    ignoring: float
    saved: float
    possible: float


class Sample(NamedTuple):
    """Answers: probabilities by a cheap stage that is too sure and by the last one, labels and questions; (n,) each."""

    cheap: FloatArray
    last: FloatArray
    labels: NDArray[np.bool_]
    groups: NDArray[np.int64]


class _Nothing:
    """A metric that is not called, because its probabilities are known."""

    signature = "nothing|rev:1"

    def __call__(self, pairs: list[Pair]) -> FloatArray:
        raise AssertionError("the probabilities are known")


CASCADE = Cascade((Stage("cheap", _Nothing(), 0.05, 0.95, raw=True), Stage("last", _Nothing(), *EVERY, raw=True)))


def sample(questions: int, size: int, alike: float, rng: np.random.Generator) -> Sample:
    """Draw answers to this many questions; ``size`` and ``alike`` as of ``Simulated``."""
    groups = np.repeat(np.arange(questions), size)

    def noise() -> FloatArray:
        shared = rng.normal(size=questions)[groups]
        return np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.normal(size=questions * size)

    quality = noise()
    labels = rng.random(questions * size) < 1 / (1 + np.exp(-4 * quality))
    last = np.where(noise() < ERRORS, labels, ~labels).astype(np.float64)
    return Sample(1 / (1 + np.exp(-5 * quality)), last, labels, groups)


def true_rates(size: int, alike: float, rng: np.random.Generator) -> dict[float, tuple[float, float]]:
    """Return the share of added errors and of saved calls in a large population, by the lower cut."""
    many = sample(POPULATION // size, size, alike, rng)
    rates = {}
    for low, high in (NEVER, *((doubt, round(1 - doubt, 3)) for doubt in DOUBTS)):
        early = (many.cheap <= low) | (many.cheap >= high)
        verdicts = np.where(early, many.cheap, many.last) >= 0.5
        added = (verdicts != many.labels) & ((many.last >= 0.5) == many.labels)
        rates[low] = float(added.mean()), float(early.mean())
    return rates


def simulated(repeats: int, seed: int = 0) -> Iterator[Simulated]:
    """Yield one row per number of labels and kind of answers."""
    for labels in LABELS:
        for size, alike in SETTINGS:
            say(f"{labels} labels, {size} answers per question, alike by {alike}")
            rng = np.random.default_rng(seed)
            rates = true_rates(size, alike, rng)
            cuts: list[float] = []
            others: list[float] = []
            for _ in range(repeats):
                drawn = sample(labels // size, size, alike, rng)
                for groups, found in ((drawn.groups, cuts), (np.arange(len(drawn.labels)), others)):
                    found += _chosen(drawn, groups)
                    if size == 1:
                        others = cuts
                        break
            kept = [saved for added, saved in rates.values() if added <= RISK]
            yield Simulated(
                *(labels, size, alike, RISK, CONFIDENCE, repeats, 1 - len(cuts) / repeats),
                *(_mean([rates[cut][0] > RISK for cut in found]) for found in (cuts, others)),
                _mean([rates[cut][1] for cut in cuts]),
                max(kept),
            )


def _chosen(drawn: Sample, groups: NDArray[np.int64]) -> list[float]:
    """Return the lower cut that is chosen; nothing if there are too few labels."""
    first = np.arange(len(drawn.labels))
    try:
        fit = choose_cuts(CASCADE, [drawn.cheap, drawn.last], first, drawn.labels, groups, RISK, CONFIDENCE)
    except TooFewLabelsError:
        return []
    return [fit.chosen.low]


def _mean(values: list[float] | list[bool]) -> float:
    return float(np.mean(values)) if values else float("nan")
