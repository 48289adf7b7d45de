"""Metrics whose score follows from the number of shared n-grams, computed for many pairs of long answers at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from answersim.lexical.bleu import bleu, bleu_numbers, bleu_paper, bleu_paper_numbers
from answersim.lexical.f1 import f1, f1_numbers
from answersim.lexical.recall import recall, recall_numbers
from answersim.lexical.shared_grams import Shared
from answersim.types import FloatArray


class Counted(NamedTuple):
    """A similarity, for many pairs."""

    orders: int  # the longest n-gram that it counts
    # computes the scores from the shared n-grams, with the same bits as one by one. Both answers have words.
    numbers: Callable[[Shared], FloatArray]


# A similarity of two lists of tokens -> the same for many pairs.
COUNTED: dict[Callable[[Sequence[str], Sequence[str]], float], Counted] = {
    f1: Counted(1, f1_numbers),
    recall: Counted(1, recall_numbers),
    bleu: Counted(4, bleu_numbers),
    bleu_paper: Counted(4, bleu_paper_numbers),
}
