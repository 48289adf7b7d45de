"""Recall and containment: does a longer prediction contain the gold answer?"""

from __future__ import annotations

from collections.abc import Sequence

from answersim.metrics.definitions import definition
from answersim.metrics.lexical.f1 import shared
from answersim.metrics.lexical.token_metric import answer_tokens

REVISION = 1  # raise it when a number changes; it is signed
CONTAINMENT_REVISION = 1


def recall(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Return the share of the gold tokens that the prediction contains, on multisets, between 0 and 1.

    Recall is not symmetric: additional text in the prediction does not lower the score. This suits predictions in full
    sentences. Two empty answers score 1.0. An empty answer and any other answer score 0.0.

    >>> recall(["jane", "austen"], ["it", "was", "jane", "austen"]), recall(["jane", "austen"], ["jane"])
    (1.0, 0.5)

    Source: the recall inside ``compute_f1`` of the SQuAD v2 evaluation script (Rajpurkar et al. 2018).
    """
    if not gold or not pred:
        return float(len(gold) == len(pred))
    return shared(gold, pred) / len(gold)


def containment(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Return 1.0 if the gold tokens are a contiguous part of the predicted tokens, in the same order, else 0.0.

    Only whole tokens match: "US" is not in "Russia", and "11" is not in "1911". Containment is not symmetric. Two empty
    answers score 1.0. An empty answer and any other answer score 0.0.

    >>> containment(["jane", "austen"], ["it", "was", "jane", "austen"]), containment(["us"], ["russia"])
    (1.0, 0.0)

    Source: the "answer occurs in the output" accuracy of open-domain question answering, on normalized tokens. On 9,690
    judged answers (EVOUNA TriviaQA, Wang et al. 2023) it agrees with the annotators in 90.1 % of cases. A match of
    letters, which also accepts "206" in "2060", agrees in 91.4 %.
    """
    if not gold or not pred:
        return float(len(gold) == len(pred))
    inner, outer = (f" {' '.join(tokens)} " for tokens in (gold, pred))
    if inner not in outer:
        return 0.0
    if inner.count(" ") == len(gold) + 1 and outer.count(" ") == len(pred) + 1:  # no token contains a space
        return 1.0
    gold_words, width = list(gold), len(gold)
    return float(any(list(pred[i : i + width]) == gold_words for i in range(len(pred) - width + 1)))


RECALL = definition("recall", answer_tokens("recall", recall, REVISION))
CONTAINMENT = definition(
    "containment", answer_tokens("containment", containment, CONTAINMENT_REVISION, "binary", match="words")
)
