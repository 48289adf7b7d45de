"""``write_report``: any result as one HTML page that needs no network, the answer first."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import platform
import re
from collections.abc import Mapping
from importlib.resources import files as resources
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from answersim._base.arguments import path as path_of
from answersim._base.errors import MissingExtraError
from answersim._base.io import output_files
from answersim._base.signature import VERSION
from answersim._base.text_tables import NUMBER, Figure, FigureRow, Page, Result, TextTable
from answersim.evaluation.report.listing import listed

_INTERVAL = re.compile(r"(.*\S) (\[[^\[\]]*\])")
_TICKS = 5  # at most, on an axis
_NOTHING: tuple[dict[str, Any], None] = ({"texts": [], "table": None}, None)


def write_report(
    result: Result,
    output: str | PathLike[str] = "report.html",
    *,
    command: str = "",
    metadata: Mapping[str, str] | None = None,
) -> str:
    """Write a result as one HTML page: sentences, figures, tables, and rows to search, sort and download.

    The page contains all its data, and forbids all requests and all scripts but its own. Equal arguments give an equal
    page.

    Args:
        result: What ``evaluate``, ``compare``, ``correlate``, ``doctor.examine`` or another function returned. An
            evaluation lists the answers that it keeps. Give ``evaluate`` ``keep=`` all verdicts to list all answers.
        output: The page.
        command: The command line that writes this page, to be shown.
        metadata: Further lines for reproduction, such as the SHA-256 of the file.

    Returns:
        A line with the place and the size of the page.

    Raises:
        TypeError: If this is no result.
        ValueError: If the file is no HTML file by its name.
        FileNotFoundError: If there is no folder to write it in.
        MissingExtraError: If jinja2 is not installed.
    """
    if not isinstance(result, Result):
        raise TypeError(f"the result is of the type {type(result).__name__}; give what a function of answersim returns")
    place = Path(path_of("output", output))
    check_page(place)
    page = result.page()
    settings = getattr(result, "settings", {})
    html = page_html(page, command, {**(metadata or {}), **_shown(settings)})
    with output_files.atomic_write(place) as draft:
        draft.write_text(html, encoding="utf-8", errors="replace", newline="\n")
    size = place.stat().st_size
    return f"written: {place} ({f'{size / 1e3:.0f} kB' if size < 1_000_000 else f'{size / 1e6:.1f} MB'})"


def check_page(output: Path) -> None:
    """Check before any work that a page can be written to this file."""
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"the report is {output}, but a report is an HTML file; give a name that ends in .html")
    if output.is_dir() or not output.resolve().parent.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: it is a folder, or there is no folder to write it in")
    _jinja2()


def page_html(page: Page, command: str = "", metadata: Mapping[str, str] | None = None) -> str:
    """Return a page as HTML with its style, scripts and data inside. Every text is escaped where it is inserted."""
    jinja2 = _jinja2()
    script = _resource("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=False)
    data, rows = _NOTHING if page.listing is None else listed(page.listing)
    versions = ("answersim", VERSION), ("Python", platform.python_version()), ("numpy", np.__version__)
    tables = [_table(table, i) for i, table in enumerate(page.tables)]
    figures = [drawn for figure in page.figures if (drawn := _figure(figure))["rows"]]
    sections = [("figures", "Figures")] if len(figures) > 1 else []
    sections += [(table["id"], table["title"]) for table in tables]
    sections += [("rows", rows["title"])] if rows else []
    return str(
        environment.from_string(_resource("page.html.j2")).render(
            page=page._replace(sentences=page.sentences or [page.title]),
            figures=figures,
            tables=tables,
            listing=rows,
            sections=[*sections, ("notes", "Notes and signatures")],
            style=_resource("page.css"),
            script=script,
            script_hash=f"sha256-{digest}",
            data=embedded(data),
            command=command,
            metadata=[*(metadata or {}).items(), *versions],
            version=VERSION,
        )
    )


def embedded(value: Any) -> str:
    """Return this value as JSON for a script element: nothing in it ends the element or opens a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _table(table: TextTable, place: int) -> dict[str, Any]:
    """Return a table for the template: cells of numbers apart from their intervals."""
    columns = list(zip(*table.rows, strict=True)) if table.rows else [() for _ in table.header]
    is_number = [i > 0 and all(not cell or NUMBER.match(cell) for cell in column) for i, column in enumerate(columns)]

    def cell(text: str, i: int) -> dict[str, Any]:
        match = _INTERVAL.fullmatch(text) if is_number[i] else None
        return {"text": match[1] if match else text, "interval": match[2] if match else "", "number": is_number[i]}

    return {
        "id": f"table-{place + 1}",
        "title": table.title or "Results",
        "header": [{"text": name, "number": number} for name, number in zip(table.header, is_number, strict=True)],
        "rows": [[cell(text, i) for i, text in enumerate(row)] for row in table.rows],
        "notes": table.notes,
    }


def _figure(figure: Figure) -> dict[str, Any]:
    """Return a figure for the template: places on the axis in percent of its length."""
    low, high = figure.ends
    length = (high - low) or 1.0

    def at(value: float) -> float:
        return round(100 * min(max((value - low) / length, 0.0), 1.0), 3)

    def row(figure_row: FigureRow) -> dict[str, Any]:
        has_interval = not math.isnan(figure_row.low)
        ends = (f"{figure_row.low:{figure.form}}", f"{figure_row.high:{figure.form}}")
        start, parts = low, []
        for name, size in figure_row.parts.items():
            width = at(start + size) - at(start)
            parts.append({"look": name.replace(" ", "-"), "left": at(start), "width": round(width, 3)})
            start += size
        return {
            "name": figure_row.name,
            "text": f"{figure_row.value:{figure.form}}{figure.unit}",
            "interval": f"[{ends[0]}, {ends[1]}]" if has_interval else "",
            "at": at(figure_row.value),
            "left": at(figure_row.low) if has_interval else 0,
            "width": round(at(figure_row.high) - at(figure_row.low), 3) if has_interval else 0,
            "parts": parts,
        }

    rows = [figure_row for figure_row in figure.rows if not math.isnan(figure_row.value)]
    names = dict.fromkeys(name for figure_row in rows for name in figure_row.parts)
    unit = figure.unit if figure.unit == " %" else ""
    return {
        "title": figure.title,
        "rows": [row(figure_row) for figure_row in rows],
        "zero": at(0.0) if low < 0 < high else None,
        "ticks": [{"at": at(tick), "text": f"{tick:g}{unit}"} for tick in ticks(low, high)],
        "outcomes": [(name, name) for name in names],
    }


def ticks(low: float, high: float) -> list[float]:
    """Return the round numbers on an axis.

    >>> ticks(0, 100), ticks(-0.13, 0.38)
    ([0.0, 25.0, 50.0, 75.0, 100.0], [-0.1, 0.0, 0.1, 0.2, 0.3])
    """
    if not high > low:
        return [low]
    scale = 10.0 ** math.floor(math.log10(high - low))
    steps = [scale * step for step in (0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10)]
    step = next(step for step in steps if math.floor(high / step) - math.ceil(low / step) < _TICKS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 10) + 0.0 for i in range(first, last + 1)]


def _shown(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that are not empty, as texts."""
    return {
        name.replace("_", " "): ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        for name, value in settings.items()
        if value not in (None, (), [])
    }


def _resource(name: str) -> str:
    return (resources("answersim.evaluation.report") / name).read_text(encoding="utf-8")


def _jinja2() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("a report", "report", "jinja2") from error
    return jinja2
