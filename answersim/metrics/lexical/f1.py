"""Token F1: the harmonic mean of the shares of the tokens that gold and prediction have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from answersim.metrics.definitions import definition
from answersim.metrics.lexical.token_metric import answer_tokens

REVISION = 1  # raise it when a number changes; it is signed

_FEW = 16  # tokens of both answers up to which searching a list is faster than counting


def f1(gold: Sequence[Hashable], pred: Sequence[Hashable]) -> float:
    """Return the token F1 on multisets, unrounded, between 0 and 1.

    Two empty answers score 1.0. An empty answer and any other answer score 0.0.

    Warning: the SQuAD rule, which the English default follows, removes all ASCII punctuation and the articles. So "-5"
    and "5", "1.5" and "15", "C++" and "C", "$5" and "5" have F1 1 (see ``exact_match``).

    >>> f1(["isaac", "komnenos"], ["isaac"])
    0.6666666666666666

    Source: ``compute_f1`` of the official SQuAD v2 evaluation script (Rajpurkar et al. 2018).
    """
    if not gold or not pred:
        return float(len(gold) == len(pred))
    if gold == pred:
        return 1.0
    common = shared(gold, pred)
    if not common:
        return 0.0
    precision, recall = common / len(pred), common / len(gold)
    return 2 * precision * recall / (precision + recall)


def shared(gold: Sequence[Hashable], pred: Sequence[Hashable]) -> int:
    """Return how many tokens both have, with multiplicity.

    >>> shared(["ha", "ha"], ["ha", "ha", "ha"])
    2
    """
    if len(gold) + len(pred) <= _FEW:
        rest = list(gold)
        for token in pred:
            if token in rest:
                rest.remove(token)
        return len(gold) - len(rest)
    left = Counter(gold)
    count_of, common = left.get, 0
    for token in pred:
        if count := count_of(token):
            left[token] = count - 1
            common += 1
    return common


F1 = definition("f1", answer_tokens("f1", f1, REVISION, reference=True))
