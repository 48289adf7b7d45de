"""A BERT that reads two texts and gives one logit: built on a base, made trainable by LoRA, and asked for scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

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
    """
    from transformers import AutoModelForSequenceClassification

    settings = {"num_labels": 1, "hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout}
    return AutoModelForSequenceClassification.from_pretrained(base, **settings).float().eval()


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


def tokenize(base: Path, firsts: Sequence[str], seconds: Sequence[str], max_length: int) -> Tokens:
    """Token ids and token types of each pair, by the base's tokenizer; of a pair too long the longer text is cut."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(base)
    # padding is said, since the tokenizer's own file may ask for some; token types are its own choice, as in use.
    found = tokenizer(list(firsts), list(seconds), truncation="longest_first", max_length=max_length, padding=False)
    types = found.get("token_type_ids") or [[0] * len(ids) for ids in found["input_ids"]]
    return list(zip(found["input_ids"], types, strict=True))


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
