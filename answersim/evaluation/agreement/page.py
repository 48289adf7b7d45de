"""The figures, the table of errors, and the rows of the page of a correlation study."""

from __future__ import annotations

from collections.abc import Sequence

from answersim._base.text_tables import Column, Figure, Listing, TextTable, figure_row, number, percent, scale
from answersim.evaluation.agreement.error_analysis import categories, error_table, gaps
from answersim.evaluation.agreement.judgments import Judgments
from answersim.evaluation.agreement.rows import CorrelationStudy

WORST = 0.1  # the share of pairs that the table of errors counts


def figures(study: CorrelationStudy, coefficient: str) -> list[Figure]:
    """Return the coefficient of each metric over each subset, best first, on one scale."""
    rows_by_subset = {
        subset.name: tuple(
            figure_row(row.metric, row.measured[coefficient])
            for row in study.rows
            if row.subset == subset.name and coefficient in row.measured
        )
        for subset in study.subsets
    }
    ends = scale([row for rows in rows_by_subset.values() for row in rows], 0.0)
    return [
        Figure(f"{coefficient} with its interval, {name}", tuple(sorted(rows, key=lambda row: -row.value)), ends)
        for name, rows in rows_by_subset.items()
        if rows
    ]


def errors(judged: Judgments, metric: str, kinds: Sequence[str]) -> TextTable:
    """Return the errors of a metric by kind: how many of the pairs with the largest gaps are of each kind."""
    rows = [
        (
            row.category or "unknown",
            f"{row.n:,}",
            str(row.too_low),
            str(row.too_high),
            percent(row.share),
            number(row.mean_gap, 2),
            f"{row.worst.gold} / {row.worst.pred}",
        )
        for row in error_table(judged, metric, kinds, worst=WORST)
    ]
    notes = (
        "The gap of a pair is the rank of its score minus the rank of its label, both as shares of all pairs: below 0 "
        f"the metric is too low. The table counts the {WORST:.0%} of pairs with the largest gaps.".replace("%", " %"),
    )
    header = ("kind", "pairs", "too low", "too high", "share", "mean gap", "largest gap")
    return TextTable(f"Errors of {metric} by kind", header, tuple(rows), notes)


def listing(judged: Judgments, metric: str, kinds: Sequence[str]) -> Listing:
    """Return all pairs: those with the largest gaps of a metric first."""
    gap = gaps(judged.scores[metric].values, judged.labels)
    order = sorted(range(len(judged)), key=lambda i: -abs(gap[i]))
    columns = [
        Column(f"gap of {metric}", [float(gap[i]) for i in order], "number"),
        Column("label", [float(judged.labels[i]) for i in order], "number"),
        Column("gold", [judged.pairs[i].gold for i in order], "gold"),
        Column("prediction", [judged.pairs[i].pred for i in order], "pred"),
        Column("kind", [kinds[i] for i in order], "choice"),
    ]
    columns += [
        Column(name, [float(scores.values[i]) for i in order], "number") for name, scores in judged.scores.items()
    ]
    if judged.questions is not None:
        columns.insert(2, Column("question", [judged.questions[i] for i in order]))
    columns.append(Column("row", [i + 1 for i in order], "number"))
    return Listing("pairs", tuple(columns), f"The largest gaps of {metric} come first. Rows are numbered from 1.")


def of_pairs(judged: Judgments, metric: str) -> tuple[TextTable, Listing]:
    """Return the errors of a metric by kind, and all pairs."""
    kinds = categories(judged)
    return errors(judged, metric, kinds), listing(judged, metric, kinds)
