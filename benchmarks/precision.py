"""The cost of half precision: the differences from fp32 in scores and in Kendall's tau with human labels.

    python -m benchmarks.precision
    python -m benchmarks.precision --precisions bf16 --metrics bi-encoder,sas --datasets squad --format json

Every neural metric of the profile "embedded" scores the sets of the SAS paper in fp32 and in each other precision. Tau
is the one with the labels, separately over the two kinds of pairs, as in ``benchmarks.correlations``. Nothing is
selected by it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.device import Device
from answersim._base.errors import LanguageWarning, TruncationWarning
from answersim._base.runtime.cli_errors import user_errors
from answersim.evaluation.agreement.subsets import NONZERO, ZERO
from answersim.evaluation.data import LabeledPairs, load
from answersim.metrics.catalog.lookup import entry, network_options
from answersim.stats.kendall import kendall
from benchmarks.machine import machine
from benchmarks.options import FORM, OUTPUT, chosen, program, show
from benchmarks.paper_sets import PAPER_SETS, TITLES, subsets
from benchmarks.tables import Cell, Column, Format, Table, difference, signed

WHOLE = "fp32"
_FAR = 0.01
PRECISIONS = ("bf16", "fp16")
METRICS = tuple(name for name in answersim.names() if entry(name).kind in ("neural", "composite"))


class Row(NamedTuple):
    """One metric in one precision compared with fp32, over a subset of a data set."""

    dataset: str  # the name of the data set
    subset: str  # "F1=0" or "F1!=0"
    metric: str  # the name of the metric
    precision: str  # the precision other than fp32
    n: int  # the number of pairs
    max_abs_diff: float  # the largest difference between the two scores of a pair
    mean_abs_diff: float  # the mean of these differences
    moved: int  # the number of pairs with a difference of more than .01
    tau_fp32: float  # Kendall's tau-b of the scores in fp32 with the labels
    tau: float  # Kendall's tau-b of the other scores
    signature: str  # the signature of the metric in this precision


app = program()


@app.command()
def main(
    metrics: str = typer.Option(",".join(METRICS), help="Neural metrics, separated by commas."),
    precisions: str = typer.Option(
        "",
        help="Precisions other than fp32, separated by commas; the default is bf16 and fp16 if the device "
        "supports them.",
    ),
    datasets: str = typer.Option(",".join(PAPER_SETS), help="Sets of the paper, separated by commas."),
    device: str = typer.Option("auto", help="auto, cpu, cuda or mps."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Print the differences of scores and of Kendall's tau between fp32 and half precision, on the SAS paper sets."""
    with user_errors("benchmarks.precision"):
        names = chosen("neural metric", metrics, METRICS)
        sets = chosen("set of the paper", datasets, PAPER_SETS)
        ways = chosen("precision beside fp32", precisions, PRECISIONS) if precisions else able(device)
        if not ways:
            raise LookupError(f"the device {device!r} multiplies neither in bf16 nor in fp16; choose another --device")
        network_options(names, Device(device, WHOLE))
        measured = [row for name in sets for row in rows(name, names, ways, device)]
    show(tables(measured), measured, form, output)


def able(device: str) -> list[str]:
    """Return the half precisions in which this device can multiply, with the installed build of PyTorch."""
    import torch

    from answersim.metrics.neural import loading

    supported = []
    for name, kind in (("bf16", torch.bfloat16), ("fp16", torch.float16)):
        try:
            torch.nn.functional.linear(*(torch.ones(2, 2, dtype=kind, device=loading.device(device)),) * 2)
        except RuntimeError:
            continue
        supported.append(name)
    return supported


def rows(name: str, metrics: Sequence[str], precisions: Sequence[str], device: str = "auto") -> list[Row]:
    """Return the rows of every metric in every precision, over both subsets of this data set, with one call each."""
    data = load(name, cleaning="recorded")
    data = data.where(~np.isnan(data.labels))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LanguageWarning)  # for GermanQuAD: the weights are English
        warnings.simplefilter("ignore", TruncationWarning)  # truncation is the same in every precision
        scored = {
            precision: answersim.score_pairs(
                data.pairs, metrics, lang=data.lang, device=Device(device, precision), progress=False
            )
            for precision in (WHOLE, *precisions)
        }
    measured = []
    for metric in metrics:
        whole = scored[WHOLE][metric].values
        for precision in precisions:
            half = scored[precision][metric]
            measured += list(_beside(data, metric, precision, whole, half.values, half.signature))
    return measured


def _beside(
    data: LabeledPairs, metric: str, precision: str, whole: FloatArray, half: FloatArray, signature: str
) -> Iterator[Row]:
    parts = subsets(data)
    for subset in (ZERO, NONZERO):
        mask = parts[subset]
        apart = np.abs(half[mask] - whole[mask])
        tau, other = (float(kendall(column[mask], data.labels[mask])[0]) for column in (whole, half))
        largest, mean = (float(apart.max()), float(apart.mean())) if len(apart) else (math.nan, math.nan)
        moved = int((apart > _FAR).sum())
        yield Row(data.name, subset, metric, precision, len(apart), largest, mean, moved, tau, other, signature)


def tables(rows: Sequence[Row]) -> list[Table]:
    """Return one table per precision, one line per metric: differences over all sets, changes of tau by subset."""
    sets = list(dict.fromkeys(row.dataset for row in rows))
    heads = [Column("metric"), Column("largest", "difference:"), Column("mean", "difference:")]
    heads += [Column("pairs over .01", "difference:")]
    heads += [Column(subset, f"change of tau, {TITLES[name]}:") for name in sets for subset in (ZERO, NONZERO)]
    heads += [Column("largest", "change of tau:")]
    notes = (f"{sum(row.n for row in _of_one(rows)):,} pairs; tau-b with the labels; {machine().line}",)
    return [
        Table(
            f"{precision} beside fp32",
            tuple(heads),
            tuple(
                _line(metric, list(group)) for metric, group in groupby(_in(rows, precision), lambda row: row.metric)
            ),
            notes,
        )
        for precision in dict.fromkeys(row.precision for row in rows)
    ]


def _line(metric: str, rows: Sequence[Row]) -> tuple[Cell, ...]:
    n = sum(row.n for row in rows)
    mean = sum(row.mean_abs_diff * row.n for row in rows if row.n) / n
    changes = [row.tau - row.tau_fp32 for row in rows]
    return (
        metric,
        difference(float(np.nanmax([row.max_abs_diff for row in rows]))),
        difference(mean),
        sum(row.moved for row in rows),
        *map(_signed, changes),
        difference(float(np.nanmax(np.abs(changes)))),
    )


def _signed(change: float) -> str:
    """Format a change of tau with four decimal places, because most are 0 in three.

    >>> _signed(0.00012), _signed(-0.00001), _signed(float("nan"))
    ('+0.0001', '0.0000', 'nan')
    """
    shown = f"{change:+.4f}"
    return signed(change) if math.isnan(change) else shown if float(shown) else "0.0000"


def _in(rows: Sequence[Row], precision: str) -> list[Row]:
    """Return the rows of this precision, grouped by metric, in order of appearance."""
    selected = [row for row in rows if row.precision == precision]
    order = list(dict.fromkeys(row.metric for row in selected))
    return sorted(selected, key=lambda row: order.index(row.metric))


def _of_one(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of one metric in one precision, which cover each pair once."""
    return [row for row in rows if (row.metric, row.precision) == (rows[0].metric, rows[0].precision)]


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.precision")
