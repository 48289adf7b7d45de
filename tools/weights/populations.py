"""The answers of single systems and sources: their labeled share of right answers, and the one that is expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.text_tables import content
from answersim.calibration.model import Calibration
from answersim.calibration.scores import Scores
from answersim.calibration.transfer import Transfer
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.resampling import Estimate

LEAST = 100  # answers of a population
BASIS = (
    "TriviaQA (EVOUNA), NQ (EVOUNA) and DIVER-QA, parts test: each system by a calibration from the two other sets; "
    "EfficientQA, 863 questions"
)


class Population(NamedTuple):
    """The answers of one system or source."""

    set: str  # the name of the set, and ``name`` that of the system or source
    name: str
    n: int  # the number of answers
    expected: Estimate  # the mean probability, with its interval over questions
    share: float  # the share that annotators call right
    error: float  # the standard error of the difference of both

    @property
    def gap(self) -> float:
        """The mean probability minus the share."""
        return self.expected.value - self.share


def populations(judged: Any, scores: Scores, calibration: Calibration) -> Iterator[Population]:
    """Yield the systems with at least 100 answers of a set of judged answers (``calibrations.Set``).

    ``calibration``: one that was not made from this set.
    """
    systems = np.array(judged.systems)
    for system in dict.fromkeys(judged.systems):
        at = systems == system
        if at.sum() >= LEAST:
            probabilities = calibration.probability(Scores(scores.values[at], scores.signature))
            yield _population(judged, system, probabilities, np.asarray(judged.right, dtype=bool), at)


def differences(found: Sequence[Population]) -> dict[str, tuple[float, float]]:
    """Return the difference of each population with its standard error, as ``calibration.transfer`` takes them."""
    return {f"{one.set}: {one.name}": (one.gap, one.error) for one in found}


def _population(judged: Any, system: str, probabilities: FloatArray, right: Any, at: Any) -> Population:
    groups = [group for group, inside in zip(judged.groups, at.tolist(), strict=True) if inside]
    means = ClusteredMeans(groups, 0.95)
    every = np.ones(len(groups), dtype=bool)
    totals = np.bincount(means.numbers, weights=probabilities - right[at] - np.mean(probabilities - right[at]))
    error = float(np.sqrt(totals @ totals)) / len(groups)
    return Population(judged.name, system, len(groups), means.of(probabilities, every), float(right[at].mean()), error)


def metadata(known: Transfer) -> Mapping[str, Any]:
    """Return the transfer as JSON values."""
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in content(known).items()}
