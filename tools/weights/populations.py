"""The answers of single systems and sources: their labeled share of right answers, and the one that is expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import answersim
from answersim.calibration.model import Calibration
from answersim.calibration.transfer import Transfer, transfer
from answersim.data.system_answers import EVOUNA_NQ, SystemAnswer, load_diver, load_evouna, locate
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.resampling import Estimate
from answersim.text_tables import content
from answersim.types import FloatArray, Scores

QUESTIONS = 300  # of NQ, whose answers are long
LEAST = 100  # answers of a population
BASIS = (
    "EVOUNA, TriviaQA part test: each system by a calibration from the others; EfficientQA, 863 questions; 300 "
    "questions of NQ (EVOUNA) by system; DIVER-QA by source"
)
# The metrics whose weights learned from the parts train of NQ and DIVER-QA have other sets.
TAUGHT = ("sas-answers", "answersim")
BASIS_OF_TAUGHT = (
    "EVOUNA, TriviaQA part test: each system by a calibration from the others; EfficientQA, 863 questions; NQ (EVOUNA) "
    "part test by system; DIVER-QA parts dev and test"
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


def load_nq(*, held_out: bool) -> list[SystemAnswer]:
    """Read the answers of five systems to the first 300 questions of NQ in EVOUNA, or to those of its part test."""
    if held_out:
        return load_evouna("test", path=locate(EVOUNA_NQ))
    answers = load_evouna(path=locate(EVOUNA_NQ))
    kept = set(list(dict.fromkeys(answer.question for answer in answers))[:QUESTIONS])
    return [answer for answer in answers if answer.question in kept]


def load_diver_sources(*, held_out: bool) -> list[SystemAnswer]:
    """Read the answers of DIVER-QA, with the source of the question as system, without the questions of EVOUNA.

    The parts dev and test have too few answers of each source, so all of them are one system.
    """
    known = {answer.question.strip().lower() for answer in load_evouna()}
    return [
        answer._replace(system="all sources" if held_out else answer.system.partition("/")[0])
        for answer in load_diver()
        if answer.question.strip().lower() not in known and not (held_out and answer.part == "train")
    ]


def populations(calibration: Calibration, scored: Sequence[tuple[Any, Scores]]) -> list[Population]:
    """Return the populations with at least 100 answers: those of the first set, and those of the other sets.

    ``scored``: sets of judged answers (``calibrations.Set``) with their scores. The calibration is made from the first
    one. Each of its systems is predicted by a calibration from the others.
    """
    return [one for i, pair in enumerate(scored) for one in _of_set(calibration, *pair, is_own=i == 0)]


def differences(found: Sequence[Population]) -> dict[str, tuple[float, float]]:
    """Return the difference of each population with its standard error, as ``calibration.transfer`` takes them."""
    return {f"{one.set}: {one.name}": (one.gap, one.error) for one in found}


def _of_set(calibration: Calibration, judged: Any, scores: Scores, *, is_own: bool) -> Iterator[Population]:
    systems = np.array(judged.systems)
    right = np.asarray(judged.right, dtype=bool)
    for system in dict.fromkeys(judged.systems):
        at = systems == system
        if at.sum() < LEAST:
            continue
        used = calibration
        if is_own:
            if not _can_calibrate(right[~at]):
                continue
            others = Scores(scores.values[~at], scores.signature)
            groups = [group for group, inside in zip(judged.groups, at.tolist(), strict=True) if not inside]
            used = answersim.calibrate(
                others,
                right[~at],
                groups=groups,
                bootstrap=answersim.Bootstrap(resamples=2, rng=np.random.default_rng(0)),
            )
        yield _population(judged, system, used.probability(Scores(scores.values[at], scores.signature)), right, at)


def _population(judged: Any, system: str, probabilities: FloatArray, right: Any, at: Any) -> Population:
    groups = [group for group, inside in zip(judged.groups, at.tolist(), strict=True) if inside]
    means = ClusteredMeans(groups, 0.95)
    every = np.ones(len(groups), dtype=bool)
    totals = np.bincount(means.numbers, weights=probabilities - right[at] - np.mean(probabilities - right[at]))
    error = float(np.sqrt(totals @ totals)) / len(groups)
    return Population(judged.name, system, len(groups), means.of(probabilities, every), float(right[at].mean()), error)


def _can_calibrate(right: Any) -> bool:
    return bool(min(right.sum(), (~right).sum()) >= 10)


def without_set(found: Sequence[Population], name: str) -> Transfer:
    """Return the error of transfer of all populations that are not of this set."""
    return transfer(differences([one for one in found if one.set != name]), BASIS)


def metadata(known: Transfer) -> Mapping[str, Any]:
    """Return the transfer as JSON values."""
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in content(known).items()}
