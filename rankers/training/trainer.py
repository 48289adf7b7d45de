"""One trainer, which does not depend on the model: epochs over positives with negatives, evaluated on dev.

All random numbers depend on the seed and the number of the epoch, and every sum is taken in one order. So a run that
was stopped resumes from the end of its last epoch with the same steps as a run that never stopped. Its weights are
equal to the last bit, on the same machine with the same libraries and number of threads.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from answersim._base.io.records import check_types
from answersim._base.runtime import progress, training_checkpoints
from answersim._base.runtime.concurrency import drawing
from rankers.modules import scoring
from rankers.modules.scoring import Encoded, Indices
from rankers.settings import OFF, check_above_zero, check_below_one, check_choices, check_least, differences, to_json
from rankers.training.objective import (
    LOSSES,
    DivergenceError,
    Epoch,
    Objective,
    Stateful,
    StatefulObjective,
    Step,
    get_loss,
)
from rankers.training.sampling import Negatives, TrainingSet, labeled_pairs
from rankers.types import FloatArray

OPTIMIZERS = ("adam", "adamw", "rmsprop")
SCHEDULES = ("constant", "linear")
READS = ("positives", "rows")
PRECISIONS = ("float32", "bfloat16")
KEPT = ("best", "last")


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run.

    Attributes:
        seed: The random seed of initial weights, order, dropout and negatives.
        epochs: The maximum number of passes over the positives, or over the pairs.
        batch_size: The number of positives per step, each with its negatives, or the number of pairs per step.
        loss: "hinge" (pairwise), "pointwise" or "listwise". See ``rankers.training.objective``.
        margin: The margin of the hinge.
        negatives: The number of negatives per positive.
        optimizer: "adam", "adamw" or "rmsprop" (with momentum .9).
        learning_rate: The peak of the learning rate.
        schedule: "constant", or "linear" decay to 0, after the warm-up.
        warmup_ratio: The share of the steps in which the rate rises from 0.
        weight_decay: Weight decay (L2).
        clip: The maximum norm of the gradient of a step.
        question_length: The maximum number of words of a question that are read.
        answer_length: The maximum number of words of an answer that are read.
        dev_measure: The measure on dev that decides which epoch is the best, with its name in ``rankers.evaluation``.
        dev_limit: The number of questions of dev that are evaluated; 0 for all.
        patience: The number of epochs without a better dev measure after which the run stops; 0 for never.
        keep: "best" keeps the weights of the best epoch on dev, "last" those of the last epoch.
        limit: The number of questions that are trained on; 0 for all.
        reads: "positives": each positive beside negatives; "rows": each pair of a question that has a positive
            and one of its candidates, with its label. ``negatives`` then has no effect, and the loss is pointwise.
        precision: "bfloat16" trains in mixed precision where autocast of torch supports it. Weights and scores stay in
            single precision.
        micro_batch: The number of positives, or of pairs, per pass through the network; 0 for all of a step. The passes
            of a step add up their gradients, so that a step needs the memory of a pass. What a loss compares within a
            batch, such as the weights of SCAN, is then compared within a pass.
    """

    seed: int = 0
    epochs: int = 10
    batch_size: int = 32
    loss: str = "hinge"
    margin: float = 1.0
    negatives: int = 1
    optimizer: str = "adam"
    learning_rate: float = 1e-3
    schedule: str = "constant"
    warmup_ratio: float = 0.0
    weight_decay: float = 0.0
    clip: float = 5.0
    question_length: int = 20
    answer_length: int = 50
    dev_measure: str = "MAP"
    dev_limit: int = 0
    patience: int = 0
    keep: str = "best"
    limit: int = 0
    reads: str = "positives"
    precision: str = "float32"
    micro_batch: int = field(default=0, metadata=OFF)

    def __post_init__(self) -> None:
        """Check the settings."""
        check_types(Recipe, vars(self))
        check_choices(self, loss=tuple(LOSSES), optimizer=OPTIMIZERS, schedule=SCHEDULES, keep=KEPT, reads=READS)
        check_choices(self, precision=PRECISIONS)
        check_least(self, 1, "batch_size", "negatives", "question_length", "answer_length")
        check_least(self, 0, "epochs", "dev_limit", "patience", "limit", "seed", "margin")
        check_least(self, 0, "weight_decay", "micro_batch")
        check_above_zero(self, "learning_rate", "clip")
        check_below_one(self, "warmup_ratio")
        if self.micro_batch > self.batch_size:
            raise ValueError(f"micro_batch is {self.micro_batch}, but a step has batch_size {self.batch_size}")
        if self.reads == "rows" and self.loss != "pointwise":
            raise ValueError(f"loss is {self.loss!r}, but single rows have nothing to compare: give loss='pointwise'")


# torch has one random state for all threads, but a run must depend on its seed alone
_ONE_AT_A_TIME = threading.RLock()
NOW, BEST = "now", "best"  # the weights of the last epoch and of the best one, in the state of a training

Hook = Callable[[Epoch, nn.Module], None]
Dev = Callable[[nn.Module], float]


class Trainer:
    """A run between two epochs.

    Attributes:
        network: The network that is trained.
        history: The record of every epoch, epoch 0 first.
        best: The trained tensors by name, after the epoch with the best dev measure.
    """

    def __init__(
        self,
        network: nn.Module,
        data: TrainingSet,
        texts: Encoded,
        dev: Dev,
        recipe: Recipe,
        negatives: Negatives,
        objective: Objective | None = None,
        hooks: Sequence[Hook] = (),
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        """Set up a training before its first epoch.

        The network maps a ``Batch`` to scores, (pairs,), and ``texts`` are the ids of the questions and answers of
        ``data``. ``dev`` maps the network to the measure that decides which epoch is the best; higher is better. The
        default objective is the loss of the recipe on the scores. The state of a ``StatefulObjective`` is kept, and its
        ``end_epoch`` is called before the hooks, which are called after every epoch and before the first, before the
        state is saved. If a hook fails, nothing of its epoch is saved. A state that was saved with another provenance
        (JSON-compatible) is rejected. The recipe, the start, the data and their ids are always compared.
        """
        self.network, self.data, self.texts, self.dev, self.recipe = network, data, texts, dev, recipe
        self.negatives, self.hooks = negatives, tuple(hooks)
        self.objective = objective or _of_scores(recipe)
        self._trained = {name: p for name, p in network.named_parameters() if p.requires_grad}
        self._optimizer = _optimizer(recipe, list(self._trained.values()))
        self._pairs, self._labels = _rows_read(data, recipe)
        self._steps = -(-len(self._pairs) // recipe.batch_size)
        self.history: list[Epoch] = []
        self.best: dict[str, Tensor] = self._copies()
        self._provenance = json.loads(json.dumps(dict(provenance or {})))
        self._origin = _origin(self.best, data, texts)

    @property
    def is_done(self) -> bool:
        """Whether all epochs up to the last one are done, or dev did not improve for longer than the patience."""
        if not self.history:
            return False
        since = self.history[-1].epoch - self.best_epoch.epoch
        is_stale = bool(self.recipe.patience) and since >= self.recipe.patience
        return is_stale or self.history[-1].epoch >= self.recipe.epochs

    @property
    def best_epoch(self) -> Epoch:
        """The epoch with the best dev measure, the first of equal ones."""
        return max(self.history, key=lambda epoch: (epoch.dev, -epoch.epoch))

    def finish(self, folder: Path | None = None, say: Callable[[str], None] = lambda line: None) -> None:
        """Run the remaining epochs, then put the weights that the recipe keeps into the network.

        The state is saved in the folder after each epoch, and a training resumes from a state in it. ``say`` gets one
        line after each epoch.
        """
        with _ONE_AT_A_TIME:
            self._finish(folder, say)

    def _finish(self, folder: Path | None, say: Callable[[str], None]) -> None:
        if folder is not None and not self.history:
            self._resume(folder)
            if self.history:
                say(f"resumed after epoch {self.history[-1].epoch}")
        with progress.bar(self.recipe.epochs * self._steps, "training", "step") as bar, _in_one_order():
            bar.update(max(len(self.history) - 1, 0) * self._steps)
            while not self.is_done:
                start = time.perf_counter()
                self._end(self._read(bar.update) if self.history else float("nan"), start, say)
                if folder is not None:
                    self._save(folder)
        if self.recipe.keep == "best":
            put(self.network, self.best)

    def _read(self, update: Callable[[int], Any]) -> float:
        """Run one epoch. Return the mean loss of its steps."""
        recipe, epoch = self.recipe, self.history[-1].epoch
        pairs, labels = self._pairs, self._labels
        with drawing(), torch.random.fork_rng(devices=_devices(self.network)):  # building a network draws, too
            torch.manual_seed(seed_of(recipe.seed, epoch))
            negatives = self.negatives.draw(self.data, pairs, epoch, self._score)
            total = 0.0
            for number, places in enumerate(self._batches(negatives, epoch)):
                for group in self._optimizer.param_groups:
                    group["lr"] = self._rate(epoch * self._steps + number)
                size = recipe.micro_batch or len(places)
                passes = [places[start : start + size] for start in range(0, len(places), size)]
                total += self._take(
                    (self._step(pairs[rows], negatives[rows], labels[rows]) for rows in passes), len(places), number
                )
                update(1)
        return total / self._steps

    def _take(self, passes: Iterable[Step], size: int, number: int) -> float:
        """Take one step for the gradients of these passes, and return its loss. ``size`` is that of all passes."""
        self.network.train()
        device, value = scoring.device_of(self.network).type, 0.0
        self._optimizer.zero_grad()
        for step in passes:
            with torch.autocast(device, torch.bfloat16, enabled=self.recipe.precision == "bfloat16"):
                loss = self.objective(self.network, step) * (len(step.relevance) / size)
            value += float(loss.detach())
            if not np.isfinite(value):
                raise self._diverged(f"the loss is {value}", number)
            loss.backward()  # type: ignore[no-untyped-call]
        norm = float(torch.nn.utils.clip_grad_norm_(self._trained.values(), self.recipe.clip))
        if not np.isfinite(norm):
            raise self._diverged(f"the norm of the gradient is {norm}", number)
        self._optimizer.step()
        return value

    def _diverged(self, what: str, number: int | None = None) -> DivergenceError:
        """Return the error for numbers that are not finite, in this batch or at the end of the epoch."""
        epoch, rate = self.history[-1].epoch + 1 if self.history else 0, self.recipe.learning_rate
        at = "" if number is None else f", batch {number + 1} of {self._steps}"
        return DivergenceError(
            f"{what} in epoch {epoch}{at}; the learning rate {rate} may be too high: give a lower one"
        )

    def _check_weights(self) -> None:
        for name, weight in self._trained.items():
            if not torch.isfinite(weight).all():
                raise self._diverged(f"the weights {name!r} contain numbers that are not finite")

    def _step(self, pairs: Indices, negatives: Indices, labels: Indices) -> Step:
        answers = np.concatenate([pairs[:, 1:], negatives], axis=1)  # (n, 1 + k): the positive first
        good = np.zeros(answers.shape)
        good[:, 0] = labels
        device = scoring.device_of(self.network)
        batch = scoring.batch(self.texts, np.repeat(pairs[:, 0], answers.shape[1]), answers.ravel(), device)
        relevance = torch.from_numpy(good).float().to(device)
        return Step(batch, relevance, torch.ones(answers.shape, dtype=torch.bool, device=device))

    def _batches(self, negatives: Indices, epoch: int) -> list[Indices]:
        """Return indices of pairs in an order of this epoch, in batches of similar length, to reduce padding."""
        rng = np.random.default_rng([self.recipe.seed, epoch, 0])
        pairs, long = self._pairs, np.array([len(tokens) for tokens in self.texts.answers])
        longest = long[np.concatenate([pairs[:, 1:], negatives], axis=1)].max(axis=1)  # (n,)
        if self.recipe.reads == "rows":  # by networks that read both texts as one
            longest = longest + np.array([len(tokens) for tokens in self.texts.questions])[pairs[:, 0]]
        order, size = rng.permutation(len(longest)), self.recipe.batch_size
        batches: list[Indices] = []
        for start in range(0, len(order), 20 * size):
            heap = order[start : start + 20 * size]
            heap = heap[np.argsort(longest[heap], kind="stable")]
            batches += [heap[i : i + size] for i in range(0, len(heap), size)]
        return [batches[i] for i in rng.permutation(len(batches))]

    def _rate(self, step: int) -> float:
        recipe, steps = self.recipe, max(self.recipe.epochs * self._steps, 1)
        rise = recipe.warmup_ratio * steps
        if step < rise:
            return recipe.learning_rate * min((step + 1) / rise, 1.0)
        return recipe.learning_rate * ((steps - step) / (steps - rise) if recipe.schedule == "linear" else 1.0)

    def _score(self, questions: Indices, answers: Indices) -> FloatArray:
        return scoring.scores(self.network, self.texts, questions, answers)

    def _end(self, loss: float, start: float, say: Callable[[str], None]) -> None:
        """Evaluate on dev, store the weights if they are the best, and call the objective and the hooks."""
        before = self.history[-1].seconds if self.history else 0.0
        self._check_weights()
        try:
            value = self.dev(self.network)
        except DivergenceError as error:
            raise self._diverged(str(error)) from None
        if not np.isfinite(value):
            raise DivergenceError(
                f"the measure on dev is {value} after epoch {len(self.history)}, so that no epoch can be chosen; "
                f"check the "
                f"scores of the network and the dev measure ({self.recipe.dev_measure})"
            )
        epoch = Epoch(len(self.history), loss, value, before + time.perf_counter() - start)
        self.history.append(epoch)
        if self.best_epoch is epoch:
            self.best = self._copies()
        if isinstance(self.objective, StatefulObjective):
            self.objective.end_epoch(epoch, self.network)
        for hook in self.hooks:
            hook(epoch, self.network)
        star = " *" if self.best_epoch is epoch else ""
        loss_text = "" if np.isnan(loss) else f"loss {loss:.4f}, "
        summaries = (source.summary() for source in self._stateful().values())
        more = "".join(f"; {summary}" for summary in summaries if summary)
        say(
            f"epoch {epoch.epoch:3d} of {self.recipe.epochs}, {epoch.seconds:4.0f} s: "
            f"{loss_text}dev {value:.4f}{star}{more}"
        )

    def _stateful(self) -> dict[str, Stateful]:
        """Return what has a state of its own, by its name in the state of the training."""
        sources = {"objective": self.objective, "negatives": self.negatives}
        return {name: source for name, source in sources.items() if isinstance(source, Stateful)}

    def _copies(self) -> dict[str, Tensor]:
        return {name: p.detach().cpu().clone() for name, p in self._trained.items()}

    def _save(self, folder: Path) -> None:
        """Save what the rest of the training needs: equal weights once, and after the last epoch no optimizer."""
        tensors: dict[str, Tensor] = {}
        if not (self.is_done and self.recipe.keep == "best"):
            tensors |= {f"{NOW}/{name}": p.detach().cpu() for name, p in self._trained.items()}
        if not tensors or self.best_epoch is not self.history[-1]:
            tensors |= {f"{BEST}/{name}": tensor.clone() for name, tensor in self.best.items()}
        if not self.is_done:
            tensors |= slots_of(self._optimizer, self._trained)
        for kind, source in self._stateful().items():
            tensors |= {f"{kind}/{name}": tensor.cpu() for name, tensor in source.state().items()}
        history = [list(epoch) for epoch in self.history]
        training_checkpoints.save(
            folder / training_checkpoints.FILE, tensors, {"run": self._stated(), "history": history}
        )

    def _stated(self) -> dict[str, Any]:
        """Return the settings that identify this training, as read back from JSON."""
        return {**json.loads(json.dumps(to_json(self.recipe))), **self._provenance, **self._origin}

    def _resume(self, folder: Path) -> None:
        path = folder / training_checkpoints.FILE
        try:
            checkpoint = training_checkpoints.load(path)
        except ValueError as error:
            raise ValueError(f"{path} is damaged ({error.__cause__}): give another folder, or remove it") from error
        if checkpoint is None:
            return
        ours = self._stated()
        theirs = checkpoint.metadata.get("run", {})
        if theirs != ours:
            other = "; ".join(differences(theirs, ours))
            raise ValueError(
                f"{path} is of a training with other settings ({other}): give another folder, or remove it"
            )
        self.history = [Epoch(*row) for row in checkpoint.metadata["history"]]
        put(self.network, part_of(checkpoint.tensors, NOW))
        self.best = best_of(checkpoint.tensors)
        restore_slots(self._optimizer, self._trained, checkpoint.tensors)
        for kind, source in self._stateful().items():
            source.restore(part_of(checkpoint.tensors, kind))


def best_of(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of the best epoch in the state of a training. If it is the last one, they are stored once."""
    return part_of(tensors, BEST) or part_of(tensors, NOW)


def slots_of(optimizer: torch.optim.Optimizer, names: Iterable[str]) -> dict[str, Tensor]:
    """Return the tensors that an optimizer has for parameters of these names, in their order."""
    named, slots = list(names), optimizer.state_dict()["state"]
    return {
        f"optimizer/{key}/{named[place]}": torch.as_tensor(tensor).cpu()
        for place, state in slots.items()
        for key, tensor in state.items()
    }


def restore_slots(optimizer: torch.optim.Optimizer, names: Iterable[str], tensors: Mapping[str, Tensor]) -> None:
    """Restore an optimizer to the one of which ``slots_of`` returned these tensors, among others."""
    state: dict[int, dict[str, Tensor]] = {}
    place = {name: i for i, name in enumerate(names)}
    for name, tensor in part_of(tensors, "optimizer").items():
        key, _, parameter = name.partition("/")
        state.setdefault(place[parameter], {})[key] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def part_of(tensors: Mapping[str, Tensor], kind: str) -> dict[str, Tensor]:
    """Return the tensors whose names begin with ``kind/``, without that prefix."""
    return {name[len(kind) + 1 :]: tensor for name, tensor in tensors.items() if name.startswith(f"{kind}/")}


def put(network: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Assign these values to the parameters of the network by name."""
    parameters = dict(network.named_parameters())
    with torch.no_grad():
        for name, tensor in tensors.items():
            parameters[name].copy_(tensor)


def seed_of(*numbers: int) -> int:
    """Return one seed for torch from several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def _rows_read(data: TrainingSet, recipe: Recipe) -> tuple[Indices, Indices]:
    """Return the pairs of an epoch: every positive, or every pair with its label."""
    if recipe.reads == "rows":
        return labeled_pairs(data)
    return data.pairs, np.ones(len(data.pairs), dtype=np.int64)


def _of_scores(recipe: Recipe) -> Objective:
    loss = get_loss(recipe.loss, margin=recipe.margin)

    def objective(network: nn.Module, step: Step, /) -> Tensor:
        scores = network(step.batch).view_as(step.relevance)
        return loss(scores, step.relevance, step.mask)

    return objective


def _optimizer(recipe: Recipe, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
    if recipe.optimizer == "rmsprop":
        return torch.optim.RMSprop(parameters, lr=recipe.learning_rate, momentum=0.9, weight_decay=recipe.weight_decay)
    kind = torch.optim.AdamW if recipe.optimizer == "adamw" else torch.optim.Adam
    return kind(parameters, lr=recipe.learning_rate, weight_decay=recipe.weight_decay)


def _origin(start: Mapping[str, Tensor], data: TrainingSet, texts: Encoded) -> dict[str, str]:
    """Return hashes of the initial weights of a training and of its data."""
    weights = sha256()
    for name, tensor in sorted(start.items()):
        weights.update(f"{name} {list(tensor.shape)}".encode() + tensor.contiguous().numpy().tobytes())
    rows = [array.tolist() for array in (data.pairs, *data.negatives)]
    read = sha256(json.dumps([rows, texts]).encode())
    return {"start": weights.hexdigest()[:12], "data": read.hexdigest()[:12]}


@contextmanager
def _in_one_order() -> Iterator[None]:
    """Make torch sum in one order. Otherwise the last bit may vary if several threads add up a gradient."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    fills = torch.utils.deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined] # a tenth of the time
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        torch.utils.deterministic.fill_uninitialized_memory = fills  # type: ignore[attr-defined]


def _devices(network: nn.Module) -> list[torch.device]:
    device = scoring.device_of(network)
    return [device] if device.type == "cuda" else []  # others draw from the state of the CPU
