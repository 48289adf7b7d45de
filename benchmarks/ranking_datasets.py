"""The settings of each corpus in the ranking benchmark: its test splits, its measures and its notes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.published import numbers
from rankers.papers.scan import MOVING


class Dataset(NamedTuple):
    """The settings of a corpus."""

    title: str  # its name as a heading
    tests: tuple[str, ...]  # its test splits
    measures: tuple[str, ...]  # the measures that papers report for it, the first for the significance tests
    dev_measure: str  # the measure that selects the best epoch and weights the members of a committee
    overrides: Mapping[str, Any] = {}  # changed settings of every recipe, mostly the maximum lengths of texts
    row_limit: int = 0  # the number of training questions of systems that read single pairs; 0 for all
    options: Mapping[str, Any] = {}  # arguments of ``rankers.data.load``
    note: str = ""  # a note below the tables
    published: str = ""  # its name in ``published_numbers.csv``, followed by the split if it has several test splits

    def published_numbers(self, split: str) -> dict[tuple[str, str], float]:
        """Return what papers printed for this corpus, by system and measure.

        The numbers of SCAN are also those of ``scan-rate-1``, which is SCAN at a learning rate at which its sample
        weights change.
        """
        name = f"{self.published}-{split}" if len(self.tests) > 1 else self.published
        printed = {(system, measure): value for (of, measure, system), value in numbers().items() if of == name}
        return printed | {(MOVING, measure): value for (system, measure), value in printed.items() if system == "scan"}


def _dataset(stored: Mapping[str, Any]) -> Dataset:
    """Return the dataset with these settings. Lists become tuples."""
    settings: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in stored.items()
    }
    return Dataset(**settings)


DATASETS = {
    name: _dataset(stored)
    for name, stored in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}
