"""The numbers that the five papers printed, which tables have beside ours."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "published_numbers.csv"
MOVING = "scan-rate-1"  # as in rankers.papers.scan, which cannot be imported without torch


@cache
def numbers() -> Mapping[tuple[str, str, str], float]:
    """Return the published numbers by data set, measure or coefficient, and our name of the system or metric.

    For the SAS paper, a data set is a set and a subset, such as "squad F1=0". The numbers of SCAN are also those of
    ``scan-rate-1``, which is SCAN at a learning rate at which its sample weights change.
    """
    with FILE.open(encoding="utf-8", newline="") as lines:
        rows = {(row["dataset"], row["measure"], row["system"]): float(row["value"]) for row in csv.DictReader(lines)}
    return rows | {(of, measure, MOVING): value for (of, measure, system), value in rows.items() if system == "scan"}
