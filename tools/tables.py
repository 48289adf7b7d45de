"""Texts that the rules of a module are applied to: a file in the folder ``sources`` beside the module."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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


def rendered(template: Path, filters: Mapping[str, Callable[..., Any]], **values: Any) -> str:
    """Return a template of jinja with these values and further filters."""
    from jinja2 import Environment

    environment = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters |= filters
    return environment.from_string(template.read_text(encoding="utf-8")).render(values)
