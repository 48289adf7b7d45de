"""The agreement of each metric with human labels, as in Tables 2, 3, 7 and 8 of the SAS paper.

Without the sets of the paper, the first table is about 300 answers of EVOUNA that people judged, and the others are
about the probe, whose labels no human gave: they follow from how its pairs were made. The first line of the output says
which labels the tables are about.

    python -m benchmarks.correlations
    python -m benchmarks.correlations --scores recorded --datasets squad --format json
    python -m benchmarks.correlations --against bertscore-trained

A metric is correlated with the labels separately over two kinds of pairs: those in which gold and prediction share no
word (F1 = 0), and the others. Pooling the two reverses rankings. "recorded" scores are those of the models of the
paper, "computed" scores those of our metrics on the same rows. In its tables, the lexical metrics tokenize as the paper
does (``profile="paper"``), and their scores are truncated to as many decimal places. ``--profile`` selects the
weights of the neural metrics.

Tau has a 95 % interval by a paired bootstrap: all metrics are evaluated on the same resamples. The overlap of two
intervals is weak evidence about a difference, so ``--against`` tests the differences themselves. Beside a tau is the
one that the paper printed (``published_numbers.csv``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.errors import unknown
from answersim.evaluation.agreement.subsets import NONZERO, ZERO, Mask
from answersim.evaluation.data import LabeledPairs, load
from answersim.evaluation.data.datasets import RECORDED, present
from answersim.evaluation.data.datasets import names as dataset_names
from answersim.evaluation.data.fetch import COMMAND, DATA_VARIABLE
from answersim.stats.intervals.resampling import COEFFICIENTS, generator
from benchmarks.options import FORM, OUTPUT, check_folder, names_in, run_program, write_out
from benchmarks.paper_sets import (
    CATEGORY,
    MORE_RESAMPLES,
    NO_DIGITS,
    NOT_REPRODUCED,
    NUMBER_TABLES,
    PAPER_SETS,
    PROBES,
    RESAMPLED,
    RESAMPLES,
    SEED,
    SHIPPED,
    TABLES,
    TITLES,
    WITH_DIGITS,
    Scored,
    Scores,
    say,
    scores_of,
    subsets,
)
from benchmarks.published import numbers
from benchmarks.resampled import holm_corrected, scored_subset
from benchmarks.tables import Cell, Column, Format, Table, interval, render, signed


class Row(NamedTuple):
    """The correlations of a metric with the labels over a subset of a data set, with 95 % intervals or nan."""

    dataset: str
    subset: str
    metric: str
    scores: str
    n: int
    pearson: float
    spearman: float
    kendall: float
    signature: str
    pearson_low: float = math.nan
    pearson_high: float = math.nan
    spearman_low: float = math.nan
    spearman_high: float = math.nan
    kendall_low: float = math.nan
    kendall_high: float = math.nan


class Gap(NamedTuple):
    """The difference between the tau of two metrics over a subset, with 95 % interval, p, and p after Holm."""

    dataset: str
    subset: str
    metric: str
    scores: str
    against: str
    n: int
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    signature: str


_NAMES = (Column("metric"), Column("scores"))
# What is printed without options on a machine without the sets of the paper.
FEW_METRICS = ("f1", "em", "recall", "bertscore-trained", "sas", "sas-answers", "answersim")


class Profile(str, Enum):
    """The weights of the neural metrics."""

    embedded = "embedded"
    paper = "paper"
    strong = "strong"
    multilingual = "multilingual"


def main(
    scores: Scores = typer.Option(
        Scores.both, help="The scores that the paper recorded, those of our metrics, or both."
    ),
    profile: Profile = typer.Option(Profile.embedded, help="The weights behind our neural metrics."),
    metrics: str = typer.Option("", help="Metrics, separated by commas; the default is all."),
    datasets: str = typer.Option(
        "", help="Data sets, separated by commas. Default: the sets of the paper on this machine, else those that ship."
    ),
    form: Format = FORM,
    output: Path | None = OUTPUT,
    paper: bool = typer.Option(False, "--paper", help="Print 0 for a constant column, as the paper does."),
    bars: bool = typer.Option(True, "--intervals/--no-intervals", help="95 % intervals of tau; in JSON, of all three."),
    verbose: bool = typer.Option(False, "-v", "--verbose", help="All metrics, r, rho, categories and signatures."),
    against: str = typer.Option(
        "", help="A metric. Also print the difference between its tau and that of each other metric."
    ),
) -> None:
    """Correlations of metrics with human labels: Tables 2, 3, 7 and 8 of the SAS paper.

    Without the sets of the paper: correlations with the verdicts of people on answers of EVOUNA, and with the labels of
    the probe, which no human gave.
    """
    try:
        chosen = _metrics(metrics, scores)
        sets = _datasets(datasets, scores)
        if against and against not in chosen:
            raise LookupError(f"--against is {against}, but it is not one of the metrics: {', '.join(chosen)}")
        check_folder(output)
    except (LookupError, FileNotFoundError) as error:
        raise typer.BadParameter(str(error)) from None
    few = sets == list(SHIPPED) and form is Format.text and not (verbose or metrics or datasets or against or paper)
    if few:
        chosen = [name for name in chosen if name in FEW_METRICS]
    opening = labels_of(sets)
    if form is Format.text and output is None:
        typer.echo(f"{opening}\n")
    elif output is None:
        say(opening)  # other formats contain the tables only, whose titles name the labels
    coefficients = (("pearson", "spearman", "kendall") if form is Format.json else ("kendall",)) if bars else ()
    rows, gaps = [], []
    for name in sets:
        data, scored = scores_of(name, chosen, scores, profile.value)
        rows += list(correlate(data, scored, subsets(data), coefficients))
        gaps += differences(data, scored, subsets(data), against) if against else []
    if paper:
        rows = [constant_as_zero(row) for row in rows]
    records = [*(row._asdict() for row in rows), *(gap._asdict() for gap in gaps)]
    shown = render([*tables(rows, few=few), *gap_tables(gaps), *signatures(rows)[: int(verbose)]], records, form.value)
    write_out(shown, output)


def study(
    name: str, metrics: Sequence[str], scores: Scores, profile: str, coefficients: Sequence[str] = ()
) -> list[Row]:
    """Return all correlations of this data set, with intervals of these coefficients. Each metric is computed once."""
    data, scored = scores_of(name, metrics, scores, profile)
    return list(correlate(data, scored, subsets(data), coefficients))


def correlate(
    data: LabeledPairs, scored: Sequence[Scored], parts: Mapping[str, Mask], coefficients: Sequence[str] = ()
) -> Iterator[Row]:
    """Yield the correlations of each metric with the labels, subset by subset; nan if a column is constant.

    ``coefficients``: those that get intervals.
    """
    for subset, mask in parts.items():
        # The resamples of a subset are the same for all metrics, whichever are listed.
        resamples, rng = (RESAMPLES if coefficients else 0), generator(SEED, data.name, subset)
        part = scored_subset(mask, data.labels, [column.values for column in scored], resamples, rng)
        ends = {name: part.resampled(name).intervals() for name in coefficients}
        for i, (metric, scores, _, signature) in enumerate(scored):
            r, rho, tau = (float(of(part.columns[i], part.labels, None)[0]) for of in COEFFICIENTS.values())
            row = Row(data.name, subset, metric, scores, len(part.labels), r, rho, tau, signature)
            limits: dict[str, Any] = {
                f"{name}_{end}": value
                for name, intervals in ends.items()
                for end, value in zip(("low", "high"), intervals[i], strict=True)
            }
            yield row._replace(**limits)


def differences(data: LabeledPairs, scored: Sequence[Scored], parts: Mapping[str, Mask], against: str) -> list[Gap]:
    """Return the difference of the tau of each metric from that of this one, over both subsets; Holm over all of them.

    The others are compared with our own scores of this metric, or with the recorded ones if there are no others. The
    list is empty if the metric has no scores for this set.
    """
    base = next((column for column in reversed(scored) if column.metric == against), None)
    if base is None:
        say(f"{data.name}: there are no scores of {against} to compare the others with")
        return []
    rest = [column for column in scored if column is not base]
    gaps: list[Gap] = []
    for subset in (ZERO, NONZERO):
        columns = [column.values for column in (base, *rest)]
        part = scored_subset(parts[subset], data.labels, columns, MORE_RESAMPLES, generator(SEED, data.name, subset))
        taus = part.resampled("kendall")
        for i, column in enumerate(rest, start=1):
            where = (data.name, subset, column.metric, column.scores, f"{against} ({base.scores})", len(part.labels))
            gaps.append(Gap(*where, *taus.difference(i, 0), p_holm=math.nan, signature=column.signature))
    return holm_corrected(gaps)


def constant_as_zero(row: Row) -> Row:
    """Return the row as the paper prints it: 0 if a coefficient is not defined."""
    return row._replace(
        **{name: np.nan_to_num(getattr(row, name)).item() for name in ("pearson", "spearman", "kendall")}
    )


def tables(rows: Sequence[Row], *, few: bool = False) -> Iterator[Table]:
    """Yield these rows as tables: for each set the correlations, the numbers experiment, and the probe categories.

    ``few``: whether a set has a table of Kendall's tau alone.
    """
    for dataset, group in groupby(rows, key=lambda row: row.dataset):
        dataset_rows = list(group)
        title, where = TITLES.get(dataset, dataset), TABLES.get(dataset)
        of_subsets = [row for row in dataset_rows if row.subset in (ZERO, NONZERO)]
        if few:
            yield _tau_table(f"{title}: Kendall's tau with {_labels(dataset)}", of_subsets)
            continue
        of_paper = f" ({where} of the SAS paper)" if where else ""
        yield _subset_table(f"{title}: correlation with {_labels(dataset)}{of_paper}", of_subsets)
        if any(row.subset.endswith(NO_DIGITS) for row in dataset_rows):
            yield _numbers_table(
                f"{title}: Kendall's tau with and without rows whose gold answer holds a digit"
                f" ({NUMBER_TABLES[dataset]} of the SAS paper, computed on the published rows)",
                dataset_rows,
            )
        if any(row.subset.startswith(CATEGORY) for row in dataset_rows):
            yield _category_table(f"{title}: Kendall's tau with {_labels(dataset)} by category", dataset_rows)


def _tau_table(title: str, rows: Sequence[Row]) -> Table:
    def cells(row: Row) -> tuple[Cell, ...]:
        return None if math.isnan(row.kendall) else row.kendall, interval(row.kendall_low, row.kendall_high)

    lines = [(metric, *numbers) for metric, _, *numbers in _lines(rows, cells)]
    notes = (RESAMPLED.format(RESAMPLES, SEED), "all metrics, other coefficients and signatures: -v")
    return Table(title, (Column("metric"), *_columns(rows, "tau", "95 %")), tuple(lines), notes)


def _columns(rows: Sequence[Row | Gap], *names: str) -> list[Column]:
    """Return the columns with these names of each subset."""
    return [Column(name, f"{subset} (n={n})") for subset, n in _subset_sizes(rows) for name in names]


def _labels(dataset: str) -> str:
    return "labels by construction, which no human gave" if dataset in PROBES else "human labels"


def labels_of(sets: Sequence[str]) -> str:
    """Return the sentence on whose labels the tables of these sets are about, and how to get the sets that are absent.

    >>> labels_of(["probe"]).partition(":")[0]
    'No human labels'
    """
    human = [name for name in sets if name in PAPER_SETS]
    judged = [TITLES[name].partition(",")[0] for name in sets if name not in (*PAPER_SETS, *PROBES)]
    made = [name for name in sets if name in PROBES]
    if absent := [name for name in PAPER_SETS if not present(name)]:
        get = f"; '{COMMAND}' fetches the sets of the SAS paper ({', '.join(absent)}), or set ${DATA_VARIABLE}"
    else:
        get = ""
    whose = [f"{', '.join(human)} of the SAS paper"] * bool(human) + judged
    by_people = f"Human labels: {' and '.join(whose)}" if whose else "No human labels"
    by_rule = f"{': ' if not whose else '; '}the labels of {', '.join(made)} follow from how its pairs were made"
    return f"{by_people}{by_rule if made else ''}{get}."


def gap_tables(gaps: Sequence[Gap]) -> Iterator[Table]:
    """Yield one table per set: the differences of the metrics from the one that they are compared with."""
    for (dataset, against), group in groupby(gaps, key=lambda gap: (gap.dataset, gap.against)):
        dataset_gaps = list(group)
        columns = (*_NAMES, *_columns(dataset_gaps, "tau difference", "95 %", "p", "p (Holm)"))
        lines = _lines(
            dataset_gaps, lambda gap: (signed(gap.difference), interval(gap.low, gap.high), gap.p, gap.p_holm)
        )
        title = f"{TITLES.get(dataset, dataset)}: Kendall's tau above that of {against}"
        yield Table(title, columns, lines, (f"{RESAMPLED.format(MORE_RESAMPLES, SEED)}; Holm over the table",))


def _subset_table(title: str, rows: Sequence[Row]) -> Table:
    bars = not all(math.isnan(row.kendall_low) for row in rows)
    printed = any(_published(row) is not None for row in rows)
    columns = (*_NAMES, *_columns(rows, "r", "rho", "tau", *["95 %"] * bars, *["published tau"] * printed))

    def cells(row: Row) -> tuple[Cell, ...]:
        ends = [interval(row.kendall_low, row.kendall_high)] * bars
        return (row.pearson, row.spearman, row.kendall, *ends, *[_published(row)] * printed)

    notes = (RESAMPLED.format(RESAMPLES, SEED),) if bars else ()
    return Table(title, columns, _lines(rows, cells), notes)


def _published(row: Row) -> float | None:
    """Return the tau that the paper printed, or None."""
    return numbers().get((f"{row.dataset} {row.subset}", "kendall", row.metric))


def _published_number(row: Row) -> float | None:
    """Return the tau that the paper printed in its experiment on numbers (Tables 7 and 8), or None."""
    subset = row.subset if row.subset.endswith(NO_DIGITS) else row.subset + WITH_DIGITS
    return numbers().get((f"{row.dataset} {subset}", "kendall", row.metric))


def _numbers_table(title: str, rows: Sequence[Row]) -> Table:
    order = [ZERO, ZERO + NO_DIGITS, NONZERO, NONZERO + NO_DIGITS]
    ordered = sorted(rows, key=lambda row: order.index(row.subset))
    columns = [*_NAMES]
    for subset, n in _subset_sizes(ordered):
        kept = "without" if subset.endswith(NO_DIGITS) else "with"
        columns += [Column(name, subset.removesuffix(NO_DIGITS)) for name in (f"{kept} (n={n})", f"{kept}, published")]
    lines = _lines(ordered, lambda row: (row.kendall, _published_number(row)))
    return Table(title, tuple(columns), lines, (NOT_REPRODUCED,))


def _category_table(title: str, rows: Sequence[Row]) -> Table:
    """Return a table with one row per category and one column per metric."""
    rows = [row for row in rows if row.subset.startswith(CATEGORY)]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    lines: list[tuple[Cell, ...]] = []
    for subset, n in _subset_sizes(rows):
        values = {row.metric: row.kendall for row in rows if row.subset == subset}
        lines.append((subset.removeprefix(CATEGORY), n, *(values.get(metric) for metric in metrics)))
    columns = (Column("category"), Column("n"), *(Column(metric) for metric in metrics))
    return Table(title, columns, tuple(lines))


def _lines(rows: Sequence[Any], numbers: Callable[[Any], tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """Return one line per metric and kind of scores: the name, the kind, and these numbers of each subset."""
    lines: dict[tuple[str, str], tuple[Cell, ...]] = {}
    for row in rows:
        key = (row.metric, row.scores)
        lines[key] = lines.get(key, key) + numbers(row)
    return tuple(lines.values())


def _subset_sizes(rows: Iterable[Row | Gap]) -> list[tuple[str, int]]:
    return list({row.subset: row.n for row in rows}.items())


def signatures(rows: Iterable[Row]) -> list[Table]:
    """Return a table of the signatures, each once, with the sets that have its numbers."""
    sets: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        sets.setdefault((row.metric, row.signature), {})[row.dataset] = None
    lines = ((metric, ", ".join(names), signature) for (metric, signature), names in sets.items())
    return [Table.of("Signatures", ("metric", "sets", "signature"), lines)]


def _metrics(option: str, scores: Scores) -> list[str]:
    """Return the selected metrics in the order of the tables of the paper, followed by those that it does not have."""
    ours = answersim.names()
    available = [*RECORDED, *(name for name in ours if name not in RECORDED)]
    chosen = names_in(option)
    for name in chosen:
        if name not in available:
            available.append(_plugin(name, available))
    chosen = [name for name in available if name in chosen or not chosen]
    if scores is Scores.recorded:
        able = [name for name in chosen if name in RECORDED]
    elif scores is Scores.computed:
        able = [name for name in chosen if name in ours or name not in RECORDED]
    else:
        able = chosen
    if not able:
        raise LookupError(f"there are no {scores.value} scores of {', '.join(chosen)}; try --scores both")
    return able


def _plugin(name: str, available: Iterable[str]) -> str:
    """Return this name if an installed plug-in provides it."""
    try:
        answersim.metric(name)
    except LookupError:
        raise unknown("metric", name, available) from None
    return name


def _datasets(option: str, scores: Scores) -> list[str]:
    """Return the selected data sets, or those that are here. Raise LookupError if one is unknown or absent."""
    chosen = names_in(option)
    for name in chosen:
        if name not in dataset_names():
            raise unknown("data set", name, dataset_names())
        if name in PAPER_SETS and not present(name):
            load(name)  # raises an error with what is missing and the remedy
    if not chosen:
        chosen = [name for name in PAPER_SETS if present(name)]
        chosen = chosen or list(SHIPPED)
    if scores is Scores.recorded and (without := [name for name in chosen if name in SHIPPED]):
        raise LookupError(
            f"only the sets of the paper have recorded scores, but {', '.join(without)} is not one; give --scores "
            "computed"
        )
    return chosen


if __name__ == "__main__":
    run_program(main)
