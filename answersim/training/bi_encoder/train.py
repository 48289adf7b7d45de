"""Train a student: a bi-encoder that learns from labeled pairs, as an adapter of a few megabytes or all weights.

The recipe is that of the SAS paper, Augmented SBERT (Thakur et al. 2021). The weights of the best evaluation on dev are
kept. Test is scored once at the end, in fp32 and from the written files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from answersim._base.runtime import training_checkpoints
from answersim.metrics.checkpoints import search
from answersim.metrics.checkpoints.adapter import RECIPE
from answersim.training.bi_encoder import model as bi_encoder_model
from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.data.pairs import TrainingPair, check, digest, labeled_splits, limited
from answersim.training.data.pairs import held_out as held_out_results
from answersim.training.run import artifact
from answersim.training.run.artifact import BASE, LIBRARIES, MODULES
from answersim.training.run.output import check_replaceable, replacing

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class Trained(NamedTuple):
    """The result of a training."""

    # ``<output>/adapter`` or ``<output>/model``; None if nothing was to be written
    folder: Path | None
    measure: str  # the coefficient that dev decided by
    evaluations: list[dict[str, float]]  # step, Pearson and Spearman of each pass over dev
    # by held-out split, both coefficients with intervals, computed from the written files
    results: dict[str, dict[str, Any]]
    pairs_per_second: float  # the speed of the steps and evaluations on dev, over all resumed parts of the training

    @property
    def best(self) -> float:
        """The best value of the measure on dev."""
        return max(evaluation[self.measure] for evaluation in self.evaluations)


def train(
    recipe: BiEncoderRecipe,
    pairs: Sequence[TrainingPair],
    output: Path,
    *,
    base: str = BASE,
    metadata: Mapping[str, Any] | None = None,
    resume: bool = True,
    test: bool = True,
    write: bool = True,
) -> Trained:
    """Train a student on the pairs of the split train, choose by dev, and write it with its recipe.json.

    An interrupted training resumes from ``<output>/training_checkpoint.safetensors``. A finished one only writes
    its files again. Equal recipe, pairs, base, machine and number of threads give equal weights, resumed or not.
    ``test``: if False, the test split is not scored. ``write``: if False, only the training checkpoint is written.
    """
    artifact.need_libraries("training a bi-encoder", MODULES)
    from answersim.training.bi_encoder.trainer import ResumableBiEncoderTrainer

    for i, pair in enumerate(pairs, start=1):
        check(pair, f"pair {i}")
    splits = labeled_splits(limited(pairs, recipe.limit))
    checkpoint = search.find(base)
    same = identity(recipe, pairs, base)
    if write:
        check_replaceable(output / bi_encoder_model.FOLDERS[recipe.method])
    with training_checkpoints.alone(output), artifact.resumable(recipe, output, same, resume) as (saved, save, scratch):
        artifact.log(f"{len(splits['train']):,} training pairs, {len(splits['dev']):,} dev pairs")
        if saved:
            artifact.log(f"resumed after step {saved.metadata['step']} of {saved.metadata['steps']}")
        model = bi_encoder_model.build(checkpoint, recipe)
        trainer = ResumableBiEncoderTrainer(model, recipe, splits["train"], splits["dev"], scratch, save=save)
        history = trainer.finish(saved)
        model.to("cpu")
        steps = max(evaluation["step"] for evaluation in history.evaluations)
        speed = steps * recipe.batch_size / history.seconds
        trained = Trained(None, recipe.measure, history.evaluations, {}, speed)
        if write:
            recorded = {
                **(metadata or {}),
                **same,
                "pairs": {split: len(members) for split, members in splits.items()},
                "dev_by_step": history.rounded(),
                "seconds": round(history.seconds),
                "pairs_per_second": round(speed),
            }
            held_out = splits if test else {"dev": splits["dev"]}
            trained = _write(model, recipe, checkpoint, held_out, recorded, trained, output)
            for split, result in trained.results.items():
                low, high = result["spearman_95"]
                artifact.log(
                    f"{split} as written, fp32: Spearman {result['spearman']:.4f} [{low:.4f}, {high:.4f}], "
                    f"Pearson {result['pearson']:.4f}"
                )
    return trained


def _write(
    model: SentenceTransformer,
    recipe: BiEncoderRecipe,
    base: search.Checkpoint,
    held_out: Mapping[str, list[TrainingPair]],
    metadata: Mapping[str, Any],
    trained: Trained,
    output: Path,
) -> Trained:
    """Write the student, score the written files, and pin them in recipe.json, which is written last."""
    folder = output / bi_encoder_model.FOLDERS[recipe.method]
    with replacing(folder) as new:
        bi_encoder_model.write(model, recipe, base, metadata["base"]["name"], new)
        results = {
            split: held_out_results(
                bi_encoder_model.predict(base, recipe.method, new, members), np.array([pair.label for pair in members])
            )
            for split, members in held_out.items()
            if split != "train" and members
        }
        written = (path for path in new.rglob("*") if path.is_file() and not path.name.startswith(RECIPE))
        names = sorted(path.relative_to(new).as_posix() for path in written)
        artifact.write_recipe({**metadata, "results": results}, new, names, LIBRARIES)
    return trained._replace(folder=folder, results=results)


def identity(recipe: BiEncoderRecipe, pairs: Sequence[TrainingPair], base: str) -> dict[str, Any]:
    """Return what must be equal to resume a training checkpoint: recipe, pairs and base."""
    checkpoint = search.find(base)
    weights = checkpoint.folder / "model.safetensors"
    return {
        "recipe": asdict(recipe),
        "data": {"pairs": digest(pairs)},
        "base": {
            # The name of a folder, not its path: the recipe travels to other machines.
            "name": checkpoint.folder.name if Path(base).is_dir() else base,
            "fingerprint": checkpoint.fingerprint,
            **({"sha256": search.sha256(weights)} if weights.is_file() else {}),
        },
    }
