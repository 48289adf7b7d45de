"""The result of a correlation study: its content as tables, JSON and data frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.text_tables import (
    Column,
    Figure,
    Listing,
    Page,
    Result,
    TextTable,
    escaped,
    figure_row,
    json_object,
    markdown_page,
    number,
    percent,
    scale,
    with_interval,
)
from answersim.evaluation.agreement.coefficients.rows import PAIRWISE, CorrelationStudy, Row, chance
from answersim.evaluation.agreement.judgments import Judgments
from answersim.evaluation.agreement.tables import footer, leading, tables
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


class Agreement(CorrelationStudy, Result):
    """A correlation study: how far each metric agrees with annotators, and how certain that is.

    ``CorrelationStudy`` lists its attributes.
    """

    def summary(self) -> list[str]:
        """Return one sentence per subset: the metric that agrees best with the labels, and its rivals."""
        coefficient = leading(self)
        return [
            f"{self.name}, {subset.name} ({subset.n:,} pairs): {self._best(subset.name, coefficient)}"
            for subset in self.subsets
        ]

    def _best(self, subset: str, coefficient: str) -> str:
        if math.isnan(chance(coefficient)):
            return f"{len(self.metrics)} metrics were compared by {coefficient}"
        best = self.best(subset, coefficient)
        if best.metric is None:
            return f"no metric agrees with the labels by {coefficient}"
        value = self.row(best.metric, subset).measured[coefficient]
        rivals = f"; not distinguishable from it: {', '.join(best.rivals)}" if best.rivals else ""
        return f"{best.metric} agrees best with the labels, {coefficient} {with_interval(value, '.3f')}{rivals}"

    def tables(self) -> Iterator[TextTable]:
        """Yield one table of coefficients per subset, then the differences."""
        return tables(self)

    def page(self) -> Page:
        """Return which metric agrees best, its intervals, the tables, and the pairs on which it is wrong."""
        coefficient = leading(self)
        title = f"{self.name}: metrics against human labels"
        charts, tables, listing = figures(self, coefficient), list(self.tables()), None
        if self.judged is not None:
            best = charts[0].rows[0].name if charts else self.metrics[0]
            kinds = categories(self.judged)
            tables += [] if kinds is None else [errors(self.judged, best, kinds)]
            listing = pairs_listing(self.judged, best, kinds)
        return Page(title, self.summary(), charts, tables, listing, self.footer())

    def footer(self) -> list[str]:
        """Return the settings, what was left out, and the signature of each metric."""
        return footer(self)

    def __str__(self) -> str:
        return "\n".join(self.summary())

    def to_markdown(self) -> str:
        """Return the tables in Markdown, followed by the settings and the signatures."""
        heading = f"# Agreement of metrics with human labels: {escaped(self.name)}"
        return markdown_page([heading, ""], self.tables(), self.footer())

    def to_dict(self) -> dict[str, Any]:
        """Return the content as dictionaries, lists, numbers and strings for JSON, with None for nan."""
        content: dict[str, Any] = {name: getattr(self, name) for name in ("name", "lang", "n", "settings", "subsets")}
        content |= {"rows": list(map(_row, self.rows)), "comparisons": self.comparisons, "groups": self.groups}
        with_chance = [name for name in self.coefficients if not math.isnan(chance(name))]
        best = [self.best(subset.name, name) for subset in self.subsets for name in with_chance]
        content |= {"notes": self.notes, "best": best}
        further = {"binary": self.binary, "baselines": list(map(_row, self.baselines)), "orders": self.orders}
        return json_object(content | {name: rows for name, rows in further.items() if rows})

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per metric, subset and coefficient, for a CSV file or a data frame."""
        return [
            {
                **{name: getattr(row, name) for name in ("subset", "metric", "n", "distinct", "tied")},
                "coefficient": name,
                **measured._asdict(),
                "epsilon": row.epsilon if name == PAIRWISE else math.nan,
                "signature": row.signature,
            }
            for row in self.rows
            for name, measured in row.measured.items()
        ]


def _row(row: Row) -> dict[str, Any]:
    return {
        **{name: getattr(row, name) for name in ("subset", "metric", "n", "distinct", "tied", "epsilon")},
        "constant": row.constant,
        "signature": row.signature,
        "coefficients": row.measured,
    }


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
