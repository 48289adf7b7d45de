"""The definition of a system: a ranker without training, or a training and the part of it that ranks."""

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

# the value of ``reads`` for a system that uses the labels of the training questions without being trained
LABELS = "labels"


class ObjectiveConfig(Protocol):
    """The settings of an objective: a frozen dataclass."""

    def resolve(self, recipe: Recipe) -> Any:
        """Return the same settings, with the values that the recipe decides."""
        ...

    def build(self) -> Objective:
        """Return a new objective."""
        ...


@dataclass(frozen=True)
class Untrained:
    """A system that is not trained, except for word counts.

    Attributes:
        make: A function from the training questions (None if there are none) and the seed to the ranker.
        reads: The part of the training questions that it uses; "" for none. It ranks without them, unless it reads
            ``LABELS``.
        summary: A description in one line.
    """

    make: Callable[[Questions | None, int], Ranker]
    reads: str
    summary: str

    @property
    def is_ready(self) -> bool:
        """Whether it ranks without training questions."""
        return self.reads != LABELS


@dataclass(frozen=True)
class Training:
    """The training of a network.

    Attributes:
        kind: The name of the network in ``rankers.models.networks``.
        config: A function from a preset to its settings.
        start: The name of the training whose weights it starts from; "" for a random start.
        negatives: "sampled", "hardest" or "adversarial". It has no effect if the recipe reads rows.
        of_corpus: A function from settings and the name of a corpus to the settings for it, if the published settings
            differ by corpus.
        transfers: Whether it is trained on the source in its settings instead of the given questions (step 1 of TANDA).
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
        inputs: The settings of its words and their vectors.
        recipe: The settings of the training.
        pool: The number of negatives that are scored to find the hardest; 0 if this is not done.
        adversary: The settings of the generator, if there is one.
        every: The interval in epochs at which a state becomes a member of the committee; 0 for no committee.
        calibration: The calibration of the committee.
        objective: The settings of the objective; None for the loss of the recipe on the scores.
        source: The corpus of the preceding transfer; "" for none, so that training starts from the checkpoint.
        damage: The damage to the training questions that have a positive; None for none. A source and dev are never
            damaged.
        forgetting: The number of positives whose adversarial examples are ranked again after every later epoch; 0 for
            none. It changes nothing in the training, and is not a part of its provenance.
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
        ranks: The part of it that ranks: "model", "committee", "uniform" (a committee of equal weights), "best-member",
            "best-epoch" (the epoch with the best dev measure, whatever the recipe keeps), "generator", or "signs" (the
            model, its codes rounded to signs).
        summary: A description in one line.
        paper: The paper that published it; "" for controls of this package.
    """

    training: str
    ranks: str
    summary: str
    paper: str = ""


System = Untrained | Trained
