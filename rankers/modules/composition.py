"""From the states of words to the similarity of a question and an answer, for any encoder: attention and hops."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from rankers.modules.pooling import masked_max, masked_mean, masked_softmax
from rankers.settings import check_choices, check_least


class _Reader(nn.Module):
    """A recurrent layer of torch in both directions, over words without padding."""

    def __init__(self, cell: type[nn.LSTM] | type[nn.GRU], dim: int, hidden: int) -> None:
        """Build the layer for vectors of ``dim``, with ``hidden`` features in each direction."""
        super().__init__()
        self.cell = cell(dim, hidden, batch_first=True, bidirectional=True)
        self.dim = 2 * hidden

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the states of the words of each text, (n, length, d) -> (n, length, 2h), 0 at padding.

        The mask, (n, length), is true at words: at least one per text, and padding only on the right.
        """
        words = pack_padded_sequence(x, mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False)
        states, _ = self.cell(words)
        return pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])[0]


class BiLSTM(_Reader):
    """A long short-term memory in each direction (Hochreiter & Schmidhuber 1997)."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Build the layer."""
        super().__init__(nn.LSTM, dim, hidden)


class BiGRU(_Reader):
    """A gated recurrent unit in each direction (Cho et al. 2014)."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Build the layer."""
        super().__init__(nn.GRU, dim, hidden)


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


class Cosine(nn.Module):
    """The cosine of both vectors, for pairwise losses: (..., d) and (..., d) -> (...)."""

    def forward(self, questions: Tensor, answers: Tensor) -> Tensor:
        """Return the cosines, or 0 if a vector is 0."""
        return functional.cosine_similarity(questions, answers, dim=-1)


class LogitDifference(nn.Module):
    """The logit of "fits" minus that of "does not", of a two-layer network on [question; answer], for pointwise losses.

    The GGSA paper (section 3.3) ranks by s = softmax(MLP([v_q; v_a]))_1, which is the sigmoid of this difference: the
    order is the same, and binary cross entropy with this as the logit is the paper's cross entropy of s. The paper does
    not state the hidden size. Here it is d.
    """

    def __init__(self, dim: int, hidden: int = 0) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2 * dim, hidden or dim), nn.ReLU(), nn.Linear(hidden or dim, 2))

    def forward(self, questions: Tensor, answers: Tensor) -> Tensor:
        """Return the differences, (..., d) and (..., d) -> (...)."""
        logits = self.layers(torch.cat([questions, answers], dim=-1))  # (..., 2)
        return logits[..., 1] - logits[..., 0]


SIMILARITIES = ("cosine", "mlp")


def similarity(name: str, dim: int) -> nn.Module:
    """Return the similarity of this name, one of ``SIMILARITIES``, for vectors of this size."""
    return Cosine() if name == "cosine" else LogitDifference(dim)


class States(NamedTuple):
    """The states of the words of texts, from an encoder."""

    vectors: Tensor  # the states, (n, length, d); values at padding have no meaning
    mask: Tensor  # true at words, (n, length)

    def of(self, texts: Tensor) -> States:
        """Return the states of these texts, in this order."""
        return States(self.vectors[texts], self.mask[texts])


class MaxComposition(nn.Module):
    """The maximum of each feature over the words of a text, for questions and answers (Tan et al. 2016)."""

    def forward(
        self, questions: States, answers: States, question_of: Tensor, answer_of: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the vectors of the question and the answer of each pair, (pairs, 1, d) each."""
        return masked_max(*questions)[question_of][:, None], masked_max(*answers)[answer_of][:, None]


class AttentionComposition(nn.Module):
    """The maxima of the words of the question, and the sum of the words of the answer, weighted by the question.

    The weights are softmax_t(w^T tanh(A h_t + B v_q)): Tan et al. 2016, "LSTM-based deep learning models for
    non-factoid answer selection", equations 9 to 11.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weights = MlpAttention(dim)

    def forward(
        self, questions: States, answers: States, question_of: Tensor, answer_of: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the vectors of the question and the answer of each pair, (pairs, 1, d) each."""
        guides = masked_max(*questions)[question_of][:, None]  # (pairs, 1, d)
        read = answers.of(answer_of)
        return guides, self.weights(read.vectors, read.mask, guides) @ read.vectors


class AttentivePooling(nn.Module):
    """Attentive pooling: both texts weighted by softmax of the row and column maxima of tanh(Q U A^T).

    Source: dos Santos et al. 2016, "Attentive pooling networks", equations 5 to 11. On LSTM states it is AP-LSTM.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.product = nn.Linear(dim, dim, bias=False)  # U

    def forward(
        self, questions: States, answers: States, question_of: Tensor, answer_of: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the vectors of the question and the answer of each pair, (pairs, 1, d) each."""
        projected = States(self.product(questions.vectors), questions.mask).of(question_of)
        question, answer = questions.of(question_of), answers.of(answer_of)
        soft = (projected.vectors @ answer.vectors.transpose(1, 2)).tanh()  # (pairs, question length, answer length)
        low = torch.finfo(soft.dtype).min
        of_question = soft.masked_fill(~answer.mask[:, None], low).amax(dim=2)  # (pairs, question length)
        of_answer = soft.masked_fill(~question.mask[:, :, None], low).amax(dim=1)  # (pairs, answer length)
        return (
            masked_softmax(of_question, question.mask)[:, None] @ question.vectors,
            masked_softmax(of_answer, answer.mask)[:, None] @ answer.vectors,
        )


class MultihopComposition(nn.Module):
    """One weighted sum of the words of the question per hop, which guides one of the words of the answer.

    With the sum of cosines this is the score of MAN (Tran & Niederee 2018; Gupta & Carvalho 2019, equation 1).
    """

    def __init__(self, dim: int, hops: int, kind: str) -> None:
        """Build ``hops`` hops after the mean. ``kind`` is the attention over the answer: "sequential" or "mlp"."""
        super().__init__()
        self.question = Hops(dim, hops)
        self.answer = attention(kind, dim)

    def forward(
        self, questions: States, answers: States, question_of: Tensor, answer_of: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the vectors of the question and the answer of each pair, (pairs, hops + 1, d) each."""
        guides = self.question(*questions)[question_of]  # (pairs, hops + 1, d)
        read = answers.of(answer_of)
        return guides, self.answer(read.vectors, read.mask, guides) @ read.vectors


COMPOSITIONS = ("max", "attention", "attentive-pooling", "multihop", "multihop-mlp")


def composition(name: str, dim: int, hops: int) -> nn.Module:
    """Return the composition of this name, one of ``COMPOSITIONS``, for states of this size.

    Only multihop compositions have hops.
    """
    if name == "max":
        return MaxComposition()
    if name == "attention":
        return AttentionComposition(dim)
    if name == "attentive-pooling":
        return AttentivePooling(dim)
    return MultihopComposition(dim, hops, "mlp" if name == "multihop-mlp" else "sequential")


def check_matching(settings: Any) -> None:
    """Check the settings of ``Matching``, and the dropout of word vectors.

    Raise LookupError if a name is unknown. Raise ValueError if a number is out of its range.
    """
    check_choices(settings, composition=COMPOSITIONS, similarity=SIMILARITIES)
    check_least(settings, 0, "hops")
    if not 0 <= settings.dropout <= 1:
        raise ValueError(f"dropout is {settings.dropout}, but it must be between 0 and 1")


class Matching(nn.Module):
    """The score of each pair: composition, then similarity, or the sum of the similarities of all hops.

    With "multihop" and "cosine" this is the score of multihop attention networks. The GGSA paper has no pointwise
    multihop system. Here the logits are added, as the cosines of the pairwise one.
    """

    def __init__(self, dim: int, composed: str, compared: str, hops: int) -> None:
        super().__init__()
        self.composition = composition(composed, dim, hops)
        self.similarity = similarity(compared, dim)

    def forward(self, questions: States, answers: States, question_of: Tensor, answer_of: Tensor) -> Tensor:
        """Return one score per pair, (pairs,)."""
        return self.similarity(*self.composition(questions, answers, question_of, answer_of)).sum(dim=-1)
