"""The attention weights of the words of an answer, given the question: sequential, or by a small network."""

from __future__ import annotations

from torch import Tensor, nn

from rankers.modules.pooling import masked_softmax
from rankers.modules.recurrent import BiLSTM

KINDS = ("sequential", "mlp")


class SequentialAttention(nn.Module):
    """Sequential attention: softmax of the sum of the features of a BiLSTM over the words.

    The input of the BiLSTM is the elementwise product of state and guide (Tran & Niederee 2018, multihop attention
    networks, "sequential attention").
    """

    def __init__(self, dim: int, hidden: int = 0) -> None:
        """Build the BiLSTM for states and guides of ``dim``, and ``hidden`` features per direction (0: ``dim`` / 2)."""
        super().__init__()
        self.reader = BiLSTM(dim, hidden or max(1, dim // 2))

    def forward(self, states: Tensor, mask: Tensor, guides: Tensor) -> Tensor:
        """Return weights that sum to 1 per guide: (n, length, d), (n, length), (n, k, d) -> (n, k, length)."""
        n, k, _ = guides.shape
        guided = (states[:, None] * guides[:, :, None]).flatten(0, 1)  # (n * k, length, d): all guides in one pass
        repeated = mask.repeat_interleave(k, dim=0)  # (n * k, length)
        scores = self.reader(guided, repeated).sum(dim=-1)  # (n * k, length)
        return masked_softmax(scores, repeated).view(n, k, -1)


class MlpAttention(nn.Module):
    """Weights by a network with one hidden layer: softmax of w^T tanh(A h + B g) (Tan et al. 2016, eq. 9 and 10)."""

    def __init__(self, dim: int, hidden: int = 0) -> None:
        """Build the network for states and guides of ``dim``. A hidden size of 0 means ``dim``."""
        super().__init__()
        hidden = hidden or dim
        self.state = nn.Linear(dim, hidden, bias=False)
        self.guide = nn.Linear(dim, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)  # a constant cancels in the softmax

    def forward(self, states: Tensor, mask: Tensor, guides: Tensor) -> Tensor:
        """Return weights that sum to 1 per guide: (n, length, d), (n, length), (n, k, d) -> (n, k, length)."""
        seen = (self.state(states)[:, None] + self.guide(guides)[:, :, None]).tanh()  # (n, k, length, hidden)
        return masked_softmax(self.score(seen).squeeze(-1), mask[:, None])


def attention(kind: str, dim: int, hidden: int = 0) -> nn.Module:
    """Return the attention of this kind, one of ``KINDS``, for states and guides of ``dim``."""
    return SequentialAttention(dim, hidden) if kind == "sequential" else MlpAttention(dim, hidden)
