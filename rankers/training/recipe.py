"""The settings of a training run, apart from the network and the data."""

from __future__ import annotations

from dataclasses import dataclass, field

from answersim._base.errors import unknown
from answersim._base.io.records import check_types
from rankers.settings import OFF, check_above_zero, check_below_one, check_least

OPTIMIZERS = ("adam", "adamw", "rmsprop")
SCHEDULES = ("constant", "linear")
READS = ("positives", "rows")
PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run.

    Attributes:
        seed: The random seed of initial weights, order, dropout and negatives.
        epochs: The maximum number of passes over the positives, or over the pairs.
        batch_size: The number of positives per step, each with its negatives, or the number of pairs per step.
        loss: "hinge" (pairwise), "pointwise" or "listwise". See ``rankers.training.objective``.
        margin: The margin of the hinge.
        negatives: The number of negatives per positive.
        optimizer: "adam", "adamw" or "rmsprop" (with momentum .9).
        learning_rate: The peak of the learning rate.
        schedule: "constant", or "linear" decay to 0, after the warm-up.
        warmup_ratio: The share of the steps in which the rate rises from 0.
        weight_decay: Weight decay (L2).
        clip: The maximum norm of the gradient of a step.
        question_length: The maximum number of words of a question that are read.
        answer_length: The maximum number of words of an answer that are read.
        dev_measure: The measure on dev that decides which epoch is the best, with its name in ``rankers.evaluation``.
        dev_limit: The number of questions of dev that are evaluated; 0 for all.
        patience: The number of epochs without a better dev measure after which the run stops; 0 for never.
        keep: "best" keeps the weights of the best epoch on dev, "last" those of the last epoch.
        limit: The number of questions that are trained on; 0 for all.
        reads: "positives": each positive beside negatives; "rows": each pair of a question that has a positive
            and one of its candidates, with its label. ``negatives`` then has no effect, and the loss is pointwise.
        precision: "bfloat16" trains in mixed precision where autocast of torch supports it. Weights and scores stay in
            single precision.
        micro_batch: The number of positives, or of pairs, per pass through the network; 0 for all of a step. The passes
            of a step add up their gradients, so that a step needs the memory of a pass. What a loss compares within a
            batch, such as the weights of SCAN, is then compared within a pass.
        in_batch: Whether each question of a pass is also compared with the answers of the other questions. Networks
            that read both texts together then read n times as many pairs.
        teacher: The weight of the distillation from the scores of a teacher, from 0 to 1; the loss has the rest.
        teacher_temperature: What the scores of the teacher are divided by. See ``rankers.training.objective``.
    """

    seed: int = 0
    epochs: int = 10
    batch_size: int = 32
    loss: str = "hinge"
    margin: float = 1.0
    negatives: int = 1
    optimizer: str = "adam"
    learning_rate: float = 1e-3
    schedule: str = "constant"
    warmup_ratio: float = 0.0
    weight_decay: float = 0.0
    clip: float = 5.0
    question_length: int = 20
    answer_length: int = 50
    dev_measure: str = "MAP"
    dev_limit: int = 0
    patience: int = 0
    keep: str = "best"
    limit: int = 0
    reads: str = "positives"
    precision: str = "float32"
    micro_batch: int = field(default=0, metadata=OFF)
    in_batch: bool = field(default=False, metadata=OFF)
    teacher: float = field(default=0.0, metadata=OFF)
    teacher_temperature: float = field(default=1.0, metadata=OFF)

    def __post_init__(self) -> None:
        """Check the settings."""
        from rankers.training.objective import LOSSES

        check_types(Recipe, vars(self))

        for kind, name, allowed in (
            ("loss", self.loss, tuple(LOSSES)),
            ("optimizer", self.optimizer, OPTIMIZERS),
            ("schedule", self.schedule, SCHEDULES),
            ("choice of weights", self.keep, ("best", "last")),
            ("way to read", self.reads, READS),
            ("precision", self.precision, PRECISIONS),
        ):
            if name not in allowed:
                raise unknown(kind, name, allowed)
        check_least(self, 1, "batch_size", "negatives", "question_length", "answer_length")
        check_least(self, 0, "epochs", "dev_limit", "patience", "limit", "seed", "margin")
        check_least(self, 0, "weight_decay", "micro_batch")
        check_above_zero(self, "learning_rate", "clip", "teacher_temperature")
        check_below_one(self, "warmup_ratio")
        if self.micro_batch > self.batch_size:
            raise ValueError(f"micro_batch is {self.micro_batch}, but a step has batch_size {self.batch_size}")
        if not 0 <= self.teacher <= 1:
            raise ValueError(f"teacher is {self.teacher}, but it must be a weight from 0 to 1")
        if self.reads == "rows" and (self.in_batch or self.teacher):
            name = "in_batch" if self.in_batch else "teacher"
            raise ValueError(f"{name} compares candidates, but single rows have none: give reads='positives'")
        if self.reads == "rows" and self.loss != "pointwise":
            raise ValueError(f"loss is {self.loss!r}, but single rows have nothing to compare: give loss='pointwise'")
