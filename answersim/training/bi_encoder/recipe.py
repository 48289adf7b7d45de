"""The recipe of a bi-encoder: the settings that determine its weights, given pairs, base and machine, and presets."""

from __future__ import annotations

from dataclasses import dataclass

from answersim._base.errors import unknown
from answersim.training.run.recipe import BaseRecipe, setting

LOSSES = ("cosine", "cosent")
METHODS = ("lora", "full")
MEASURES = ("spearman", "pearson")

# The paper keeps the default learning rate of sentence-transformers; the matrices of LoRA start at 0 and need a higher
# one.
LEARNING_RATES = {"lora": 1e-3, "full": 2e-5}

_WORDS = {"loss": LOSSES, "method": METHODS, "measure": MEASURES}


@dataclass(frozen=True)
class BiEncoderRecipe(BaseRecipe):
    """The settings of the training of a bi-encoder; see also ``BaseRecipe``.

    Batch size, epochs and warm-up are the best of the search of the paper (Mustafazade & Ebbinghaus 2022, appendix B).
    """

    batch_size: int = 64
    # see ``peak_learning_rate``
    learning_rate: float = setting(0.0, "Peak learning rate. 0 selects the default of the method.")
    warmup_ratio: float = 0.45
    max_length: int = setting(64, "Maximum number of tokens per text in training.")
    evaluate_every: int = 200
    limit: int = setting(0, "Use only this many pairs of each split, evenly spread. 0: all.")
    # "cosine": the squared error of the cosine. "cosent": the order of the pairs of a batch (Su 2022).
    loss: str = setting("cosine", "cosine (as in the paper) or cosent.")
    # an adapter on all linear layers of the blocks, or every weight
    method: str = setting("lora", "lora (an adapter of a few megabytes) or full (all weights).")
    # "pearson" reads the values, "spearman" their order. If most dev pairs have one label, as aliases have, Spearman
    # soon reaches its maximum, and chance decides between evaluations.
    measure: str = setting(
        "pearson", "Coefficient on dev that decides which weights are the best: pearson or spearman."
    )

    def __post_init__(self) -> None:
        """Check every setting. Errors are those of ``BaseRecipe``."""
        for name, allowed in _WORDS.items():
            if getattr(self, name) not in allowed:
                raise unknown(name, getattr(self, name), allowed)
        super().__post_init__()
        self.check_positive(["lora_alpha"] if self.method == "lora" else [])

    @property
    def peak_learning_rate(self) -> float:
        """The given learning rate, or the default of the method."""
        return self.learning_rate or LEARNING_RATES[self.method]


# cpu gives the shipped model, in minutes on two cores. smoke tests in seconds that everything works; its adapter is
# useless. paper trains every weight, as the paper does. What the paper does not state is the default of the release of
# sentence-transformers that it used: learning rate 2e-5, weight decay .01, one evaluation per epoch, of which Spearman
# decides, and the longest texts that the base reads (max_length is lowered to it).
PRESETS = {
    "cpu": BiEncoderRecipe(),
    "smoke": BiEncoderRecipe(epochs=1, limit=256, lora_r=4, lora_alpha=4.0, evaluate_every=2, checkpoint_every=1),
    "paper": BiEncoderRecipe(
        method="full",
        precision="fp32",
        dropout=0.1,
        weight_decay=0.01,
        max_length=512,
        evaluate_every=0,
        measure="spearman",
    ),
}
