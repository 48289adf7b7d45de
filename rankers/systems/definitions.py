"""What a system is: a ranker that needs no training, or a training and what of it ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rankers.inputs.words import InputConfig
    from rankers.training.adversarial import Adversary
    from rankers.training.objective import Objective
    from rankers.training.perturbation import Damage
    from rankers.training.recipe import Recipe
    from rankers.types import Questions, Ranker

LABELS = "labels"  # what a system reads that learns from the labels of the training questions without being trained


class ObjectiveConfig(Protocol):
    """The settings of an objective: a frozen dataclass."""

    def resolve(self, recipe: Recipe) -> Any:
        """Return the same settings with what the recipe decides of them."""
        ...

    def build(self) -> Objective:
        """Return a fresh objective."""
        ...


@dataclass(frozen=True)
class Untrained:
    """A system that learns nothing, or nothing but counts.

    Attributes:
        make: From the training questions (None if there are none) and the seed to the ranker.
        reads: What it takes from the training questions; "" for nothing.
        summary: One line on what it is.
    """

    make: Callable[[Questions | None, int], Ranker]
    reads: str
    summary: str


@dataclass(frozen=True)
class Training:
    """How a network is trained.

    Attributes:
        kind: Its name in ``rankers.models.networks``.
        config: From a preset to its settings.
        start: The name of the training whose weights it starts from; "" to start over.
        negatives: "sampled", "hardest" or "adversarial"; of no meaning where the recipe reads rows.
        of_corpus: From settings and the name of a corpus to those for it, if the published ones differ by corpus.
        transfers: Whether it is trained on the source in its settings, not on the given questions (step 1 of TANDA).
    """

    kind: str
    config: Callable[[str], TrainingConfig]
    start: str = ""
    negatives: str = "sampled"
    of_corpus: Callable[[TrainingConfig, str], TrainingConfig] | None = None
    transfers: bool = False


@dataclass(frozen=True)
class TrainingConfig:
    """The settings of a training under a preset.

    Attributes:
        network: The settings of the network.
        inputs: Where its words come from.
        recipe: The settings of the training.
        pool: How many negatives are scored to find the hardest; 0 if that is not done.
        adversary: The settings of the generator, if there is one.
        every: A member of the committee every so many epochs; 0 for none.
        calibration: Of the committee.
        objective: The settings of what a step minimizes; None for the recipe's loss of the scores.
        source: The corpus of the transfer that comes before; "" for none: the checkpoint is the start.
        damage: What is done to those training questions that have a positive; None for nothing. A source and
            dev are never damaged.
        forgetting: The number of positives whose adversarial examples are ranked again after every later epoch; 0 for
            none. It changes nothing in the training, and is no part of its provenance.
    """

    network: Any
    inputs: InputConfig
    recipe: Recipe
    pool: int = 0
    adversary: Adversary | None = None
    every: int = 0
    calibration: str = "none"
    objective: ObjectiveConfig | None = None
    source: str = ""
    damage: Damage | None = None
    forgetting: int = 0


@dataclass(frozen=True)
class Trained:
    """A system whose network is trained.

    Attributes:
        training: The name of its training in ``TRAININGS``; several systems may share one.
        ranks: What of it ranks: "model", "committee", "uniform" (a committee of equal weights), "best-member",
            "best-epoch" (the epoch with the best dev measure, whatever the recipe keeps), "generator", or "signs" (the
            model, its codes rounded to signs).
        summary: One line on what it is.
        paper: Where it was published; "" for controls of our own.
    """

    training: str
    ranks: str
    summary: str
    paper: str = ""


System = Untrained | Trained
