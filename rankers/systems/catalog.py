"""All named systems, from all tables of this package, and the settings of each training under a preset.

Each table is a module with ``systems()`` (by name). If it trains networks, it also has ``trainings()`` (by name) and
``sweeps()`` (by setting, the system of each value).
"""

from __future__ import annotations

from answersim.errors import unknown
from rankers.systems import addax, baselines, committee, ggsa, hybrid, scan
from rankers.systems.definitions import System, Training, TrainingConfig
from rankers.systems.uses import USES

PRESETS = ("smoke", "cpu", "paper")
_TABLES = (committee, ggsa, scan, addax, hybrid)  # those with trainings
TRAININGS: dict[str, Training] = {name: training for table in _TABLES for name, training in table.trainings().items()}
SYSTEMS: dict[str, System] = {
    name: entry
    for table in (baselines, committee, ggsa, scan, addax, hybrid)
    for name, entry in table.systems().items()
}


def names() -> list[str]:
    """Return the names of all systems, baselines first."""
    return list(SYSTEMS)


def uses() -> dict[str, dict[str, str]]:
    """Return the systems for users, by use, with one line each. Variants and controls are left out."""
    return {use: dict(systems) for use, systems in USES.items()}


def system(name: str) -> System:
    """Return the system with this name.

    Raises:
        LookupError: If no system has this name; the message suggests the nearest one.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        by_use = [listed for systems in USES.values() for listed in systems]
        others = f"'rankers list --all' prints all {len(SYSTEMS)}"
        raise unknown("ranker", name, SYSTEMS, listed=by_use, others=others)
    return SYSTEMS[name]


def sweeps() -> dict[str, dict[float, str]]:
    """Return the system of each value by family and setting, including the published value."""
    return {
        f"{family}, {setting}": systems
        for family, table in (("GGSA", ggsa), ("ADDAX", addax), ("SCAN", scan))
        for setting, systems in table.sweeps().items()
    }


def config(training: str, preset: str, corpus: str = "") -> TrainingConfig:
    """Return the settings of a training under a preset, for a corpus if the published settings differ by corpus.

    Raises:
        LookupError: If no training or preset has this name.
    """
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if training not in TRAININGS:
        raise unknown("training", training, TRAININGS)
    entry = TRAININGS[training]
    base = entry.config(preset)
    return base if entry.of_corpus is None else entry.of_corpus(base, corpus)
