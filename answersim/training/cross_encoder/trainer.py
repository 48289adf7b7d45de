"""One training run of a pair model, step by step, that can be put down and taken up again without a trace.

All that is random in a step follows from the seed and the number of the step, and the order of the pairs from the seed
and the epoch: so a snapshot needs no random state, and a resumed run takes the very steps of one that never stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim import progress, training_checkpoints
from answersim.training.cross_encoder import model as cross_encoder_model
from answersim.training.cross_encoder.recipe import Recipe
from answersim.training.data.mixture import Pool
from answersim.training.data.pairs import TrainingPair
from answersim.training.divergence import check_finite, check_loss
from answersim.types import FloatArray

if TYPE_CHECKING:
    import torch


class Agreement(NamedTuple):
    """Pearson's and Spearman's coefficient of scores with labels: a number each, or one a row."""

    pearson: FloatArray
    spearman: FloatArray


def agreement(scores: FloatArray, labels: FloatArray) -> Agreement:
    """How far scores agree with labels, both (..., n), along the last axis; -1 where one is constant: below any other.

    >>> [round(float(each), 3) for each in agreement(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 5.0]))]
    [0.99, 1.0]
    """
    from scipy.stats import rankdata

    return Agreement(_pearson(scores, labels), _pearson(rankdata(scores, axis=-1), rankdata(labels, axis=-1)))


class _Order(NamedTuple):
    """What an epoch reads: which pairs in reverse, which with their question (both (n,)), and its batches of places."""

    epoch: int
    swapped: NDArray[np.int64]
    asked: NDArray[np.bool_]
    batches: list[NDArray[np.int64]]


class Run:
    """A training run between two steps: the model, the optimizer, and what dev said so far.

    Attributes:
        model: The peft model that is trained.
        step, steps: How many steps were taken, and how many there are.
        seconds: What the steps and the passes over dev took, over all sittings.
        evaluations: Step, Pearson and Spearman of each pass over dev: means over its sets, then each set's Pearson.
        best: The trained tensors by name, as they were at the best Pearson.
    """

    def __init__(
        self,
        recipe: Recipe,
        base: Path,
        pools: Sequence[Pool],
        dev: Mapping[str, Sequence[TrainingPair]],
        start: Path | None = None,
    ) -> None:
        """A run before its first step; draws from torch's random state, which it seeds.

        Args:
            recipe: Its settings.
            base: The folder of the base.
            pools: Labeled pairs, and how many of them an epoch takes.
            dev: Sets of labeled pairs that decide which pass is the best: that with the highest mean of Pearson's.
            start: The folder of an adapter to start from, of the same shape as the recipe's; a new one when not given.
        """
        import torch

        torch.manual_seed(recipe.seed)
        self.recipe = recipe
        self.model = cross_encoder_model.adapt(
            cross_encoder_model.build(base, recipe.dropout), recipe.rank, recipe.alpha, recipe.lora_dropout
        )
        if start is not None:
            cross_encoder_model.start_from(self.model, start)
        self._trained = {name: p for name, p in self.model.named_parameters() if p.requires_grad}
        self._optimizer = self._new_optimizer()
        train = [pair for pool in pools for pair in pool.pairs]
        # Every pair in both orders, and again with its question; which one is read is drawn anew in every epoch.
        self._tokens = cross_encoder_model.both_orders(base, train, recipe.max_length)
        self._asked = None
        if recipe.questions:
            self._asked = cross_encoder_model.both_orders(
                base, train, recipe.max_length, [pair.question for pair in train]
            )
        self._targets = torch.tensor([pair.label for pair in train], dtype=torch.float32)
        self._pools = [(len(pool.pairs), pool.take or len(pool.pairs)) for pool in pools]
        self._dev = {
            name: cross_encoder_model.tokenize(base, *cross_encoder_model.sides(pairs), recipe.max_length)
            for name, pairs in dev.items()
        }
        self._dev_labels = {name: np.array([pair.label for pair in pairs]) for name, pairs in dev.items()}
        self._epoch_steps = math.ceil(sum(take for _, take in self._pools) / recipe.batch_size)
        self._last_order: _Order | None = None
        self.step, self.steps = 0, self._epoch_steps * recipe.epochs
        self.seconds = 0.0
        self.evaluations: list[dict[str, float]] = []
        self.best = self._copies()

    def finish(self, save: Callable[[], None], say: Callable[[str], None]) -> None:
        """Take the steps that are left, then put the best weights by dev into the model.

        Args:
            save: Called every ``snapshot_every`` steps, after each pass over dev, and at the end.
            say: Called with one line after each pass over dev.
        """
        import torch

        evaluate_every = self.recipe.evaluate_every or self._epoch_steps
        with progress.bar(self.steps, "training", "step") as bar:
            bar.update(self.step)
            while self.step < self.steps:
                started = time.perf_counter()
                self._take_step()
                evaluate = self.step % evaluate_every == 0 or self.step == self.steps
                is_saved = evaluate or self.step % self.recipe.snapshot_every == 0
                if is_saved:
                    check_finite(self._trained, f"after step {self.step}")
                line = self._evaluate() if evaluate else ""
                self.seconds += time.perf_counter() - started
                if evaluate:
                    say(f"step {self.step:5d} of {self.steps}, {self.seconds:4.0f} s: {line}")
                if is_saved:
                    save()
                bar.update()
        with torch.no_grad():
            for name, parameter in self._trained.items():
                parameter.copy_(self.best[name])

    def snapshot(self) -> training_checkpoints.TrainingCheckpoint:
        """All that the rest of the run depends on, after at least one step."""
        state = self._optimizer.state
        kinds = {
            "now": {name: p.detach() for name, p in self._trained.items()},
            "best": self.best,
            "exp_avg": {name: state[p]["exp_avg"] for name, p in self._trained.items()},
            "exp_avg_sq": {name: state[p]["exp_avg_sq"] for name, p in self._trained.items()},
        }
        return training_checkpoints.TrainingCheckpoint(
            {f"{kind}/{name}": tensor for kind, named in kinds.items() for name, tensor in named.items()},
            {"step": self.step, "seconds": self.seconds, "evaluations": self.evaluations},
        )

    def restore(self, snapshot: training_checkpoints.TrainingCheckpoint) -> None:
        """Become the run that gave this snapshot, which must be of the same recipe, data and base."""
        import torch

        tensors, facts = snapshot
        self.step, self.seconds, self.evaluations = facts["step"], facts["seconds"], facts["evaluations"]
        for name, parameter in self._trained.items():
            parameter.data.copy_(tensors[f"now/{name}"])
            self.best[name] = tensors[f"best/{name}"]
            self._optimizer.state[parameter] = {
                "step": torch.tensor(float(self.step)),
                **{kind: tensors[f"{kind}/{name}"] for kind in ("exp_avg", "exp_avg_sq")},
            }

    def _new_optimizer(self) -> torch.optim.Optimizer:
        import torch

        groups: dict[float, list[torch.nn.Parameter]] = {}
        for name, parameter in self._trained.items():
            is_head = "classifier" in name or "pooler" in name
            peak = self.recipe.head_rate if is_head else self.recipe.learning_rate
            groups.setdefault(peak, []).append(parameter)
        self._peaks = tuple(groups)
        return torch.optim.AdamW([{"params": group} for group in groups.values()], weight_decay=self.recipe.decay)

    def _take_step(self) -> None:
        import torch

        recipe = self.recipe
        epoch, place = divmod(self.step, self._epoch_steps)
        order = self._order(epoch)
        batch = order.batches[place]
        torch.manual_seed(int(np.random.SeedSequence([recipe.seed, self.step]).generate_state(1)[0]))  # dropout
        for group, peak in zip(self._optimizer.param_groups, self._peaks, strict=True):
            group["lr"] = peak * rate(self.step, self.steps, recipe.warm_up)
        self.model.train(epoch >= recipe.settle)
        with _products_in(recipe.precision):
            logits = self.model(**cross_encoder_model.padded([self._read(i, order) for i in batch])).logits[:, 0]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), self._targets[batch])
        check_loss(float(loss.detach()), self.step + 1)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._trained.values(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self.step += 1

    def _order(self, epoch: int) -> _Order:
        """What an epoch reads, in which batches; it follows from the seed and the epoch alone."""
        if self._last_order is None or self._last_order.epoch != epoch:
            n = len(self._targets)
            rng = np.random.default_rng([self.recipe.seed, epoch])
            swapped = rng.integers(2, size=n)
            draws = np.random.default_rng([self.recipe.seed, epoch, 1])
            asked = draws.random(n) < self.recipe.questions
            taken = np.concatenate(list(self._taken(draws)))
            tokens = self._tokens[0]
            found = batches([len(tokens[i][0]) for i in taken], self.recipe.batch_size, rng)
            self._last_order = _Order(epoch, swapped, asked, [taken[each] for each in found])
        return self._last_order

    def _taken(self, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """The places of the pairs that an epoch takes of each pool: as even a share of each pair as can be."""
        start = 0
        for size, take in self._pools:
            whole, rest = divmod(take, size)
            yield start + np.concatenate([np.tile(np.arange(size), whole), rng.permutation(size)[:rest]])
            start += size

    def _read(self, place: int, order: _Order) -> tuple[list[int], list[int]]:
        """The token ids and types of this pair, as this epoch reads it."""
        tokens = self._asked if self._asked is not None and order.asked[place] else self._tokens
        return tokens[order.swapped[place]][place]

    def _evaluate(self) -> str:
        with _products_in(self.recipe.precision):
            found = {
                name: agreement(cross_encoder_model.predict(self.model, tokens), self._dev_labels[name])
                for name, tokens in self._dev.items()
            }
        pearson, spearman = (float(np.mean([each[i] for each in found.values()])) for i in range(2))
        best = max((each["pearson"] for each in self.evaluations), default=-math.inf)
        if is_best := pearson > best:
            self.best = self._copies()
        several = {name: float(each.pearson) for name, each in found.items()} if len(found) > 1 else {}
        self.evaluations.append({"step": self.step, "pearson": pearson, "spearman": spearman, **several})
        sets = "".join(f", {name} {value:.3f}" for name, value in several.items())
        return f"dev Pearson {pearson:.4f}, Spearman {spearman:.4f}{sets}{' *' if is_best else ''}"

    def _copies(self) -> dict[str, torch.Tensor]:
        return {name: p.detach().clone() for name, p in self._trained.items()}


def batches(lengths: Sequence[int], size: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """The places 0 to n - 1, each once, in batches of like length, so that little is padded.

    They are shuffled, sorted by length within heaps of 40 batches, and the batches shuffled again.
    """
    long = np.array(lengths)
    places = rng.permutation(len(long))
    found = []
    for start in range(0, len(places), size * 40):
        heap = places[start : start + size * 40]
        heap = heap[np.argsort(long[heap], kind="stable")]
        found += [heap[i : i + size] for i in range(0, len(heap), size)]
    return [found[i] for i in rng.permutation(len(found))]


def rate(step: int, steps: int, warm_up: float) -> float:
    """The share of the peak learning rate in this step: a linear rise, then a linear fall that ends above 0.

    >>> [round(rate(step, 4, warm_up=0.5), 2) for step in range(4)]
    [0.5, 1.0, 1.0, 0.5]
    """
    rise = warm_up * steps
    return min((step + 1) / max(rise, 1), (steps - step) / (steps - rise))


def _products_in(precision: str) -> AbstractContextManager[object]:
    import torch

    return torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16")


def _pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    varies = (np.ptp(x, axis=-1) > 0) & (np.ptp(y, axis=-1) > 0)
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    norms = np.linalg.norm(x, axis=-1) * np.linalg.norm(y, axis=-1)
    return np.where(varies, (x * y).sum(axis=-1) / np.where(varies, norms, 1), -1.0)
