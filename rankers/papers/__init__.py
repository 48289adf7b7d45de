"""The systems of four papers: their settings in code, their ablations and sweeps as one CSV of overrides per paper.

The module of a paper imports torch, so it is imported only when settings are computed. It has ``configured``, from a
row and a preset to settings, and may have ``of_corpus``, from a row, settings and the name of a corpus to those for it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from rankers.settings import parsed
from rankers.training.definitions import System, Trained, Training, TrainingConfig

TITLES = {  # by the name of the module
    "committee": "On Committee Representations of Adversarial Learning Models for Question-Answer Ranking (2019)",
    "ggsa": "Gated Group Self-Attention for Answer Selection (2019)",
    "scan": "SCAN: Spurious Correlation reduction for Answer Selection",
    "addax": "Adaptive Feature Discrimination and Denoising for Asymmetric Text Matching",
}
TRANSFER = "ce-transfer"  # the training of SCAN on a source corpus


class Row(NamedTuple):
    """A row of the CSV. It defines a system, and also a training if it has a kind."""

    system: str  # the name of the system; "" for a training that no system ranks by
    training: str  # the name of its training
    kind: str  # the kind of network of the training; "" if another row defines the training
    start: str  # the training whose weights it starts from; "" for a random start
    negatives: str  # "hardest" or "adversarial"; "" for sampled ones
    ranks: str  # the part of the training that ranks
    of_paper: str  # "yes" for systems of the paper, "" for controls of this package
    overrides: Mapping[str, Any]  # settings that differ from the base of the paper, such as "network.gate": False
    summary: str  # a description in one line


@cache
def rows(paper: str) -> tuple[Row, ...]:
    """Return the rows of the CSV of this paper, in order."""
    with Path(__file__).with_name(f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        read: list[dict[str, Any]] = list(csv.DictReader(file))
    return tuple(Row(**{**row, "overrides": parsed(row["overrides"].split())}) for row in read)


def systems(paper: str) -> dict[str, System]:
    """Return every system of a paper by its name."""
    return {
        row.system: Trained(row.training, row.ranks, row.summary, TITLES[paper] if row.of_paper else "")
        for row in rows(paper)
        if row.system
    }


def trainings(paper: str) -> dict[str, Training]:
    """Return every training of a paper by its name."""
    return {
        row.training: Training(
            row.kind,
            partial(_config, paper, row),
            row.start,
            row.negatives or "sampled",
            transfers=row.training == TRANSFER,
        )
        for row in rows(paper)
        if row.kind
    }


def _config(paper: str, row: Row, preset: str, corpus: str) -> TrainingConfig:
    """Return the settings of the training of a row."""
    module = import_module(f"{__name__}.{paper}")
    config: TrainingConfig = module.configured(row, preset)
    return module.of_corpus(row, config, corpus) if hasattr(module, "of_corpus") else config
