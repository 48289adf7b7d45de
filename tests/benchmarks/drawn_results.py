"""Results of made-up systems, as the figures read them."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("torch")

SYSTEMS = ("bm25", "tanda", "scan", "addax", "addax-alpha-1", "addax-alpha-10")


def found() -> dict[str, Any]:
    """A file of results, as the benchmark writes it."""
    rows = [
        {
            "system": system,
            "measure": measure,
            "is_metric": measure.startswith("sas"),
            "seeds": 1,
            "mean": 0.1 * i,
            "deviation": None,
            "low": 0.1 * i - 0.05,
            "high": 0.1 * i + 0.02,
            "circular": system == "tanda" and measure.startswith("sas"),
        }
        for i, system in enumerate(SYSTEMS)
        for measure in ("MAP", "P@1", "sas", "sas where P@1=0")
    ]
    order = {"first": "MAP", "second": "sas", "left_out": ["tanda"], "tau": 0.5, "low": -0.1, "high": 0.8}
    return {
        "title": "Made",
        "preset": "cpu",
        "machine": {"device": "cpu"},
        "systems": rows,
        "orders": [order, {**order, "tau": None, "low": None, "high": None}],
    }
