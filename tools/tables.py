"""Tables and templates of the tools: files in the folder ``sources`` beside a module, and what is written."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def table(module: str, name: str) -> Any:
    """Return the content of ``sources/NAME`` beside the module with this ``__file__``.

    The content is that of a JSON file, the rows of a TSV file without its header, or the lines of a text file without
    comments, which begin with "#".
    """
    text = (Path(module).parent / "sources" / name).read_text("utf-8")
    if name.endswith(".json"):
        return json.loads(text)
    if name.endswith(".tsv"):
        return [line.split("\t") for line in text.splitlines()[1:]]
    return [line for line in text.splitlines() if not line.startswith("#")]


def write(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write these rows as CSV, or as TSV if that is the suffix."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",", lineterminator="\n").writerows(rows)


def rendered(template: Path, filters: Mapping[str, Any], **values: Any) -> str:
    """Return a template of jinja with these values and further filters."""
    from jinja2 import Environment

    environment = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters |= filters
    return environment.from_string(template.read_text(encoding="utf-8")).render(values)
