"""The pairs of a training with their metadata: read from a file, split, and labeled by a teacher."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim.metrics.checkpoints import search
from answersim.training.data import teacher_labels
from answersim.training.data.pairs import TrainingPair, read_pairs, resplit, shared_texts

NAMES = Path("names/name_pairs_score_split.csv")  # the file of the paper, below $ANSWERSIM_DATA
RECORDED = "recorded"
TEACHER = "sas"


class TrainingInput(NamedTuple):
    """Pairs to train on, and their metadata for recipe.json."""

    pairs: list[TrainingPair]
    metadata: dict[str, Any]

    def summary(self) -> str:
        """Return one line on the pairs: how many of each source, and what was left out."""
        sources = Counter(pair.source or "given" for pair in self.pairs)
        summary = f"{len(self.pairs):,} pairs: {', '.join(f'{count:,} {name}' for name, count in sources.items())}"
        if self.metadata.get("left_out"):
            summary += f"; left out: {self.metadata['left_out']:,} whose texts are of two splits"
        return summary


def default_file() -> Path:
    """Return the file of name pairs of the paper below ``$ANSWERSIM_DATA``, or raise a FileNotFoundError."""
    home = os.environ.get("ANSWERSIM_DATA")
    path = Path(home or "") / NAMES
    if not home or not path.is_file():
        raise FileNotFoundError(
            f"no name pairs: {f'there is no {path}' if home else '$ANSWERSIM_DATA is not set'}; put the file "
            f"{NAMES.name} of the paper there, or name a file of pairs with --pairs"
        )
    return path


def from_file(path: Path, seed: int = 0, *, keep_split: bool = False) -> TrainingInput:
    """Return the pairs of this file, split again by entity unless ``keep_split`` is set.

    Raise FileNotFoundError or ValueError as ``pairs.read_pairs``.
    """
    read = read_pairs(path)
    metadata: dict[str, Any] = {"files": {path.name: search.sha256(path)}}
    if keep_split:
        return TrainingInput(read, {**metadata, "split": "as in the file", "shared_texts": len(shared_texts(read))})
    again = resplit(read, rng=np.random.default_rng([seed, 0]))
    return TrainingInput(again, {**metadata, "split": "by entity", "left_out": len(read) - len(again)})


def labeled(
    training_input: TrainingInput, teacher: str | None, cache: Path, log: Callable[[str], None]
) -> TrainingInput:
    """Return the same with a label on every pair.

    ``teacher``: the name of a metric, which labels every pair whose label is not 1. "recorded": every pair keeps its
    label. None: ``sas`` labels the pairs without a label.

    Raise ValueError if the teacher is "recorded" and a pair has no label.
    """
    pairs = training_input.pairs
    waiting = sum(pair.label is None for pair in pairs)
    if teacher == RECORDED and waiting:
        raise ValueError(f"{waiting:,} of {len(pairs):,} pairs have no recorded label; choose a --teacher such as sas")
    if teacher not in (None, RECORDED):
        pairs = [pair if pair.label == 1 else pair._replace(label=None) for pair in pairs]
    if teacher == RECORDED or all(pair.label is not None for pair in pairs):
        return TrainingInput(pairs, {**training_input.metadata, "teacher": RECORDED})
    labels = teacher_labels.label(pairs, cache, teacher or TEACHER)
    log(
        f"{labels.labeled:,} pairs labeled by {teacher or TEACHER} ({labels.computed:,} scored now, the others from "
        f"{cache}; {labels.clipped:,} scores outside 0 to 1 were clipped)"
    )
    metadata = {"signature": labels.signature, "labeled": labels.labeled, "clipped": labels.clipped}
    return TrainingInput(labels.pairs, {**training_input.metadata, "teacher": metadata})
