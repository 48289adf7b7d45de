"""A bi-encoder: a model of sentence-transformers on a base, made trainable, written as an adapter or a whole model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim._base.arrays import FloatArray
from answersim.metrics.checkpoints import weights
from answersim.metrics.checkpoints.search import Checkpoint, find
from answersim.metrics.neural.bi_encoder import BiEncoder, sentence_settings
from answersim.metrics.neural.transformer import Transformer
from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.data.pairs import TrainingPair
from answersim.training.run import artifact
from answersim.training.run.artifact import check_finite
from answersim.types import Pair

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

FOLDERS = {"lora": "adapter", "full": "model"}

# The settings of dropout. A key that a configuration lacks is not added to it.
_DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout")


def build(base: Checkpoint, recipe: BiEncoderRecipe) -> SentenceTransformer:
    """Return the base as a sentence-transformers model in fp32, whose weights or adapter the recipe trains."""
    import torch
    from sentence_transformers import SentenceTransformer

    _, limit = sentence_settings(base)
    with torch.random.fork_rng(devices=[]):  # only a check: sentence-transformers initializes missing tensors at random
        weights.load_checkpoint(base, dtype=torch.float32)
    dropouts = {key: recipe.dropout for key in _DROPOUTS if key in base.config}
    model = SentenceTransformer(
        str(base.folder),
        device="cpu",
        local_files_only=True,
        trust_remote_code=False,
        config_kwargs=dropouts,
        model_kwargs={"dtype": torch.float32, "weights_only": True},
    )
    model.max_seq_length = min(recipe.max_length, limit)
    if recipe.method == "lora":
        from peft import LoraConfig, TaskType

        if not (targets := _linear_layers(model.transformers_model)):
            raise ValueError(f"{base.folder} has no linear layers in numbered blocks to adapt; choose method=full")
        lora = {name: getattr(recipe, name) for name in ("lora_alpha", "lora_dropout")}
        model.add_adapter(
            LoraConfig(task_type=TaskType.FEATURE_EXTRACTION, r=recipe.lora_r, target_modules=targets, **lora)
        )
    return model


def write(model: SentenceTransformer, recipe: BiEncoderRecipe, base: Checkpoint, base_name: str, folder: Path) -> None:
    """Write the files of the bi-encoder into this folder: an adapter in fp16, or the model in fp32; all are finite."""
    check_finite(dict(model.named_parameters()), "the bi-encoder")
    folder.mkdir(parents=True, exist_ok=True)
    if recipe.method == "lora":
        tensors = {
            f"base_model.model.{name}": tensor for name, tensor in model.get_adapter_state_dict("default").items()
        }
        artifact.write_adapter(model.transformers_model.peft_config["default"], tensors, base_name, folder)
        return
    model.max_seq_length = sentence_settings(base)[1]  # the shorter limit was for training
    for key, value in base.config.items():
        if key in _DROPOUTS:
            setattr(model.transformers_model.config, key, value)
    model.save_pretrained(str(folder), model_name=base_name, create_model_card=False)


def predict(base: Checkpoint, method: str, folder: Path, pairs: Sequence[TrainingPair]) -> FloatArray:
    """Return the cosines of the metric ``bi-encoder`` with the bi-encoder in this folder, in fp32, (n,)."""
    weights = base if method == "lora" else find(folder)
    encoder = Transformer(checkpoint=weights, adapter=folder if method == "lora" else None)
    return BiEncoder(encoder, *sentence_settings(weights))([Pair(pair.first, pair.second) for pair in pairs])


def _linear_layers(model: Any) -> list[str]:
    """Return the names of the linear layers within the blocks of a model, and so without a pooler."""
    import torch

    names = [name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)]
    return sorted({re.sub(r"^.*\.\d+\.", "", name) for name in names if re.search(r"\.\d+\.", name)})
