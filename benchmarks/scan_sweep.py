"""A sweep of the settings of the sample weights of SCAN that its authors call in need of tuning.

    python -m benchmarks.scan_sweep
    python -m benchmarks.scan_sweep --train 200 --format markdown

The README of their code says of the rate, of the number of steps and of the penalty that "lrbl, epochb, lambdap may
vary". The first table has the weights of one batch of dev pairs by rate, and under each setting at the published rate
and at the rate 1. With ``--train``, the second one has the dev results of short trainings, without a first training on
another corpus. No test split is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from answersim.runtime.cli_errors import user_errors
from benchmarks.figures_ranking import PAIRS, effect, features
from benchmarks.machine import machine
from benchmarks.options import FORM, OUTPUT, show
from benchmarks.ranking import FOLDER
from benchmarks.ranking_runs import log
from benchmarks.tables import Column, Format, Table
from rankers.data.catalog import trainable
from rankers.fitting import fit
from rankers.models.scan_objective import PUBLISHED
from rankers.modules.decorrelation import Reweighting

LAMBDAS = (1e-6, 1e-4, 1e-3, 0.1, 1.0)  # besides the default
STEPS = (5, 80)
RATES = (0.01, 1.0, 10.0, 1000.0)  # besides the published one
DEFAULT = Reweighting()
# What each setting changes: the default first, then one thing at a time.
CHANGES: tuple[dict[str, Any], ...] = (
    {},
    *({"lambda_p": value} for value in LAMBDAS),
    *({"epochb": value} for value in STEPS),
)
# Those of the short trainings, at the published rate.
TRAINED: tuple[dict[str, Any], ...] = ({}, {"lambda_p": 1e-6}, {"lambda_p": 1e-4}, {"epochb": 80})


class Setting(NamedTuple):
    """A setting of the weights, and the weights that it gives one batch."""

    pooling: str  # the vectors of the pairs
    lrbl: float  # the learning rate of the weights
    epochb: int  # the number of steps
    lambda_p: float  # the divisor of the dependence
    lowest: float  # the smallest weight times the number of samples
    highest: float  # the largest one
    effective: float  # the effective sample size
    removed: float  # the share of the dependence that the weights remove


class Trained(NamedTuple):
    """The dev result of a short training."""

    lrbl: float  # as above
    epochb: int  # as above
    lambda_p: float  # as above
    effective: float  # the effective sample size of the last epoch, as a share
    largest: float  # the largest weight of a step of the last epoch, times its samples
    dev: float  # the best dev MAP of the epochs


def weights(dataset: str, seed: int) -> Iterator[Setting]:
    """Yield the weights of one batch of dev pairs: by rate, and by setting at the published rate and at the rate 1."""
    published = PUBLISHED[dataset][1]
    for pooling, vectors in features(dataset, None, seed).items():
        for rate in (published, *RATES):
            for change in CHANGES if rate in (published, 1.0) else CHANGES[:1]:
                settings = Reweighting(lrbl=rate, **change)
                seen = effect(vectors, settings)
                place = (pooling.rpartition(" ")[2], rate, settings.epochb, settings.lambda_p)
                yield Setting(*place, seen.lowest, seen.highest, seen.effective, 1 - seen.after / seen.before)


def trained(dataset: str, limit: int, seed: int, folder: Path) -> Iterator[Trained]:
    """Yield the dev results of SCAN at the published rate, fine-tuned on questions of this corpus alone."""
    train, dev = trainable(dataset)
    for change in TRAINED:
        stated = {f"objective.reweighting.{name}": value for name, value in change.items()}
        name = "-".join(f"{setting}-{value:g}" for setting, value in change.items()) or "default"
        overrides = {"training.source": "", "limit": limit, "dev_measure": "MAP", **stated}
        home = folder / "scan-sweep" / dataset / f"limit-{limit}" / f"seed-{seed}" / name
        fit.fit("scan", train, dev, folder=home, seed=seed, overrides=overrides, log=log)
        record = fit.history(home, "scan")
        last, settings = record["objective_statistics"][-1], Reweighting(lrbl=PUBLISHED[dataset][1], **change)
        best = max(float(row["dev"]) for row in record["epochs"])
        yield Trained(settings.lrbl, settings.epochb, settings.lambda_p, last["effective"], last["largest"], best)


def tables(dataset: str, settings: list[Setting], trainings: list[Trained], limit: int, command: str) -> list[Table]:
    """Return the table of the weights, and that of the trainings if there are any."""
    places = ("rate (lrbl)", "steps (epochb)", "penalty (lambdap)")
    columns = ("features", *places, "n times the weights", "effective size", "dependence removed")
    lines = tuple(
        (
            *(row.pooling, f"{row.lrbl:g}", row.epochb, f"{row.lambda_p:g}"),
            *(f"{row.lowest:.3f} to {row.highest:.3f}", f"{row.effective:.1f}", f"{round(row.removed, 3) + 0.0:.1%}"),
        )
        for row in settings
    )
    notes = (
        f"{PAIRS} pairs of {dataset}, dev, seed 0, untrained MiniLM; the dependence is measured on 50 Fourier features "
        "that the weights did not see",
        "cls: the [CLS] state; checkpoint: after the tanh pooler of the encoder, as in the code of the authors",
        f"the defaults are epochb {DEFAULT.epochb} and lambdap {DEFAULT.lambda_p:g}, as in the script of the authors. "
        "One of them changes at a time",
        command,
    )
    made = [Table("Sample weights of SCAN by setting", tuple(map(Column, columns)), lines, notes)]
    if trainings:
        shown = tuple(
            (
                *(f"{row.lrbl:g}", row.epochb, f"{row.lambda_p:g}", f"{row.effective:.1%}"),
                *(f"{row.largest:.2f}", f"{row.dev:.3f}"),
            )
            for row in trainings
        )
        of_training = (*places, "effective size, last epoch", "largest weight", "dev MAP")
        note = f"scan, preset cpu, {limit} training questions of {dataset}, no first training, seed 0"
        made.append(Table("Short trainings, by setting", tuple(map(Column, of_training)), shown, (note,)))
    return made


def main(
    dataset: Annotated[str, typer.Option(help=f"One of {', '.join(PUBLISHED)}.")] = "wikiqa",
    train: Annotated[int, typer.Option(help="Train on this many questions, too; 0 for no training.", min=0)] = 0,
    folder: Annotated[Path, typer.Option(help="The folder of trainings.")] = FOLDER,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Print the weights of one batch by setting, and the dev results of short trainings."""
    with user_errors():
        settings = list(weights(dataset, 0))
        trainings = list(trained(dataset, train, 0, folder)) if train else []
        command = f"python -m benchmarks.scan_sweep --dataset {dataset} --train {train} ({machine().line})"
        made = tables(dataset, settings, trainings, train, command)
        show(made, [*settings, *trainings], form, output)


if __name__ == "__main__":
    typer.run(main)
