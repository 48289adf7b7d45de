"""ADDAX: the shared and the different features of each word and the other text, and answers as almost binary codes.

"Adaptive feature discrimination and denoising for asymmetric text matching": a shared pre-trained encoder, a gating
siamese cell (``rankers.modules.mag``), a hashing denoiser on the answer (``rankers.modules.mag``) and MaxSim. An
answer's code depends on the question, so answers cannot be encoded ahead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from rankers.modules.composition import States
from rankers.modules.frozen_encoder import FrozenEncoder
from rankers.modules.mag import REDUCTIONS, Denoiser, MagCell, quantization, reconstruction, reference, signs
from rankers.modules.pooling import Packing, max_sim
from rankers.modules.scoring import Batch, Embedding
from rankers.modules.words import MINILM
from rankers.settings import Presets, check_above_zero, check_below_one, check_choices, check_least
from rankers.training import objective
from rankers.training.objective import Epoch, Step
from rankers.training.trainer import Recipe

CODES = ("tanh", "sign")
STARTS = ("random", "aligned")


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network."""

    # lengths and widths are not published and were chosen here
    PAPER: ClassVar[dict[str, Any]] = {"checkpoint": "bert-base-uncased", "unfrozen_layers": 12}
    # frozen MiniLM, with the rest trained from its MaxSim
    CPU: ClassVar[dict[str, Any]] = {
        "question_length": 20,
        "answer_length": 50,
        "widths": (300, 600),
        "gate_bias": -2.0,
        "start": "aligned",
    }

    checkpoint: str = MINILM  # the encoder, shared by questions and answers; BERT base, uncased, in the paper
    # the number of its last layers that are trained; all 12 in the paper, which also trains the table of word pieces
    unfrozen_layers: int = 0
    # the maximum number of words of a question, which the cells of answers identify by position; not in the paper
    question_length: int = 32
    answer_length: int = 128  # the maximum number of words of an answer
    bits: int = 300  # the size of a code, h
    widths: tuple[int, int] = (512, 512)  # m1 and m2 of the denoiser; not given in the paper
    alpha: float = 5.0  # the steepness of the hashing function
    delta: float = 1e-6  # the weight of L1, the distance of codes from their signs
    gamma: float = 0.003  # the weight of L2, the distance of the restored words from the words
    # "word" or "text". See ``rankers.modules.mag.reconstruction``. Not given in the paper.
    l2_reduction: str = "word"
    # whether the siamese cells are used. If not, the states of the encoder are matched (w/o MAGS).
    use_mag: bool = True
    use_highway: bool = True  # whether a highway is used. If not, both kinds of features are added (w/o HW).
    # whether the cells return only R, the words in terms of the other text (Att-MAGS if there is also no hashing)
    attention_only: bool = False
    use_hashing: bool = True  # whether hashing is used. If not, there are no codes and no constraints (w/o HD).
    # the codes of answers outside training: "tanh" (equation 14) or "sign", one bit per number. Training always uses
    # tanh.
    codes: str = "tanh"
    gate_bias: float = -1.0  # the initial bias of the gates of the highway
    dropout: float = 0.1  # the dropout rate of the output of the encoder; .1 in the paper, which does not state where
    # "random", or "aligned": cells that pass on their own text, and a question layer and a denoiser that start with the
    # same projection, so that training starts close to MaxSim over the encoder
    start: str = "random"

    def __post_init__(self) -> None:
        """Check that the network can be built from the settings."""
        check_choices(self, codes=CODES, start=STARTS, l2_reduction=REDUCTIONS)
        check_least(self, 1, "question_length", "answer_length", "bits")
        check_least(self, 0, "delta", "gamma", "unfrozen_layers")
        check_above_zero(self, "alpha")
        check_below_one(self, "dropout")
        if len(self.widths) != 2 or min(self.widths) < 1:
            raise ValueError(f"widths are {self.widths}, but they must be the sizes of two layers, each at least 1")
        if self.attention_only and not self.use_mag:
            raise ValueError(
                "attention_only=True needs the attention of the cells, but use_mag=False removes the cells: choose one"
            )
        if self.codes == "sign" and not self.use_hashing:
            raise ValueError("codes='sign' needs codes, but use_hashing=False removes them: choose one")


class Matched(NamedTuple):
    """The words that are matched, pair by pair, their scores, and the quality of the codes of the answers."""

    questions: States
    answers: States
    quantization: Tensor  # L1, the mean over the pairs' answers; 0 without hashing
    reconstruction: Tensor  # L2, as the settings reduce it; 0 without hashing

    @property
    def scores(self) -> Tensor:
        """The score of each pair, (pairs,)."""
        return max_sim(*self.questions, *self.answers)


class Network(nn.Module):
    """ADDAX and its variants: the sum over the words of a question of the best cosine with a code of the answer.

    Scores are between -l and l for a question of l words.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        """Build a new network. Only the compatibility of the embedding is checked, and its vectors are not used."""
        super().__init__()
        self.config = config
        longest = max(config.question_length, config.answer_length)
        self.encoder = FrozenEncoder(config.checkpoint, unfrozen_layers=config.unfrozen_layers, longest=longest)
        self.encoder.fits(embedding)
        self.dropout = nn.Dropout(config.dropout)
        dim = self.encoder.dim
        self.question_cell, self.answer_cell = (
            MagCell(dim, length, highway=config.use_highway, gate_bias=config.gate_bias)
            if config.use_mag and not config.attention_only
            else None
            for length in (config.answer_length, config.question_length)
        )
        self.denoiser: Denoiser | None = None
        self.question_layer: nn.Linear | None = None
        if config.use_hashing:
            self.denoiser = Denoiser(dim, config.bits, config.widths, alpha=config.alpha)
            self.question_layer = nn.Linear(dim, config.bits)
        if config.start == "aligned":
            self._align()

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each pair, (pairs,)."""
        return self.matched(batch).scores

    def matched(self, batch: Batch) -> Matched:
        """Return the inputs of MaxSim: H_Q and B_D, (pairs, length, bits), or (pairs, length, d) without hashing."""
        read = (self.encoder(texts) for texts in (batch.questions, batch.answers))
        questions, answers = (States(self.dropout(states.vectors), states.mask) for states in read)
        questions, answers = self._discriminated(questions.of(batch.question_of), answers.of(batch.answer_of))
        nothing = questions.vectors.new_zeros(())
        if self.denoiser is None or self.question_layer is None:
            return Matched(questions, answers, nothing, nothing)
        question_states = torch.tanh(self.question_layer(questions.vectors))  # (pairs, l, bits), in the range of codes
        packing = Packing(answers.mask)
        words, pairs = packing.rows(answers.vectors), len(answers.mask)  # (words, d)
        hashed = self.denoiser(words)
        codes = signs(hashed.raw) if self.config.codes == "sign" and not self.training else hashed.codes
        return Matched(
            States(question_states, questions.mask),
            States(packing.texts(codes), answers.mask),
            quantization(hashed, pairs),
            reconstruction(hashed, words, pairs, self.config.l2_reduction),
        )

    def _discriminated(self, questions: States, answers: States) -> tuple[States, States]:
        """Return H_Q and H_D, (pairs, length, d): the output of the siamese cell for the states of the encoder."""
        if not self.config.use_mag:
            return questions, answers
        # S, (pairs, l, t). The paper has no factor, but then the attention of MiniLM is almost one-hot, and the gates
        # of the cells are saturated.
        similarities = questions.vectors @ answers.vectors.transpose(1, 2) * self.encoder.dim**-0.5
        turned = similarities.transpose(1, 2)
        if self.question_cell is None or self.answer_cell is None:
            question_states, answer_states = reference(similarities, answers), reference(turned, questions)
        else:
            question_states = self.question_cell(questions, answers, similarities)
            answer_states = self.answer_cell(answers, questions, turned)
        return States(question_states, questions.mask), States(answer_states, answers.mask)

    def _align(self) -> None:
        """Initialize close to MaxSim over the encoder: cells pass on their text, and both sides share a projection.

        The projection P is orthogonal. The denoiser's first layer has its k rows, the second takes them apart into
        positive and negative part, relu(x) and relu(-x), and the third puts them together again; k is what the widths
        have room for. All other weights stay random, but start without an influence on the code's first k numbers.
        """
        for cell in (self.question_cell, self.answer_cell):
            if cell is not None:
                cell.pass_on()
        if self.denoiser is None or self.question_layer is None:
            return
        bits, dim = self.question_layer.weight.shape
        first, second, third = self.denoiser.first, self.denoiser.second, self.denoiser.third
        k = min(bits, dim, self.config.widths[0], self.config.widths[1] // 2)
        projection = nn.init.orthogonal_(torch.empty(k, dim))
        eye = torch.eye(k)
        with torch.no_grad():
            for layer in (self.question_layer, first):
                layer.weight[:k] = projection
                layer.bias[:k] = 0
            second.weight[: 2 * k] = 0
            second.weight[: 2 * k, :k] = torch.cat([eye, -eye])
            second.bias[: 2 * k] = 0
            third.weight[:k] = 0
            third.weight[:k, : 2 * k] = torch.cat([eye, -eye], dim=1)
            third.bias[:k] = 0


@dataclass(frozen=True)
class Constraints:
    """The settings of the objective. Delta, gamma and the reduction of L2 are settings of the network."""

    # the margin of the hinge of sums over the words of a question, so it is weaker for long questions
    margin: float = field(default=1.0, metadata={"by": "recipe"})

    def resolve(self, recipe: Recipe) -> Constraints:
        """Return the same settings with the margin of the recipe."""
        return replace(self, margin=recipe.margin)

    def build(self) -> AddaxObjective:
        """Return a new objective."""
        return AddaxObjective(self.margin)


class AddaxStatistics(NamedTuple):
    """Statistics of the codes of an epoch, as means over its steps."""

    epoch: int  # the number of the epoch, from 1
    hinge: float  # the hinge loss of the scores
    quantization: float  # L1, before delta; 0 without hashing
    reconstruction: float  # L2, before gamma; 0 without hashing


class AddaxObjective(objective.StatefulObjective):
    """The mean hinge over positives and negatives, and delta L1 + gamma L2 over the codes of both (equation 15).

    The paper sums over triples, which only changes the scale of the gradient, and Adam does not depend on it. L1 is the
    mean over the answers of the step, positives and negatives.
    """

    row = AddaxStatistics

    def __init__(self, margin: float = 1.0) -> None:
        """Set up an objective before its first step, with the margin of the hinge."""
        self.margin = margin
        self.statistics: list[AddaxStatistics] = []  # one row per finished epoch
        self._steps: list[list[float]] = []

    def __call__(self, network: nn.Module, step: Step, /) -> Tensor:
        """Return a scalar with a gradient. Raise TypeError if the network is not ADDAX."""
        if not isinstance(network, Network):
            raise TypeError(f"the objective of ADDAX was given a {type(network).__name__}, which has no codes")
        matched, config = network.matched(step.batch), network.config
        scores, codes, words = matched.scores, matched.quantization, matched.reconstruction
        hinge = objective.hinge(scores.view_as(step.relevance), step.relevance, step.mask, self.margin)
        self._steps.append([float(loss.detach()) for loss in (hinge, codes, words)])
        return hinge + config.delta * codes + config.gamma * words

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        """Record the statistics of the epoch that ended."""
        if self._steps:
            means = torch.tensor(self._steps, dtype=torch.float64).mean(dim=0).tolist()
            self.statistics.append(AddaxStatistics(epoch.epoch, *means))
        self._steps = []

    def summary(self) -> str:
        """Return the constraints of the last epoch; "" before the first."""
        return "".join(f"L1 {row.quantization:.4g}, L2 {row.reconstruction:.4g}" for row in self.statistics[-1:])

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        super().restore(state)
        self._steps = []
