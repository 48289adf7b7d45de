"""Silver labels: what a slow teacher says of pairs that no person labeled; asked once, kept on disk.

Source: Augmented SBERT (Thakur et al. 2021, section 3.1); Mustafazade & Ebbinghaus 2022, section 3.2.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from answersim import catalog, progress
from answersim.training.data.pairs import TrainingPair
from answersim.types import Metric, Pair


class Silver(NamedTuple):
    """Pairs of which every one has a label.

    Attributes:
        pairs: In the order given; those that the teacher labeled have the source ``teacher:<name>``.
        labeled: How many got their label here.
        asked: How many different pairs the teacher was asked for; the others were in the cache.
        clipped: How many of the teacher's scores lay outside of 0 to 1 and were moved to its end.
        teacher: The teacher's signature; empty where no pair waited.
    """

    pairs: list[TrainingPair]
    labeled: int
    asked: int
    clipped: int
    teacher: str


def label(pairs: Sequence[TrainingPair], cache: Path, teacher: str | Metric = "sas", *, chunk: int = 1024) -> Silver:
    """The same pairs, with a teacher's score as the label of those that have none.

    Every score is kept in the cache as soon as its chunk is done: a process that is killed loses one chunk at most,
    and no pair is ever asked for twice. The cache is one file a signature, so that two teachers never mix.

    Args:
        pairs: Labeled or not; a label that is there stays. Which text is the gold answer is told by the order.
        cache: A folder; it is made where it is not there.
        teacher: A metric, or the name of one. Scores are taken for labels as they are, clipped to 0 to 1: a cosine
            below 0 becomes 0. The question of a pair is not asked.
        chunk: How many pairs are scored between two writes.

    Raises:
        LookupError, MissingExtraError, ...: There is no such teacher, or it cannot be built here; before any work.
        ValueError: ``chunk`` is below 1; the cache is of another teacher; or a score is not finite: names the pair.
    """
    if chunk < 1:
        raise ValueError(f"chunk is {chunk}, but at least one pair is scored at a time")
    waiting = list(dict.fromkeys(Pair(each.first, each.second) for each in pairs if each.label is None))
    if not waiting:
        return Silver(list(pairs), 0, 0, 0, "")
    metric = catalog.metric(teacher) if isinstance(teacher, str) else teacher
    name = teacher if isinstance(teacher, str) else metric.signature.split("|", 1)[0]
    store = Store(cache, metric.signature)
    scores = store.read()
    asked = [pair for pair in waiting if pair not in scores]
    with progress.bar(len(waiting), f"labels by {name}", "pair") as bar:
        bar.update(len(waiting) - len(asked))
        for start in range(0, len(asked), chunk):
            some = asked[start : start + chunk]
            scores |= store.append(some, _scored(metric, some))
            bar.update(len(some))
    clipped = sum(not 0 <= scores[pair] <= 1 for pair in waiting)
    labeled = [_labelled(each, scores, name) for each in pairs]
    return Silver(labeled, sum(each.label is None for each in pairs), len(asked), clipped, metric.signature)


class Store:
    """One teacher's scores on disk: JSON lines, the first of which is the signature. Only ever appended to."""

    def __init__(self, folder: Path, signature: str) -> None:
        """The scores of the teacher with this signature, in a file of this folder that need not be there yet."""
        name = re.sub(r"\W+", "-", signature.split("|", 1)[0])
        self.path = folder / f"{name}-{hashlib.sha256(signature.encode()).hexdigest()[:12]}.jsonl"
        self.signature = signature

    def read(self) -> dict[Pair, float]:
        """The scores that are there, by pair.

        From the first line on that is no score, the file is cut off, with a warning: a process was killed while it
        wrote, or the file was damaged.

        Raises:
            ValueError: The file is of another teacher.
        """
        if not self.path.is_file():
            return {}
        scores: dict[Pair, float] = {}
        sound = 0
        content = self.path.read_bytes()
        for i, line in enumerate(content.splitlines(keepends=True)):
            row = _parsed(line)
            if i == 0 and isinstance(row, str):
                self._check(row)
            elif i > 0 and isinstance(row, tuple):
                scores[row[0]] = row[1]
            else:
                break
            sound += len(line)
        if sound < len(content):
            warnings.warn(
                f"{self.path} was damaged after {len(scores):,} scores; the rest of it ({len(content) - sound:,} "
                "bytes) was cut off and will be scored again",
                stacklevel=3,
            )
            os.truncate(self.path, sound)
        return scores

    def append(self, pairs: Sequence[Pair], scores: Iterable[float]) -> dict[Pair, float]:
        """Write these scores to the end of the file and to the disk; returns them by pair."""
        found = dict(zip(pairs, scores, strict=True))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            if not file.tell():
                file.write(json.dumps(self.signature).encode() + b"\n")
            for pair, score in found.items():
                file.write(json.dumps([*pair, score]).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        return found

    def _check(self, found: str) -> None:
        if found != self.signature:
            raise ValueError(
                f"{self.path} holds the scores of {found}, but the teacher is {self.signature}; "
                "move that file away, or choose another cache"
            )


def _scored(metric: Metric, pairs: Sequence[Pair]) -> list[float]:
    with progress.progress(False):  # the bar of all labels is shown already
        scores = np.asarray(metric(pairs), dtype=np.float64)
    if scores.shape != (len(pairs),):
        raise ValueError(f"{metric.signature} gave an array of {scores.shape} for {len(pairs)} pairs")
    if not np.isfinite(scores).all():
        first = int(np.argmin(np.isfinite(scores)))
        raise ValueError(f"{metric.signature} gives {tuple(pairs[first])} the score {scores[first]}, which is no label")
    return [float(each) for each in scores]


def _labelled(pair: TrainingPair, scores: dict[Pair, float], teacher: str) -> TrainingPair:
    if pair.label is not None:
        return pair
    score = scores[Pair(pair.first, pair.second)]
    return pair._replace(label=min(max(score, 0.0), 1.0), source=f"teacher:{teacher}")


def _parsed(line: bytes) -> str | tuple[Pair, float] | None:
    """A signature, or a pair with its score; None for anything else, such as half a line."""
    try:
        row = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    if isinstance(row, str):
        return row
    if not isinstance(row, list) or [type(each) for each in row] != [str, str, float] or not math.isfinite(row[2]):
        return None
    return Pair(row[0], row[1]), row[2]
