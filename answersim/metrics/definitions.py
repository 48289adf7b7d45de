"""What the metrics of this package are: the entries of ``definitions.json``, each with the factory of its module."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Any

from answersim.types import Definition, Example, Metric

_ROWS: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
PLACES: dict[str, str] = {name: row.pop("place") for name, row in _ROWS.items()}
"""The module in this folder, and the name in it, of the definition of each metric."""


def definition(name: str, build: Callable[..., Metric]) -> Definition:
    """Return what a metric is. ``build``: its factory. That of a metric with a network gets its name first."""
    row = _ROWS[name]
    texts = {"parts": tuple(row.get("parts", ())), "formula": "\n".join(row["formula"])}
    examples = tuple(starmap(Example, row["examples"]))
    factory = partial(build, name) if row["kind"] == "neural" else build
    return Definition(name=name, build=factory, **row | texts | {"examples": examples})
