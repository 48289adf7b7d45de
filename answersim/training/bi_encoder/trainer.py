"""The trainer of a bi-encoder: that of sentence-transformers, with training checkpoints and batches of this package."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from datasets import Dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.sentence_transformer import losses
from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.data.pairs import TrainingPair, batches
from answersim.training.run.checkpointing import EpochSampler, ResumableTrainer, Save, arguments

LOSSES = {"cosine": losses.CosineSimilarityLoss, "cosent": losses.CoSENTLoss}


class ResumableBiEncoderTrainer(ResumableTrainer, SentenceTransformerTrainer):  # type: ignore[misc] # it has no types
    """The trainer of sentence-transformers with training checkpoints and batches of texts of similar length."""

    recipe: BiEncoderRecipe
    ending = "_cosine"

    def __init__(
        self,
        model: SentenceTransformer,
        recipe: BiEncoderRecipe,
        train: Sequence[TrainingPair],
        dev: Sequence[TrainingPair],
        folder: Path,
        *,
        save: Save,
    ) -> None:
        """Prepare a training before its first step. It changes the parameters that require a gradient, in place."""
        self.begin(recipe, save)
        self.measure = recipe.measure
        super().__init__(
            model=model,
            args=arguments(SentenceTransformerTrainingArguments, recipe, recipe.peak_learning_rate, folder),
            train_dataset=Dataset.from_dict(
                {name: [getattr(pair, name) for pair in train] for name in ("first", "second", "label")}
            ),
            loss=LOSSES[recipe.loss](model),
            evaluator=EmbeddingSimilarityEvaluator(
                *([pair[column] for pair in dev] for column in range(3)),
                batch_size=256,
                main_similarity="cosine",
                write_csv=False,
            ),
        )
        self._lengths = _lengths(model, train)
        self.follow()

    def get_batch_sampler(
        self, dataset: Dataset, batch_size: int, drop_last: bool, seed: int = 0, **_: Any
    ) -> EpochSampler:
        """Return batches of pairs of similar length, shuffled again in every epoch."""
        return LengthSampler(self._lengths, batch_size, seed)

    def create_scheduler(self, num_training_steps: int, *others: Any, **named: Any) -> Any:
        """Return a linear rise and fall. The rise is given in steps, because transformers 4 ignores a share."""
        self.args.warmup_steps = math.ceil(num_training_steps * self.recipe.warmup_ratio)
        return super().create_scheduler(num_training_steps, *others, **named)


class LengthSampler(EpochSampler):
    """Batches of pairs of similar length."""

    def __init__(self, lengths: Sequence[int], size: int, seed: int) -> None:
        super().__init__(len(lengths), size)
        self._lengths, self._seed = lengths, seed

    def __iter__(self) -> Iterator[list[int]]:
        for batch in batches(self._lengths, self.batch_size, np.random.default_rng([self._seed, self.epoch])):
            yield batch.tolist()


def _lengths(model: SentenceTransformer, pairs: Sequence[TrainingPair]) -> list[int]:
    """Return the number of tokens of the longer text of each pair, which decides the padding."""
    counts = [
        [len(ids) for ids in model.tokenizer([pair[side] for pair in pairs], truncation=True)["input_ids"]]
        for side in (0, 1)
    ]
    return [max(both) for both in zip(*counts, strict=True)]
