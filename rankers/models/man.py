"""Multihop Attention Network: a question read in several hops, each of which finds its own words in the answer.

Tran & Niederee 2018, "Multihop attention networks for question answer matching"; one of the three networks of the
committee paper (Gupta & Carvalho 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rankers.models import qa_lstm
from rankers.models.qa_lstm import QaLstm
from rankers.modules.composition import KINDS
from rankers.modules.scoring import Embedding
from rankers.settings import Presets, check_choices, check_least


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network."""

    # PAPER: two hops and the mean, 141 features in each direction
    # fewer features, for minutes of training
    CPU: ClassVar[dict[str, Any]] = {"hidden": 64}

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


class Network(QaLstm):
    """MAN: a shared BiLSTM, hops over the question, an attention over the answer for each, the sum of cosines.

    The mean of the question is compared as well, and all hops have the same weights, as in the code of the authors.
    Equation 1 of the committee paper sums over the hops only. Scores are between -(K + 1) and K + 1.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        composed = "multihop" if config.attention == "sequential" else "multihop-mlp"
        of_reader = qa_lstm.Config(config.hidden, config.dropout, composed, "cosine", config.hops)
        super().__init__(of_reader, embedding)
        self.config = config
