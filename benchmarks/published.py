"""The numbers that the five papers printed, which tables have beside ours."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "published_numbers.csv"


@cache
def numbers() -> Mapping[tuple[str, str, str], float]:
    """Return the published numbers by data set, measure or coefficient, and our name of the system or metric.

    For the SAS paper, a data set is a set and a subset, such as "squad F1=0".
    """
    with FILE.open(encoding="utf-8", newline="") as lines:
        return {(row["dataset"], row["measure"], row["system"]): float(row["value"]) for row in csv.DictReader(lines)}
