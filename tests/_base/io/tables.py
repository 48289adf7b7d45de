"""Tables of odd values."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def as_written(rows: Iterable[dict[str, Any]], path: Path) -> Path:
    """These rows in this file, written by other hands than ours: all quoted, \\r\\n, a byte order mark, ASCII JSON."""
    rows = list(rows)
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8-sig") as file:
            writer = csv.DictWriter(
                file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",", quoting=csv.QUOTE_ALL
            )
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\r\n" for row in rows), "utf-8", newline="")
    return path


def as_read(path: Path) -> list[dict[str, Any]]:
    """The rows of this file, read by other hands than ours."""
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True))
    if path.suffix == ".parquet":
        import pyarrow.parquet

        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        return rows
    return [json.loads(line) for line in path.read_bytes().decode().split("\n") if line]


def folder_holds(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
