"""CTRN: each text is composed over time by its own gates and by those of the other text (Tay, Tuan and Hui 2018).

"Cross temporal recurrent networks for ranking question answer pairs" learns gates by convolution, as quasi-recurrent
networks do (Bradbury et al. 2017, equations 1 to 4), and applies them across question and answer. If a detail is not
known, it was chosen here, and ``Config`` states this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from rankers.modules.composition import Matching, States, check_matching
from rankers.modules.scoring import Batch, Embedding, Texts
from rankers.settings import Presets, check_least


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network. The defaults are those of CTRN in the GGSA paper on yahooQA."""

    CPU: ClassVar[dict[str, Any]] = {"hidden": 192}

    hidden: int = 256  # the number of features of a state; 256 (GGSA paper, section 4.2)
    # the number of words that a gate reads, its own word and those before. Chosen here: 2, as in quasi-recurrent
    # networks.
    width: int = 2
    # the dropout rate of word vectors. Chosen here: 0, as for the other recurrent baselines of the GGSA paper.
    dropout: float = 0.0
    # whether the gates of the other text are used. False is a quasi-recurrent network, to measure their effect.
    crossed: bool = True
    # the composition of states to vectors. Chosen here: "max", as on the other encoders of the GGSA paper.
    composition: str = "max"
    similarity: str = "mlp"  # "mlp" (a logit) for pointwise losses, which the GGSA paper uses on yahooQA, or "cosine"
    hops: int = 2  # the number of hops of multihop compositions, after the mean

    def __post_init__(self) -> None:
        check_matching(self)
        check_least(self, 1, "hidden", "width")


class Gates(nn.Module):
    """The candidate state of each word, Z, its forget gate, F, and its output gate, O, by a causal convolution."""

    def __init__(self, dim: int, hidden: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.convolution = nn.Linear(width * dim, 3 * hidden)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return Z, F and O, (n, length, dim) -> (n, length, hidden) each; zeros precede the first word."""
        before = functional.pad(x, (0, 0, self.width - 1, 0))  # (n, width - 1 + length, dim)
        seen = torch.cat([before[:, i : i + x.shape[1]] for i in range(self.width)], dim=-1)
        z, f, o = self.convolution(seen).chunk(3, dim=-1)
        return z.tanh(), f.sigmoid(), o.sigmoid()


class Ctrn(nn.Module):
    """The score of each pair. Gates are computed once per text, states once per pair.

    A text with Z and its own F and O has the states O * C with C_t = F_t * C_{t-1} + (1 - F_t) * Z_t. CTRN adds the
    states of the same Z under F and O of the other text, word by word: the first word under the gates of the first word
    of the other text, and so on. Beyond the end of the other text, the gates are those of zero vectors, as if the
    shorter text were padded to the longer one. Both states are added, which was chosen here because the published way
    to join them is not known.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        super().__init__()
        self.config = config
        self.embedding = embedding
        self.dropout = nn.Dropout(config.dropout)
        self.gates = Gates(embedding.dim, config.hidden, config.width)
        self.matching = Matching(config.hidden, config.composition, config.similarity, config.hops)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each pair, (pairs,)."""
        length = max(batch.questions.mask.shape[1], batch.answers.mask.shape[1])
        question_gates = self._gated(batch.questions, batch.question_of, length)
        answered = self._gated(batch.answers, batch.answer_of, length)
        pairs = torch.arange(len(batch.answer_of), device=question_gates[0].device)
        questions = States(
            self._states(question_gates, answered, batch.questions), batch.questions.mask[batch.question_of]
        )
        answers = States(self._states(answered, question_gates, batch.answers), batch.answers.mask[batch.answer_of])
        return self.matching(questions, answers, pairs, pairs)

    def _gated(self, texts: Texts, rows: Tensor, length: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return Z, F and O of the text of each pair, (pairs, length, hidden) each; zeros follow the text."""
        vectors = self.dropout(self.embedding(texts.ids)).masked_fill(~texts.mask[..., None], 0)  # (n, its length, d)
        z, f, o = self.gates(functional.pad(vectors, (0, 0, 0, length - vectors.shape[1])))
        return z[rows], f[rows], o[rows]

    def _states(self, text_gates: tuple[Tensor, ...], partner: tuple[Tensor, ...], texts: Texts) -> Tensor:
        """Return the states of each pair's text, as long as these texts are padded, (pairs, its length, hidden)."""
        length = texts.mask.shape[1]
        (z, f, o), (_, g, p) = ([gate[:, :length] for gate in gates] for gates in (text_gates, partner))
        if not self.config.crossed:
            return o * fo_pooling(z, f)
        both = fo_pooling(torch.cat([z, z]), torch.cat([f, g]))  # (2 * pairs, length, hidden): one loop for the two
        return o * both[: len(z)] + p * both[len(z) :]


def fo_pooling(z: Tensor, f: Tensor) -> Tensor:
    """Return C_t = F_t * C_{t-1} + (1 - F_t) * Z_t, C_0 = 0, (n, length, hidden) (Bradbury et al. 2017, "fo-pooling").

    >>> fo_pooling(torch.tensor([[[1.0], [0.0]]]), torch.tensor([[[0.5], [0.25]]]))
    tensor([[[0.5000],
             [0.1250]]])
    """
    new = ((1 - f) * z).unbind(dim=1)  # length x (n, hidden)
    kept = [new[0]]
    for gate, value in zip(f.unbind(dim=1)[1:], new[1:], strict=True):
        kept.append(torch.addcmul(value, gate, kept[-1]))
    return torch.stack(kept, dim=1)
