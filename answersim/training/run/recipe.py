"""The base recipe: the settings that the trainings of both encoders share, and their ranges."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields

from answersim._base.errors import unknown

PRECISIONS = ("bf16", "fp32")
LOWEST = {"epochs": 1, "batch_size": 1, "lora_r": 1, "max_length": 8, "checkpoint_every": 1}
# A higher learning rate only diverges. A higher rank fills the memory. Libraries refuse a higher seed.
HIGHEST = {"learning_rate": 1, "head_learning_rate": 1, "lora_r": 4096, "seed": 2**32 - 1}
SHARES = ("warmup_ratio", "dropout", "lora_dropout")
HELP = {
    "seed": "The random seed.",
    "epochs": "Passes over the training pairs.",
    "batch_size": "Pairs per step.",
    "learning_rate": "Peak learning rate.",
    "warmup_ratio": "Share of the steps in which the learning rate rises.",
    "weight_decay": "Weight decay of AdamW.",
    "lora_r": "Rank of the matrices of LoRA.",
    "lora_alpha": "The product of the matrices is multiplied by lora_alpha / lora_r.",
    "dropout": "Dropout of the base.",
    "lora_dropout": "Dropout of the inputs of LoRA.",
    "max_length": "Maximum number of tokens per sequence in training.",
    "precision": "The precision of training: bf16 or fp32.",
    "evaluate_every": "Steps between evaluations on dev. 0: one evaluation per epoch.",
    "checkpoint_every": "Steps between training checkpoints, and so the most steps that a killed process loses.",
    "limit": "Use only this many pairs of each source or split, evenly spread. 0: all.",
}


@dataclass(frozen=True)
class BaseRecipe:
    """The settings of a training that can change its weights, or how many steps a killed process loses."""

    seed: int = 0  # the random seed
    epochs: int = 2  # passes over the training pairs
    batch_size: int = 32  # pairs per step
    learning_rate: float = 1e-3  # the peak of the learning rate, which rises and falls linearly
    warmup_ratio: float = 0.1  # the share of the steps in which the learning rate rises
    weight_decay: float = 0.0  # the weight decay of AdamW
    lora_r: int = 32  # the rank of the matrices of LoRA
    lora_alpha: float = 32.0  # their product is multiplied by ``lora_alpha / lora_r``
    dropout: float = 0.0  # the dropout of the hidden states and attention weights of the base
    lora_dropout: float = 0.0  # the dropout of the inputs of LoRA
    max_length: int = 128  # the maximum number of tokens per sequence in training; longer ones are truncated
    # the precision of the matrix multiplications in training. ``bf16`` is faster if the hardware supports it (AVX-512
    # BF16 on a CPU), and slow if not. ``fp32`` works everywhere. Held-out results are always computed in fp32.
    precision: str = "bf16"
    evaluate_every: int = 0  # steps between two evaluations on dev; 0 for one per epoch
    # steps between two training checkpoints, and so the most steps that a killed process loses
    checkpoint_every: int = 50
    limit: int = 0  # the maximum number of pairs, evenly spread over each source or split; 0 for all. For test runs.

    def __post_init__(self) -> None:
        """Check every setting. Raise ValueError if a number is out of its range, LookupError if a word is unknown."""
        if self.precision not in PRECISIONS:
            raise unknown("precision", self.precision, PRECISIONS)
        for name in (setting.name for setting in fields(self) if setting.type in ("int", "float")):
            value, low, high = getattr(self, name), LOWEST.get(name, 0), HIGHEST.get(name, math.inf)
            if not math.isfinite(value) or not low <= value <= high:
                end = f" to {high}" if name in HIGHEST else ""
                raise ValueError(f"{name} is {value}, but it must be a number from {low}{end}")
        for name in SHARES:
            if getattr(self, name) >= 1:
                raise ValueError(f"{name} is {getattr(self, name)}, but a share must be below 1")

    def check_positive(self, names: Iterable[str]) -> None:
        """Check that none of these settings is 0, with which nothing would be trained.

        Raise ValueError if a setting is 0.
        """
        for name in names:
            if getattr(self, name) == 0:
                raise ValueError(f"{name} is 0, but nothing would be trained; give a number above 0")
