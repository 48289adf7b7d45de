"""A BERT that reads two texts and gives one logit: built on a base, made trainable by LoRA, and asked for scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from answersim import weights
from answersim.neural import adapter
from answersim.training.data.pairs import TrainingPair
from answersim.types import FloatArray

if TYPE_CHECKING:
    import torch

# All linear layers of a BERT's blocks; and what is trained whole, since no base has it or this one never used it.
TARGETS = ("query", "key", "value", "attention.output.dense", "intermediate.dense", "output.dense")
WHOLE = ("classifier", "pooler", "token_type_embeddings")

Tokens: TypeAlias = "list[tuple[list[int], list[int]]]"  # of each pair: its token ids and token types


def build(base: Path, dropout: float = 0.0) -> Any:
    """The base in this folder as a sequence classifier with one logit, in fp32, in eval mode, where nothing is dropped.

    A pooler and a classifier that the base lacks are drawn from torch's random state.

    Raises:
        ValueError: If the base lacks anything else, or its weights do not fit its configuration.
    """
    import torch

    settings = {"num_labels": 1, "hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout}
    return weights.load(
        base, "AutoModelForSequenceClassification", dtype=torch.float32, optional=_is_trained_whole, **settings
    ).model


def _is_trained_whole(name: str) -> bool:
    return any(part in WHOLE for part in name.split("."))


def adapt(model: Any, rank: int, alpha: float, dropout: float) -> Any:
    """The model as a peft model, in train mode, of which only LoRA's matrices and the modules in WHOLE are trained."""
    from peft import LoraConfig, TaskType, get_peft_model

    settings = LoraConfig(
        task_type=TaskType.SEQ_CLS,
        r=rank,
        lora_alpha=alpha,
        lora_dropout=dropout,
        target_modules=list(TARGETS),
        modules_to_save=list(WHOLE),
    )
    return get_peft_model(model, settings).train()


def start_from(model: Any, folder: Path) -> None:
    """Put the tensors of the adapter in this folder into the peft model, which must be of the same shape.

    Raises:
        FileNotFoundError: No adapter there.
        ValueError: An adapter of another rank or scale, or one with tensors that the model lacks, or lacking some, or
            with values that are not finite.
    """
    from peft import get_peft_model_state_dict, set_peft_model_state_dict

    stated, own = adapter.read_settings(folder), model.peft_config["default"]
    if (stated.rank, stated.scale) != (own.r, own.lora_alpha / own.r):
        raise ValueError(
            f"{folder} has rank {stated.rank} and scale {stated.scale:g}, but the recipe asks for rank {own.r} and "
            f"scale {own.lora_alpha / own.r:g}; start from an adapter of the same shape"
        )
    tensors, _ = adapter.read_tensors(folder)
    wanted = get_peft_model_state_dict(model)
    if odd := sorted(tensors.keys() ^ wanted.keys()):
        raise ValueError(f"{folder} does not fit the recipe's adapter: {odd[0]} is only in one of them")
    set_peft_model_state_dict(model, {name: tensor.float() for name, tensor in tensors.items()})


def sides(pairs: Sequence[TrainingPair]) -> tuple[list[str], list[str]]:
    """The first texts and the second ones."""
    return [pair.first for pair in pairs], [pair.second for pair in pairs]


def both_orders(
    base: Path, pairs: Sequence[TrainingPair], max_length: int, questions: Sequence[str] | None = None
) -> tuple[Tokens, Tokens]:
    """The tokens of every pair as it is, and in reverse; each with its question where these are given."""
    firsts, seconds = sides(pairs)
    return (
        tokenize(base, firsts, seconds, max_length, questions),
        tokenize(base, seconds, firsts, max_length, questions),
    )


def tokenize(
    base: Path, firsts: Sequence[str], seconds: Sequence[str], max_length: int, questions: Sequence[str] | None = None
) -> Tokens:
    """Token ids and token types of each pair, by the base's tokenizer, as in scoring (``neural.tokens.encode``)."""
    from transformers import AutoTokenizer

    from answersim.neural.tokens import encode

    tokenizer = AutoTokenizer.from_pretrained(base)
    found = encode(tokenizer, list(zip(firsts, seconds, strict=True)), max_length, questions)
    types = found.types or [[0] * len(ids) for ids in found.ids]
    return list(zip(found.ids, types, strict=True))


def padded(tokens: Tokens) -> dict[str, torch.Tensor]:
    """Token ids, token types and mask, each (n, longest). Padding is 0, BERT's; what it is does not matter."""
    import torch

    longest = max(len(ids) for ids, _ in tokens)
    ids, types, mask = (torch.zeros(len(tokens), longest, dtype=torch.long) for _ in range(3))
    for row, (pair_ids, pair_types) in enumerate(tokens):
        ids[row, : len(pair_ids)] = torch.tensor(pair_ids)
        types[row, : len(pair_ids)] = torch.tensor(pair_types)
        mask[row, : len(pair_ids)] = 1
    return {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}


def predict(model: Any, tokens: Tokens, batch_size: int = 64) -> FloatArray:
    """The sigmoid of each pair's logit, shape (n,), in order; the model is left in the mode that it was in."""
    import torch

    by_length = np.argsort([len(ids) for ids, _ in tokens], kind="stable")
    scores = np.zeros(len(tokens))
    training = model.training
    model.eval()
    with torch.no_grad():
        for start in range(0, len(tokens), batch_size):
            places = by_length[start : start + batch_size]
            logits = model(**padded([tokens[i] for i in places])).logits[:, 0]
            scores[places] = logits.float().sigmoid().numpy()
    model.train(training)
    return scores
