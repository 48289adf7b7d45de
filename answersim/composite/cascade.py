"""``cascade``: fast metrics decide the pairs that they are sure of, and a later stage runs only for the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim import planning
from answersim.calibration.decision import HIGH
from answersim.composite.stages import EVERY, RULES, Stage
from answersim.planning import Composite
from answersim.signature import computed_once, signature
from answersim.text import language
from answersim.types import Capabilities, FloatArray, Pair, Staged, StageScorer, of_parts

REVISION = 1  # increase it when a number changes; it is signed
NOT_NEEDED = -1  # the stage of a pair that was not decided, because another gold answer was accepted before
# From this probability of the last stage on, the other gold answers of a prediction are not sent to a service.
ACCEPTED = HIGH


class Decisions(NamedTuple):
    """What a cascade decided, and how."""

    # the probability of each pair by the stage that decided it, shape (n,); 0 if it was not needed
    probabilities: FloatArray
    # the number of this stage from 0, shape (n,); ``NOT_NEEDED`` if no stage had to decide the pair
    stages: NDArray[np.int64]
    asked: NDArray[np.int64]  # the number of pairs that each stage scored, shape (stages,)
    first: NDArray[np.int64]  # the position of the first pair of each prediction; ``arange(n)`` if each pair is its own
    spent: FloatArray  # the money that each stage reported for these pairs, shape (stages,); nan if it reports none

    @property
    def of_predictions(self) -> NDArray[np.int64]:
        """The stage that settled each prediction, shape (predictions,): the last one that decided a gold answer."""
        if not len(self.first):
            return np.empty(0, dtype=np.int64)
        return np.maximum.reduceat(self.stages, self.first.astype(np.intp, copy=False))

    @property
    def best(self) -> FloatArray:
        """The highest probability of each prediction, shape (predictions,)."""
        if not len(self.first):
            return np.empty(0, dtype=np.float64)
        return np.maximum.reduceat(self.probabilities, self.first.astype(np.intp, copy=False))


@dataclass(frozen=True)
class Cascade(Composite):
    """The probability that two answers are equivalent, by the first stage that is sure, between 0 and 1.

    A stage is sure of a pair if its calibrated probability is at least ``high`` or at most ``low``. The rules of typed
    values decide every pair that they apply to, and the last stage decides all other pairs. Each pair is decided
    independently.

    If a prediction has several gold answers, ``answersim.score`` gives them together. As soon as a stage accepts one,
    the others need no later stage, and the score is the probability of the accepted one. A gold answer that a stage
    rejects is not given to later stages. The verdict is the same as that of the best gold answer alone. A
    stage of cost "remote" gets the gold answers of a prediction one after the other, the likeliest first, or all that
    are left at once if it scores them together (a judge with ``golds="all"``).
    """

    stages: tuple[Stage, ...]  # the stages, the least expensive first. The last one decides every pair.
    lang: str = "en"  # the language of the answers, an ISO 639-1 code

    def __post_init__(self) -> None:
        """Check the language and the cuts, and that there are stages, of which the last one is a metric."""
        language(self.lang)
        if not self.stages or self.stages[-1].metric is None:
            raise ValueError(
                "a cascade ends with a metric, which decides every pair that is left; "
                f"here {'there is no stage' if not self.stages else f'the last stage is {RULES!r}'}"
            )
        names = [stage.name for stage in self.stages]
        if len(set(names)) < len(names):
            raise ValueError(f"two stages have the same name: {', '.join(names)}; give each stage once")
        for stage in self.stages:
            if not (stage.low <= 0.5 <= stage.high):
                raise ValueError(
                    f"the cuts of the stage {stage.name!r} are {stage.low} and {stage.high}, but a probability up to "
                    "0.5 is different and one from 0.5 on is equivalent; give low <= 0.5 <= high"
                )
        if (self.stages[-1].low, self.stages[-1].high) != EVERY:
            raise ValueError(f"the last stage {names[-1]!r} decides every pair, so its cuts must be {EVERY}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the stages."""
        return tuple(stage.name for stage in self.stages)

    @computed_once
    def signature(self) -> str:
        """The stages, their cuts, and twelve hexadecimal digits over their signatures and calibrations."""
        joined = "\n".join(stage.signature for stage in self.stages)
        sure = [stage for stage in self.stages[:-1] if stage.metric is not None]
        return signature(
            "cascade",
            revision=REVISION,
            stages=",".join(self.names),
            low=_cuts([stage.low for stage in sure]),
            high=_cuts([stage.high for stage in sure]),
            parts=hashlib.sha256(joined.encode()).hexdigest()[:12],
            lang=self.lang,
        )

    @computed_once
    def capabilities(self) -> Capabilities:
        """The combined capabilities of the stages."""
        metrics = [stage.metric for stage in self.stages if stage.metric is not None]
        reads = any(stage.reads_questions for stage in self.stages)
        return of_parts(metrics)._replace(reads_questions=reads, batches_all=True, scale="probability")

    def staged(
        self,
        pairs: Sequence[Pair],
        questions: Sequence[str] | None,
        score: StageScorer,
        first: NDArray[np.int64] | None = None,
    ) -> Staged:
        """Return the probabilities of ``decide``, and its decisions."""
        decisions = self.decide(pairs, questions, score, first)
        return Staged(decisions.probabilities, decisions)

    def decide(
        self,
        pairs: Sequence[Pair],
        questions: Sequence[str] | None,
        score: StageScorer,
        first: NDArray[np.int64] | None = None,
    ) -> Decisions:
        """Run the stages; see ``types.StagedMetric`` for the arguments."""
        n = len(pairs)
        prediction = None
        if first is not None:
            prediction = np.repeat(np.arange(len(first)), np.diff(first, append=n).astype(np.intp, copy=False))
        probabilities = np.full(n, np.nan)
        stages = np.full(n, NOT_NEEDED, dtype=np.int64)
        asked = np.zeros(len(self.stages), dtype=np.int64)
        before = [stage.spent for stage in self.stages]
        waiting = np.ones(n, dtype=np.bool_)
        for number, stage in enumerate(self.stages):
            accepted = ACCEPTED if number == len(self.stages) - 1 else stage.high
            in_turn = stage.remote and not stage.whole_rows
            for turn in _turns(np.flatnonzero(waiting), probabilities, prediction if in_turn else None):
                where = turn[waiting[turn]]  # the others were rejected in an earlier turn
                if not len(where):
                    continue
                found = stage.probabilities(pairs, questions, where, score)
                asked[number] += len(where)
                probabilities[where] = np.where(np.isnan(found), probabilities[where], found)
                decided = where[(found <= stage.low) | (found >= stage.high)]
                stages[decided] = number
                waiting[decided] = False
                if prediction is not None:
                    waiting &= ~np.isin(prediction, prediction[where[found >= accepted]])
        probabilities[stages == NOT_NEEDED] = 0.0
        spent = np.array([stage.spent for stage in self.stages]) - before
        return Decisions(probabilities, stages, asked, np.arange(n) if first is None else first, spent)

    def truncated(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Return whether a stage could not read the whole of each pair, shape (n,), also if it was not needed."""
        cut = np.zeros(len(pairs), dtype=np.bool_)
        for stage in self.stages:
            if stage.metric is not None:
                cut |= planning.truncated(stage.metric, pairs, questions if stage.reads_questions else None)
        return cut


def _turns(
    where: NDArray[np.int64], probabilities: FloatArray, prediction: NDArray[np.int64] | None
) -> Iterator[NDArray[np.int64]]:
    """Yield the pairs that a stage scores together: all, or one gold answer of each prediction after the other."""
    if prediction is None or not len(where):
        yield where
        return
    likeliness = np.nan_to_num(probabilities[where], nan=-1.0)
    order = where[np.lexsort((where, -likeliness, prediction[where]))]
    starts = np.concatenate([[True], np.diff(prediction[order]) != 0])
    rank = np.arange(len(order)) - np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    for turn in range(int(rank.max()) + 1):
        yield np.sort(order[rank == turn])


def _cuts(values: Sequence[float]) -> str:
    """Return cuts for a signature: one number if all are equal."""
    return ",".join(map(repr, values[:1] if len(set(values)) == 1 else values)) or "none"
