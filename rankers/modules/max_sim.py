"""Late interaction: every word of a question is matched with the most similar word of an answer."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def max_sim(questions: Tensor, question_mask: Tensor, answers: Tensor, answer_mask: Tensor) -> Tensor:
    """Return the sum over the words of a question of the highest cosine with a word of the answer, in [-words, words].

    Padding of an answer is -inf before the maximum, because a product with 0 would exceed negative cosines. Padding of
    a question adds 0. An answer without words has a cosine of -1 for each word of the question.

    Args:
        questions: One vector per word, (n, q, d); values at padding are not read.
        question_mask: True at words, (n, q).
        answers: One vector per word, (n, a, d). Row i is matched with question i.
        answer_mask: True at words, (n, a).

    Returns:
        The scores, (n,). The cosine with a vector of zeros is 0.

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
