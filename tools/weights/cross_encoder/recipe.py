"""The recipe of the cross-encoders that ship: a mixture of sources, perhaps with the labels of a teacher; presets."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from answersim._base.errors import unknown
from answersim.metrics.checkpoints.profiles import PROFILES
from answersim.training.cross_encoder.recipe import HELP as SHARED_HELP
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe
from tools.weights.pairs.mixture import (
    ANSWERS,
    COMMITTED,
    DISTILLED,
    EMBEDDED,
    JUDGED,
    MULTILINGUAL,
    NEGATED,
    NEGATED_MORE,
    STUDENT,
    UNLABELED,
    Mixture,
    check_mixture,
    mixture_text,
)

PROGRAM = "python -m tools.weights.cross_encoder"
HELP = SHARED_HELP | {
    "teacher": "Profile whose cross-encoder labels the training pairs.",
    "teacher_metric": "Metric of that profile: sas, in both orders, or sas-answers.",
    "teacher_share": "Share of the teacher in the label of a labeled pair.",
    "held_out": "Maximum number of pairs of a held-out set.",
    "limit": "Use only this many pairs of each source. 0: all.",
}
TEACHERS = ("sas", "sas-answers")


@dataclass(frozen=True)
class MixtureRecipe(CrossEncoderRecipe):
    """The settings of a training on a mixture; see also ``CrossEncoderRecipe``."""

    # the sources of training pairs, and how many pairs an epoch takes of each; 0 for all, each once
    mixture: Mixture = (("sts", 0),)
    held_out: int = 1500  # the maximum number of pairs of a held-out set. Dev is scored after each epoch.
    # the profile whose cross-encoder labels the training pairs, without and with their question; "" for none
    teacher: str = ""
    teacher_metric: str = "sas"  # the cross-encoder: one of ``TEACHERS``
    teacher_share: float = 0.5  # the share of the teacher's score in the label of a pair that has one

    def __post_init__(self) -> None:
        """Check every setting.

        Raise ValueError if a setting is out of its range. Raise LookupError if the mixture contains an unknown source,
        the teacher is not a profile, or its metric is not a teacher.
        """
        super().__post_init__()
        self.check_positive(("held_out",))
        if self.teacher_share > 1:
            raise ValueError(f"teacher_share is {self.teacher_share}, but it must be a share, at most 1")
        if self.teacher and self.teacher not in PROFILES:
            raise unknown("profile of a teacher", self.teacher, PROFILES)
        if self.teacher_metric not in TEACHERS:
            raise unknown("metric of a teacher", self.teacher_metric, TEACHERS)
        check_mixture(self.mixture)
        if not self.teacher and (unlabeled := [name for name in self.sources if name in UNLABELED]):
            raise ValueError(f"the source {unlabeled[0]!r} has no labels; name a teacher, or leave the source out")

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources, in order."""
        return tuple(name for name, _ in self.mixture)

    @classmethod
    def from_json(cls, settings: Mapping[str, Any]) -> MixtureRecipe:
        """Return the recipe in a recipe.json or a training checkpoint."""
        return cls(**{**settings, "mixture": tuple((name, take) for name, take in settings["mixture"])})


_COMMITTED = MixtureRecipe(
    mixture=COMMITTED,
    epochs=2,
    learning_rate=4e-4,
    head_learning_rate=2e-4,
    settle=0,
    questions=0.9,
    reverse=0.1,
    max_length=192,
    held_out=300,
)
# "sts" makes a cross-encoder of the base, and "cpu" continues from its adapter with answers. "judged" learns sentences,
# verdicts and minimal pairs at once. "student" continues from the adapter of "cpu" with these and with pairs without a
# label, from the labels of the profile "strong". "committed" continues from it with texts that commit to an answer, in
# the order in which ``sas-answers`` reads them. "distilled" continues from that with the labels of ``sas-answers`` of
# the profile "strong", and "negated" and "negated-more" with statements and their denials. "smoke" shows in seconds
# that everything works; its adapter is of no use.
PRESETS = {
    "cpu": MixtureRecipe(
        mixture=ANSWERS, epochs=3, learning_rate=5e-4, head_learning_rate=3e-4, settle=0, questions=0.3
    ),
    "sts": MixtureRecipe(),
    "judged": MixtureRecipe(
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
    "student": MixtureRecipe(
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
    "committed": _COMMITTED,
    "distilled": replace(_COMMITTED, mixture=DISTILLED, epochs=1, teacher="strong", teacher_metric="sas-answers"),
    "negated": replace(_COMMITTED, mixture=NEGATED, epochs=1, learning_rate=2e-4),
    "negated-more": replace(_COMMITTED, mixture=NEGATED_MORE, epochs=1, learning_rate=2e-4),
    "embedded": MixtureRecipe(
        mixture=EMBEDDED,
        epochs=2,
        learning_rate=6e-4,
        head_learning_rate=3e-4,
        settle=0,
        questions=0.85,
        reverse=0.1,
        dropout=0.05,
        warmup_ratio=0.05,
        max_length=128,
        held_out=120,
        precision="fp32",
        checkpoint_every=100,
        evaluate_every=700,
    ),
    "multilingual": MixtureRecipe(
        mixture=MULTILINGUAL,
        epochs=1,
        learning_rate=1e-3,
        head_learning_rate=1e-3,
        settle=0,
        questions=0.85,
        reverse=0.1,
        dropout=0.0,
        warmup_ratio=0.08,
        lora_r=16,
        lora_alpha=16.0,
        max_length=112,
        held_out=120,
        precision="fp32",
        checkpoint_every=60,
    ),
    "smoke": MixtureRecipe(epochs=1, limit=64, lora_r=4, lora_alpha=4.0, checkpoint_every=1),
}


def command(recipe: MixtureRecipe) -> str:
    """Return the command line that trains by this recipe.

    >>> command(MixtureRecipe(seed=3, mixture=(("sts", 0), ("dates", 100))))
    'python -m tools.weights.cross_encoder --preset sts --seed 3 --mixture sts=0,dates=100'
    """
    preset = min(PRESETS, key=lambda name: len(_changes(recipe, PRESETS[name])))
    return shlex.join([*PROGRAM.split(), "--preset", preset, *_changes(recipe, PRESETS[preset])])


def _changes(recipe: MixtureRecipe, preset: MixtureRecipe) -> list[str]:
    words: list[str] = []
    for name, value in asdict(recipe).items():
        if value != getattr(preset, name):
            known = {"mixture": ["--mixture", mixture_text(recipe.mixture)], "seed": ["--seed", str(value)]}
            words += known.get(name, ["--option", f"{name}={value}"])
    return words
