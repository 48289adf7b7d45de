"""The result of a correlation study: its content as tables, JSON and data frames."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from answersim.agreement.rows import PAIRWISE, CorrelationStudy, Row, chance
from answersim.agreement.tables import footer, latex, leading, markdown, tables
from answersim.text_tables import Result, TextTable, html_result, json_values


@dataclass(frozen=True)
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
        interval = f"{value.value:.3f} [{value.low:.3f}, {value.high:.3f}]"
        return f"{best.metric} agrees best with the labels, {coefficient} {interval}{rivals}"

    def tables(self) -> Iterator[TextTable]:
        """Yield one table of coefficients per subset, then the differences."""
        return tables(self)

    def footer(self) -> list[str]:
        """Return the settings, what was left out, and the signature of each metric."""
        return footer(self)

    def __str__(self) -> str:
        return "\n".join(self.summary())

    def to_markdown(self) -> str:
        """Return the tables in Markdown, followed by the settings and the signatures."""
        return markdown(self)

    def to_latex(self) -> str:
        """Return the tables in LaTeX, for the package booktabs."""
        return latex(self)

    def _repr_html_(self) -> str:
        return html_result((), self.tables(), self.footer())

    def to_dict(self) -> dict[str, Any]:
        """Return the content as dictionaries, lists, numbers and strings for JSON, with None for nan."""
        rows = [_row(row) for row in self.rows]
        subsets = [{**part._asdict(), "labels": [[*pair] for pair in part.labels]} for part in self.subsets]
        content = {"name": self.name, "lang": self.lang, "n": self.n, "settings": self.settings, "subsets": subsets}
        content |= {"rows": rows, "comparisons": [comparison._asdict() for comparison in self.comparisons]}
        content |= {"groups": [group._asdict() for group in self.groups], "notes": list(self.notes)}
        with_chance = [name for name in self.coefficients if not math.isnan(chance(name))]
        best = [self.best(part.name, name) for part in self.subsets for name in with_chance]
        content |= {"best": [choice._asdict() for choice in best]}
        if self.binary:
            content |= {
                "binary": [
                    row._asdict()
                    | {"prevalence": row.prevalence._asdict()}
                    | {"measures": {name: estimate._asdict() for name, estimate in row.measures.items()}}
                    for row in self.binary
                ]
            }
        content |= {"baselines": [_row(row) for row in self.baselines]} if self.baselines else {}
        for name, found in (("rater_agreement", self.rater_agreement), ("items", self.items), ("orders", self.orders)):
            if found:
                content |= {name: [_nested(row) for row in found]}
        plain: dict[str, Any] = json_values(content)
        return plain

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
        "coefficients": {name: measured._asdict() for name, measured in row.measured.items()},
    }


def _nested(row: Any) -> dict[str, Any]:
    return {name: value._asdict() if hasattr(value, "_asdict") else value for name, value in row._asdict().items()}
