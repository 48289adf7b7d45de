"""A mixin that saves and resumes the trainers of both encoders. An interruption does not change the result.

The checkpoints of transformers contain pickled optimizer and random states and are written file by file, so a killed
process can leave them incomplete. Here the state is one training checkpoint, written completely or not at all and read
without pickle. All randomness of a step follows from the seed and the step, and the order of the pairs
follows from the seed and the epoch. A training that was killed and resumed takes the same steps as one that was not.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import BatchSampler
from transformers import PrinterCallback, TrainerCallback

from answersim._base.runtime import progress
from answersim._base.runtime.training_checkpoints import TrainingCheckpoint
from answersim.training.run.artifact import check_finite, check_loss, log
from answersim.training.run.recipe import BaseRecipe

COEFFICIENTS = ("pearson", "spearman")
SET = "set:"  # before the name of a dev set, in the result of an evaluator
_STATE = "trainer_state.json"

Save = Callable[[Mapping[str, torch.Tensor], Mapping[str, Any]], None]


class TrainingHistory:
    """The progress of a training besides its weights."""

    def __init__(self) -> None:
        # the step, the coefficients and further results of each evaluation on dev
        self.evaluations: list[dict[str, float]] = []
        self.seconds = 0.0  # the duration of the steps and evaluations, including those before an interruption
        self.best: dict[str, torch.Tensor] = {}  # the trained tensors at the best evaluation, by name

    def rounded(self) -> list[dict[str, float]]:
        """Return the evaluations for recipe.json."""
        return [{name: round(value, 4) for name, value in evaluation.items()} for evaluation in self.evaluations]


class ResumableTrainer:
    """A mixin for the trainers of sentence-transformers: training checkpoints, the best weights by dev, divergence.

    It comes first among the base classes. A subclass calls ``begin`` before and ``follow`` after the constructor of
    the library.
    """

    # Attributes of the library trainer:
    model: Any
    args: Any
    state: Any
    optimizer: Any
    lr_scheduler: Any
    train: Callable[..., Any]
    add_callback: Callable[..., Any]
    remove_callback: Callable[..., Any]

    measure = "pearson"  # the coefficient that decides which evaluation is the best
    ending = ""  # of the names of the coefficients in the result of the evaluator

    def begin(self, recipe: BaseRecipe, save: Save) -> None:
        """Set what the mixin reads. ``save``: called every ``checkpoint_every`` steps and after each evaluation."""
        self.recipe = recipe
        self.history = TrainingHistory()
        self._save = save
        self._resumed: TrainingCheckpoint | None = None

    def follow(self) -> None:
        """Let the callback of the mixin steer the training, and log one line after each evaluation on dev."""
        self.remove_callback(PrinterCallback)
        self.add_callback(_Steering(self))

    @property
    def trained(self) -> dict[str, torch.nn.Parameter]:
        """The parameters that are trained, by name."""
        return {name: parameter for name, parameter in self.model.named_parameters() if parameter.requires_grad}

    def evaluation(self, metrics: Mapping[str, float]) -> dict[str, float]:
        """Return both coefficients in the result of the evaluator, and Pearson by set if there are several."""
        means = {name: float(metrics[f"eval_{name}{self.ending}"]) for name in COEFFICIENTS}
        opening = f"eval_{SET}"
        return means | {
            name.removeprefix(opening): float(value) for name, value in metrics.items() if name.startswith(opening)
        }

    def finish(self, checkpoint: TrainingCheckpoint | None = None) -> TrainingHistory:
        """Take the remaining steps after this training checkpoint, then load the best weights into the model."""
        self._resumed = checkpoint
        if checkpoint is not None:
            history, metadata = self.history, checkpoint.metadata
            history.evaluations, history.seconds = metadata["evaluations"], metadata["seconds"]
            history.best = {name: tensor.to(self.args.device) for name, tensor in _of_kind(checkpoint, "best")}
        with tempfile.TemporaryDirectory() as folder:
            if checkpoint is not None:
                (Path(folder) / _STATE).write_text(checkpoint.metadata["state"], encoding="utf-8")
            self.train(resume_from_checkpoint=folder if checkpoint is not None else None)
        with torch.no_grad():
            for name, parameter in self.trained.items():
                parameter.copy_(self.history.best[name])
        return self.history

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """Skip the model card of the library: it reads all data, and recipe.json says more."""

    def compute_loss(self, model: torch.nn.Module, inputs: dict[str, Any], *others: Any, **named: Any) -> Any:
        """Return the loss of a batch. Raise ValueError if it is not finite."""
        computed = super().compute_loss(model, inputs, *others, **named)  # type: ignore[misc] # of the library
        loss = computed[0] if isinstance(computed, tuple) else computed
        check_loss(float(loss.detach()), self.state.global_step + 1)
        return computed

    def _save_checkpoint(self, model: torch.nn.Module, trial: Any) -> None:
        """Write one training checkpoint instead of a folder of pickles."""
        optimizer = self.optimizer.state_dict()
        kinds = {
            "now": {name: parameter.detach() for name, parameter in self.trained.items()},
            "best": self.history.best,
            "optimizer": {
                f"{place}/{key}": value for place, state in optimizer["state"].items() for key, value in state.items()
            },
        }
        with tempfile.TemporaryDirectory() as folder:
            self.state.save_to_json(f"{folder}/{_STATE}")
            state = (Path(folder) / _STATE).read_text(encoding="utf-8")
        metadata = {
            "state": state,
            "step": self.state.global_step,
            "steps": self.state.max_steps,
            "groups": optimizer["param_groups"],
            "scheduler": self.lr_scheduler.state_dict(),
            "evaluations": self.history.evaluations,
            "seconds": self.history.seconds,
        }
        tensors = {f"{kind}/{name}": tensor for kind, named in kinds.items() for name, tensor in named.items()}
        self._save(tensors, metadata)

    def _load_from_checkpoint(self, checkpoint_path: str) -> None:
        """Load the weights of the training checkpoint that is resumed."""
        trained = self.trained
        with torch.no_grad():
            for name, tensor in _of_kind(self._resumed, "now"):
                trained[name].copy_(tensor)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        """Load the states of the training checkpoint that is resumed."""
        if self._resumed is None:
            return
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in _of_kind(self._resumed, "optimizer"):
            place, _, key = name.partition("/")
            state.setdefault(int(place), {})[key] = tensor
        self.optimizer.load_state_dict({"state": state, "param_groups": self._resumed.metadata["groups"]})
        self.lr_scheduler.load_state_dict(self._resumed.metadata["scheduler"])

    def _load_rng_state(self, checkpoint: str | None) -> None:
        """Load nothing: the random state of a step follows from its number."""


class EpochSampler(BatchSampler):
    """Batches that follow from the seed and the epoch, which the trainer sets."""

    def __init__(self, n: int, batch_size: int) -> None:
        self.n, self.batch_size, self.drop_last, self.epoch = n, batch_size, False, 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch whose batches come next."""
        self.epoch = epoch

    def __len__(self) -> int:
        return math.ceil(self.n / self.batch_size)


class _Steering(TrainerCallback):  # type: ignore[misc] # the library has no types
    """Decide when to evaluate, save and stop, seed every step, and keep the best weights."""

    def __init__(self, trainer: ResumableTrainer) -> None:
        self._trainer = trainer
        self._started = 0.0
        self._bar: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._started = time.perf_counter()
        self._bar = progress.bar(state.max_steps, "training", "step")
        self._bar.update(state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._bar.close()

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        seeds = np.random.SeedSequence([args.seed, state.global_step, 0])
        torch.manual_seed(int(seeds.generate_state(1)[0]))  # dropout

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        recipe, step = self._trainer.recipe, state.global_step
        every = recipe.evaluate_every or math.ceil(state.max_steps / recipe.epochs)
        control.should_evaluate = step % every == 0 or step == state.max_steps
        control.should_save = control.should_evaluate or step % recipe.checkpoint_every == 0
        if control.should_save:
            check_finite(self._trainer.trained, f"after step {step}")
        self._bar.update()
        self._measure_time()

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, float], **_: Any) -> None:
        trainer, history, measure = self._trainer, self._trainer.history, self._trainer.measure
        self._measure_time()
        evaluation = {"step": state.global_step, **trainer.evaluation(metrics)}
        best = max((earlier[measure] for earlier in history.evaluations), default=-math.inf)
        if is_best := evaluation[measure] > best or not history.best:
            history.best = {name: parameter.detach().clone() for name, parameter in trainer.trained.items()}
        history.evaluations.append(evaluation)
        sets = (f", {name} {value:.3f}" for name, value in evaluation.items() if name not in ("step", *COEFFICIENTS))
        log(
            f"step {state.global_step:5d} of {state.max_steps}, {history.seconds:4.0f} s: dev Pearson "
            f"{evaluation['pearson']:.4f}, Spearman {evaluation['spearman']:.4f}{''.join(sets)}"
            f"{', the best so far' if is_best else ''}"
        )

    def _measure_time(self) -> None:
        now = time.perf_counter()
        self._trainer.history.seconds += now - self._started
        self._started = now


def _of_kind(checkpoint: TrainingCheckpoint | None, kind: str) -> Iterator[tuple[str, torch.Tensor]]:
    for name, tensor in (checkpoint.tensors if checkpoint else {}).items():
        if name.startswith(f"{kind}/"):
            yield name.removeprefix(f"{kind}/"), tensor


def arguments(kind: Any, recipe: BaseRecipe, learning_rate: float, folder: Path) -> Any:
    """Return the training arguments of a recipe."""
    return kind(
        output_dir=str(folder),
        seed=recipe.seed,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        learning_rate=learning_rate,
        weight_decay=recipe.weight_decay,
        bf16=recipe.precision == "bf16",
        use_cpu=not torch.cuda.is_available(),  # otherwise bf16 is refused without a GPU
        save_strategy="no",
        eval_strategy="no",
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        dataloader_pin_memory=False,
    )
