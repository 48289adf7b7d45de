"""What a training may overwrite in its output folder: only what a training wrote."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from answersim._base.errors import first_ones
from answersim._base.runtime import locks, training_checkpoints
from answersim.metrics.checkpoints import adapter, search

RESULTS = ("adapter", "model")  # folders that a training replaces as a whole
REPORTS = ("report.md", "report.json")
_UNFINISHED = f"{adapter.RECIPE}.unfinished"
_SHOWN = 5


def check(output: Path, result: str, inputs: Mapping[str, Path | None]) -> None:
    """Check, before any work, that a training may replace the folder ``result``, and overwrites nothing else."""
    check_folder(output)
    check_replaceable(output / result)
    for name, path in inputs.items():
        check_apart(name, path, output / result)
        for entry in (training_checkpoints.FILE, *REPORTS):
            check_apart(name, path, output / entry)
    checkpoint = output / training_checkpoints.FILE
    if training_checkpoints.is_foreign(checkpoint):
        raise ValueError(_refusal(output, [checkpoint.name]))
    trained = checkpoint.is_file() or any(_pins(output / folder) is not None for folder in RESULTS)
    if not trained and (foreign := [name for name in REPORTS if os.path.lexists(output / name)]):
        raise ValueError(_refusal(output, foreign))


def check_folder(path: Path) -> None:
    """Check that this folder exists or can be made, and can be written. Raise OSError if not."""
    there = next(parent for parent in (path, *path.absolute().parents) if os.path.lexists(parent))
    if not there.is_dir():
        raise NotADirectoryError(f"{there} is not a folder, so {path} cannot be created; choose another folder")
    if not os.access(there, os.W_OK):
        raise PermissionError(f"there is no write permission for {there}; choose another folder than {path}")


def check_apart(name: str, read: Path | None, written: Path) -> None:
    """Check that an input is not the folder that is replaced, nor within it. Raise ValueError if it is."""
    if read is not None and read.resolve().is_relative_to(written.resolve()):
        raise ValueError(f"--{name} {read} would be overwritten: {written} is replaced; choose another --output")


def check_replaceable(folder: Path) -> None:
    """Check that this folder, and ``<folder>.new`` beside it, have only what a training wrote, unchanged."""
    for place in (folder, fresh(folder)):
        if place.is_symlink() or (os.path.lexists(place) and not place.is_dir()):
            raise NotADirectoryError(
                f"{place} is not a folder, but a training writes one there; choose another --output"
            )
    if foreign := _foreign(folder):
        raise ValueError(_refusal(folder, foreign))
    if not (fresh(folder) / _UNFINISHED).is_file() and (foreign := _foreign(fresh(folder))):
        raise ValueError(_refusal(fresh(folder), foreign))


def fresh(folder: Path) -> Path:
    """Return the sibling folder in which the new content is written."""
    return folder.with_name(f"{folder.name}.new")


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Yield an empty folder, which replaces ``folder`` at the end unless there is an error.

    A killed process leaves the previous content, or none, but never a part of the new one.
    """
    check_replaceable(folder)
    new = fresh(folder)
    new.mkdir(parents=True, exist_ok=True)
    with locks.locked(new / _UNFINISHED, training_checkpoints.busy(folder.parent)):
        for path in new.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != _UNFINISHED:
                path.unlink()
        yield new
        check_replaceable(folder)
        if folder.exists():
            shutil.rmtree(folder)
        new.rename(folder)
        (folder / _UNFINISHED).unlink()


def _foreign(folder: Path) -> list[str]:
    """Return the files of this folder that its recipe.json does not list with this content, in order."""
    if not folder.exists():
        return []
    pins = _pins(folder) or {}
    foreign = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and not path.is_symlink():
            continue
        if pins and name.startswith(adapter.RECIPE) and not path.is_symlink():
            continue
        if name not in pins or path.is_symlink() or not path.is_file():
            foreign.append(name)
        elif search.sha256(path) != pins[name]:
            foreign.append(f"{name} (changed since)")
    return foreign


def _pins(folder: Path) -> Mapping[str, str] | None:
    """Return the digests in the recipe.json of the folder, or None if no training finished here."""
    try:
        pins = search.read_json(folder / adapter.RECIPE).get("sha256")
    except (OSError, ValueError, AttributeError):
        return None
    return pins if isinstance(pins, dict) and pins else None


def _refusal(folder: Path, names: Iterable[str]) -> str:
    return (
        f"{folder} would be overwritten, but it contains files that no training wrote: "
        f"{first_ones(list(names), _SHOWN)}; move it away, or choose another --output"
    )
