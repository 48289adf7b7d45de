"""The criterion of the best epoch: a measure on a split that is not trained on. Its texts are encoded once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from torch import nn

from rankers.evaluation import measures
from rankers.evaluation.qrels import Qrels, qrels_of
from rankers.modules import scoring
from rankers.modules.scoring import Encoded, Indices, Lengths
from rankers.modules.vocabulary import Vocabulary
from rankers.training.objective import DivergenceError
from rankers.types import Questions, Run


@dataclass(frozen=True)
class Dev:
    """The mean of a ranking measure of a network over the questions that have a relevant candidate."""

    measure: str  # the name of the measure in ``rankers.evaluation.measures``
    qrels: Qrels  # the grades
    texts: Encoded  # the ids of questions and of distinct candidates
    asked: Indices  # the row of the question of each pair
    answers: Indices  # the row of the answer of each pair
    places: tuple[tuple[str, str], ...]  # the ids of question and candidate of each pair

    @classmethod
    def of(cls, questions: Questions, vocabulary: Vocabulary, lengths: Lengths, measure: str, limit: int = 0) -> Dev:
        """Return the first ``limit`` questions of this split that have candidates, or all if ``limit`` is 0.

        Raises:
            LookupError: If no measure has this name.
            ValueError: If it cannot be computed, or no question has a relevant candidate.
        """
        kept = check_dev(questions, measure, limit)
        place: dict[str, int] = {}
        pairs = [
            (row, place.setdefault(candidate.text, len(place)), question.id, candidate.id)
            for row, question in enumerate(kept)
            for candidate in question.candidates
        ]
        return cls(
            measure=measure,
            qrels=qrels_of(kept),
            texts=scoring.encode(vocabulary, [question.text for question in kept], list(place), lengths),
            asked=np.array([pair[0] for pair in pairs], dtype=np.int64),
            answers=np.array([pair[1] for pair in pairs], dtype=np.int64),
            places=tuple((pair[2], pair[3]) for pair in pairs),
        )

    def __call__(self, network: nn.Module) -> float:
        """Return the mean of the measure, averaged over orders of equal scores: constant scores have no advantage.

        Raises:
            DivergenceError: If a score is not finite. The message names the question and the candidate.
        """
        scores: dict[str, dict[str, float]] = {}
        values = scoring.scores(network, self.texts, self.asked, self.answers)
        if len(wrong := np.flatnonzero(~np.isfinite(values))):
            question, candidate = self.places[int(wrong[0])]
            raise DivergenceError(
                f"the network gives {values[wrong[0]]} to the candidate {candidate!r} of the dev question {question!r}"
            )
        for (question, candidate), score in zip(self.places, values, strict=True):
            scores.setdefault(question, {})[candidate] = float(score)
        result = measures.measure(Run("dev", scores), self.qrels, [self.measure])
        return measures.mean(result.tie_averaged[self.measure])


def check_dev(questions: Questions, measure: str, limit: int = 0) -> Questions:
    """Return the questions that ``Dev.of`` uses. Raise the same errors as ``Dev.of`` for unsuitable questions."""
    measures.parse(measure)
    kept = replace(questions, items=tuple(question for question in questions if question.candidates)[: limit or None])
    if not any(kept.is_relevant(candidate) for question in kept for candidate in question.candidates):
        raise ValueError(
            f"none of the {len(kept)} questions of {questions.corpus} {questions.split} that decide which epoch is the "
            f"best has a relevant candidate (grade {questions.relevant} or more) to measure {measure} by; give others"
        )
    return kept
