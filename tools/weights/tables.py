"""Texts that the rules of a module are applied to: a JSON file in the folder ``sources`` beside the module."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def table(module: str, name: str) -> Any:
    """Return the content of ``sources/NAME.json`` beside the module with this ``__file__``."""
    return json.loads((Path(module).parent / "sources" / f"{name}.json").read_text("utf-8"))
