"""The base recipe: the settings that the trainings of both encoders share, and their ranges."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from answersim._base.errors import unknown

PRECISIONS = ("bf16", "fp32")
LOWEST = {"epochs": 1, "batch_size": 1, "lora_r": 1, "max_length": 8, "checkpoint_every": 1}
# A higher learning rate only diverges. A higher rank fills the memory. Libraries refuse a higher seed.
HIGHEST = {"learning_rate": 1, "head_learning_rate": 1, "lora_r": 4096, "seed": 2**32 - 1}
SHARES = ("warmup_ratio", "dropout", "lora_dropout")


def setting(default: Any, text: str) -> Any:
    """Return the field of a setting with its default and its help text."""
    return field(default=default, metadata={"help": text})


def help_of(recipe: type[BaseRecipe]) -> dict[str, str]:
    """Return the help text of each setting of a recipe. A recipe that changes only a default keeps the text."""
    kinds = [kind for kind in reversed(recipe.__mro__) if is_dataclass(kind)]
    return {item.name: item.metadata["help"] for kind in kinds for item in fields(kind) if item.metadata}


@dataclass(frozen=True)
class BaseRecipe:
    """The settings of a training that can change its weights, or how many steps a killed process loses."""

    seed: int = setting(0, "The random seed.")
    epochs: int = setting(2, "Passes over the training pairs.")
    batch_size: int = setting(32, "Pairs per step.")
    learning_rate: float = setting(1e-3, "Peak learning rate.")  # it rises and falls linearly
    warmup_ratio: float = setting(0.1, "Share of the steps in which the learning rate rises.")
    weight_decay: float = setting(0.0, "Weight decay of AdamW.")
    lora_r: int = setting(32, "Rank of the matrices of LoRA.")
    lora_alpha: float = setting(32.0, "The product of the matrices is multiplied by lora_alpha / lora_r.")
    dropout: float = setting(0.0, "Dropout of the base.")  # of its hidden states and attention weights
    lora_dropout: float = setting(0.0, "Dropout of the inputs of LoRA.")
    # longer sequences are truncated
    max_length: int = setting(128, "Maximum number of tokens per sequence in training.")
    # ``bf16`` is faster if the hardware supports it (AVX-512 BF16 on a CPU), and slow if not. ``fp32`` works
    # everywhere. Held-out results are always computed in fp32.
    precision: str = setting("bf16", "The precision of training: bf16 or fp32.")
    evaluate_every: int = setting(0, "Steps between evaluations on dev. 0: one evaluation per epoch.")
    checkpoint_every: int = setting(
        50, "Steps between training checkpoints, and so the most steps that a killed process loses."
    )
    limit: int = setting(0, "Use only this many pairs of each source or split, evenly spread. 0: all.")

    def __post_init__(self) -> None:
        """Check every setting. Raise ValueError if a number is out of its range, LookupError if a word is unknown."""
        if self.precision not in PRECISIONS:
            raise unknown("precision", self.precision, PRECISIONS)
        for name in (item.name for item in fields(self) if item.type in ("int", "float")):
            value, low, high = getattr(self, name), LOWEST.get(name, 0), HIGHEST.get(name, math.inf)
            if not math.isfinite(value) or not low <= value <= high:
                end = f" to {high}" if name in HIGHEST else ""
                raise ValueError(f"{name} is {value}, but it must be a number from {low}{end}")
        for name in SHARES:
            if getattr(self, name) >= 1:
                raise ValueError(f"{name} is {getattr(self, name)}, but a share must be below 1")

    def check_positive(self, names: Iterable[str]) -> None:
        """Check that none of these settings is 0, with which nothing would be trained."""
        for name in names:
            if getattr(self, name) == 0:
                raise ValueError(f"{name} is 0, but nothing would be trained; give a number above 0")
