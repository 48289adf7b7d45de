"""A BERT or MPNet that reads two texts and returns one logit: built on a base, trained by LoRA, used for scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.metrics.checkpoints import adapter, weights
from answersim.metrics.checkpoints.search import Checkpoint
from answersim.metrics.neural import tokens

if TYPE_CHECKING:
    import torch

# By kind of model: all linear layers of its blocks, and modules that are trained as a whole, since no base has them or
# it never used them.
TARGETS = {
    "bert": ("query", "key", "value", "attention.output.dense", "intermediate.dense", "output.dense"),
    "mpnet": ("attn.q", "attn.k", "attn.v", "attn.o", "intermediate.dense", "output.dense"),
}
WHOLE = {"bert": ("classifier", "pooler", "token_type_embeddings"), "mpnet": ("classifier",)}


def build(base: Path, dropout: float = 0.0) -> Any:
    """Return the base as a classifier with one logit, in fp32 and eval mode, with new parts drawn by torch."""
    import torch

    settings = {"num_labels": 1, "hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout}

    def optional(name: str) -> bool:
        return any(part in WHOLE["bert"] for part in name.split("."))

    return weights.load(
        base, "AutoModelForSequenceClassification", dtype=torch.float32, optional=optional, **settings
    ).model


def check_supported(config: Mapping[str, Any], name: str) -> None:
    """Check that a model of this configuration can be trained. Raise ValueError if it cannot be trained."""
    if (kind := config.get("model_type")) not in TARGETS:
        raise ValueError(f"the base {name!r} is of the kind {kind!r}, but it must be one of {', '.join(TARGETS)}")


def adapt(model: Any, lora_r: int, lora_alpha: float, lora_dropout: float) -> Any:
    """Return a peft model, in train mode, of which only the matrices of LoRA and the modules in WHOLE are trained."""
    from peft import LoraConfig, TaskType, get_peft_model

    kind = model.config.model_type
    settings = LoraConfig(
        task_type=TaskType.SEQ_CLS,
        r=lora_r,
        lora_alpha=lora_alpha,
        lora_dropout=lora_dropout,
        target_modules=list(TARGETS[kind]),
        modules_to_save=list(WHOLE[kind]),
    )
    return get_peft_model(model, settings).train()


def start_from(model: Any, folder: Path) -> None:
    """Load the tensors of the adapter in this folder into the peft model, which must be of the same shape."""
    from peft import get_peft_model_state_dict, set_peft_model_state_dict

    stated, lora = adapter.read_settings(folder), model.peft_config["default"]
    if (stated.rank, stated.scale) != (lora.r, lora.lora_alpha / lora.r):
        raise ValueError(
            f"{folder} has rank {stated.rank} and scale {stated.scale:g}, but the recipe has rank {lora.r} and scale "
            f"{lora.lora_alpha / lora.r:g}; start from an adapter of the same shape"
        )
    tensors = adapter.read_tensors(folder)
    expected = get_peft_model_state_dict(model)
    if odd := sorted(tensors.keys() ^ expected.keys()):
        raise ValueError(f"{folder} does not fit the recipe's adapter: {odd[0]} is only in one of them")
    set_peft_model_state_dict(model, tensors)


def tokenize(
    base: Checkpoint, pairs: Sequence[tuple[Any, ...]], max_length: int, questions: Sequence[str] | None = None
) -> list[tuple[list[int], list[int]]]:
    """Return token ids and token types of the first two texts of each pair, as in scoring; no types without any."""
    sequences = tokens.tokenize(base, [pair[:2] for pair in pairs], max_length, questions)
    types: list[list[int]] = sequences.types or [[] for _ in sequences.ids]
    return list(zip(sequences.ids, types, strict=True))


def padded(tokens: list[tuple[list[int], list[int]]]) -> dict[str, torch.Tensor]:
    """Return token ids, mask, and token types unless all are 0, as is the default of a model; each (n, longest)."""
    import torch

    longest = max(len(ids) for ids, _ in tokens)
    ids, types, mask = (torch.zeros(len(tokens), longest, dtype=torch.long) for _ in range(3))
    for row, (pair_ids, pair_types) in enumerate(tokens):
        ids[row, : len(pair_ids)] = torch.tensor(pair_ids)
        types[row, : len(pair_types)] = torch.tensor(pair_types)
        mask[row, : len(pair_ids)] = 1
    typed = {"token_type_ids": types} if types.any() else {}
    return {"input_ids": ids, **typed, "attention_mask": mask}


def predict(
    model: Any,
    tokens: list[tuple[list[int], list[int]]],
    logits: Callable[[dict[str, torch.Tensor]], torch.Tensor] | None = None,
    batch_size: int = 64,
) -> FloatArray:
    """Return the sigmoid of the logit of each pair, (n,), in order. ``logits``: from padded tokens to logits, (n,)."""
    import torch

    by_length = np.argsort([len(ids) for ids, _ in tokens], kind="stable")
    scores = np.zeros(len(tokens))
    training = model.training
    model.eval()
    with torch.no_grad():
        for start in range(0, len(tokens), batch_size):
            rows = by_length[start : start + batch_size]
            features = {name: tensor.to(model.device) for name, tensor in padded([tokens[i] for i in rows]).items()}
            values = logits(features) if logits else model(**features).logits[:, 0]
            scores[rows] = values.float().sigmoid().cpu().numpy()
    model.train(training)
    return scores
