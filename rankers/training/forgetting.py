"""Forgetting: how many of the examples of earlier epochs a network that is trained against a generator still ranks.

After each epoch the network ranks one negative of each epoch before, and of this one, below its positive, or does not.
Row 0 of the examples are ordinary negatives, like those of the training that came before.

Source: the committee paper, section 2.4, which states that models forget earlier batches of adversarial examples and
part of the original data, and shows no numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from answersim._base.runtime import training_checkpoints
from rankers.inputs import scoring
from rankers.inputs.scoring import Encoded
from rankers.training.objective import Epoch
from rankers.training.sampling import Indices, Sampled, TrainingSet
from rankers.types import FloatArray


class Remembered(NamedTuple):
    """The accuracy of a network on the examples of an epoch."""

    epoch: int  # after which epoch the network was evaluated; 0 is before the first one
    examples: int  # the epoch whose examples these are; 0 for ordinary negatives
    accuracy: float  # the share of the pairs whose positive has the higher score; ties count half


class Forgetting:
    """A hook that evaluates the network on the examples of all epochs so far.

    Attributes:
        statistics: One row per epoch and earlier epoch, in this order.
    """

    def __init__(
        self, path: Path, data: TrainingSet, texts: Encoded, drawn: Callable[[], Indices], limit: int, seed: int
    ) -> None:
        """Set up the hook before the first epoch.

        Args:
            path: The file of the examples and accuracies. A training that resumes reads it.
            data: The training set.
            texts: The ids of its questions and answers.
            drawn: Returns the negatives of the epoch that has just ended, (pairs, k); the first column is used.
            limit: The number of positives, chosen once by the seed.
            seed: The seed of the choice and of the ordinary negatives.
        """
        self.path, self.data, self.texts, self.drawn, self.seed = path, data, texts, drawn, seed
        chosen = np.random.default_rng([seed, 0, 5]).permutation(len(data.pairs))[:limit]
        self.pairs: Indices = data.pairs[np.sort(chosen)]
        self._chosen = np.sort(chosen)
        self.statistics: list[Remembered] = []
        self._examples: dict[int, Indices] = {}

    def __call__(self, epoch: Epoch, network: nn.Module) -> None:
        """Evaluate the network on the examples of this epoch and of those before it, and write the file."""
        now = epoch.epoch
        if now == 0:
            self._examples, self.statistics = {}, []
            negatives = Sampled(1, self.seed).draw(self.data, self.pairs, 0, _no_scores)
        else:
            self._resume(now)
            negatives = self.drawn()[self._chosen]
        self._examples[now] = negatives[:, 0]
        self.statistics += [
            Remembered(now, of, accuracy)
            for of, accuracy in zip(self._examples, self._accuracies(network), strict=True)
        ]
        tensors = {f"{of:04d}": torch.from_numpy(rows.copy()) for of, rows in self._examples.items()}
        training_checkpoints.save(self.path, tensors, {"statistics": [list(row) for row in self.statistics]})

    def _accuracies(self, network: nn.Module) -> list[float]:
        questions, positives = self.pairs[:, 0], self.pairs[:, 1]
        answers = np.concatenate([positives, *self._examples.values()])
        asked = np.tile(questions, 1 + len(self._examples))
        first, *others = np.split(scoring.scores(network, self.texts, asked, answers), 1 + len(self._examples))
        return [accuracy(first, other) for other in others]

    def _resume(self, now: int) -> None:
        """Restore what was written up to the epoch before, if this is a training that resumes."""
        if self._examples:
            return
        kept = training_checkpoints.load(self.path)
        if kept is None:
            return  # of a version that did not write it: the examples of the epochs before are unknown
        self._examples = {int(of): rows.numpy() for of, rows in sorted(kept.tensors.items()) if int(of) < now}
        rows = (Remembered(int(row[0]), int(row[1]), float(row[2])) for row in kept.metadata["statistics"])
        self.statistics = [row for row in rows if row.epoch < now]


def accuracy(positives: FloatArray, negatives: FloatArray) -> float:
    """Return the share of the pairs whose positive has the higher score; ties count half.

    >>> accuracy(np.array([1.0, 1.0, 1.0]), np.array([0.0, 1.0, 2.0]))
    0.5
    """
    return float(np.mean((positives > negatives) + 0.5 * (positives == negatives)))


def _no_scores(questions: Indices, answers: Indices) -> FloatArray:
    """Raise an error, because ordinary negatives are drawn without scores."""
    raise AssertionError("ordinary negatives need no scores")
