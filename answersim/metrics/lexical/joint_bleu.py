"""BLEU of one answer against all of its gold answers at once, by sacrebleu."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from answersim._base.arguments import shown
from answersim._base.arrays import FloatArray
from answersim._base.golds import StructuredGold
from answersim._base.runtime.concurrency import imported
from answersim._base.signature import Stored, computed_once, signature
from answersim.answers.text.tokens import language
from answersim.metrics.definitions import definition
from answersim.metrics.lexical.bleu import sacrebleu_tokenizer
from answersim.metrics.lexical.token_metric import check_profile
from answersim.types import Capabilities, Metric, Pair

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

    capabilities: ClassVar[Capabilities] = Capabilities(scale="similarity", structured_golds=True, joint_golds=True)

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
    return imported("sacrebleu.metrics.bleu").BLEU(tokenize=tokenize, effective_order=True)


def build(*, lang: str, profile: str | None) -> Metric:
    """Build BLEU with several references. The tokenizer is that of sacrebleu for the language."""
    check_profile("sacrebleu", profile, ("embedded", "paper", "squad"))
    code = language(lang)
    return SacreBleu() if profile in ("squad", "paper") else SacreBleu(sacrebleu_tokenizer(code))


SACREBLEU = definition("sacrebleu", build)
