"""Adversarial training (IRGAN, pairwise): a generator proposes negatives, and the trained network scores them.

The network that ``rankers.training.trainer`` trains is the discriminator. Its training is adversarial because of the
source of its negatives. Each epoch the generator is first taught by REINFORCE which answers of a pool the discriminator
finds hard to distinguish from the positive, and then draws the negatives of the epoch from such pools.

Source: the committee paper, section 2.3 and equations 3 to 5; Wang et al. 2017, "IRGAN", section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from rankers.modules import scoring
from rankers.modules.scoring import Encoded, Indices
from rankers.settings import check_above_zero, check_choices, check_least
from rankers.training.objective import DivergenceError
from rankers.training.sampling import Negatives, Scorer, TrainingSet, pools
from rankers.training.trainer import part_of, put, restore_slots, seed_of, slots_of


def shifted_sigmoid(hinge: Tensor) -> Tensor:
    """Return 2 (sigmoid(x) - .5), in (-1, 1), x = margin - (positive - negative): the reward of IRGAN's QA code.

    Equation 5 of the committee paper prints 2 max(0, x) - .5, which has no bound.
    """
    return 2 * (torch.sigmoid(hinge) - 0.5)


BASELINES = ("none", "mean")


@dataclass(frozen=True)
class Adversary:
    """The settings of the generator."""

    # the number of negatives per positive for the discriminator, drawn without replacement. Equations 3 and 4 of the
    # paper have one K for both networks. The systems ``-adv`` have 1, so that they read as many texts as the ordinary
    # trainings that they are compared with. ``-adv-k5`` and its controls have 5 for both.
    k: int = 1
    # the number of answers per pool that the generator is rewarded for, drawn with replacement, so that the gradient is
    # unbiased
    samples: int = 5
    # the number of answers in a pool: first the negatives of the question, then answers of other questions
    pool: int = 100
    # the temperature of the softmax over a pool: .05 suits cosines, 1 suits scores without bounds
    temperature: float = 1.0
    # the baseline that is subtracted from the reward: "none", or the "mean" of the other samples of the pool (unbiased)
    baseline: str = "none"
    margin: float = 1.0  # the margin of the hinge in the reward
    # the learning rate of the generator (Adam). That of the discriminator is in its recipe.
    learning_rate: float = 1e-4
    pairs: int = 0  # the number of positives whose pools the generator is trained with in each epoch; 0 for all
    batch_size: int = 16  # the number of pools per step
    seed: int = 0  # the random seed of pools and draws

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choices(self, baseline=BASELINES)
        check_above_zero(self, "temperature", "learning_rate")
        check_least(self, 1, "batch_size")
        check_least(self, 0, "pairs")
        if not 1 <= self.k <= self.pool:
            raise ValueError(f"k is {self.k}, but it must be from 1 to the size of the pool, {self.pool}")
        if self.samples < (2 if self.baseline == "mean" else 1):
            raise ValueError(
                f"samples is {self.samples}, but it must be at least 1, and at least 2 for the baseline 'mean'"
            )


class GeneratorStatistics(NamedTuple):
    """Statistics of the training of the generator in an epoch."""

    epoch: int  # the number of the epoch, from 0
    reward: float  # the mean reward of its samples
    entropy: float  # the mean entropy of its distributions over a pool, as a share of the maximum
    own: float  # the share of the drawn negatives that are candidates of the question itself


class Adversarial(Negatives):
    """Negatives that a generator proposes.

    Attributes:
        generator: A network of the same kind as the trained network, with its own weights.
        statistics: The statistics of each epoch.
    """

    row = GeneratorStatistics

    def __init__(self, generator: nn.Module, texts: Encoded, settings: Adversary) -> None:
        """Set up a generator before its first epoch, initially with the weights of the discriminator."""
        self.generator, self.texts, self.settings = generator, texts, settings
        self.statistics: list[GeneratorStatistics] = []
        self._epoch = 0
        self._trained = {name: p for name, p in generator.named_parameters() if p.requires_grad}
        self._optimizer = torch.optim.Adam(self._trained.values(), lr=settings.learning_rate)

    def draw(self, data: TrainingSet, pairs: Indices, epoch: int, score: Scorer) -> Indices:
        """Train the generator for one epoch against ``score``, then draw k negatives per pair, (n, k)."""
        settings, self._epoch = self.settings, epoch
        rng = np.random.default_rng([settings.seed, epoch, 3])
        draws = torch.Generator().manual_seed(seed_of(settings.seed, epoch, 4))
        taught = rng.permutation(len(pairs))[: settings.pairs or len(pairs)]
        reward, entropy = self._teach(data, pairs[taught], rng, draws, score)
        drawn_from = pools(data, pairs, settings.pool, rng)
        rows = np.repeat(pairs[:, 0], settings.pool)
        flat = torch.from_numpy(scoring.scores(self.generator, self.texts, rows, drawn_from.ravel()))
        self._check(flat, "scores")
        shares = torch.softmax(flat.view(drawn_from.shape) / settings.temperature, dim=1)
        chosen = torch.multinomial(shares, settings.k, generator=draws).numpy()
        negatives = np.take_along_axis(drawn_from, chosen, axis=1)
        self.statistics.append(GeneratorStatistics(epoch, reward, entropy, _own_share(data, pairs, negatives)))
        return negatives

    def state(self) -> dict[str, Tensor]:
        """Return the generator, its optimizer, and its statistics."""
        tensors = {f"now/{name}": p.detach() for name, p in self._trained.items()}
        return tensors | slots_of(self._optimizer, self._trained) | super().state()

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        put(self.generator, part_of(state, "now"))
        restore_slots(self._optimizer, self._trained, state)
        super().restore(state)

    def summary(self) -> str:
        """Return the reward and the entropy of the last epoch, in a few words; "" before the first one."""
        if not self.statistics:
            return ""
        last = self.statistics[-1]
        return f"generator: reward {last.reward:+.4f}, entropy {last.entropy:.4f} of the largest"

    def _teach(
        self, data: TrainingSet, pairs: Indices, rng: np.random.Generator, draws: torch.Generator, score: Scorer
    ) -> tuple[float, float]:
        """Run one epoch of REINFORCE. Return the mean reward, and the mean entropy as a share of the maximum."""
        settings = self.settings
        positives = score(pairs[:, 0], pairs[:, 1])  # (n,)
        proposed = pools(data, pairs, settings.pool, rng)  # (n, pool)
        rewards, entropies = [], []
        for start in range(0, len(pairs), settings.batch_size):
            at = slice(start, start + settings.batch_size)
            logs = torch.log_softmax(
                self._forward(pairs[at, 0], proposed[at]) / settings.temperature, dim=1
            )  # (b, pool)
            self._check(logs, "scores")
            sampled = torch.multinomial(logs.detach().exp().cpu(), settings.samples, True, generator=draws)  # (b, k)
            answers = np.take_along_axis(proposed[at], sampled.numpy(), axis=1)
            negatives = score(np.repeat(pairs[at, 0], settings.samples), answers.ravel()).reshape(answers.shape)
            reward = self._reward(torch.from_numpy(positives[at]), torch.from_numpy(negatives))
            advantage = (reward - self._baseline(reward)).to(logs)
            loss = -(logs.gather(1, sampled.to(logs.device)) * advantage).mean()
            self._step(loss)
            rewards.append(reward.mean(dim=1))
            entropies.append(-(logs.exp() * logs).sum(dim=1).detach().cpu())
        largest = max(float(np.log(settings.pool)), 1e-9)
        return float(torch.cat(rewards).mean()), float(torch.cat(entropies).mean()) / largest

    def _check(self, tensor: Tensor, what: str) -> None:
        if not torch.isfinite(tensor).all():
            raise DivergenceError(
                f"the generator's {what} are not finite in epoch {self._epoch + 1}; its learning rate "
                f"{self.settings.learning_rate} (adversary.learning_rate), or the recipe's, may be too high: give a "
                "lower one"
            )

    def _step(self, loss: Tensor) -> None:
        self._check(loss.detach(), "losses")
        loss.backward()  # type: ignore[no-untyped-call]
        self._check(torch.nn.utils.clip_grad_norm_(self._trained.values(), 5.0), "gradients")
        self._optimizer.step()
        self._optimizer.zero_grad()

    def _reward(self, positives: Tensor, negatives: Tensor) -> Tensor:
        """Return the reward of each sample, (b, samples), from the discriminator's scores, (b,) and (b, samples)."""
        return shifted_sigmoid(self.settings.margin - (positives[:, None] - negatives))

    def _baseline(self, reward: Tensor) -> Tensor:
        """Return the baseline of each reward: 0, or the mean of the other samples of its pool."""
        if self.settings.baseline == "none":
            return torch.zeros_like(reward)
        return (reward.sum(dim=1, keepdim=True) - reward) / (reward.shape[1] - 1)

    def _forward(self, questions: Indices, answers: Indices) -> Tensor:
        """Return scores with a gradient, (b, pool)."""
        self.generator.train()
        device = scoring.device_of(self.generator)
        batch = scoring.batch(self.texts, np.repeat(questions, answers.shape[1]), answers.ravel(), device)
        return self.generator(batch).view(answers.shape)


def _own_share(data: TrainingSet, pairs: Indices, negatives: Indices) -> float:
    """Return the share of drawn answers that are candidates of the question itself."""
    return float(
        np.mean(
            [
                np.isin(rows, data.negatives[question]).mean()
                for (question, _), rows in zip(pairs, negatives, strict=True)
            ]
        )
    )
