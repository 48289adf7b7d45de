"""The settings of a training run: what decides a cross-encoder's weights, given data, start and machine; presets."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from answersim.errors import unknown
from answersim.training.data.mixture import SOURCES

PRECISIONS = ("bf16", "fp32")
LOWEST = {"epochs": 1, "batch_size": 1, "rank": 1, "max_length": 8, "snapshot_every": 1}
# A higher rate only diverges. A higher rank fills the memory. Libraries refuse a higher seed.
HIGHEST = {"learning_rate": 1, "head_rate": 1, "rank": 4096, "seed": 2**32 - 1}
POSITIVE = ("alpha", "learning_rate")  # 0 would train nothing
SHARES = ("warm_up", "dropout", "lora_dropout")


def check_numbers(recipe: Any, names: Iterable[str], positive: Iterable[str]) -> None:
    """Check that these settings are finite numbers in their ranges.

    Raises:
        ValueError: If one is not; names it.
    """
    for name in names:
        value, low, high = getattr(recipe, name), LOWEST.get(name, 0), HIGHEST.get(name, math.inf)
        if not math.isfinite(value) or not low <= value <= high:
            end = f" to {high}" if name in HIGHEST else ""
            raise ValueError(f"{name} is {value}, but a number from {low}{end} is needed")
    for name in positive:
        if getattr(recipe, name) == 0:
            raise ValueError(f"{name} is 0, but nothing would be trained; give a number above 0")
    for name in SHARES:
        if getattr(recipe, name) >= 1:
            raise ValueError(f"{name} is {getattr(recipe, name)}, but it is a share, which lies below 1")


@dataclass(frozen=True)
class Recipe:
    """Every setting of a training run that can change its weights, or how much of it a killed process loses.

    Attributes:
        mixture: The sources of training pairs and how many an epoch takes of each; 0 for all, each once.
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
        snapshot_every: Steps between two training_checkpoints, hence the most that a killed run loses.
        questions: The share of the pairs with a question that are read together with it; drawn anew in every epoch.
        limit: Only the first so many pairs of each source and split; 0 for all. For trying out.
    """

    mixture: tuple[tuple[str, int], ...] = (("sts", 0),)
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
    questions: float = 0.0
    limit: int = 0

    def __post_init__(self) -> None:
        """Raises ValueError for a setting out of its range; names it."""
        check_numbers(self, [each.name for each in fields(self) if each.name not in ("mixture", "precision")], POSITIVE)
        if self.questions > 1:
            raise ValueError(f"questions is {self.questions}, but it is a share, which is at most 1")
        self._check_mixture()
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision is {self.precision!r}, but must be one of {', '.join(PRECISIONS)}")

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources, in order."""
        return tuple(name for name, _ in self.mixture)

    def _check_mixture(self) -> None:
        if not self.mixture or len(set(self.sources)) < len(self.mixture):
            raise ValueError(f"mixture is {self.mixture!r}, but one source at least is needed, and each once")
        for name, take in self.mixture:
            if name not in SOURCES:
                raise unknown("source of training pairs", name, SOURCES)
            if take < 0:
                raise ValueError(f"mixture takes {take} pairs of {name}, but a number from 0 is needed")


# What ships was made in two runs: "sts" makes a cross-encoder of the base, and "cpu" goes on from its adapter with
# answers. "smoke" shows in seconds that everything works; its adapter is of no use.
ANSWERS = (
    ("sts", 3450),
    ("verdicts", 0),
    ("sentences", 1100),
    ("aliases", 3500),
    ("strangers", 1500),
    ("task7", 2450),
    ("wordnet", 3600),
    ("numbers", 1200),
    ("dates", 800),
    ("legislators", 1000),
    ("names", 900),
)
PRESETS = {
    "cpu": Recipe(mixture=ANSWERS, epochs=3, learning_rate=5e-4, head_rate=3e-4, settle=0, questions=0.3),
    "sts": Recipe(),
    "smoke": Recipe(epochs=1, limit=64, rank=4, alpha=4.0, snapshot_every=1),
}


def command(recipe: Recipe) -> str:
    """The command line that trains by this recipe.

    >>> command(Recipe(seed=3, mixture=(("sts", 0), ("dates", 100))))
    'answersim train cross-encoder --preset sts --mixture sts=0,dates=100 --seed 3'
    """
    preset = min(PRESETS, key=lambda name: len(_changes(recipe, PRESETS[name])))
    return shlex.join(["answersim", "train", "cross-encoder", "--preset", preset, *_changes(recipe, PRESETS[preset])])


def mixture(text: str) -> tuple[tuple[str, int], ...]:
    """The mixture in a text such as "sts=0,dates=100"; a source without a number takes all its pairs.

    Raises:
        ValueError: What follows a "=" is no number.
    """
    parts = [part.partition("=") for part in text.split(",") if part.strip()]
    try:
        return tuple((name.strip(), int(take or 0)) for name, _, take in parts)
    except ValueError:
        raise ValueError(f"the mixture {text!r} is not of the form sts=0,dates=100") from None


def _changes(recipe: Recipe, preset: Recipe) -> list[str]:
    words: list[str] = []
    for name, value in asdict(recipe).items():
        if value != getattr(preset, name):
            shown = ",".join(f"{source}={take}" for source, take in value) if name == "mixture" else str(value)
            words += [f"--{name.replace('_', '-')}", shown]
    return words
