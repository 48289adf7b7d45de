"""The table of claims as a page that filters its rows by paper, set and verdict. Without scripts it shows all rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from html import escape

from tools.site.sources import ROOT

TABLE = ROOT / "benchmarks" / "results" / "claims.csv"
PAGE = "claims/index.md"
FILTERS = ("paper", "set", "verdict")
_COLUMNS = ("paper", "source", "claim", "set", "measure", "verdict", "difference", "95 %", "p", "p (trainings)",
            "published", "scores", "same test", "same training", "run")  # fmt: skip


def claims() -> list[dict[str, str]]:
    """Return the rows of ``claims.csv``."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def claim_pages() -> dict[str, str]:
    """Return the page by its path: the filters, all rows, and the script that hides rows."""
    rows = claims()
    body = "\n".join(_line(row) for row in rows)
    header = "".join(f"<th>{escape(column)}</th>" for column in _COLUMNS)
    selects = "\n".join(_select(name, (row[name] for row in rows)) for name in FILTERS)
    return {PAGE: _PAGE.format(selects=selects, count=len(rows), header=header, body=body)}


def _select(name: str, values: Iterable[str]) -> str:
    options = "".join(f"<option>{escape(value)}</option>" for value in dict.fromkeys(values))
    return f'<label>{name} <select name="{name}"><option value="">all</option>{options}</select></label>'


def _line(row: Mapping[str, str]) -> str:
    interval = f"[{row['low']}, {row['high']}]" if row["low"] else ""
    published = f"{row['published']} ({row['published_better']}, {row['published_other']})" if row["published"] else ""
    texts = (
        *(row["paper"], row["source"], f"{row['better']} > {row['other']}", row["set"], row["measure"]),
        *(row["verdict"], row["difference"], interval, row["p"], row["p_trainings"], published, row["scores"]),
        *(row["same_test"], row["same_training"]),
    )
    page = row["run"].removesuffix(".md")
    run = f'<a href="../benchmarks/results/{page}.html">{escape(page)}</a>' if page else ""
    cells = "".join(f"<td>{cell}</td>" for cell in (*map(escape, texts), run))
    keys = " ".join(f'data-{name}="{escape(row[name])}"' for name in FILTERS)
    return f"<tr {keys}>{cells}</tr>"


_PAGE = """# The claims as a table

[claims.csv](../benchmarks/results/claims.csv) has the same rows. [The overview](../docs/claims.md) explains the
verdicts. A difference is the first side minus the other. Published numbers follow their difference in parentheses.

```{{raw}} html
<form id="filters">
{selects}
<output id="shown">{count} of {count} rows</output>
</form>
<div style="overflow-x: auto"><table id="claims"><thead><tr>{header}</tr></thead><tbody>
{body}
</tbody></table></div>
<script>
const filters = document.getElementById("filters"), rows = [...document.querySelectorAll("#claims tbody tr")];
filters.addEventListener("change", () => {{
  const chosen = Object.entries(Object.fromEntries(new FormData(filters))).filter(([, value]) => value);
  for (const row of rows) row.hidden = !chosen.every(([name, value]) => row.dataset[name] === value);
  document.getElementById("shown").value = `${{rows.filter((row) => !row.hidden).length}} of ${{rows.length}} rows`;
}});
</script>
```
"""
