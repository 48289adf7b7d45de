"""Do networks forget the adversarial examples of earlier epochs? Accuracies and entropies by training.

    python -m benchmarks.ranking_forgetting --dataset wikiqa --systems dmn-adv,man-adv --seeds 3 --format markdown

Section 2.4 of the committee paper states that a network that is trained against a generator forgets earlier batches of
adversarial examples and part of the original data, and shows no numbers. Each training here records them (see
``rankers.training.forgetting``). Trainings are those of ``benchmarks.ranking`` in the same folder, and resume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from answersim.runtime.cli_errors import user_errors
from benchmarks.machine import machine
from benchmarks.options import FORM, OUTPUT, chosen, show
from benchmarks.ranking import FOLDER
from benchmarks.ranking_datasets import DATASETS
from benchmarks.ranking_runs import log
from benchmarks.tables import Cell, Column, Format, Table
from rankers.data.catalog import trainable
from rankers.fitting import fit
from rankers.systems import catalog
from rankers.systems.committee import FORGETTING
from rankers.systems.definitions import Trained


class TrainingMemory(NamedTuple):
    """What a training still ranks. Accuracies are shares of pairs whose positive has the higher score."""

    system: str  # the trained system
    seed: int  # the seed of its training
    epochs: int  # the number of epochs against the generator
    dev_start: float  # the dev measure before the first of them
    dev_best: float  # at the best epoch, which may be the start
    dev_last: float  # after the last one
    ordinary_start: float  # the accuracy on ordinary negatives before the first epoch
    ordinary_last: float  # after the last one
    first_new: float  # on the adversarial examples of epoch 1, after epoch 1
    first_last: float  # after the last epoch
    earlier_new: float  # the mean over all epochs but the last of the accuracy on their examples, after each of them
    earlier_last: float  # on the same examples, after the last epoch
    largest_drop: float  # the largest drop from one to the other on the examples of an epoch; negative if none dropped
    entropy_first: float  # of the distributions of the generator over its pools, as a share of the maximum, in epoch 1
    entropy_last: float  # in the last epoch
    reward_first: float  # the mean reward of the generator in epoch 1
    reward_last: float  # in the last epoch


def memory(system: str, seed: int, record: Mapping[str, Any]) -> TrainingMemory:
    """Return what a training still ranks, from its history. It has at least two epochs."""
    accuracy = {(row["epoch"], row["examples"]): float(row["accuracy"]) for row in record["forgetting"]}
    dev = [float(row["dev"]) for row in record["epochs"]]
    generator = record["generator_statistics"]
    last = max(epoch for epoch, _ in accuracy)
    new, kept = ([accuracy[at or of, of] for of in range(1, last)] for at in (0, last))
    return TrainingMemory(
        *(system, seed, last, dev[0], max(dev), dev[-1], accuracy[0, 0], accuracy[last, 0]),
        *(new[0], kept[0], sum(new) / len(new), sum(kept) / len(kept)),
        max(one - other for one, other in zip(new, kept, strict=True)),
        *(float(generator[at][name]) for name in ("entropy", "reward") for at in (0, -1)),
    )


def trainings(dataset: str, systems: list[str], seeds: int, preset: str, folder: Path) -> Iterator[TrainingMemory]:
    """Train what is missing and yield one row per system and seed.

    Raise LookupError for an unknown dataset or system, ValueError for a system without a generator.
    """
    known = DATASETS[chosen("dataset", dataset, DATASETS)[0]]
    train, dev = trainable(dataset, **known.options)
    overrides = {"dev_measure": known.dev_measure, **known.overrides}
    for system in systems:
        definition = catalog.system(system)
        if not isinstance(definition, Trained) or catalog.TRAININGS[definition.training].negatives != "adversarial":
            raise ValueError(f"{system} is not trained against a generator; give a system such as man-adv")
        for seed in range(seeds):
            home = folder / dataset / preset / f"seed-{seed}"
            fit.fit(system, train, dev, folder=home, preset=preset, seed=seed, overrides=overrides, log=log)
            yield memory(system, seed, fit.history(home, definition.training))


def table(rows: list[TrainingMemory], dataset: str, preset: str, command: str) -> Table:
    """Return the table: a row per training, and an arrow from before to after."""
    columns = (
        "system", "seed", "dev: start, best, last", "ordinary negatives: before, after", "examples of epoch 1",
        "of all earlier epochs", "largest drop", "entropy", "reward",
    )  # fmt: skip
    lines: tuple[tuple[Cell, ...], ...] = tuple(
        (
            row.system,
            row.seed,
            f"{row.dev_start:.3f}, {row.dev_best:.3f}, {row.dev_last:.3f}",
            *(
                f"{before:.3f} -> {after:.3f}"
                for before, after in (
                    (row.ordinary_start, row.ordinary_last),
                    (row.first_new, row.first_last),
                    (row.earlier_new, row.earlier_last),
                )
            ),
            f"{row.largest_drop:+.3f}",
            f"{row.entropy_first:.2f} -> {row.entropy_last:.2f}",
            f"{row.reward_first:+.2f} -> {row.reward_last:+.2f}",
        )
        for row in rows
    )
    notes = (
        f"accuracies: shares of {FORGETTING} training pairs whose positive has the higher score, each with a standard "
        "error of at most 0.035. Of adversarial examples: after the epoch that was trained with them, and after the "
        f"last one ({max(row.epochs for row in rows)})",
        "largest drop: of the examples of one epoch from the first to the second of these; negative if none dropped",
        "entropy: of the generator over its pools, as a share of the maximum, in the first and the last epoch",
        command,
    )
    title = f"{DATASETS[dataset].title}: what networks forget ({preset})"
    return Table(title, tuple(map(Column, columns)), lines, notes)


def main(
    dataset: Annotated[str, typer.Option(help="A dataset of benchmarks.ranking.")] = "toy",
    systems: Annotated[str, typer.Option(help="Systems against a generator, separated by commas.")] = "man-adv",
    seeds: Annotated[int, typer.Option(help="The number of seeds, from 0.", min=1)] = 1,
    preset: Annotated[str, typer.Option(help="smoke, cpu or paper.")] = "cpu",
    folder: Annotated[Path, typer.Option(help="The folder of trainings.")] = FOLDER,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Train systems against their generators, and print what each training forgot."""
    with user_errors():
        names = chosen("system", systems, catalog.names())
        rows = list(trainings(dataset, names, seeds, preset, folder))
        command = (
            f"python -m benchmarks.ranking_forgetting --dataset {dataset} --systems {systems} --seeds {seeds} "
            f"--preset {preset} ({machine().line})"
        )
        show([table(rows, dataset, preset, command)], rows, form, output)


if __name__ == "__main__":
    typer.run(main)
