"""The recipe of a cross-encoder: the settings that determine its weights for given pairs, start and machine."""

from __future__ import annotations

from dataclasses import dataclass

from answersim.training.run.recipe import BaseRecipe, setting


@dataclass(frozen=True)
class CrossEncoderRecipe(BaseRecipe):
    """The settings of the training of a cross-encoder; see also ``BaseRecipe``."""

    epochs: int = 4
    learning_rate: float = setting(2e-3, "Peak learning rate of LoRA and token types.")
    weight_decay: float = 0.01
    dropout: float = 0.1
    max_length: int = setting(128, "Maximum number of tokens per pair.")
    limit: int = setting(0, "Use only this many pairs of each split, evenly spread. 0: all.")
    head_learning_rate: float = setting(1e-3, "Peak learning rate of pooler and classifier.")
    settle: int = setting(1, "Epochs at the start without dropout.")  # in which the new parts learn
    # Both shares are drawn again in every epoch.
    questions: float = setting(0.0, "Share of the pairs with a question that are read together with it.")
    reverse: float = setting(0.5, "Share of the pairs that are read in reverse order, the prediction first.")

    def __post_init__(self) -> None:
        """Check every setting. Errors are those of ``BaseRecipe``."""
        super().__post_init__()
        self.check_positive(("lora_alpha", "learning_rate"))
        for name in ("questions", "reverse"):
            if (share := getattr(self, name)) > 1:
                raise ValueError(f"{name} is {share}, but it must be a share, at most 1")


# "cpu" makes a cross-encoder of a base. "further" continues from an adapter, by smaller steps. "smoke" shows in seconds
# that everything works; its adapter is of no use.
PRESETS = {
    "cpu": CrossEncoderRecipe(questions=0.5),
    "further": CrossEncoderRecipe(epochs=3, learning_rate=5e-4, head_learning_rate=3e-4, settle=0, questions=0.5),
    "smoke": CrossEncoderRecipe(epochs=1, limit=64, lora_r=4, lora_alpha=4.0, checkpoint_every=1, questions=0.5),
}
