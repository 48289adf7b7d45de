"""The data of a training: pairs with negatives, and the measure on dev that is the criterion of the best epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from torch import nn

from rankers.evaluation import measures
from rankers.evaluation.qrels import Qrels, qrels_of
from rankers.modules import scoring
from rankers.modules.scoring import Encoded, Indices, Lengths
from rankers.modules.vocabulary import Vocabulary
from rankers.training.objective import DivergenceError, Stateful
from rankers.types import FloatArray, Questions, Run

Scorer = Callable[[Indices, Indices], FloatArray]  # rows of questions, rows of answers -> scores


class TrainingSet(NamedTuple):
    """The questions of a training split that have a positive, and the answers of all, with each distinct text once."""

    questions: list[str]  # the texts of the questions
    answers: list[str]  # the distinct texts of all candidates
    pairs: Indices  # the question row and answer row of each positive, (n, 2)
    negatives: list[Indices]  # the rows of the wrong candidates of each question
    positives: list[Indices]  # the rows of the right candidates of each question


def with_positives(questions: Questions) -> Questions:
    """Return the questions that have a positive."""
    kept = (question for question in questions if any(map(questions.is_relevant, question.candidates)))
    return replace(questions, items=tuple(kept))


def left_out(train: Questions, dev: Questions, limit: int, dev_limit: int, *, is_kept: bool = False) -> Iterator[str]:
    """Yield one notice for each reason for which questions take no part in a training.

    ``is_kept``: whether questions without a positive are trained on.
    """
    n = len(train) if is_kept else len(with_positives(train))
    if n < len(train):
        yield f"{len(train) - n:,} of {len(train):,} training questions have no relevant candidate and are left out"
    for name, most, size, of in (
        ("limit", limit, n, "training questions"),
        ("dev_limit", dev_limit, sum(bool(question.candidates) for question in dev), "dev questions"),
    ):
        if 0 < most < size:
            yield f"only the first {most:,} of {size:,} {of} are used ({name}; 0 uses all)"


def training_set(questions: Questions, limit: int = 0, *, without_positives: bool = False) -> TrainingSet:
    """Return the training set of a split, or of its first ``limit`` questions with a positive if ``limit`` is not 0.

    Negatives are also drawn from the answers of questions that are left out. A text that occurs in a pool as positive
    and as negative is positive. ``without_positives`` includes questions without a positive, for flipped labels and for
    pairs read one by one.
    """
    place: dict[str, int] = {}
    kept: list[str] = []
    negatives: list[Indices] = []
    positives: list[Indices] = []
    for question in questions:
        rows = [place.setdefault(candidate.text, len(place)) for candidate in question.candidates]
        good = {
            row for row, candidate in zip(rows, question.candidates, strict=True) if questions.is_relevant(candidate)
        }
        if not (good or without_positives) or (limit and len(kept) >= limit):
            continue
        kept.append(question.text)
        positives.append(np.array(sorted(good), dtype=np.int64))
        negatives.append(np.array(sorted(set(rows) - good), dtype=np.int64))
    pairs = [(i, row) for i, rows in enumerate(positives) for row in rows]
    if not pairs or len(place) < 2:
        raise ValueError(
            f"{questions.corpus} {questions.split} cannot be trained on: of its {len(questions)} questions {len(kept)} "
            f"have a positive (grade {questions.relevant} or more), among {len(place)} answers; give at least one "
            "question with a positive, and one other answer"
        )
    return TrainingSet(kept, list(place), np.array(pairs, dtype=np.int64), negatives, positives)


def labeled_pairs(data: TrainingSet) -> tuple[Indices, Indices]:
    """Return every pair of a question and one of its candidates with its label. Texts that repeat are one candidate.

    The pairs are rows of questions and answers, (n, 2): question by question, positives first. The label is 1 for a
    positive, 0 for a negative, (n,).
    """
    both = [
        (i, row, label)
        for i, of in enumerate(zip(data.negatives, data.positives, strict=True))
        for label in (1, 0)
        for row in of[label]
    ]
    rows = np.array(both, dtype=np.int64)
    return rows[:, :2], rows[:, 2]


class Negatives(Stateful):
    """The source of the negatives of an epoch."""

    def draw(self, data: TrainingSet, pairs: Indices, epoch: int, score: Scorer) -> Indices:
        """Return the rows of the negatives of each pair, (n, k). They depend on the epoch, not on earlier calls.

        Args:
            data: The training set.
            pairs: The question row and answer row of each pair of this epoch, (n, 2).
            epoch: Counted from 0.
            score: The current network, as a function to scores of pairs, without a gradient.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Sampled(Negatives):
    """Random negatives: those of the question first, then answers of other questions."""

    k: int = 1  # how many per positive
    seed: int = 0  # of the draws

    def draw(self, data: TrainingSet, pairs: Indices, epoch: int, score: Scorer) -> Indices:
        """Return k different negatives of each pair."""
        return pools(data, pairs, self.k, np.random.default_rng([self.seed, epoch, 1]))


@dataclass(frozen=True)
class NoNegatives(Negatives):
    """No negatives, for rows that are read one by one with their labels."""

    def draw(self, data: TrainingSet, pairs: Indices, epoch: int, score: Scorer) -> Indices:
        """Return no negatives for each pair, (n, 0)."""
        return np.empty((len(pairs), 0), dtype=np.int64)


@dataclass(frozen=True)
class Hardest(Negatives):
    """The negatives of a pool that the network scores highest (dynamic negative sampling).

    Source: Zhang et al. 2013, "Optimizing top-n collaborative filtering via dynamic negative item sampling"; the
    IRGAN authors' own control.
    """

    k: int = 1  # how many per positive
    pool: int = 16  # the number of negatives that are scored
    seed: int = 0  # the random seed of the pools

    def draw(self, data: TrainingSet, pairs: Indices, epoch: int, score: Scorer) -> Indices:
        """Return the k best-scored negatives of each pool, best first. Equal scores are in the order of the pool."""
        drawn = pools(data, pairs, self.pool, np.random.default_rng([self.seed, epoch, 2]))
        scores = score(np.repeat(pairs[:, 0], drawn.shape[1]), drawn.ravel()).reshape(drawn.shape)
        return np.take_along_axis(drawn, np.argsort(-scores, axis=1, kind="stable")[:, : self.k], axis=1)


def pools(data: TrainingSet, pairs: Indices, size: int, rng: np.random.Generator) -> Indices:
    """Return ``size`` different negatives for each pair, (n, 2): rows of answers, (n, size).

    The negatives of the question itself come first. Its positives are never among them.
    """
    check_pool(data, size)
    drawn = np.empty((len(pairs), size), dtype=np.int64)
    for place, (question, _) in enumerate(pairs.tolist()):
        barred = set(data.positives[question].tolist())
        taken = [row for row in rng.permutation(data.negatives[question]).tolist() if row not in barred][:size]
        _fill(taken, barred, len(data.answers), size, rng)
        drawn[place] = taken
    return drawn


def check_pool(data: TrainingSet, size: int) -> None:
    """Check that every question has enough negatives for pools of this size. Raise ValueError if not."""
    most = len(data.answers) - max(map(len, data.positives))
    if size > most:
        raise ValueError(
            f"pools of {size} negatives were requested, but a question has only {most} of the {len(data.answers)} "
            "answers that may be in one; use smaller pools, or give more questions"
        )


def _fill(taken: list[int], barred: set[int], n: int, size: int, rng: np.random.Generator) -> None:
    """Add answers of other questions until there are ``size``: first drawn one by one, finally from the rest."""
    barred = barred | set(taken)
    for _ in range(20):
        if len(taken) >= size:
            return
        for row in rng.integers(n, size=2 * (size - len(taken))).tolist():
            if row not in barred and len(taken) < size:
                taken.append(row)
                barred.add(row)
    rest = np.array([row for row in range(n) if row not in barred], dtype=np.int64)
    taken += rng.permutation(rest)[: size - len(taken)].tolist()


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
        """Return the first ``limit`` questions of this split that have candidates, or all if ``limit`` is 0."""
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
        """Return the mean of the measure, averaged over orders of equal scores: constant scores have no advantage."""
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
