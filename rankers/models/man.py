"""Multihop Attention Network: a question read in several hops, each of which finds its own words in the answer.

Tran & Niederee 2018, "Multihop attention networks for question answer matching"; one of the three networks of the
committee paper (Gupta & Carvalho 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from rankers.modules.composition import KINDS, BiLSTM, Matching, States
from rankers.modules.scoring import Batch, Embedding
from rankers.settings import Presets, check_choices, check_least


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network."""

    # PAPER: two hops and the mean, 141 features in each direction
    # fewer features, for minutes of training
    CPU: ClassVar = {"hidden": 64}

    # the number of features of each BiLSTM in each direction; 141 in the recurrent baselines of the GGSA paper
    hidden: int = 141
    hops: int = 2  # the number of times that the question is read after its mean; 2 in the notes of the authors
    # the attention over the words of the answer: "sequential" (MAN) or "mlp" (Multihop-MLP-LSTM)
    attention: str = "sequential"
    dropout: float = 0.0  # the dropout rate of word vectors; .3 for Multihop-Seq-LSTM+ in the GGSA paper

    def __post_init__(self) -> None:
        """Check that the network can be built from the settings."""
        check_choices(self, attention=KINDS)
        check_least(self, 1, "hidden")
        check_least(self, 0, "hops")


class Network(nn.Module):
    """MAN: a shared BiLSTM, hops over the question, an attention over the answer for each, the sum of cosines.

    The mean of the question is compared as well, and all hops have the same weights, as in the code of the authors.
    Equation 1 of the committee paper sums over the hops only. Scores are between -(K + 1) and K + 1.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        super().__init__()
        self.config = config
        self.embedding = embedding
        self.dropout = nn.Dropout(config.dropout)
        self.reader = BiLSTM(embedding.dim, config.hidden)
        composed = "multihop" if config.attention == "sequential" else "multihop-mlp"
        self.matching = Matching(self.reader.dim, composed, "cosine", config.hops)

    def forward(self, batch: Batch) -> Tensor:
        """Return one score per pair, (pairs,)."""
        questions, answers = (
            States(self.reader(self.dropout(self.embedding(texts.ids)), texts.mask), texts.mask)  # (n, length, 2h)
            for texts in (batch.questions, batch.answers)
        )
        return self.matching(questions, answers, batch.question_of, batch.answer_of)
