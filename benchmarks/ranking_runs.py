"""Runs of systems: from the archive, or new.

The archive has the runs of trained systems, and those of a baseline that learns from labels, such as ``answer-only``.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.machine import machine
from benchmarks.ranking_archive import Archive, ArchivedRun, Key
from rankers.evaluation import runs
from rankers.systems import catalog
from rankers.training.definitions import LABELS, Trained, Untrained
from rankers.types import Questions, Ranker, Run


class TimedRun(NamedTuple):
    """A run and its cost. Parameters and seconds of training are None if nothing is trained."""

    run: Run
    parameters: int | None
    training: float | None
    scoring: float


@dataclass
class RunSource:
    """Runs of systems on one corpus: from the archive, or new."""

    counted: Questions  # the questions whose candidates BM25 counts words in
    train: Questions | None  # the training questions; None if there are none
    dev: Questions | None  # the questions that choose the epoch; None if there are none
    home: Path  # the folder of the trainings, with one folder per seed
    archive: Archive | None  # the archived runs; None for no archive
    preset: str  # the preset of the trainings
    overrides: Mapping[str, Any]  # changed settings of every recipe
    row_limit: int = 0  # the number of training questions of systems that read single pairs; 0 for all
    # the number of runs that came from the archive, by the machine that made them
    n_archived: Counter[str] = field(default_factory=Counter)
    _read: dict[Key, ArchivedRun | None] = field(default_factory=dict, init=False, repr=False)

    def runs(self, system: str, seed: int, texts: Mapping[str, Questions]) -> dict[str, TimedRun]:
        """Return the runs of a system on these questions, by the name of their files."""
        definition = catalog.system(system)
        if isinstance(definition, Untrained) and not reads_labels(system):
            return _ranked(definition.make(self.counted, seed), system, texts, None, None)
        if self.train is None or self.dev is None:
            raise ValueError(f"{system} has to be trained, but this dataset has no train and dev split; leave it out")
        archived = self.archived(system, seed, texts)
        timed = {name: TimedRun(*stored[:4]) for name, stored in archived.items()}
        if is_trained(system):
            self.n_archived.update(stored.made_on for stored in archived.values())
        if missing := {name: questions for name, questions in texts.items() if name not in timed}:
            ranker, parameters, training = self._fitted(system, seed, self.train, self.dev)
            timed |= _ranked(ranker, system, missing, parameters, training)
            if self.archive is not None:
                stated = provenance(system, self.train, self.dev, **self._settings(system, seed))
                for name, questions in missing.items():
                    stored = ArchivedRun(timed[name].run, parameters, training, timed[name].scoring, machine().line)
                    self.archive.put(Key(system, seed, name), stored, questions, stated)
        return timed

    def _fitted(self, system: str, seed: int, train: Questions, dev: Questions) -> tuple[Ranker, int, float]:
        """Return a fitted ranker, the number of its parameters, and the seconds of its training."""
        definition, home = catalog.system(system), self.home / f"seed-{seed}"
        if isinstance(definition, Untrained):
            started = time.perf_counter()
            ranker = definition.make(train, seed)
            return ranker, getattr(ranker, "n_parameters", 0), time.perf_counter() - started
        from rankers.systems import fit

        ranker = fit.fit(system, train, dev, folder=home, log=log, **self._settings(system, seed))
        n_parameters = fit.history(home, definition.training)["parameters"]
        return ranker, n_parameters, fit.seconds(home, definition.training)

    def archived(self, system: str, seed: int, texts: Mapping[str, Questions]) -> dict[str, ArchivedRun]:
        """Return the archived runs on these questions, by the name of their files; none if no label is learned from.

        Each run is read once. Raise ValueError if the archive has a run of other settings or texts for one of them, or
        is damaged.
        """
        if self.archive is None or self.train is None or self.dev is None or not reads_labels(system):
            return {}
        keys = {name: Key(system, seed, name) for name in texts}
        if missing := [name for name, key in keys.items() if key not in self._read]:
            stated = provenance(system, self.train, self.dev, **self._settings(system, seed))
            for name in missing:
                self._read[keys[name]] = self.archive.get(keys[name], texts[name], stated)
        runs = {name: self._read[key] for name, key in keys.items()}
        return {name: stored for name, stored in runs.items() if stored is not None}

    def notes(self) -> Iterator[str]:
        """Yield one note per machine: how many runs came from the archive."""
        for made_on, number in self.n_archived.items():
            yield f"{number} runs of trained systems come from the archive; made, with their times, on {made_on}"

    def _settings(self, system: str, seed: int) -> dict[str, Any]:
        overrides = with_row_limit(system, self.overrides, self.row_limit)
        return {"preset": self.preset, "seed": seed, "overrides": overrides}


def _ranked(
    ranker: Ranker, system: str, texts: Mapping[str, Questions], parameters: int | None, training: float | None
) -> dict[str, TimedRun]:
    timed = {}
    for name, questions in texts.items():
        started = time.perf_counter()
        run = runs.run(ranker, questions, system)
        timed[name] = TimedRun(run, parameters, training, time.perf_counter() - started)
    return timed


def is_trained(system: str) -> bool:
    """Return whether a system has to be trained before it ranks."""
    return isinstance(catalog.system(system), Trained)


def reads_labels(system: str) -> bool:
    """Return whether a system learns from labels: it is trained, or a baseline such as ``answer-only``."""
    definition = catalog.system(system)
    return isinstance(definition, Trained) or definition.reads == LABELS


def reads_rows(system: str) -> bool:
    """Return whether a system is trained on single pairs of question and candidate."""
    definition = catalog.system(system)
    return isinstance(definition, Trained) and catalog.TRAININGS[definition.training].kind == "scan"


def with_row_limit(system: str, overrides: Mapping[str, Any], row_limit: int) -> dict[str, Any]:
    """Return the changed settings of a system, with the limit of systems that read single pairs unless one is given."""
    limit = {"limit": row_limit} if row_limit and reads_rows(system) else {}
    return {**limit, **overrides}


def provenance(system: str, train: Questions, dev: Questions, **settings: Any) -> dict[str, Any]:
    """Return all that decides a system that learns from labels, as JSON; settings as for ``fit.provenance``."""
    if is_trained(system):
        from rankers.systems import fit

        return fit.provenance(system, train, dev, **settings)
    return {"system": system, "train": train.fingerprint}


def log(line: str) -> None:
    """Print a line of progress to stderr."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
