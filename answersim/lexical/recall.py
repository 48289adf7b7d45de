"""Recall and containment: is the gold answer to be found in a longer prediction?"""

from __future__ import annotations

from collections.abc import Sequence

from answersim.lexical.f1 import shared
from answersim.lexical.shared_grams import Shared
from answersim.types import FloatArray


def recall(gold: Sequence[str], pred: Sequence[str]) -> float:
    """The share of the gold tokens that the prediction holds, on multisets, between 0 and 1.

    Not symmetric: what else the prediction says costs nothing. That suits predictions in whole sentences. Two empty
    answers agree (1.0); an empty one agrees with no other (0.0).

    >>> recall(["jane", "austen"], ["it", "was", "jane", "austen"]), recall(["jane", "austen"], ["jane"])
    (1.0, 0.5)

    Source: the recall inside SQuAD's ``compute_f1``.
    """
    if not gold or not pred:
        return float(len(gold) == len(pred))
    return shared(gold, pred) / len(gold)


def recall_numbers(counts: Shared) -> FloatArray:
    """``recall`` of each of these pairs, shape (n,); both answers have tokens."""
    return counts.matched[0] / counts.gold


def containment(gold: Sequence[str], pred: Sequence[str]) -> float:
    """1.0 when the normalised gold answer stands somewhere in the normalised prediction, else 0.0.

    Text in text, so a word may match inside a longer one ("cat" in "cats", but "11" in "1911" too). Not symmetric. Two
    empty answers agree (1.0); an empty one agrees with no other (0.0).

    >>> containment(["jane", "austen"], ["it", "was", "jane", "austen"]), containment(["11"], ["12"])
    (1.0, 0.0)

    Source: the "answer occurs in the output" accuracy of open-domain question answering, after normalisation. Against
    people's verdicts on 9,690 answers (EVOUNA TriviaQA, Wang et al. 2023) its accuracy is .914; matching whole words
    only gives .901.
    """
    if not gold or not pred:
        return float(len(gold) == len(pred))
    return float(" ".join(gold) in " ".join(pred))
