"""Words without their padding: as rows, and their means, maxima, softmax weights and late interaction."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over the words of each text, or 0 for one without: (n, length, d), (n, length) -> (n, d).

    Values at padding, where the mask is False, may be anything, also inf or nan.

    >>> masked_mean(torch.tensor([[[1.0], [3.0], [99.0]]]), torch.tensor([[True, True, False]]))
    tensor([[2.]])
    """
    total = x.masked_fill(~mask[..., None], 0).sum(dim=-2)  # (n, d)
    return total / mask.sum(dim=-1, keepdim=True).clamp_min(1)


def masked_max(x: Tensor, mask: Tensor) -> Tensor:
    """Return the maximum of each feature over the words of each text, or 0 for one without; as ``masked_mean``.

    >>> masked_max(torch.tensor([[[-1.0], [-3.0], [99.0]]]), torch.tensor([[True, True, False]]))
    tensor([[-1.]])
    """
    largest = x.masked_fill(~mask[..., None], float("-inf")).amax(dim=-2)  # (n, d)
    return largest.masked_fill(~mask.any(dim=-1, keepdim=True), 0)


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Return weights that sum to 1 where the mask is True and are exactly 0 elsewhere. All are 0 if it is nowhere True.

    The mask broadcasts to the shape of the scores. Neither values nor gradients are nan if it is nowhere True.

    >>> masked_softmax(torch.tensor([0.0, 0.0, 5.0]), torch.tensor([True, True, False]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    kept = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)  # -inf would give nan if the mask is nowhere True
    return torch.softmax(kept, dim=dim).masked_fill(~mask, 0)


def max_sim(questions: Tensor, question_mask: Tensor, answers: Tensor, answer_mask: Tensor) -> Tensor:
    """Return the sum over the words of a question of the highest cosine with a word of the answer, in [-words, words].

    Shapes: (n, q, d), (n, q), (n, a, d), (n, a) -> (n,); row i of the answers is matched with question i. Padding of an
    answer is -inf before the maximum, because a product with 0 would exceed negative cosines. Padding of a question
    adds 0. An answer without words has a cosine of -1 for each word of the question; that of a vector of zeros is 0.

    >>> question, answer = torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[-2.0, 0.0], [0.0, 0.0]]])
    >>> max_sim(question, torch.tensor([[True]]), answer, torch.tensor([[True, False]]))
    tensor([-1.])

    Source: Khattab & Zaharia 2020, "ColBERT", section 3.3; the ADDAX paper, equation 14.
    """
    unit_questions = functional.normalize(questions.masked_fill(~question_mask[..., None], 0), dim=-1)  # (n, q, d)
    unit_answers = functional.normalize(answers.masked_fill(~answer_mask[..., None], 0), dim=-1)  # (n, a, d)
    cosines = unit_questions @ unit_answers.transpose(1, 2)  # (n, q, a)
    # Not amax, whose gradient is divided among equal positions, which takes a multiple of the time.
    best = cosines.masked_fill(~answer_mask[:, None], -torch.inf).max(dim=2).values  # (n, q)
    best = best.masked_fill(~answer_mask.any(dim=1)[:, None], -1)
    return best.masked_fill(~question_mask, 0).sum(dim=1)


class Packing:
    """The mapping of the rows of a matrix to the words of texts, text after text, with words in order.

    Attributes:
        mask: True at words, (n, length); padding on the right only.
        text_of: The text of each row, int64, (words,).
        position: The position of each row in its text, from 0, int64, (words,).
    """

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask
        self._at = mask.flatten().nonzero()[:, 0]  # (words,)
        self.text_of = self._at // mask.shape[1]
        self.position = self._at % mask.shape[1]

    def rows(self, x: Tensor) -> Tensor:
        """Return the vectors of the words of padded texts, (n, length, ...) -> (words, ...)."""
        return x.flatten(0, 1).index_select(0, self._at)

    def texts(self, rows: Tensor) -> Tensor:
        """Return the padded texts of these words, (words, ...) -> (n, length, ...); 0 at padding."""
        n, length = self.mask.shape
        return (
            rows.new_zeros(n * length, *rows.shape[1:]).index_copy(0, self._at, rows).view(n, length, *rows.shape[1:])
        )

    def means(self, rows: Tensor) -> Tensor:
        """Return the mean over the words of each text, (words, d) -> (n, d), or 0 for a text without words."""
        return self.texts(rows).sum(dim=1) / self.mask.sum(dim=1, keepdim=True).clamp_min(1)

    def spread(self, vectors: Tensor) -> Tensor:
        """Return the vector of a text at each of its words, (n, d) -> (words, d)."""
        return vectors.index_select(0, self.text_of)

    def take(self, rows: Tensor, texts: Tensor) -> tuple[Tensor, Packing]:
        """Return the words of these texts, in this order, and their packing. A text may occur several times."""
        chosen = Packing(self.mask[texts])
        lengths = self.mask.sum(dim=1)  # (n,)
        first = torch.cumsum(lengths, dim=0) - lengths  # the row at which each text begins, (n,)
        return rows.index_select(0, first[texts][chosen.text_of] + chosen.position), chosen
