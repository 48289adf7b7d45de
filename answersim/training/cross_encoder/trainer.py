"""The trainer of a cross-encoder: that of sentence-transformers, with checkpoints and batches of this package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from numpy.typing import NDArray
from sentence_transformers import CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.base.evaluation import BaseEvaluator
from sentence_transformers.base.modules import InputModule
from transformers import BatchEncoding

from answersim.metrics.checkpoints.search import Checkpoint
from answersim.training.cross_encoder import model as models
from answersim.training.cross_encoder.inputs import Pool
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe
from answersim.training.data.pairs import TrainingPair, batches, label_agreement
from answersim.training.run.checkpointing import COEFFICIENTS, SET, EpochSampler, ResumableTrainer, Save, arguments

WITH_QUESTIONS = 0.5  # from this share of questions on, dev is also evaluated with questions


class PairClassifier(InputModule):  # type: ignore[misc] # the library has no types
    """The module of a ``CrossEncoder`` that reads a pair, perhaps with a question, as the metrics do."""

    def __init__(self, classifier: Any, base: Checkpoint, max_length: int) -> None:
        """Wrap a peft model."""
        super().__init__()
        self.classifier, self._base, self._max_length = classifier, base, max_length

    def preprocess(self, inputs: Sequence[tuple[str, str, str]], prompt: str | None = None, **_: Any) -> BatchEncoding:
        """Return the padded tokens of pairs with their questions, "" for none."""
        questions = [question for *_, question in inputs]
        return BatchEncoding(models.padded(models.tokenize(self._base, inputs, self._max_length, questions)))

    def forward(self, features: dict[str, torch.Tensor], **_: Any) -> dict[str, torch.Tensor]:
        """Return one logit per pair, shape (n,)."""
        return {"scores": self.classifier(**features).logits[:, 0]}

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Save nothing: an adapter is written by ``artifact``."""


class PairLoss(torch.nn.Module):
    """The binary cross-entropy of pairs with questions. That of the library refuses the third column."""

    def __init__(self, model: CrossEncoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, columns: list[list[str]], labels: torch.Tensor, **_: Any) -> torch.Tensor:
        """Return the mean loss of a batch: columns are first texts, second texts and questions."""
        features = self.model.preprocess(list(zip(*columns, strict=True))).to(self.model.device)
        logits = self.model(features)["scores"]  # (n,)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), labels.float())


class DevSets(BaseEvaluator):  # type: ignore[misc] # the library has no types
    """Pearson and Spearman on each dev set, and their means over the sets."""

    def __init__(
        self, sets: Mapping[str, Sequence[TrainingPair]], base: Checkpoint, max_length: int, *, questions: bool = False
    ) -> None:
        """Tokenize the sets; with ``questions``, those whose pairs have questions also with them, as sets."""
        super().__init__()
        self.tokens = {name: models.tokenize(base, pairs, max_length) for name, pairs in sets.items()}
        self.labels = {name: np.array([pair.label for pair in pairs]) for name, pairs in sets.items()}
        for name, pairs in sets.items() if questions else ():
            if all(pair.question for pair in pairs):
                with_question = f"{name} with question"
                asked_questions = [pair.question for pair in pairs]
                self.tokens[with_question] = models.tokenize(base, pairs, max_length, asked_questions)
                self.labels[with_question] = self.labels[name]

    def __call__(self, model: CrossEncoder, *_: Any, **__: Any) -> dict[str, float]:
        """Return the mean coefficients, and Pearson by set if there are several."""
        by_set = {
            name: label_agreement(
                models.predict(model, tokens, lambda features: model(features)["scores"]), self.labels[name]
            )
            for name, tokens in self.tokens.items()
        }
        means = {name: float(np.mean([values[name] for values in by_set.values()])) for name in COEFFICIENTS}
        if len(by_set) == 1:
            return means
        return means | {f"{SET}{name}": float(values["pearson"][0]) for name, values in by_set.items()}


class ResumableCrossEncoderTrainer(ResumableTrainer, CrossEncoderTrainer):  # type: ignore[misc] # it has no types
    """The trainer of sentence-transformers with training checkpoints, pools of pairs and two learning rates."""

    recipe: CrossEncoderRecipe

    def __init__(
        self,
        recipe: CrossEncoderRecipe,
        base: Checkpoint,
        pools: Sequence[Pool],
        dev: Mapping[str, Sequence[TrainingPair]],
        folder: Path,
        *,
        save: Save,
        start: Path | None = None,
    ) -> None:
        """Prepare a training before its first step. New weights are drawn from the random state of torch.

        The highest mean of the Pearson coefficients on the ``dev`` sets decides which weights are the best. ``start``:
        the folder of an adapter of the same shape to start from.
        """
        self.begin(recipe, save)
        self.classifier = models.adapt(
            models.build(base.folder, recipe.dropout), recipe.lora_r, recipe.lora_alpha, recipe.lora_dropout
        )
        if start is not None:
            models.start_from(self.classifier, start)
        modules = [PairClassifier(self.classifier, base, recipe.max_length)]
        # Version 5.4 of the library looks for a default in the configuration of its own module.
        model = CrossEncoder(modules=modules, device="cpu", activation_fn=torch.nn.Sigmoid())
        train = [pair for pool in pools for pair in pool.pairs]
        # Set before the constructor of the library: the library requests the sampler later, at an unspecified time.
        self.sampler = MixtureSampler(
            _lengths(train, base, recipe), [(len(pool.pairs), pool.take or len(pool.pairs)) for pool in pools], recipe
        )
        super().__init__(
            model=model,
            args=arguments(CrossEncoderTrainingArguments, recipe, recipe.learning_rate, folder),
            train_dataset=_rows(train, with_questions=recipe.questions > 0),
            loss=PairLoss(model),
            evaluator=DevSets(dev, base, recipe.max_length, questions=recipe.questions >= WITH_QUESTIONS),
        )
        self.follow()

    @property
    def trained(self) -> dict[str, torch.nn.Parameter]:
        """The parameters that are trained, by their names in the peft model."""
        return {name: parameter for name, parameter in self.classifier.named_parameters() if parameter.requires_grad}

    def compute_loss(self, model: torch.nn.Module, inputs: dict[str, Any], *others: Any, **named: Any) -> Any:
        """Return the loss of a batch, without dropout in the first epochs of the recipe."""
        model.train(self.state.global_step // len(self.sampler) >= self.recipe.settle)
        return super().compute_loss(model, inputs, *others, **named)

    def get_batch_sampler(self, *_: Any, **__: Any) -> EpochSampler:
        """Return the batches of the pools."""
        return self.sampler

    def create_optimizer(self, *_: Any, **__: Any) -> torch.optim.Optimizer:
        """Return AdamW with a separate learning rate for the head, and weight decay for all parameters."""
        if self.optimizer is None:
            by_peak: dict[float, list[torch.nn.Parameter]] = {}
            for name, parameter in self.trained.items():
                is_head = "classifier" in name or "pooler" in name
                peak = self.recipe.head_learning_rate if is_head else self.recipe.learning_rate
                by_peak.setdefault(peak, []).append(parameter)
            groups = [{"params": parameters, "lr": peak} for peak, parameters in by_peak.items()]
            self.optimizer = torch.optim.AdamW(groups, weight_decay=self.recipe.weight_decay)
        return self.optimizer

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """Return the schedule of ``linear_schedule``."""
        if self.lr_scheduler is None:
            self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
                optimizer or self.optimizer,
                lambda step: linear_schedule(step, num_training_steps, self.recipe.warmup_ratio),
            )
        return self.lr_scheduler


class MixtureSampler(EpochSampler):
    """Batches of the rows that an epoch reads: pairs of each pool, evenly, each in one of its forms (see ``_rows``)."""

    def __init__(
        self, lengths: NDArray[np.int64], pools: Sequence[tuple[int, int]], recipe: CrossEncoderRecipe
    ) -> None:
        """Prepare the batches. ``lengths``: the tokens of each pair without and with its question, (2, pairs)."""
        super().__init__(sum(take for _, take in pools), recipe.batch_size)
        self._lengths, self._pools, self._recipe = lengths, pools, recipe

    def __iter__(self) -> Iterator[list[int]]:
        n, seed = len(self._lengths[0]), self._recipe.seed
        rng, draws = np.random.default_rng([seed, self.epoch]), np.random.default_rng([seed, self.epoch, 1])
        swapped = (rng.random(n) < self._recipe.reverse).astype(np.int64)  # (n,)
        with_question = (draws.random(n) < self._recipe.questions).astype(np.int64)  # (n,)
        taken = np.concatenate(list(self._taken(draws)))
        for batch in batches(self._lengths[with_question[taken], taken].tolist(), self.batch_size, rng):
            pairs = taken[batch]
            yield ((2 * with_question[pairs] + swapped[pairs]) * n + pairs).tolist()

    def _taken(self, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        """Yield the positions of the pairs that an epoch takes of each pool."""
        start = 0
        for size, take in self._pools:
            whole, rest = divmod(take, size)
            yield start + np.concatenate([np.tile(np.arange(size), whole), rng.permutation(size)[:rest]])
            start += size


def _lengths(pairs: Sequence[TrainingPair], base: Checkpoint, recipe: CrossEncoderRecipe) -> NDArray[np.int64]:
    """Return the number of tokens of each pair without and with its question, (2, pairs)."""
    questions = [pair.question for pair in pairs] if recipe.questions else None
    read = (models.tokenize(base, pairs, recipe.max_length, question) for question in (None, questions))
    return np.array([[len(ids) for ids, _ in tokens] for tokens in read])


def linear_schedule(step: int, steps: int, warmup_ratio: float) -> float:
    """Return the share of the peak learning rate in this step: a linear rise, then a linear fall that ends above 0."""
    rise = warmup_ratio * steps
    return min((step + 1) / max(rise, 1), (steps - step) / (steps - rise))


def _rows(pairs: Sequence[TrainingPair], *, with_questions: bool) -> Dataset:
    """Return every pair in order, then every pair in reverse, then both again with their questions."""
    first, second, questions = ([getattr(pair, name) for pair in pairs] for name in ("first", "second", "question"))
    rows = {"first": first + second, "second": second + first, "question": [""] * 2 * len(pairs)}
    if with_questions:
        rows = {**{name: texts * 2 for name, texts in rows.items()}, "question": rows["question"] + questions * 2}
    return Dataset.from_dict({**rows, "label": [pair.label for pair in pairs] * (len(rows["first"]) // len(pairs))})
