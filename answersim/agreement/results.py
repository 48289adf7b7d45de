"""The result of a correlation study: its content as tables, JSON and data frames."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from answersim.agreement.chance import PAIRWISE, chance
from answersim.agreement.rows import CorrelationStudy, Row
from answersim.errors import MissingExtraError
from answersim.text_tables import html_result, json_values

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Agreement(CorrelationStudy):
    """A correlation study: how far each metric agrees with annotators, and how certain that is.

    ``CorrelationStudy`` lists its attributes.
    """

    def _repr_html_(self) -> str:
        from answersim.agreement.tables import closing, tables

        return html_result((), tables(self), closing(self))

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
        content |= {"sentinels": [_row(row) for row in self.sentinels]} if self.sentinels else {}
        for name, found in (("likeness", self.likeness), ("items", self.items), ("orders", self.orders)):
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

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per metric, subset and coefficient: value, interval, ceiling, share, n and ties."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("Agreement.to_pandas()", "tables", "pandas") from error
        return pd.DataFrame(self.records())


def _row(row: Row) -> dict[str, Any]:
    return {
        **{name: getattr(row, name) for name in ("subset", "metric", "n", "distinct", "tied", "epsilon")},
        "constant": row.constant,
        "signature": row.signature,
        "coefficients": {name: measured._asdict() for name, measured in row.measured.items()},
    }


def _nested(row: Any) -> dict[str, Any]:
    return {name: value._asdict() if hasattr(value, "_asdict") else value for name, value in row._asdict().items()}
