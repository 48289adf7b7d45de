"""The definition of a system: a ranker without training, or a training and the part of it that ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rankers.modules.words import InputConfig
    from rankers.training.adversarial import Adversary
    from rankers.training.objective import Objective
    from rankers.training.trainer import Recipe
    from rankers.types import Questions, Ranker

# the value of ``reads`` for a system that uses the labels of the training questions without being trained
LABELS = "labels"
CALIBRATIONS = ("none", "question")  # of the scores of the members of a committee


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
    """A system that is not trained, except for word counts."""

    # a function from the training questions (None if there are none) and the seed to the ranker
    make: Callable[[Questions | None, int], Ranker]
    # the part of the training questions that it uses; "" for none. It ranks without them, unless it reads ``LABELS``.
    reads: str
    summary: str  # a description in one line

    @property
    def is_ready(self) -> bool:
        """Whether it ranks without training questions."""
        return self.reads != LABELS


@dataclass(frozen=True)
class Training:
    """The training of a network."""

    kind: str  # the name of the network in ``rankers.models.neural_ranker``
    config: Callable[[str, str], TrainingConfig]  # a function from a preset and the name of a corpus to its settings
    start: str = ""  # the name of the training whose weights it starts from; "" for a random start
    negatives: str = "sampled"  # "sampled", "hardest" or "adversarial". It has no effect if the recipe reads rows.
    # whether it is trained on the source in its settings instead of the given questions (step 1 of TANDA)
    transfers: bool = False


@dataclass(frozen=True)
class TrainingConfig:
    """The settings of a training under a preset."""

    network: Any  # the settings of the network
    inputs: InputConfig  # the settings of its words and their vectors
    recipe: Recipe  # the settings of the training
    pool: int = 0  # the number of negatives that are scored to find the hardest; 0 if this is not done
    adversary: Adversary | None = None  # the settings of the generator, if there is one
    every: int = 0  # the interval in epochs at which a state becomes a member of the committee; 0 for no committee
    calibration: str = "none"  # the calibration of the committee
    # the settings of the objective; None for the loss of the recipe on the scores
    objective: ObjectiveConfig | None = None
    source: str = ""  # the corpus of the preceding transfer; "" for none, so that training starts from the checkpoint
    # the damage to the training questions that have a positive: a frozen dataclass whose ``done`` returns the damaged
    # questions, drawn with a seed; None for none. A source and dev are never damaged.
    damage: Any = None


@dataclass(frozen=True)
class Trained:
    """A system whose network is trained."""

    training: str  # the name of its training in ``TRAININGS``; several systems may share one
    # the part of it that ranks: "model", "committee", "uniform" (a committee of equal weights), "best-member",
    # "best-epoch" (the epoch with the best dev measure, whatever the recipe keeps), "generator", or "signs" (the model,
    # its codes rounded to signs)
    ranks: str
    summary: str  # a description in one line
    paper: str = ""  # the paper that published it; "" for controls of this package


System = Untrained | Trained


def on_device(ranker: Ranker, device: str | None) -> Ranker:
    """Return the same ranker on this device if it is a network that has none yet; None leaves it as it is."""
    if device is None or not is_dataclass(ranker) or not hasattr(ranker, "device"):
        return ranker
    return replace(ranker, device=device)
