"""Losses: functions of the scores of candidates and of the relevance of each.

All take ``scores``, ``relevance`` and ``mask`` of one shape, (questions, candidates): a row contains candidates of one
question, relevance is 0 for a negative and above 0 for a positive, and mask is False where a row has no candidate. All
return a scalar: 0 if there is nothing to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional

from answersim._base.errors import unknown


def hinge(scores: Tensor, relevance: Tensor, mask: Tensor, margin: float = 1.0) -> Tensor:
    """Return the mean of max(0, margin - (positive - negative)) over pairs of two candidates of one question.

    The positive of a pair is the more relevant candidate, so grades are used as they are.

    >>> float(hinge(torch.tensor([[0.5, 0.25]]), torch.tensor([[1.0, 0.0]]), torch.ones(1, 2, dtype=torch.bool)))
    0.75

    Source: the committee paper, equation 2; GGSA, section 3.3 (margin .1).
    """
    gaps = scores[:, :, None] - scores[:, None, :]  # (q, c, c): first minus second
    pairs = (relevance[:, :, None] > relevance[:, None, :]) & mask[:, :, None] & mask[:, None, :]
    return _mean((margin - gaps).clamp(min=0), pairs)


def pointwise(scores: Tensor, relevance: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over candidates of the cross entropy of sigmoid(score) with relevant or not.

    For a score that is the difference of two logits, this is the cross entropy of their softmax.

    Source: GGSA, section 3.3.
    """
    target = (relevance > 0).to(scores.dtype)
    seen = scores.masked_fill(~mask, 0)
    return _mean(functional.binary_cross_entropy_with_logits(seen, target, reduction="none"), mask)


def listwise(scores: Tensor, relevance: Tensor, mask: Tensor, temperature: float = 1.0) -> Tensor:
    """Return the mean over questions of the cross entropy of softmax(scores / temperature) with relevance / its sum.

    Questions without a relevant candidate are left out.

    Source: Cao et al. 2007, "Learning to rank: from pairwise approach to listwise approach" (top-one ListNet), with the
    share of relevance instead of a softmax of it.
    """
    logs = functional.log_softmax((scores / temperature).masked_fill(~mask, -torch.inf), dim=1)
    target = relevance.masked_fill(~mask, 0)
    total = target.sum(dim=1)
    entropy = -(target * logs.masked_fill(~mask, 0)).sum(dim=1)
    return _mean(entropy / total.clamp(min=torch.finfo(scores.dtype).tiny), total > 0)


def distillation(scores: Tensor, teacher: Tensor, temperature: float = 1.0) -> Tensor:
    """Return the mean over questions of the divergence (KL) of softmax(scores) from softmax(teacher / temperature).

    Only candidates that the teacher scored are compared. A question with fewer than two is left out.

    Args:
        scores: The scores of candidates, (questions, candidates).
        teacher: Those of the teacher, in the same shape; nan for none.
        temperature: The lower it is, the more its best candidates count. Probabilities need one far below 1.

    Source: Hinton et al. 2015, "Distilling the knowledge in a neural network", over the candidates of a question.
    """
    mask = ~teacher.isnan()
    logs = functional.log_softmax(scores.masked_fill(~mask, -torch.inf), dim=1).masked_fill(~mask, 0)
    target = functional.log_softmax((teacher / temperature).masked_fill(~mask, -torch.inf), dim=1).masked_fill(~mask, 0)
    divergence = (target.exp() * (target - logs)).masked_fill(~mask, 0).sum(dim=1)
    return _mean(divergence, mask.sum(dim=1) > 1)


LOSSES: dict[str, Callable[..., Tensor]] = {"hinge": hinge, "pointwise": pointwise, "listwise": listwise}


def get_loss(name: str, margin: float = 1.0, temperature: float = 1.0) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Return the loss of this name with its settings: "hinge" has a margin, "listwise" a temperature."""
    if name not in LOSSES:
        raise unknown("loss", name, LOSSES)
    settings = {"hinge": {"margin": margin}, "listwise": {"temperature": temperature}}.get(name, {})
    return partial(LOSSES[name], **settings)


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    """Return the mean where mask is True, or 0 with a gradient of 0 if it is nowhere True."""
    return values.masked_fill(~mask, 0).sum() / mask.sum().clamp(min=1)
