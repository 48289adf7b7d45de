"""Train a cross-encoder: an adapter on a base, from labeled pairs, with or without questions.

The model is a classifier of sequences over the base with one logit, whose sigmoid is the score. The weights with the
best mean Pearson over the dev sets are kept. Test sets are scored at the end, in fp32 and from the written files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.runtime import training_checkpoints
from answersim.metrics.checkpoints import adapter, packed, search
from answersim.metrics.neural.tokens import max_length as longest
from answersim.training.cross_encoder import model
from answersim.training.cross_encoder.inputs import Inputs
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe
from answersim.training.data.pairs import TrainingPair, held_out
from answersim.training.run import artifact
from answersim.training.run.artifact import BASE, LIBRARIES, MODULES
from answersim.training.run.output import check as check_output
from answersim.training.run.output import replacing

if TYPE_CHECKING:
    from answersim.training.cross_encoder.trainer import ResumableCrossEncoderTrainer
    from answersim.training.run.checkpointing import TrainingHistory

ADAPTER = "adapter"
FILES = ("model.safetensors", packed.FILE)  # one of them is in the base
PURPOSE = "training a cross-encoder"


def train(
    recipe: CrossEncoderRecipe,
    prepare: Callable[[], Inputs],
    output: Path,
    *,
    reads: Mapping[str, Path | None],
    base: str = BASE,
    start: Path | None = None,
    resume: bool = True,
    test: bool = True,
) -> Path:
    """Train, and return the folder of the finished adapter, in the format of peft with its recipe.json.

    An interrupted training resumes from ``<output>/training_checkpoint.safetensors``. A finished one only writes its
    adapter again. Equal recipe, data, base, start, machine and number of threads give equal weights, resumed or not.
    ``prepare``: returns the pairs. It is called after the other arguments are checked, in the locked output folder.
    ``start``: the folder of an adapter to start from. ``test``: if False, the test sets are only kept out of training.
    """
    artifact.need_libraries(PURPOSE, MODULES)
    from answersim.training.cross_encoder.trainer import ResumableCrossEncoderTrainer

    if start is not None:
        adapter.read_settings(start)
        adapter.verify(start)
    folder = Path(base) if Path(base).is_dir() else None
    check_output(output, ADAPTER, {"base": folder, "start": start, **reads})
    checkpoint = _find_base(base, recipe.max_length)
    with training_checkpoints.alone(output):
        data = prepare()
        same = _identity(recipe, data, checkpoint, base, start)
        with artifact.resumable(recipe, output, same, resume) as (saved, save, scratch):
            pools = list(data.pools.values())
            sizes = (f"{name} {pool.take or len(pool.pairs)} of {len(pool.pairs)}" for name, pool in data.pools.items())
            artifact.log(f"pairs per epoch: {', '.join(sizes)}; {data.removed} more are in dev or test")
            if saved:
                artifact.log(f"resumed after step {saved.metadata['step']}")
            trainer = ResumableCrossEncoderTrainer(recipe, checkpoint, pools, data.dev, scratch, save=save, start=start)
            history = trainer.finish(saved)
            trainer.classifier.to("cpu")
            held_out_sets = {"dev": data.dev} | ({"test": data.test} if test and data.test else {})
            return _write(trainer, history, data, held_out_sets, same, checkpoint, output / ADAPTER)


def _find_base(base: str, max_length: int) -> search.Checkpoint:
    checkpoint = search.find(base)
    model.check_supported(checkpoint.config, base)
    if max_length > (most := longest(checkpoint)):
        raise ValueError(f"max_length is {max_length}, but the base {base!r} reads at most {most} tokens")
    if search.weight_files(checkpoint.folder)[0].name not in FILES:
        raise FileNotFoundError(f"the base {base!r} has none of {', '.join(FILES)} in {checkpoint.folder}")
    return checkpoint


def _identity(
    recipe: CrossEncoderRecipe, data: Inputs, checkpoint: search.Checkpoint, base: str, start: Path | None
) -> dict[str, Any]:
    """Return what must be equal to resume a training checkpoint."""
    return {
        "recipe": json.loads(json.dumps(asdict(recipe))),  # as it comes back from a training checkpoint
        "data": data.sha256,
        # The name of a folder, not its path: the recipe travels to other machines.
        "base": {
            "name": base if search.is_pinned(base) else checkpoint.folder.name,
            "sha256": search.sha256(search.weight_files(checkpoint.folder)[0]),
        },
        "start": {} if start is None else {"name": start.name, "fingerprint": adapter.fingerprint(start)},
    }


def predict(base: search.Checkpoint, folder: Path, pairs: Sequence[TrainingPair], max_length: int) -> FloatArray:
    """Return scores from 0 to 1, shape (n,), of a base with the adapter in a folder, in fp32."""
    merged = adapter.merge(model.build(base.folder), folder)
    return model.predict(merged, model.tokenize(base, pairs, max_length))


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
        has_questions = any(pair.question for pool in data.pools.values() for pair in pool.pairs)
        tensors = get_peft_model_state_dict(classifier)
        artifact.write_adapter(classifier.peft_config["default"], tensors, identity["base"]["name"], new)
        metadata = {
            **data.metadata,
            "reads_question": trainer.recipe.questions > 0 and has_questions,
            **identity,
            "pairs": {name: len(pool.pairs) for name, pool in data.pools.items()} | {"removed": data.removed},
            "dev_by_step": history.rounded(),
            "results": held_out_results(base, new, held_out_sets, trainer.recipe.max_length),
            "seconds": round(history.seconds),
        }
        artifact.write_recipe(metadata, new, (adapter.CONFIG, adapter.WEIGHTS), LIBRARIES)
    return folder


def held_out_results(
    base: search.Checkpoint,
    folder: Path,
    held_out_sets: Mapping[str, Mapping[str, Sequence[TrainingPair]]],
    max_length: int,
) -> dict[str, dict[str, Any]]:
    """Score held-out sets by the adapter in a folder, in fp32; log and return the results by split and set."""
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
