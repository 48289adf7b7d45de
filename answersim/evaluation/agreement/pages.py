"""What a page shows of a study: the coefficients, and the pairs on which a metric is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.text_tables import Column, Figure, Listing, TextTable, figure_row, number, percent, scale
from answersim.evaluation.agreement.coefficients.rows import Row
from answersim.evaluation.agreement.judgments import Judgments
from answersim.stats.coefficients.weighted import mid_ranks

WORST = 0.1  # the share of pairs that the table of errors counts


def gaps(scores: Any, labels: Any) -> FloatArray:
    """Return the rank of each score minus the rank of its label: shape (n,), between -1 and 1.

    Both columns become ranks as shares of all rows, and equal numbers have the mean of their ranks. So the scales of
    labels and scores do not matter. A metric that orders pairs with different labels correctly has gaps only within
    the groups of equal labels.
    """
    n = max(1, len(scores))
    return mid_ranks(scores) / n - mid_ranks(labels) / n


def categories(judgments: Judgments) -> list[str] | None:
    """Return the kind of error of each pair, as annotated in the column "category"; None if there is none.

    Table 4 of the SAS paper has such kinds.
    """
    notes = judgments.columns.get("category")
    return None if notes is None else ["" if note is None else str(note).strip() for note in notes]


def figures(rows: Sequence[Row], coefficient: str) -> list[Figure]:
    """Return the coefficient of each metric over each subset, best first, on one scale."""
    rows_by_subset = {
        subset: [
            figure_row(row.metric, row.measured[coefficient])
            for row in rows
            if row.subset == subset and coefficient in row.measured
        ]
        for subset in dict.fromkeys(row.subset for row in rows)
    }
    ends = scale([row for of_subset in rows_by_subset.values() for row in of_subset], 0.0)
    return [
        Figure(f"{coefficient} with its interval, {name}", tuple(sorted(of_subset, key=lambda row: -row.value)), ends)
        for name, of_subset in rows_by_subset.items()
        if of_subset
    ]


def errors(judged: Judgments, metric: str, kinds: Sequence[str]) -> TextTable:
    """Return the errors of a metric by kind of pair: the kind with most of the largest gaps first, the unknown last."""
    gap = gaps(judged.scores[metric].values, judged.labels)
    order = np.argsort(-np.abs(gap), kind="stable")
    worst = np.zeros(len(gap), dtype=bool)
    worst[order[: max(1, round(WORST * len(gap)))]] = True
    rows = []
    for kind in dict.fromkeys(kinds):
        mask = np.array([category == kind for category in kinds])
        n, low, high = (int(rows_of.sum()) for rows_of in (mask, worst & mask & (gap < 0), worst & mask & (gap > 0)))
        pair = judged.pairs[order[mask[order]][0]]
        numbers = (percent((low + high) / n), number(float(gap[mask].mean()), 2))
        cells = (kind or "unknown", f"{n:,}", str(low), str(high), *numbers, f"{pair.gold} / {pair.pred}")
        rows.append((not kind, -(low + high), kind, cells))
    note = (
        "The gap of a pair is the rank of its score minus the rank of its label, both as shares of all pairs: below 0 "
        f"the metric is too low. The table counts the {WORST:.0%} of pairs with the largest gaps.".replace("%", " %")
    )
    header = ("kind", "pairs", "too low", "too high", "share", "mean gap", "largest gap")
    return TextTable(f"Errors of {metric} by kind", header, tuple(cells for *_, cells in sorted(rows)), (note,))


def pairs_listing(judged: Judgments, metric: str, kinds: Sequence[str] | None) -> Listing:
    """Return all pairs: those with the largest gaps of a metric first."""
    gap = gaps(judged.scores[metric].values, judged.labels)
    order = sorted(range(len(judged)), key=lambda i: -abs(gap[i]))
    columns = [
        Column(f"gap of {metric}", [float(gap[i]) for i in order], "number"),
        Column("label", [float(judged.labels[i]) for i in order], "number"),
        Column("gold", [judged.pairs[i].gold for i in order], "gold"),
        Column("prediction", [judged.pairs[i].pred for i in order], "pred"),
    ]
    columns += [] if kinds is None else [Column("kind", [kinds[i] for i in order], "choice")]
    columns += [
        Column(name, [float(scores.values[i]) for i in order], "number") for name, scores in judged.scores.items()
    ]
    if judged.questions is not None:
        columns.insert(2, Column("question", [judged.questions[i] for i in order]))
    columns.append(Column("row", [i + 1 for i in order], "number"))
    return Listing("pairs", tuple(columns), f"The largest gaps of {metric} come first. Rows are numbered from 1.")
