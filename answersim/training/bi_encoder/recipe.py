"""The settings of a student's training: what decides its weights, given pairs, base and machine; and presets."""

from __future__ import annotations

from dataclasses import dataclass, fields

from answersim.errors import unknown
from answersim.training.cross_encoder.recipe import PRECISIONS, check_numbers

LOSSES = ("cosine", "cosent", "angle")
METHODS = ("lora", "full")
MEASURES = ("spearman", "pearson")

# The paper leaves the rate at sentence-transformers' default; LoRA's matrices start at 0 and want a higher one.
RATES = {"lora": 1e-3, "full": 2e-5}

_WORDS = {"loss": LOSSES, "method": METHODS, "measure": MEASURES, "precision": PRECISIONS}


@dataclass(frozen=True)
class StudentRecipe:
    """Every setting that can change a student's weights, or how much of its training a killed process loses.

    Batch size, epochs and warm-up are the best of the paper's search (Mustafazade & Ebbinghaus 2022, appendix B).

    Attributes:
        loss: "cosine" (the squared error of the cosine, the paper's), "cosent" (the order of the pairs of a batch; Su
            2022) or "angle" (the same with the angle in complex space; Li & Li 2023).
        method: "lora" (an adapter on all linear layers of the blocks) or "full" (every weight).
        seed: What all that is random follows from.
        epochs: Passes over the training pairs.
        batch_size: Pairs a step; with several processes, of each of them.
        warm_up: The share of the steps in which the rate rises.
        learning_rate: The peak; it rises and falls linearly. 0 for the method's own: see ``rate``.
        decay: AdamW's weight decay.
        rank: The rank of LoRA's matrices.
        alpha: Their product is multiplied by alpha / rank.
        dropout: The share of the base's hidden states and attention weights that is dropped. 0 is a third faster on a
            CPU.
        lora_dropout: The share of LoRA's inputs that is dropped.
        max_length: Tokens a text in training; beyond them it is cut.
        precision: Of the matrix products in training. ``bf16`` is the faster one where the hardware has it, and slow
            where it has not; ``fp32`` works everywhere. Held-out results are always computed in fp32.
        symmetric: Every training pair is also read in the other order, which doubles the steps. No loss here depends
            on the order within a pair, so this changes the batches only.
        measure: What dev chooses by: "pearson" (the values) or "spearman" (their order). Where most dev pairs have one
            label, as aliases have, Spearman is soon as high as it can be, and chance decides between passes.
        evaluate_every: Steps between two passes over dev; 0 for once an epoch.
        snapshot_every: Steps between two training_checkpoints, hence the most that a killed run loses.
        patience: Training stops after so many passes over dev in a row without a better one; 0 for never.
        limit: Only so many pairs of each split, evenly spread over it; 0 for all. For trying out.
    """

    loss: str = "cosine"
    method: str = "lora"
    seed: int = 0
    epochs: int = 2
    batch_size: int = 64
    warm_up: float = 0.45
    learning_rate: float = 0.0
    decay: float = 0.0
    rank: int = 32
    alpha: float = 32.0
    dropout: float = 0.0
    lora_dropout: float = 0.0
    max_length: int = 64
    precision: str = "bf16"
    symmetric: bool = False
    measure: str = "pearson"
    evaluate_every: int = 200
    snapshot_every: int = 50
    patience: int = 0
    limit: int = 0

    def __post_init__(self) -> None:
        """Raises ValueError for a setting out of its range, LookupError for an unknown word; names it."""
        for name, known in _WORDS.items():
            if getattr(self, name) not in known:
                raise unknown(name, getattr(self, name), known)
        numbers = [each.name for each in fields(self) if each.name not in (*_WORDS, "symmetric")]
        check_numbers(self, numbers, ["alpha"] if self.method == "lora" else [])

    @property
    def rate(self) -> float:
        """The peak learning rate: the one that was given, or the method's own.

        >>> StudentRecipe(method="full").rate
        2e-05
        """
        return self.learning_rate or RATES[self.method]


# cpu is what ships: minutes on two cores. smoke shows in seconds that everything works; its adapter is of no use.
# paper is the paper's own way: every weight, at the rate that sentence-transformers starts from.
PRESETS = {
    "cpu": StudentRecipe(),
    "smoke": StudentRecipe(epochs=1, limit=256, rank=4, alpha=4.0, evaluate_every=2, snapshot_every=1),
    "paper": StudentRecipe(method="full", precision="fp32", dropout=0.1),
}
