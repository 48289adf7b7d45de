"""The pairs of a training with their metadata: read from a file, split, and labeled by a teacher.

Source of the labels: Augmented SBERT (Thakur et al. 2021, section 3.1); Mustafazade & Ebbinghaus 2022, section 3.2.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import search
from answersim.scoring.cache import ScoreCache, key, score_all
from answersim.training.data.pairs import TrainingPair, check_enough, limited, read_pairs, resplit, shared_texts
from answersim.training.run import artifact
from answersim.training.run.recipe import BaseRecipe
from answersim.types import Pair

NAMES = Path("names/name_pairs_score_split.csv")  # the file of the paper, below $ANSWERSIM_DATA
RECORDED = "recorded"
TEACHER = "sas"
FOLDER = "teacher-labels"  # of the scores of the teacher, within the output folder


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


def from_file(path: Path, recipe: BaseRecipe, *, keep_split: bool = False) -> TrainingInput:
    """Return as many pairs of this file as a recipe takes, split again by entity unless ``keep_split`` is set."""
    read = read_pairs(path)
    metadata: dict[str, Any] = {"files": {path.name: search.sha256(path)}}
    if keep_split:
        pairs, metadata = read, {**metadata, "split": "as in the file", "shared_texts": len(shared_texts(read))}
    else:
        pairs = resplit(read, rng=np.random.default_rng([recipe.seed, 0]))
        metadata |= {"split": "by entity", "left_out": len(read) - len(pairs)}
    pairs = limited(pairs, recipe.limit)
    check_enough(pairs)
    return TrainingInput(pairs, metadata)


def labeled(training_input: TrainingInput, options: Mapping[str, Any]) -> TrainingInput:
    """Return the same with a label on every pair, by the options of a command, and log where they come from.

    ``teacher``: the name of a metric, which labels every pair whose label is not 1. Its scores are clipped to 0 to 1;
    the question of a pair is not read. "recorded": every pair keeps its label. None: ``sas`` labels the pairs without a
    label. ``cache``: the folder of its scores, in which they have its signature, so that two teachers never mix. None:
    one in the folder ``output``.
    """
    artifact.log(training_input.summary())
    pairs, metadata, teacher = *training_input, options["teacher"]
    waiting = sum(pair.label is None for pair in pairs)
    if teacher == RECORDED and waiting:
        raise ValueError(f"{waiting:,} of {len(pairs):,} pairs have no recorded label; choose a --teacher such as sas")
    if teacher not in (None, RECORDED):
        pairs = [pair if pair.label == 1 else pair._replace(label=None) for pair in pairs]
    unlabeled = list(dict.fromkeys(Pair(*pair[:2]) for pair in pairs if pair.label is None))
    if not unlabeled:
        return TrainingInput(pairs, {**metadata, "teacher": RECORDED})
    name = teacher or TEACHER
    metric, folder = lookup.metric(name), options["cache"] or options["output"] / FOLDER
    known = ScoreCache(folder).get(metric.signature, list(map(key, unlabeled)))
    (scores,) = score_all([metric], unlabeled, None, ScoreCache(folder))
    labels = dict(zip(unlabeled, scores.clip(0, 1).tolist(), strict=True))
    n_labeled, clipped = sum(pair.label is None for pair in pairs), int(((scores < 0) | (scores > 1)).sum())
    artifact.log(
        f"{n_labeled:,} pairs labeled by {name} ({int(np.isnan(known).sum()):,} scored now, the others from "
        f"{folder}; {clipped:,} scores outside 0 to 1 were clipped)"
    )
    pairs = [
        pair._replace(label=labels[Pair(*pair[:2])], source=f"teacher:{name}") if pair.label is None else pair
        for pair in pairs
    ]
    stated = {"signature": metric.signature, "labeled": n_labeled, "clipped": clipped}
    return TrainingInput(pairs, {**metadata, "teacher": stated})
