"""QA-LSTM and its successors: a BiLSTM over question and answer, then a composition and a similarity.

Tan, dos Santos, Xiang and Zhou, "LSTM-based deep learning models for non-factoid answer selection" (2016). With
attentive pooling it is AP-LSTM (dos Santos et al. 2016), with hops Multihop-Sequential-LSTM and Multihop-MLP-LSTM
(Tran & Niederee 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor, nn

from rankers.modules.composition import BiLSTM, Matching, States, check_matching
from rankers.modules.scoring import Batch, Embedding, Texts
from rankers.settings import Presets, check_least


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network. The defaults are QA-LSTM as in the GGSA paper on insuranceQA."""

    # 192 features, as in the small self-attention networks
    CPU: ClassVar[dict[str, Any]] = {"hidden": 96}

    # the number of features of the LSTM in each direction; 141 on insuranceQA, 256 on yahooQA (GGSA paper, section 4.2)
    hidden: int = 141
    # the dropout rate of word vectors; 0. The GGSA paper gives .3 to Multihop-Sequential-LSTM+ only (Table 5, footnote
    # 3).
    dropout: float = 0.0
    # the composition of states to vectors, one of ``rankers.modules.composition.COMPOSITIONS``
    composition: str = "max"
    similarity: str = "cosine"  # "cosine" for pairwise losses, "mlp" (a logit) for pointwise ones
    hops: int = 2  # the number of hops of multihop compositions, after the mean; 2 (Tran & Niederee 2018)

    def __post_init__(self) -> None:
        check_matching(self)
        check_least(self, 1, "hidden")


class QaLstm(nn.Module):
    """The score of each pair by one BiLSTM for all texts (Tan et al. 2016). Each text is read once."""

    def __init__(self, config: Config, embedding: Embedding) -> None:
        super().__init__()
        self.config: Any = config  # of a network that is built on this one, its own
        self.embedding = embedding
        self.dropout = nn.Dropout(config.dropout)
        self.reader = BiLSTM(embedding.dim, config.hidden)
        self.matching = Matching(2 * config.hidden, config.composition, config.similarity, config.hops)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each pair, (pairs,)."""
        questions, answers = self._read(batch.questions), self._read(batch.answers)
        return self.matching(questions, answers, batch.question_of, batch.answer_of)

    def _read(self, texts: Texts) -> States:
        vectors = self.dropout(self.embedding(texts.ids))  # (n, length, d)
        return States(self.reader(vectors, texts.mask), texts.mask)
