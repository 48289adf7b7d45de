"""One training run of a student, by sentence-transformers' trainer, that can be put down and taken up again.

The trainer's own checkpoints hold pickled optimizer and random states, are written file by file, and so can be left
half done by a kill. Here the state is one snapshot, written whole or not at all and read without pickle. All that is
random in a step follows from the seed, the step and the process, and the order of the pairs from the seed and the
epoch: a run that was killed and resumed takes the very steps of one that was not.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.sentence_transformer import losses
from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator
from torch.utils.data import BatchSampler
from transformers import PrinterCallback, TrainerCallback

from answersim import progress
from answersim.training.bi_encoder.recipe import StudentRecipe
from answersim.training.cross_encoder.trainer import batches
from answersim.training.data.pairs import TrainingPair
from answersim.training.divergence import check_finite, check_loss
from answersim.training_checkpoints import TrainingCheckpoint

_LOSSES = {"cosine": losses.CosineSimilarityLoss, "cosent": losses.CoSENTLoss, "angle": losses.AnglELoss}
_STATE = "trainer_state.json"


class Story:
    """What a run has come to so far, besides the weights: equal in all processes.

    Attributes:
        evaluations: Step, Pearson and Spearman of each pass over dev.
        seconds: What the steps and the passes over dev took, over all sittings.
        best: The trained tensors by name, as they were at the best of the recipe's measure.
        stopped: Whether patience ended the run before its last step.
    """

    def __init__(self) -> None:
        self.evaluations: list[dict[str, float]] = []
        self.seconds = 0.0
        self.best: dict[str, torch.Tensor] = {}
        self.stopped = False


class StudentTrainer(SentenceTransformerTrainer):  # type: ignore[misc] # the library has no types
    """sentence-transformers' trainer with our training checkpoints and batches of texts of similar length."""

    def __init__(
        self,
        model: SentenceTransformer,
        recipe: StudentRecipe,
        train: Sequence[TrainingPair],
        dev: Sequence[TrainingPair],
        folder: Path,
        *,
        save: Callable[[dict[str, torch.Tensor], dict[str, Any]], None],
        say: Callable[[str], None],
    ) -> None:
        """A run before its first step.

        Args:
            model: The student; its parameters that require a gradient are trained, in place.
            recipe: What decides the run.
            train: Labeled pairs.
            dev: Labeled pairs; by the recipe's measure on them the best weights are chosen.
            folder: Where the library may write; it writes nothing here.
            save: Called by the main process with the tensors and facts of a snapshot.
            say: Called by the main process with one line after each pass over dev.
        """
        self.recipe, self.story = recipe, Story()
        self._write = save
        self._resumed: TrainingCheckpoint | None = None
        both = [*train, *(each._replace(first=each.second, second=each.first) for each in train)]
        read = both if recipe.symmetric else train
        super().__init__(
            model=model,
            args=_arguments(recipe, folder),
            train_dataset=Dataset.from_dict(
                {
                    "first": [each.first for each in read],
                    "second": [each.second for each in read],
                    "label": [each.label for each in read],
                }
            ),
            loss=_LOSSES[recipe.loss](model),
            evaluator=EmbeddingSimilarityEvaluator(
                [each.first for each in dev],
                [each.second for each in dev],
                [each.label for each in dev],
                batch_size=256,
                main_similarity="cosine",
                write_csv=False,
            ),
        )
        self._lengths = _lengths(model, read)
        self.ceiling = highest_spearman([each.label or 0.0 for each in dev])
        self.remove_callback(PrinterCallback)
        self.add_callback(_Conduct(self, say))

    @property
    def trained(self) -> dict[str, torch.nn.Parameter]:
        """The parameters that are trained, by name."""
        return {name: each for name, each in self.model.named_parameters() if each.requires_grad}

    def finish(self, snapshot: TrainingCheckpoint | None = None) -> Story:
        """Take the steps that are left after this snapshot, then put the best weights by dev into the model."""
        self._resumed = snapshot
        if snapshot is not None:
            self._restore_story(snapshot)
        if not self.story.stopped:
            with tempfile.TemporaryDirectory() as folder:
                if snapshot is not None:
                    (Path(folder) / _STATE).write_text(snapshot.facts["state"], encoding="utf-8")
                self.train(resume_from_checkpoint=folder if snapshot is not None else None)
        with torch.no_grad():
            for name, parameter in self.trained.items():
                parameter.copy_(self.story.best[name])
        return self.story

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """No model card: the library's would read the data to tell of it, and recipe.json tells more."""

    def get_batch_sampler(
        self, dataset: Dataset, batch_size: int, drop_last: bool, seed: int = 0, **_: Any
    ) -> BatchSampler:
        """Batches of pairs of like length, shuffled anew in every epoch."""
        return _LengthSampler(self._lengths, batch_size, drop_last, seed)

    def create_scheduler(self, num_training_steps: int, *others: Any, **named: Any) -> Any:
        """A linear rise and fall. The steps of the rise are counted here: transformers 4 refuses or drops a share."""
        self.args.warmup_steps = math.ceil(num_training_steps * self.recipe.warm_up)
        return super().create_scheduler(num_training_steps, *others, **named)

    def compute_loss(self, model: torch.nn.Module, inputs: dict[str, Any], *others: Any, **named: Any) -> Any:
        """The loss of a batch; a ValueError if it is not finite."""
        found = super().compute_loss(model, inputs, *others, **named)
        check_loss(float((found[0] if isinstance(found, tuple) else found).detach()), self.state.global_step + 1)
        return found

    def _save_checkpoint(self, model: torch.nn.Module, trial: Any) -> None:
        """One snapshot, by the main process, in the place of a folder of pickles."""
        if not self.is_world_process_zero():
            return
        optimizer = self.optimizer.state_dict()
        kinds = {
            "now": {name: each.detach() for name, each in self.trained.items()},
            "best": self.story.best,
            "optimizer": {
                f"{place}/{key}": value for place, state in optimizer["state"].items() for key, value in state.items()
            },
        }
        with tempfile.TemporaryDirectory() as folder:
            self.state.save_to_json(f"{folder}/{_STATE}")
            state = (Path(folder) / _STATE).read_text(encoding="utf-8")
        facts = {
            "state": state,
            "step": self.state.global_step,
            "steps": self.state.max_steps,
            "groups": optimizer["param_groups"],
            "scheduler": self.lr_scheduler.state_dict(),
            "evaluations": self.story.evaluations,
            "seconds": self.story.seconds,
            "stopped": self.story.stopped,
        }
        self._write({f"{kind}/{name}": each for kind, named in kinds.items() for name, each in named.items()}, facts)

    def _restore_story(self, snapshot: TrainingCheckpoint) -> None:
        story, facts = self.story, snapshot.facts
        story.evaluations, story.seconds, story.stopped = facts["evaluations"], facts["seconds"], facts["stopped"]
        story.best = {name: each.to(self.args.device) for name, each in _below(snapshot, "best")}

    def _load_from_checkpoint(self, checkpoint_path: str) -> None:
        """The weights of the snapshot that is resumed."""
        trained = self.trained
        with torch.no_grad():
            for name, tensor in _below(self._resumed, "now"):
                trained[name].copy_(tensor)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        """The states of the snapshot that is resumed."""
        if self._resumed is None:
            return
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in _below(self._resumed, "optimizer"):
            place, _, key = name.partition("/")
            state.setdefault(int(place), {})[key] = tensor
        self.optimizer.load_state_dict({"state": state, "param_groups": self._resumed.facts["groups"]})
        self.lr_scheduler.load_state_dict(self._resumed.facts["scheduler"])

    def _load_rng_state(self, checkpoint: str | None) -> None:
        """Nothing: what is random in a step follows from its number."""


class _Conduct(TrainerCallback):  # type: ignore[misc] # the library has no types
    """When to evaluate, to save and to stop; it seeds every step and keeps the best weights."""

    def __init__(self, trainer: StudentTrainer, say: Callable[[str], None]) -> None:
        self._trainer, self._say = trainer, say
        self._started = 0.0
        self._bar: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._started = time.perf_counter()
        self._bar = progress.bar(state.max_steps, "training", "step")
        self._bar.update(state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._bar.close()

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        seeds = np.random.SeedSequence([args.seed, state.global_step, args.process_index])
        torch.manual_seed(int(seeds.generate_state(1)[0]))  # dropout

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        recipe, step = self._trainer.recipe, state.global_step
        every = recipe.evaluate_every or math.ceil(state.max_steps / recipe.epochs)
        control.should_evaluate = step % every == 0 or step == state.max_steps
        control.should_save = control.should_evaluate or step % recipe.snapshot_every == 0
        if control.should_save:
            check_finite(self._trainer.trained, f"after step {step}")
        self._bar.update()
        self._clock()

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, float], **_: Any) -> None:
        story, measure = self._trainer.story, self._trainer.recipe.measure
        self._clock()
        found = {name: float(metrics[f"eval_{name}_cosine"]) for name in ("pearson", "spearman")}
        best = max((each[measure] for each in story.evaluations), default=-math.inf)
        if is_best := found[measure] > best or not story.best:
            story.best = {name: each.detach().clone() for name, each in self._trainer.trained.items()}
        story.evaluations.append({"step": state.global_step, **found})
        if state.is_world_process_zero:
            self._say(
                f"step {state.global_step:5d} of {state.max_steps}, {story.seconds:4.0f} s: "
                f"dev Pearson {found['pearson']:.4f}, Spearman {found['spearman']:.4f} of at most "
                f"{self._trainer.ceiling:.4f}{', the best so far' if is_best else ''}"
            )
        patience = self._trainer.recipe.patience
        if patience and _since_best([each[measure] for each in story.evaluations]) >= patience:
            story.stopped = control.should_training_stop = True

    def _clock(self) -> None:
        now = time.perf_counter()
        self._trainer.story.seconds += now - self._started
        self._started = now


class _LengthSampler(BatchSampler):
    """Batches of pairs of like length; which ones follows from the seed and the epoch."""

    def __init__(self, lengths: Sequence[int], size: int, drop_last: bool, seed: int) -> None:
        # Several processes take the same number of batches each, and those must be full.
        self.batch_size, self.drop_last = size, drop_last
        self._lengths, self._seed, self.epoch = lengths, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """The epoch whose batches come next; called by the trainer."""
        self.epoch = epoch

    def __len__(self) -> int:
        count = len(self._lengths) / self.batch_size
        return math.floor(count) if self.drop_last else math.ceil(count)

    def __iter__(self) -> Iterator[list[int]]:
        for batch in batches(self._lengths, self.batch_size, np.random.default_rng([self._seed, self.epoch])):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch.tolist()


def highest_spearman(labels: Sequence[float]) -> float:
    """The highest coefficient that scores without ties can have with these labels: below 1 where labels are equal.

    >>> round(highest_spearman([1.0, 1.0, 1.0, 0.5, 0.0]), 4)
    0.8944
    """
    n = len(labels)
    ties = np.unique(labels, return_counts=True)[1].astype(np.float64)
    return math.sqrt(1 - float((ties**3 - ties).sum()) / (n**3 - n))


def _arguments(recipe: StudentRecipe, folder: Path) -> SentenceTransformerTrainingArguments:
    return SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        seed=recipe.seed,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        learning_rate=recipe.rate,
        weight_decay=recipe.decay,
        bf16=recipe.precision == "bf16",
        use_cpu=not torch.cuda.is_available(),  # else bf16 is refused where there is no GPU
        save_strategy="no",
        eval_strategy="no",
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        dataloader_pin_memory=False,
    )


def _lengths(model: SentenceTransformer, pairs: Sequence[TrainingPair]) -> list[int]:
    """Of each pair the tokens of its longer text, which is what decides the padding."""
    counts = [
        [len(ids) for ids in model.tokenizer([each[side] for each in pairs], truncation=True)["input_ids"]]
        for side in (0, 1)
    ]
    return [max(both) for both in zip(*counts, strict=True)]


def _below(snapshot: TrainingCheckpoint | None, kind: str) -> Iterator[tuple[str, torch.Tensor]]:
    for name, tensor in (snapshot.tensors if snapshot else {}).items():
        if name.startswith(f"{kind}/"):
            yield name.removeprefix(f"{kind}/"), tensor


def _since_best(values: Sequence[float]) -> int:
    """How many passes over dev came after the best one.

    >>> _since_best([0.1, 0.3, 0.2, 0.3])
    2
    """
    return len(values) - 1 - int(np.argmax(values))
