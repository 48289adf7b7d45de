"""BLEU of one answer against all of its gold answers at once, by sacrebleu."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from answersim._base.arguments import shown
from answersim._base.arrays import FloatArray
from answersim._base.golds import StructuredGold
from answersim._base.runtime.concurrency import importing
from answersim._base.signature import Stored, computed_once, signature
from answersim.answers.text.tokens import language
from answersim.metrics.lexical.bleu import has_characters
from answersim.metrics.lexical.factories import check_profile
from answersim.types import Capabilities, Definition, Example, Metric, Pair

REVISION = 1  # raise it when a number changes; it is signed


@dataclass(frozen=True)
class SacreBleu(Stored):
    """Sentence BLEU with several references, between 0 and 1. The prediction is the hypothesis.

    An n-gram counts as often as in the gold answer that has it most often. The length of the reference is that of the
    gold answer whose length is the closest. So the score may be higher than ``bleu`` against each gold answer. Two
    blank answers score 1.0 (sacrebleu returns 0).

    Source: Papineni et al. 2002; equal to ``sacrebleu.sentence_bleu(pred, golds).score / 100``.
    """

    tokenize: str = "13a"  # the tokenizer of sacrebleu

    @computed_once
    def capabilities(self) -> Capabilities:
        """It gets all gold answers of a prediction at once."""
        return Capabilities(scale="similarity", structured_golds=True, joint_golds=True)

    @computed_once
    def signature(self) -> str:
        """For example ``sacrebleu|tokenize:13a|rev:1``."""
        return signature("sacrebleu", self, revision=REVISION)

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one number per pair, in order, shape (n,).

        Raise ValueError if a gold answer is a structure other than a list of texts.
        """
        score = _bleu(self.tokenize).sentence_score
        column = np.empty(len(pairs), dtype=np.float64)
        for i, (gold, pred) in enumerate(pairs):
            golds = _texts(gold)
            is_blank = not pred.strip() and not all(text.strip() for text in golds)
            column[i] = 1.0 if is_blank else min(score(pred, golds).score / 100, 1.0)
        return column


def _texts(gold: str) -> list[str]:
    golds = json.loads(gold) if isinstance(gold, StructuredGold) else [gold]
    if not isinstance(golds, list) or not all(isinstance(text, str) for text in golds):
        raise ValueError(
            f"the gold answer {shown(gold)} is a structure, but sacrebleu compares texts; give a list of them"
        )
    return golds


@cache
def _bleu(tokenize: str) -> Any:
    with importing("sacrebleu.metrics.bleu"):
        from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=tokenize, effective_order=True)


def build(*, lang: str, profile: str | None) -> Metric:
    """Build BLEU with several references. The tokenizer is that of sacrebleu for the language."""
    check_profile("sacrebleu", profile, ("embedded", "paper", "squad"))
    code = language(lang)
    if profile in ("squad", "paper"):
        return SacreBleu()
    return SacreBleu("zh" if code == "zh" else "char" if has_characters(code) else "13a")


SACREBLEU = Definition(
    "sacrebleu",
    "lexical",
    "sentence BLEU against all gold answers at once, with effective order and exponential smoothing, 0 to 1",
    "Papineni et al. 2002; Post 2018 (sacrebleu)",
    build,
    formula="""p(n) = share of the n-grams of pred that some gold answer contains,
  each as often as in the gold answer that has it most often
  (the k-th p(n) without a match = 1 / (2^k · number of n-grams of pred))
N = min(4, tokens of pred)
b = min(1, exp(1 - tokens of the closest gold answer / tokens of pred))
score = b · exp(mean of log p(n) for n = 1 .. N)""",
    equal_to="sacrebleu",
    languages="all",
    examples=(
        Example("the Eiffel Tower", "the Eiffel Tower", 1.0),
        Example("the Eiffel Tower", "the tall Eiffel Tower", 0.354),
        Example("eleven", "11", 0.0),
    ),
)
