"""Convert archives of format 1 (one .npz file per run) to format 2 (one Parquet file per corpus and preset).

    python -m benchmarks.ranking_archive_conversion benchmarks/results/runs

Each run is read again after it was written and compared with its old file: the provenance, the costs and the rank of
each candidate must be equal. Only then are the old files removed (``--keep`` keeps them).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from answersim.runtime.cli_errors import user_errors
from benchmarks.ranking_archive import Key, digest, read_rows, write_rows
from rankers.systems import catalog

COLUMNS = ("questions", "signature", "parameters", "training_s", "scoring_s", "made_on")


def convert(archive: Path, *, keep: bool = False) -> dict[Path, int]:
    """Convert all runs below a folder, prove that nothing changed, and return the number of runs per new file.

    Args:
        archive: A folder with CORPUS/PRESET/seed-N/SYSTEM.TEXTS.npz.
        keep: Whether the old files stay.

    Raises:
        ValueError: If a file is not of format 1, or a run that was read again differs from its old file.
    """
    counts = {}
    for home in sorted({path.parent.parent for path in archive.glob("*/*/seed-*/*.npz")}):
        old = dict(_old_runs(home))
        path = home.with_name(f"{home.name}.parquet")
        write_rows(path, read_rows(path) | {key: _row(key, *run) for key, run in old.items()})
        rows = read_rows(path)
        for key, (stated, ranks) in old.items():
            _check_equal(f"{path} ({key})", rows[key], stated, ranks)
        counts[path] = len(old)
        if not keep:
            for file in sorted(home.glob("seed-*/*.npz")):
                file.unlink()
            for folder in (*home.glob("seed-*"), home):
                folder.rmdir()
    return counts


def _old_runs(home: Path) -> Iterator[tuple[Key, tuple[dict[str, Any], Any]]]:
    """Yield the runs of format 1: the metadata of each file, and the ranks of its candidates."""
    for path in sorted(home.glob("seed-*/*.npz")):
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            stated, ranks = json.loads(stored["story"].tobytes()), stored["places"]
        if stated["format"] != 1:
            raise ValueError(f"{path} has the format {stated['format']}, but this program converts format 1")
        system = max((name for name in catalog.names() if path.name.startswith(f"{name}.")), key=len)
        if system != stated["system"]:
            raise ValueError(f"{path} contains a run of {stated['system']}; restore its name")
        seed = int(path.parent.name.removeprefix("seed-"))
        yield Key(system, seed, path.stem.removeprefix(f"{system}.")), (stated, ranks)


def _row(key: Key, stated: dict[str, Any], ranks: Any) -> dict[str, Any]:
    row = {
        **key._asdict(),
        "provenance": json.dumps(stated["facts"], sort_keys=True),
        **{name: stated[name] for name in COLUMNS},
        "ranks": ranks.astype("u1" if ranks.max(initial=0) < 256 else "<u2").tobytes(),
    }
    return row | {"sha256": digest(row)}


def _check_equal(place: str, row: dict[str, Any], stated: dict[str, Any], ranks: Any) -> None:
    """Check that a row that was read again has the whole content of the old file."""
    width = len(row["ranks"]) // max(1, len(ranks))
    joined = np.frombuffer(row["ranks"], dtype="<u2" if width > 1 else "u1")
    again = {name: row[name] for name in COLUMNS} | {"system": row["system"], "facts": json.loads(row["provenance"])}
    if again | {"format": 1} != stated or not np.array_equal(joined, ranks):
        raise ValueError(f"{place} differs from its old file; nothing was removed")


def main(
    archive: Annotated[Path, typer.Argument(help="A folder with CORPUS/PRESET/seed-N/SYSTEM.TEXTS.npz.")],
    keep: Annotated[bool, typer.Option("--keep", help="Keep the old files.")] = False,
) -> None:
    """Convert an archive of format 1 and prove that nothing changed."""
    with user_errors():
        for path, count in convert(archive, keep=keep).items():
            typer.echo(f"{path}: {count} runs, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    typer.run(main)
