"""The recipe of a cross-encoder: the settings that determine its weights for given data, start and machine; presets."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from answersim.errors import unknown
from answersim.profiles import PROFILES
from answersim.training.data.mixture import ANSWERS, JUDGED, STUDENT, UNLABELED, Mixture, check_mixture, mixture_text
from answersim.training.recipe import HELP as SHARED_HELP
from answersim.training.recipe import PRECISIONS, BaseRecipe, accept_old_names, current_names

HELP = SHARED_HELP | {
    "learning_rate": "Peak learning rate of LoRA and token types.",
    "head_learning_rate": "Peak learning rate of pooler and classifier.",
    "settle": "Epochs at the start without dropout.",
    "questions": "Share of pairs read with their question.",
    "max_length": "Maximum number of tokens per pair.",
    "teacher": "Profile whose sas labels the training pairs.",
    "teacher_share": "Share of the teacher in the label of a labeled pair.",
    "held_out": "Maximum number of pairs of a held-out set.",
    "limit": "Use only this many pairs of each source. 0: all.",
}


@accept_old_names
@dataclass(frozen=True)
class CrossEncoderRecipe(BaseRecipe):
    """The settings of the training of a cross-encoder; see also ``BaseRecipe``.

    Attributes:
        mixture: The sources of training pairs, and how many pairs an epoch takes of each; 0 for all, each once.
        learning_rate: The peak for the matrices of LoRA and the token types.
        head_learning_rate: The peak for the pooler and the classifier.
        settle: Epochs at the start without dropout, in which the new parts learn.
        questions: The share of the pairs with a question that are read together with it. It is drawn again in every
            epoch.
        teacher: The profile whose ``sas`` labels the training pairs, without and with their question; "" for none.
        teacher_share: The share of the teacher's score in the label of a pair that has one.
        held_out: The maximum number of pairs of a held-out set. Dev is scored after each epoch.
    """

    epochs: int = 4
    learning_rate: float = 2e-3
    weight_decay: float = 0.01
    dropout: float = 0.1
    mixture: Mixture = (("sts", 0),)
    head_learning_rate: float = 1e-3
    settle: int = 1
    questions: float = 0.0
    held_out: int = 1500
    teacher: str = ""
    teacher_share: float = 0.5

    def __post_init__(self) -> None:
        """Check every setting.

        Raises:
            ValueError: If a setting is out of its range. The message names it.
            LookupError: If the mixture contains an unknown source, or the teacher is not a profile.
        """
        super().__post_init__()
        self.check_positive(("lora_alpha", "learning_rate", "held_out"))
        if self.questions > 1:
            raise ValueError(f"questions is {self.questions}, but it must be a share, at most 1")
        if self.teacher_share > 1:
            raise ValueError(f"teacher_share is {self.teacher_share}, but it must be a share, at most 1")
        if self.teacher and self.teacher not in PROFILES:
            raise unknown("profile of a teacher", self.teacher, PROFILES)
        check_mixture(self.mixture)
        if not self.teacher and (unlabeled := [name for name in self.sources if name in UNLABELED]):
            raise ValueError(f"the source {unlabeled[0]!r} has no labels; name a teacher, or leave the source out")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision is {self.precision!r}, but it must be one of {', '.join(PRECISIONS)}")

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources, in order."""
        return tuple(name for name, _ in self.mixture)

    @classmethod
    def from_json(cls, settings: Mapping[str, Any]) -> CrossEncoderRecipe:
        """Return the recipe in a recipe.json or a training checkpoint, also of an earlier version."""
        named = current_names(settings)
        return cls(**named | {"mixture": tuple((name, take) for name, take in named["mixture"])})


# "sts" makes a cross-encoder of the base, and "cpu" continues from its adapter with answers. "judged" learns sentences,
# verdicts and minimal pairs at once. "student" continues from the adapter of "cpu" with these and with pairs without a
# label, from the labels of the profile "strong". "smoke" shows in seconds that everything works; its adapter is of no
# use.
PRESETS = {
    "cpu": CrossEncoderRecipe(
        mixture=ANSWERS, epochs=3, learning_rate=5e-4, head_learning_rate=3e-4, settle=0, questions=0.3
    ),
    "sts": CrossEncoderRecipe(),
    "judged": CrossEncoderRecipe(
        mixture=JUDGED,
        epochs=2,
        learning_rate=4e-4,
        lora_r=16,
        lora_alpha=16.0,
        dropout=0.0,
        questions=0.5,
        max_length=160,
        held_out=400,
    ),
    "student": CrossEncoderRecipe(
        mixture=STUDENT,
        epochs=2,
        learning_rate=5e-4,
        head_learning_rate=3e-4,
        settle=0,
        questions=0.5,
        max_length=160,
        held_out=400,
        teacher="strong",
    ),
    "smoke": CrossEncoderRecipe(epochs=1, limit=64, lora_r=4, lora_alpha=4.0, checkpoint_every=1),
}


def command(recipe: CrossEncoderRecipe) -> str:
    """Return the command line that trains by this recipe.

    >>> command(CrossEncoderRecipe(seed=3, mixture=(("sts", 0), ("dates", 100))))
    'answersim train cross-encoder --preset sts --seed 3 --mixture sts=0,dates=100'
    """
    preset = min(PRESETS, key=lambda name: len(_changes(recipe, PRESETS[name])))
    return shlex.join(["answersim", "train", "cross-encoder", "--preset", preset, *_changes(recipe, PRESETS[preset])])


def _changes(recipe: CrossEncoderRecipe, preset: CrossEncoderRecipe) -> list[str]:
    words: list[str] = []
    for name, value in asdict(recipe).items():
        if value != getattr(preset, name):
            words += [f"--{name.replace('_', '-')}", mixture_text(value) if name == "mixture" else str(value)]
    return words
