"""The attention weights of the words of an answer, given the question, and questions that are read in several hops."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from rankers.modules.pooling import masked_mean, masked_softmax
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


class Hops(nn.Module):
    """Several weighted sums of the words of a question. Each hop weights the words by the result of the hops before it.

    o_0 is the mean of the states and m_0 = o_0. Then for k = 1 ... K, with the elementwise product *,
    o_k = sum_t softmax_t(w^T (tanh(U h_t) * tanh(V m_{k-1}))) h_t and m_k = m_{k-1} + o_k
    (Tran & Niederee 2018; Gupta & Carvalho 2019). Public code adds o_0 again instead of o_k, so that its second hop
    does not depend on the first. Here it does.
    """

    def __init__(self, dim: int, hops: int) -> None:
        """Build ``hops`` hops on states of ``dim``, with the same U, V and w."""
        super().__init__()
        self.hops = hops
        layers = min(hops, 1)
        self.states = nn.ModuleList(nn.Linear(dim, dim, bias=False) for _ in range(layers))
        self.memory = nn.ModuleList(nn.Linear(dim, dim, bias=False) for _ in range(layers))
        self.score = nn.ModuleList(nn.Linear(dim, 1, bias=False) for _ in range(layers))

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return o_0 ... o_K, (n, length, d), (n, length) -> (n, K + 1, d)."""
        hops = [masked_mean(states, mask)]  # K + 1 x (n, d)
        memory = hops[0]
        keys = [layer(states).tanh() for layer in self.states]  # none without hops, else (n, length, d)
        for _ in range(self.hops):
            seen = keys[0] * self.memory[0](memory).tanh()[:, None]  # (n, length, d)
            weights = masked_softmax(self.score[0](seen).squeeze(-1), mask)  # (n, length)
            hops.append((weights[:, None] @ states).squeeze(1))
            memory = memory + hops[-1]
        return torch.stack(hops, dim=1)


class MultihopAttention(nn.Module):
    """The score of question and answer: the sum over the hops of the cosine of their weighted sums.

    For each hop k of the question, the words of the answer are weighted with o_k as their guide, and their weighted sum
    is compared with o_k. This works on the states of any encoder. (Tran & Niederee 2018; Gupta & Carvalho 2019, eq. 1.)
    """

    def __init__(
        self,
        dim: int,
        hops: int = 2,
        *,
        kind: str = "sequential",
        hidden: int = 0,
    ) -> None:
        """Build the attention on states of ``dim``.

        Args:
            dim: The number of features of a state.
            hops: The number of times that the question is read after its mean, K.
            kind: The attention over the words of the answer: "sequential" or "mlp".
            hidden: The hidden size of the attention over the answer; 0 for its default (half of ``dim`` in each
                direction for sequential, ``dim`` for mlp).
        """
        super().__init__()
        self.question = Hops(dim, hops)
        self.answer = attention(kind, dim, hidden)

    def forward(
        self,
        questions: Tensor,
        question_mask: Tensor,
        answers: Tensor,
        answer_mask: Tensor,
        question_of: Tensor | None = None,
        answer_of: Tensor | None = None,
    ) -> Tensor:
        """Return one score per pair, between -(K + 1) and K + 1.

        Args:
            questions: States of the distinct questions, (q, length, d).
            question_mask: True at their words, (q, length).
            answers: States of the answers, (a, length, d).
            answer_mask: True at their words, (a, length).
            question_of: The question of each pair, (pairs,). By default, pair i has question i.
            answer_of: The answer of each pair, (pairs,). By default, pair i has answer i.

        Returns:
            (pairs,).
        """
        guides = self.question(questions, question_mask)  # (q, k, d), once per question
        if question_of is not None:
            guides = guides[question_of]  # (pairs, k, d)
        if answer_of is not None:
            answers, answer_mask = answers[answer_of], answer_mask[answer_of]
        weights = self.answer(answers, answer_mask, guides)  # (pairs, k, length)
        return nn.functional.cosine_similarity(weights @ answers, guides, dim=-1).sum(dim=-1)
