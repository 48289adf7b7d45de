"""The settings of a training run: what decides a cross-encoder's weights, given data, base and machine; and presets."""

from __future__ import annotations

import math
import shlex
from dataclasses import asdict, dataclass, fields

PRECISIONS = ("bf16", "fp32")
_LOWEST = {"epochs": 1, "batch_size": 1, "rank": 1, "max_length": 8, "snapshot_every": 1}


@dataclass(frozen=True)
class Recipe:
    """Every setting of a training run that can change its weights, or how much of it a killed process loses.

    Attributes:
        languages: Which files of the data folder are read: ``en-train.csv`` and so on.
        seed: What all that is random follows from.
        epochs: Passes over the training pairs.
        batch_size: Pairs a step.
        learning_rate: The peak for LoRA's matrices and the token types; it rises and falls linearly.
        head_rate: The peak for the pooler and the classifier.
        warm_up: The share of the steps in which the rate rises.
        decay: AdamW's weight decay.
        rank: The rank of LoRA's matrices.
        alpha: Their product is multiplied by alpha / rank.
        dropout: The share of the base's hidden states and attention weights that is dropped.
        lora_dropout: The share of LoRA's inputs that is dropped.
        settle: Epochs at the start in which nothing is dropped, so that the new parts find their feet first.
        max_length: Tokens a pair; beyond them the longer sentence is cut.
        precision: Of the matrix products in training. ``bf16`` is the faster one where the CPU has AVX-512 BF16,
            and slow where it has not; ``fp32`` works everywhere. Held-out results are always computed in fp32.
        evaluate_every: Steps between two passes over dev; 0 for once an epoch.
        snapshot_every: Steps between two snapshots, hence the most that a killed run loses.
        limit: Only the first so many pairs of each file; 0 for all. For trying out.
    """

    languages: tuple[str, ...] = ("en",)
    seed: int = 0
    epochs: int = 4
    batch_size: int = 32
    learning_rate: float = 2e-3
    head_rate: float = 1e-3
    warm_up: float = 0.1
    decay: float = 0.01
    rank: int = 32
    alpha: float = 32.0
    dropout: float = 0.1
    lora_dropout: float = 0.0
    settle: int = 1
    max_length: int = 128
    precision: str = "bf16"
    evaluate_every: int = 0
    snapshot_every: int = 50
    limit: int = 0

    def __post_init__(self) -> None:
        """Raises ValueError for a setting out of its range; names it."""
        for name in (each.name for each in fields(self) if each.name not in ("languages", "precision")):
            value, low = getattr(self, name), _LOWEST.get(name, 0)
            if not math.isfinite(value) or value < low:
                raise ValueError(f"{name} is {value}, but a number from {low} is needed")
        for name in ("warm_up", "dropout", "lora_dropout"):
            if getattr(self, name) >= 1:
                raise ValueError(f"{name} is {getattr(self, name)}, but it is a share, which lies below 1")
        if not self.languages or not all(self.languages):
            raise ValueError(f"languages is {self.languages!r}, but one code at least is needed, such as 'en'")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision is {self.precision!r}, but must be one of {', '.join(PRECISIONS)}")


# cpu is what ships. smoke shows in seconds that everything works; its adapter is of no use.
PRESETS = {"cpu": Recipe(), "smoke": Recipe(epochs=1, limit=64, rank=4, alpha=4.0, snapshot_every=1)}


def command(recipe: Recipe) -> str:
    """The command line that trains by this recipe.

    >>> command(Recipe(seed=3, languages=("en", "de")))
    'python -m answersim.training.cross_encoder --preset cpu --languages en,de --seed 3'
    """
    words = ["python", "-m", "answersim.training.cross_encoder", "--preset", "cpu"]
    for name, value in asdict(recipe).items():
        if value != getattr(PRESETS["cpu"], name):
            words += [f"--{name.replace('_', '-')}", ",".join(value) if name == "languages" else str(value)]
    return shlex.join(words)
