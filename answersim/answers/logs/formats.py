"""The formats of logs by name, the detection of a format, and a log as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.errors import unknown
from answersim._base.io.files import Table, table_of_rows
from answersim.answers.logs import inspect_log, lm_eval

AUTO = "auto"
_HEAD = 65_536  # bytes that decide the format


class Format(NamedTuple):
    """How the logs of one tool are read."""

    rows: Callable[..., Iterator[dict[str, Any]]]  # the rows of a file
    matches: Callable[[Path, bytes], bool]  # whether a file with these first bytes has this format
    has_parts: bool = False  # whether ``rows`` accepts the name of a part


FORMATS = {
    "inspect": Format(inspect_log.rows, inspect_log.matches),
    "lm-eval": Format(lm_eval.rows, lm_eval.matches, True),
}


def resolved(name: str, path: Path) -> str:
    """Check and return the name of the format of this file, with its part.

    ``name``: a name of ``FORMATS``, one with a part ("lm-eval:strict-match"), or "auto" for the one that matches. Raise
    FileNotFoundError if there is no such file. Raise LookupError if no format has this name, or none matches the file.
    Raise ValueError if a part is given and the format has none.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a log in it")
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give a log that another tool has written")
    kind, _, filter_name = name.partition(":")
    if kind != AUTO and kind not in FORMATS:
        raise unknown("format of logs", kind, [AUTO, *FORMATS])
    if filter_name and not (kind in FORMATS and FORMATS[kind].has_parts):
        parted = ", ".join(key for key, value in FORMATS.items() if value.has_parts)
        raise ValueError(f"--from is {name!r}, but only {parted} has parts; give {kind!r}")
    if kind != AUTO:
        return name
    with path.open("rb") as file:
        head = file.read(_HEAD)
    for candidate, form in FORMATS.items():
        if form.matches(path, head):
            return candidate
    raise LookupError(
        f"the format of {path} was not recognized; name it with --from, one of: {', '.join(FORMATS)}. A table with "
        "columns of gold answers and predictions needs no --from"
    )


def read(path: Path, name: str) -> Table:
    """Return the answers in a log as a table; its columns are id, question, gold, pred and those of the format.

    Raise ValueError or LookupError as ``resolved`` and the readers. Errors name the file and the sample.
    """
    kind, _, filter_name = resolved(name, path).partition(":")
    rows = FORMATS[kind].rows
    return table_of_rows(_guarded(rows(path, filter_name) if filter_name else rows(path), path, kind))


def _guarded(rows: Iterator[dict[str, Any]], path: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the rows. Raise ValueError with the place of the first record that has other types than the format."""
    count = 0
    try:
        for row in rows:
            yield row
            count += 1
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path}: the record after {count} rows is not one of {kind} ({type(error).__name__}: {error}); name "
            "another format with --from, or repair the log"
        ) from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 ({error.reason} at byte {error.start}); write the log again") from error
