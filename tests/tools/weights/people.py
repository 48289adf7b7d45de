"""A table of people with aliases."""

import csv
from pathlib import Path

WORDS = "old john feather merchant growth cortex eleven paris football league".split()


def people_table(path: Path) -> Path:
    """Write forty people, every second of them with an alias; half are of the group US."""
    rows = [("entity", "alias", "group")]
    for i in range(40):
        first, last = WORDS[i % 10].title(), f"{WORDS[(i + i // 10) % 10].title()}son"
        rows.append((f"{first} Ann {last}", f"{first} {last}" if i % 2 else "", "US" if i < 20 else "DE"))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path
