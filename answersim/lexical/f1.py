"""Token F1: the harmonic mean of the shares of the tokens that gold and prediction have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def f1(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Token F1 on multisets, unrounded, between 0 and 1.

    Two empty answers agree (1.0); an empty one agrees with no other (0.0).

    >>> f1(["isaac", "komnenos"], ["isaac"])
    0.6666666666666666

    Source: ``compute_f1`` of the official SQuAD v2 evaluation script (Rajpurkar et al. 2018).
    """
    if not gold or not pred:
        return float(len(gold) == len(pred))
    common = shared(gold, pred)
    if not common:
        return 0.0
    precision, recall = common / len(pred), common / len(gold)
    return 2 * precision * recall / (precision + recall)


def shared(gold: Sequence[str], pred: Sequence[str]) -> int:
    """How many tokens both have, each counted as often as it stands in both.

    >>> shared(["ha", "ha"], ["ha", "ha", "ha"])
    2
    """
    left = Counter(gold)
    common = 0
    for token in pred:
        if left.get(token, 0) > 0:
            left[token] -= 1
            common += 1
    return common
