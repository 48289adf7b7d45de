"""Train the adapter behind the embedded ``sas`` metric: a cross-encoder on MiniLM, for answers.

    answersim train cross-encoder --preset sts --output runs/sts
    answersim train cross-encoder --preset cpu --start runs/sts/adapter

The model is a BertForSequenceClassification over all-MiniLM-L6-v2 with one logit, whose sigmoid is the score. The
trained parameters are LoRA on all linear layers, and all weights of the classifier, the pooler and the token-type
embeddings, which this base never used. The first training learns the similarity of sentences (STS-B). The second one
continues from its adapter with a mixture of answers, names, numbers and words (``data.mixture``). The weights with the
best mean Pearson over the dev sets are kept. Test sets are scored at the end, in fp32 and from the written files.
While recipes are compared, ``--no-test`` keeps them unseen.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim.checkpoints import search
from answersim.neural import adapter
from answersim.runtime import training_checkpoints
from answersim.training import artifact
from answersim.training.artifact import BASE, LIBRARIES, MODULES
from answersim.training.cross_encoder import inputs, model, teacher
from answersim.training.cross_encoder.inputs import Inputs
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe, command
from answersim.training.data import mixture, teacher_labels
from answersim.training.data.pairs import TrainingPair
from answersim.training.held_out import held_out
from answersim.training.isolation import isolated, quiet_libraries
from answersim.training.output import check as check_output
from answersim.training.output import replacing
from answersim.types import FloatArray

if TYPE_CHECKING:
    from answersim.training.checkpointing import TrainingHistory
    from answersim.training.cross_encoder.trainer import ResumableCrossEncoderTrainer

ADAPTER = "adapter"
PURPOSE = "training a cross-encoder"


def train(
    recipe: CrossEncoderRecipe,
    places: mixture.Places,
    output: Path,
    *,
    base: str = BASE,
    start: Path | None = None,
    resume: bool = True,
    test: bool = True,
) -> Path:
    """Train, and return the folder of the finished adapter, in the format of peft with its recipe.json.

    An interrupted training resumes from ``<output>/training_checkpoint.safetensors``. A finished one only writes its
    adapter again. Equal recipe, data, base, start, machine and number of threads give equal weights, resumed or not.

    Args:
        recipe: The settings that determine the weights.
        places: The folders of the data.
        output: The folder for the training checkpoint and for the result, ``<output>/adapter``.
        base: A name or a folder for ``answersim.checkpoints.search.find``.
        start: The folder of an adapter to start from; None for a new one.
        resume: If False, a training checkpoint in the folder is ignored, and overwritten.
        test: If False, the test sets are not scored, only kept out of training.

    Raises:
        FileNotFoundError: If a file of the data, or model.safetensors of the base, is missing.
        ValueError: If a file of the data is malformed, the checkpoint is of another training, the output folder
            contains files that no training wrote, or the training diverges.
        BlockingIOError: If another training is running in the folder.
        CheckpointNotFoundError, ChecksumError: If the base is missing, or not the pinned one.
        MissingExtraError: If a library of the extra ``train`` is not installed.
    """
    artifact.need_libraries(PURPOSE, MODULES)
    if start is not None:
        adapter.read_settings(start)
        adapter.verify(start)
    folder = Path(base) if Path(base).is_dir() else None
    check_output(
        output, ADAPTER, {"base": folder, "start": start, "data": places.data, "dictionary": places.dictionary}
    )
    with training_checkpoints.alone(output):
        return _train(recipe, places, output, base, start, resume, test)


def _train(
    recipe: CrossEncoderRecipe,
    places: mixture.Places,
    output: Path,
    base: str,
    start: Path | None,
    resume: bool,
    test: bool,
) -> Path:
    from answersim.neural.tokens import max_length

    checkpoint = search.find(base)
    model.check_supported(checkpoint.config, base)
    if recipe.max_length > (most := max_length(checkpoint)):
        raise ValueError(f"max_length is {recipe.max_length}, but the base {base!r} reads at most {most} tokens")
    data = inputs.load(places, recipe)
    weights = checkpoint.folder / "model.safetensors"
    if not weights.is_file():
        raise FileNotFoundError(f"the base {base!r} has no model.safetensors in {checkpoint.folder}")
    identity = {
        "recipe": json.loads(json.dumps(asdict(recipe))),  # as it comes back from a training checkpoint
        "data": data.sha256,
        # The name of a folder, not its path: the recipe travels to other machines.
        "base": {"name": base if base == BASE else checkpoint.folder.name, "sha256": search.sha256(weights)},
        "start": {} if start is None else {"name": start.name, "fingerprint": adapter.fingerprint(start)},
    }
    metric = teacher.teacher(recipe) if recipe.teacher else None
    if metric is not None:
        identity["teacher"] = {"signature": metric.signature}
    path = output / training_checkpoints.FILE
    saved = training_checkpoints.load(path) if resume else None
    if saved:
        artifact.check_same_training(saved.metadata, identity, training_checkpoints.existing(path))
    from answersim.training.cross_encoder.trainer import ResumableCrossEncoderTrainer

    def save(tensors: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
        training_checkpoints.save(path, tensors, {**metadata, **identity})

    with isolated(recipe.seed, recipe.precision), tempfile.TemporaryDirectory() as scratch:
        sizes = ", ".join(
            f"{name} {pool.take or len(pool.pairs)} of {len(pool.pairs)}" for name, pool in data.pools.items()
        )
        artifact.log(f"pairs per epoch: {sizes}; {data.removed} more are in dev or test")
        if saved:
            artifact.log(f"resumed after step {saved.metadata['step']}")
        pools = data.pools
        if metric is not None:
            pools = teacher.labeled(pools, recipe, teacher_labels.default_folder(output), metric)
        trainer = ResumableCrossEncoderTrainer(
            recipe,
            checkpoint,
            list(pools.values()),
            data.dev,
            Path(scratch),
            save=save,
            log=artifact.log,
            start=start,
        )
        history = trainer.finish(saved)
        trainer.classifier.to("cpu")
        held_out_sets = {"dev": data.dev} | ({"test": data.test} if test else {})
        return _write(trainer, history, data, held_out_sets, identity, checkpoint, output / ADAPTER)


def predict(base: search.Checkpoint, folder: Path, pairs: Sequence[TrainingPair], max_length: int) -> FloatArray:
    """Return scores from 0 to 1, shape (n,), of a base with the adapter in a folder, in fp32."""
    merged = adapter.merge(model.build(base.folder), folder)
    return model.predict(merged, model.tokenize(base, model.texts(pairs), max_length))


def _write(
    trainer: ResumableCrossEncoderTrainer,
    history: TrainingHistory,
    data: Inputs,
    held_out_sets: Mapping[str, Mapping[str, Sequence[TrainingPair]]],
    identity: dict[str, Any],
    base: search.Checkpoint,
    folder: Path,
) -> Path:
    """Write the adapter, score the written files, and pin them in recipe.json, which is written last."""
    from peft import get_peft_model_state_dict

    with replacing(folder) as new:
        classifier = trainer.classifier
        tensors = get_peft_model_state_dict(classifier)
        artifact.write_adapter(classifier.peft_config["default"], tensors, identity["base"]["name"], new)
        metadata = {
            "command": command(trainer.recipe),
            "reads_question": trainer.recipe.questions > 0,
            **identity,
            "pairs": {name: len(pool.pairs) for name, pool in data.pools.items()} | {"removed": data.removed},
            "dev_by_step": [
                {name: round(value, 4) for name, value in evaluation.items()} for evaluation in history.evaluations
            ],
            "results": _scored(base, new, held_out_sets, trainer.recipe.max_length),
            "seconds": round(history.seconds),
        }
        artifact.write_recipe(metadata, new, (adapter.CONFIG, adapter.WEIGHTS), LIBRARIES)
    return folder


def results(
    folder: Path, recipe: CrossEncoderRecipe, places: mixture.Places, *, base: str = BASE, test: bool
) -> dict[str, dict[str, Any]]:
    """Score the dev sets of a recipe, and with ``test`` its test sets, by the adapter in a folder.

    Returns:
        By split and set: how many pairs, both coefficients, and their 95 % bootstrap intervals.

    Raises:
        FileNotFoundError, ValueError, CheckpointNotFoundError, ChecksumError: As ``train``.
    """
    artifact.need_libraries(PURPOSE, MODULES)
    splits = ("dev", "test") if test else ("dev",)
    held_out_sets = {split: inputs.held_out_sets(places, recipe, split) for split in splits}
    with quiet_libraries():
        return _scored(search.find(base), folder, held_out_sets, recipe.max_length)


def _scored(
    base: search.Checkpoint,
    folder: Path,
    held_out_sets: Mapping[str, Mapping[str, Sequence[TrainingPair]]],
    max_length: int,
) -> dict[str, dict[str, Any]]:
    by_split: dict[str, dict[str, Any]] = {}
    for split, sets in held_out_sets.items():
        by_split[split] = {}
        for name, pairs in sets.items():
            scores = predict(base, folder, pairs, max_length)
            result = held_out(scores, np.array([pair.label for pair in pairs]))
            by_split[split][name] = {"n": len(pairs)} | result
            low, high = result["pearson_95"]
            artifact.log(
                f"{name}, {split}, as written, fp32: Pearson {result['pearson']:.4f} [{low:.4f}, {high:.4f}], "
                f"Spearman {result['spearman']:.4f}"
            )
    return by_split
