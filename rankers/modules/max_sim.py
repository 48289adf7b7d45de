"""Late interaction: every word of a question looks for the word of an answer that is most like it."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def max_sim(questions: Tensor, question_mask: Tensor, answers: Tensor, answer_mask: Tensor) -> Tensor:
    """Return the sum over a question's words of the highest cosine with a word of the answer, in [-words, words].

    Padding of an answer is worth -inf before the maximum: a product with 0 would let it win against words that all
    point away. Padding of a question adds 0. An answer without words agrees with none: -1 per word of the question.

    Args:
        questions: One vector per word, (n, q, d); values at padding are not read.
        question_mask: True at words, (n, q).
        answers: One vector per word, (n, a, d); row i is matched with question i.
        answer_mask: True at words, (n, a).

    Returns:
        (n,). The cosine with a vector of zeros is 0.

    >>> question, answer = torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[-2.0, 0.0], [0.0, 0.0]]])
    >>> max_sim(question, torch.tensor([[True]]), answer, torch.tensor([[True, False]]))
    tensor([-1.])

    Source: Khattab & Zaharia 2020, "ColBERT", section 3.3; the ADDAX paper, equation 14.
    """
    unit_questions = functional.normalize(questions.masked_fill(~question_mask[..., None], 0), dim=-1)  # (n, q, d)
    unit_answers = functional.normalize(answers.masked_fill(~answer_mask[..., None], 0), dim=-1)  # (n, a, d)
    cosines = unit_questions @ unit_answers.transpose(1, 2)  # (n, q, a)
    # Not amax, whose gradient is shared out among equal places at a multiple of the time.
    best = cosines.masked_fill(~answer_mask[:, None], -torch.inf).max(dim=2).values  # (n, q)
    best = best.masked_fill(~answer_mask.any(dim=1)[:, None], -1)
    return best.masked_fill(~question_mask, 0).sum(dim=1)
