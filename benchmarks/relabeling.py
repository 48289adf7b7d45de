"""What the corrections of labels in NQ-open do to each metric: the agreement before and after, on the same resamples.

    python -m benchmarks.relabeling
    python -m benchmarks.relabeling --format csv --output benchmarks/results/sas-paper-relabeling.csv

The files of the SAS paper contain three corrections. Each has its table:

- the labels that differ between the released file and the tables of the paper, on the 3,559 rows of these tables;
- the same together with the removal of 99 rows, on the 3,658 released rows;
- a second labeling by meaning (the column ``label_1``), which ends after 1,547 rows and which no table uses.

Only counts and coefficients are printed, and no text of the data set.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.evaluation.agreement.resampled import ScoredSubset, holm_corrected
from answersim.evaluation.agreement.subsets import NONZERO, ZERO, Mask, paper_subsets
from answersim.evaluation.data import LabeledPairs, load
from answersim.evaluation.data.datasets import RECORDED, letters_and_digits, locate
from answersim.evaluation.data.labeled import numbers, read_csv
from answersim.stats.resampling import bootstrap_counts, difference_of, generator
from benchmarks.options import FORM, OUTPUT, program, write_out
from benchmarks.paper_sets import MORE_RESAMPLES, RESAMPLED, SEED, Scored, computed, in_order, recorded
from benchmarks.tables import Cell, Column, Format, Table, interval, render, signed

SECOND = "sas/nq_open_relabeled.csv"
METRICS = (*RECORDED, "answersim")
LOW, HIGH = 0.25, 0.5  # the limits of SAS by which the paper selected rows to check (section 5)

TABLES = "labels of the tables"
REMOVED = "labels of the tables, and rows removed"
BY_MEANING = "second labeling by meaning"


class Correction(NamedTuple):
    """The same pairs with labels before and after a correction."""

    name: str  # what is corrected
    pairs: LabeledPairs  # the pairs, with the labels before
    after: FloatArray  # the labels after, shape (n,)
    kept: Mask  # the rows that remain after the correction, bool, shape (n,)


class Effect(NamedTuple):
    """Tau of a metric with the labels before and after a correction, and the difference with interval and p."""

    correction: str
    subset: str
    metric: str
    scores: str
    n: int
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    signature: str


app = program()


@app.command()
def main(
    form: Format = FORM,
    output: Path | None = OUTPUT,
    profile: str = typer.Option("embedded", help="The weights behind our neural metrics."),
) -> None:
    """The effect of the corrected labels of NQ-open on the agreement of each metric."""
    with user_errors():
        found: list[Effect] = []
        tables: list[Table] = []
        released: list[Scored] = []
        for correction in corrections():
            if correction.name == BY_MEANING:  # its pairs are the first ones of the released file
                n = len(correction.after)
                scored = [column._replace(values=column.values[:n]) for column in released]
            else:
                scored = scores(correction.pairs, profile, with_recorded=correction.name == TABLES)
                released = scored
            effects = effect(correction, scored)
            tables += tables_of(correction, effects)
            found += effects
        write_out(render(tables, [one._asdict() for one in found], form.value), output)


def corrections() -> Iterator[Correction]:
    """Yield the three corrections of NQ-open.

    Raise ValueError if a row of the tables of the paper is not in the released file.
    """
    released, table = load("nq-open", cleaning="none"), load("nq-open", cleaning="recorded")
    origin = matched_rows(table, released)
    after, kept = released.labels.copy(), np.zeros(len(released), dtype=bool)
    after[origin], kept[origin] = table.labels, True
    every = np.ones(len(table), dtype=bool)
    yield Correction(TABLES, replace(table, labels=released.labels[origin]), table.labels, every)
    yield Correction(REMOVED, released, after, kept)
    yield second_labeling(released)


def matched_rows(table: LabeledPairs, released: LabeledPairs) -> NDArray[np.int64]:
    """Return the released row of each row of a table, shape (n,), by the letters and digits of both answers.

    Several questions can have the same two answers. Then rows with the same label belong together, and the others
    follow in order. Raise ValueError if a row has no released row of its own.
    """
    free = defaultdict(list)
    for i, pair in enumerate(released.pairs):
        free[letters_and_digits(pair)].append(i)
    keys = [letters_and_digits(pair) for pair in table.pairs]
    origin = np.full(len(table), -1, dtype=np.int64)
    for same_label in (True, False):
        for i, (key, label) in enumerate(zip(keys, table.labels.tolist(), strict=True)):
            fits = [j for j in free[key] if released.labels[j] == label or not same_label]
            if origin[i] < 0 and fits:
                origin[i] = fits[0]
                free[key].remove(fits[0])
    if (origin < 0).any():
        row = int(np.argmax(origin < 0)) + 1
        raise ValueError(f"row {row} of the recorded scores is not in the released file of NQ-open")
    return origin


def second_labeling(released: LabeledPairs) -> Correction:
    """Return the labels by meaning that the authors gave to the first rows. The texts are those of the released file.

    Raise ValueError if the file has other rows than the released one.
    """
    path = locate("nq-open", SECOND)
    rows = read_csv(path, ["label", "label_1"])
    if len(rows) != len(released):
        raise ValueError(f"{path} has {len(rows):,} rows, but the released file has {len(released):,}")
    n = next((i for i, row in enumerate(rows) if not row["label_1"].strip()), len(rows))
    first = released.take(range(n))
    if not np.array_equal(numbers(path, rows[:n], "label"), first.labels):
        raise ValueError(f"the labels of {path} are not those of the released file")
    return Correction(BY_MEANING, first, numbers(path, rows[:n], "label_1"), np.ones(n, dtype=bool))


def scores(data: LabeledPairs, profile: str, *, with_recorded: bool) -> list[Scored]:
    """Return the scores of all metrics for these pairs."""
    scored = recorded(data, METRICS) if with_recorded else []
    return in_order([*scored, *computed(data, METRICS, profile)], METRICS)


def effect(correction: Correction, scored: Sequence[Scored], resamples: int = MORE_RESAMPLES) -> list[Effect]:
    """Return the effect of a correction on each metric in both subsets; Holm over all of them.

    Both taus are computed on the same resamples of the rows before the correction. The subsets are those of the rows
    before, by F1.
    """
    parts = paper_subsets(correction.pairs)
    effects: list[Effect] = []
    for subset in (ZERO, NONZERO):
        rows = parts[subset]
        columns = np.stack([column.values for column in scored])
        rng = generator(SEED, "relabeling", correction.name, subset)
        counts = bootstrap_counts(int(rows.sum()), resamples, rng)
        left = rows & correction.kept
        old = ScoredSubset(correction.pairs.labels[rows], columns[:, rows], counts).resampled("kendall")
        new = ScoredSubset(correction.after[left], columns[:, left], counts[:, left[rows]]).resampled("kendall")
        for i, column in enumerate(scored):
            gap = difference_of(float(new.values[i] - old.values[i]), new.samples[i] - old.samples[i])
            where = (correction.name, subset, column.metric, column.scores, int(left.sum()))
            taus = (float(old.values[i]), float(new.values[i]))
            effects.append(Effect(*where, *taus, *gap, p_holm=math.nan, signature=column.signature))
    return holm_corrected(effects)


def tables_of(correction: Correction, effects: Sequence[Effect]) -> tuple[Table, Table]:
    """Return the two tables of a correction: the changed labels, and the taus before and after."""
    return counts_table(correction), effects_table(correction, effects)


def counts_table(correction: Correction) -> Table:
    """Return how many labels changed from what to what, and how many rows were removed."""
    changed = correction.kept & (correction.pairs.labels != correction.after)
    steps = Counter(zip(correction.pairs.labels[changed].tolist(), correction.after[changed].tolist(), strict=True))
    rows: list[tuple[Cell, ...]] = [(f"{old:g} to {new:g}", count) for (old, new), count in sorted(steps.items())]
    rows += [("any", int(changed.sum())), ("removed rows", int((~correction.kept).sum()))]
    notes = ["rows of the two files are matched by the letters and digits of both answers"] if steps else []
    sas = correction.pairs.recorded.get("sas")
    if sas is not None and changed.any():
        high, low = int((sas[changed] > HIGH).sum()), int((sas[changed] < LOW).sum())
        notes.append(
            f"the recorded SAS score is above {HIGH} for {high} of the {changed.sum()} changed rows, and below {LOW} "
            f"for {low}; of all rows it is above {HIGH} for {int((sas > HIGH).sum())} of {len(sas):,}"
        )
    title = f"NQ-open, {correction.name}: changed labels ({len(correction.after):,} rows before)"
    return Table.of(title, ("label", "rows"), rows, notes)


def effects_table(correction: Correction, effects: Sequence[Effect]) -> Table:
    """Return the taus before and after a correction, with the difference, interval and p."""
    columns = [Column("metric"), Column("scores")]
    lines: dict[tuple[str, str], tuple[Cell, ...]] = {}
    for one in effects:
        key = (one.metric, one.scores)
        numbers_of = (one.before, one.after, signed(one.difference), interval(one.low, one.high), one.p_holm)
        lines[key] = lines.get(key, key) + numbers_of
    for subset in (ZERO, NONZERO):
        n = next(one.n for one in effects if one.subset == subset)
        names = ("before", "after", "difference", "95 %", "p (Holm)")
        columns += [Column(name, f"{subset} (n={n})") for name in names]
    signatures = tuple(dict.fromkeys(one.signature for one in effects))
    notes = (
        *signatures,
        f"{RESAMPLED.format(MORE_RESAMPLES, SEED)}, the same before and after; Holm over the table; n: rows after",
    )
    title = f"NQ-open, {correction.name}: Kendall's tau before and after"
    return Table(title, tuple(columns), tuple(lines.values()), notes)


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.relabeling")
