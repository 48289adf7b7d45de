"""Answers that a language model wrote for this project: of each question, four right and four wrong predictions.

The gold answer decides: a third of the questions are about invented things. The texts of a test part have other writers
than those of train and dev.
"""

from __future__ import annotations

from collections.abc import Sequence

from answersim.training.data.pairs import TrainingPair
from tools.tables import table
from tools.weights.pairs.draws import split_of

OTHERS = ("de", "fr", "es", "ja", "zh")
DEV = 0.12  # the share of the questions that are in dev
LABELS = (1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0)  # of the texts of a row


def written_pairs(languages: Sequence[str], split: str) -> list[TrainingPair]:
    """Return the pairs of this split and these languages, in file order."""
    return [
        TrainingPair(gold, text, label, split, f"written:{lang}", question)
        for part, lang, question, gold, *texts in table(__file__, "written.tsv")
        if lang in languages and split == (split_of(question, DEV) if part == "train" else part)
        for text, label in zip(texts, LABELS, strict=True)
    ]
