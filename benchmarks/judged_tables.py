"""The tables of ``benchmarks.judged``: one group per set, and quality beside cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from answersim._base.text_tables import p_value
from benchmarks.judged_costs import Cost
from benchmarks.judged_quality import (
    ALL,
    FOLDS,
    HALF,
    LONG,
    ORDER_RESAMPLES,
    PERMUTATIONS,
    RESAMPLES,
    SEED,
    SHORT,
    Gap,
    Quality,
    SystemOrder,
)
from benchmarks.judged_scores import QUESTION
from benchmarks.judged_sets import SETS, learned
from benchmarks.machine import machine
from benchmarks.tables import Cell, Column, Table, cell, interval, signed

RESAMPLED = (
    f"[95 %]: percentile interval of the cluster bootstrap, {RESAMPLES:,} resamples of the questions, seed {SEED}; "
    "thresholds are not chosen anew in a resample"
)
THRESHOLDS = (
    f"accuracy, kappa, MCC, TPR and TNR: at the threshold with the best accuracy on the other folds, {FOLDS} folds by "
    f"question; at {HALF:g}: only for metrics between 0 and 1"
)
BASELINE = "length, consensus and constant are baselines: they read neither the gold answers nor the question"
_LEAST = 20  # the minimum number of answers of a length for a table
_MEASURES = {
    "AUC": "auc",
    f"at {HALF:g}": "accuracy_at_half",
    "accuracy": "accuracy",
    "kappa": "kappa",
    "MCC": "mcc",
    "TPR": "true_positive_rate",
    "TNR": "true_negative_rate",
}


def tables(
    qualities: Sequence[Quality],
    gaps: Sequence[Gap],
    orders: Sequence[SystemOrder],
    costs: Sequence[Cost],
    profile: str = "embedded",
) -> Iterator[Table]:
    """Yield the tables of each set, and a last one of quality beside cost if costs were measured."""
    for dataset in dict.fromkeys(quality.dataset for quality in qualities):
        rows = [quality for quality in qualities if quality.dataset == dataset]
        yield _main_table(rows, profile)
        yield from _length_table(rows)
        yield from _order_table(rows, [order for order in orders if order.dataset == dataset])
        yield from _gap_table([gap for gap in gaps if gap.dataset == dataset])
    if costs:
        yield _cost_table(qualities, costs)


def _main_table(rows: Sequence[Quality], profile: str) -> Table:
    whole = [row for row in rows if row.subset == ALL]
    title = f"{_title(whole[0].dataset)}: {_counted(whole[0])}"
    lines: list[tuple[Cell, ...]] = [
        (row.metric, *(_with_interval(row, measure) for measure in _MEASURES.values())) for row in whole
    ]
    notes = [_use(whole[0].dataset), *_learners(whole[0].dataset, [row.metric for row in whole], profile)]
    notes += [THRESHOLDS, RESAMPLED]
    if any(row.kind == "sentinel" for row in whole):
        notes.append(BASELINE)
    if any(row.kind == "recorded" for row in whole):
        notes.append("(recorded): scores that the authors of the SAS paper published, by their own larger models")
    return Table(title, (Column("metric"), *map(Column, _MEASURES)), tuple(lines), tuple(notes))


def _length_table(rows: Sequence[Quality]) -> Iterator[Table]:
    """Yield the table of short and long answers if the set has enough of both."""
    by_place = {(row.metric, row.subset): row for row in rows}
    first = rows[0].metric
    counted = {subset: by_place[first, subset] for subset in (SHORT, LONG) if (first, subset) in by_place}
    if len(counted) < 2 or any(row.n < _LEAST for row in counted.values()):
        return
    measures = ("AUC", "accuracy", "kappa")
    lines: list[tuple[Cell, ...]] = []
    for metric in dict.fromkeys(row.metric for row in rows):
        cells: list[Cell] = [metric]
        for subset in counted:
            cells += [_with_interval(by_place[metric, subset], _MEASURES[name]) for name in measures]
        lines.append(tuple(cells))
    columns = (Column("metric"), *(Column(name, subset) for subset in counted for name in measures))
    title = f"{_title(rows[0].dataset)}: by the length of the predicted answer"
    sizes = (f"{subset}: {_counted(row)}" for subset, row in counted.items())
    yield Table(title, columns, tuple(lines), (*sizes, "the threshold is the one of the whole set", RESAMPLED))


def _order_table(rows: Sequence[Quality], orders: Sequence[SystemOrder]) -> Iterator[Table]:
    """Yield the table of systems if the set has several: soft pairwise accuracy, and the AUC within each system."""
    if not orders:
        return
    by_place = {(row.metric, row.subset): row for row in rows}
    systems = [name for name in dict.fromkeys(row.subset for row in rows) if name not in (ALL, SHORT, LONG)]
    columns = [Column(name, "soft pairwise accuracy") for name in ("mean score", "threshold")]
    columns += [Column(system, "AUC within") for system in systems]
    lines = tuple(
        (
            order.metric,
            _joined(order.by_mean, order.by_mean_low, order.by_mean_high),
            _joined(order.by_threshold, order.by_threshold_low, order.by_threshold_high),
            *(_with_interval(by_place[order.metric, system], "auc") for system in systems),
        )
        for order in orders
    )
    shares = {row.subset: row.base_rate for row in rows if row.subset in systems}
    notes = (
        f"soft pairwise accuracy (Thompson et al. 2024): mean over pairs of systems of 1 - |p by verdicts - p by the "
        f"metric|, p from {PERMUTATIONS:,} paired permutations of the questions; {ORDER_RESAMPLES:,} resamples",
        "a system is scored by the mean score of its answers, or by the share that the threshold calls correct",
        f"correct answers: {', '.join(f'{system} {share:.1%}' for system, share in shares.items())}",
        RESAMPLED,
    )
    title = f"{_title(rows[0].dataset)}: the order of {orders[0].systems} systems, {orders[0].questions:,} questions"
    yield Table(title, (Column("metric"), *columns), lines, notes)


def _gap_table(gaps: Sequence[Gap]) -> Iterator[Table]:
    if not gaps:
        return
    names = {"auc": "AUC", "accuracy": "accuracy"}
    columns = [Column("metric")]
    for measure in names.values():
        columns += [Column(name, measure) for name in ("difference", "95 %", "p", "p (Holm)")]
    lines: list[tuple[Cell, ...]] = []
    for metric, group in groupby(gaps, key=lambda gap: gap.metric):
        cells: list[Cell] = [metric]
        for gap in group:
            cells += [signed(gap.difference), interval(gap.low, gap.high), p_value(gap.p), p_value(gap.p_holm)]
        lines.append(tuple(cells))
    title = f"{_title(gaps[0].dataset)}: difference from {gaps[0].against}, on the same answers"
    yield Table(title, tuple(columns), tuple(lines), ("Holm over the metrics of the table, by measure", RESAMPLED))


def _cost_table(qualities: Sequence[Quality], costs: Sequence[Cost]) -> Table:
    """Return the AUC on each held-out set beside the cost of each metric, with its signature as a note."""
    whole = {(row.metric, row.dataset): row for row in qualities if row.subset == ALL}
    held_out = [name for name in dict.fromkeys(row.dataset for row in qualities) if SETS[name].held_out]
    columns = [Column("metric"), *(Column(name, "AUC") for name in held_out)]
    columns += [Column(name) for name in ("pairs/s", "pairs/CPU s", "sequences", "MB")]
    lines: list[tuple[Cell, ...]] = []
    for cost in costs:
        cells: list[Cell] = [cost.metric]
        for name in held_out:
            row = whole.get((cost.metric, name))
            cells.append(_with_interval(row, "auc") if row else None)
        rates = (int(_leading(rate)) for rate in (cost.pairs_per_second, cost.pairs_per_cpu_second))
        lines.append((*cells, *rates, cost.sequences, round(cost.megabytes)))
    notes = [
        f"pairs/s: one run of {costs[0].pairs} pairs by wall clock; pairs/CPU s: the same run by CPU time, which other "
        f"work on the machine changes less; {machine().line}",
        "sequences: token sequences per pair that go through a network if no text repeats; MB: size of the weights",
        *(f"{cost.metric}: {cost.signature}" for cost in costs if not cost.metric.endswith(QUESTION)),
    ]
    return Table("Quality beside cost, held-out sets", tuple(columns), tuple(lines), tuple(notes))


def _title(dataset: str) -> str:
    judged_set = SETS.get(dataset)
    if judged_set is None:
        return dataset
    return judged_set.title + ("" if judged_set.held_out else " (not held out)")


def _use(dataset: str) -> str:
    judged_set = SETS.get(dataset)
    return judged_set.use if judged_set else dataset


def _counted(row: Quality) -> str:
    return f"{row.n:,} answers to {row.questions:,} questions, {row.base_rate:.1%} of them correct"


def _with_interval(row: Quality, measure: str) -> str:
    return _joined(getattr(row, measure), getattr(row, f"{measure}_low"), getattr(row, f"{measure}_high"))


def _joined(value: float, low: float, high: float) -> str:
    """Return a value with its interval, or "" if it is not defined.

    >>> _joined(0.5, 0.25, 0.75), _joined(math.nan, math.nan, math.nan)
    ('0.500 [0.250, 0.750]', '')
    """
    return "" if math.isnan(value) else f"{cell(value)} {interval(low, high)}".strip()


def _leading(value: float) -> float:
    """Return a rate with two leading digits, because one run is not more precise.

    >>> _leading(1234.5), _leading(8.76)
    (1200.0, 8.8)
    """
    return float(f"{value:.2g}")


def _learners(dataset: str, names: Sequence[str], profile: str) -> list[str]:
    """Return a note for each of these metrics that learned from EVOUNA, if the set is a part of it."""
    if not dataset.startswith("evouna"):
        return []
    return [f"{name} learned from EVOUNA: {learned(name, profile)}" for name in names if learned(name, profile)]
