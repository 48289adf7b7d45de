"""The systems of four papers: their settings in code, their ablations and sweeps as one CSV of overrides per paper."""

from __future__ import annotations

import csv
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from rankers.settings import parsed
from rankers.training.definitions import System, Trained, Training, TrainingConfig


class Row(NamedTuple):
    """A row of the CSV. It defines a system, and also a training if it has a kind."""

    system: str  # the name of the system; "" for a training that no system ranks by
    training: str  # the name of its training
    kind: str  # the kind of network of the training; "" if another row defines the training
    start: str  # the training whose weights it starts from; "" for a random start
    negatives: str  # "hardest" or "adversarial"; "" for sampled ones
    ranks: str  # the part of the training that ranks
    of_paper: str  # "yes" for systems of the paper, "" for controls of this package
    overrides: str  # settings that differ from the base of the paper, such as "network.gate=false"
    summary: str  # a description in one line

    def applied(self, config: TrainingConfig) -> TrainingConfig:
        """Return this base with the overrides of the row."""
        from rankers.training.overrides import apply

        return apply(config, parsed(self.overrides.split()))


@cache
def rows(paper: str) -> tuple[Row, ...]:
    """Return the rows of the CSV of this paper, in order."""
    with Path(__file__).with_name(f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(Row(**row) for row in csv.DictReader(file))


def systems(paper: ModuleType) -> dict[str, System]:
    """Return every system of a paper by its name."""
    return {
        row.system: Trained(row.training, row.ranks, row.summary, paper.PAPER if row.of_paper else "")
        for row in rows(paper.__name__.rpartition(".")[2])
        if row.system
    }


def trainings(paper: ModuleType) -> dict[str, Training]:
    """Return every training of a paper by its name.

    Its module has ``configured``, from a row and a preset to the settings. It may have ``of_corpus``, from a row,
    settings and the name of a corpus to the settings for it, and ``TRANSFER``, the name of a training on a source.
    """
    of_corpus = getattr(paper, "of_corpus", None)
    return {
        row.training: Training(
            row.kind,
            partial(paper.configured, row),
            row.start,
            row.negatives or "sampled",
            of_corpus and partial(of_corpus, row),
            transfers=row.training == getattr(paper, "TRANSFER", None),
        )
        for row in rows(paper.__name__.rpartition(".")[2])
        if row.kind
    }
