"""Where an output goes, and how it replaces a file: completely or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

WRITABLE = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)  # of a write, which names no file


def suffix_of(path: Path) -> str:
    """Return which suffix a path has, in words."""
    return f"the suffix {path.suffix!r}" if path.suffix else "no suffix"


def check_place(path: Path, others: Sequence[str] = ()) -> None:
    """Check that a file of this name can be written in a known format. A pipe or a device needs no suffix."""
    through = is_special(path)
    known, content = (*others, *WRITABLE), "result" if others else "table"
    if path.is_dir():
        raise IsADirectoryError(f"{path} cannot be written: it is a folder; give the name of a file")
    if path.suffix.lower() not in known and not through:
        raise ValueError(f"{path} has {suffix_of(path)}; a {content} is written as: {', '.join(known)}")
    if through:
        if not os.access(path, os.W_OK):
            raise PermissionError(
                f"{path} cannot be written: there is no write permission for it; choose another output"
            )
        return
    folder = _link_target(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{path} cannot be written: no file can be created in {folder}; choose another folder")


def format_of(path: Path, default: str = ".csv") -> str:
    """Return the suffix that decides the format of an output: its own, or the default if it has no known one."""
    suffix = path.suffix.lower()
    return suffix if suffix in WRITABLE else default


def is_stdout(path: Path) -> bool:
    """Return whether this path leads to the standard output of this process, such as /dev/stdout."""
    try:
        return not path.samefile(os.devnull) and os.path.samestat(path.stat(), os.fstat(1))
    except OSError:  # the path is missing, or standard output is closed
        return False


def is_special(path: Path) -> bool:
    """Return whether an output is written to and never replaced: a pipe, a device or standard output."""
    try:
        mode = path.stat().st_mode
    except OSError:  # there is no file yet, or the path cannot be read: check_place gives the reason
        return False
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        kind = "disk" if stat.S_ISBLK(mode) else "socket"
        raise OSError(f"{path} cannot be written: it is a {kind}; give the name of a file or pipe")
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or is_stdout(path)


def _link_target(path: Path) -> Path:
    """Return the path that all links lead to. Raise OSError if the links lead in a circle."""
    try:
        target = path.resolve()
    except RuntimeError:  # Python before 3.13
        target = path
    if target.is_symlink():
        raise OSError(errno.ELOOP, "cannot be written: its links lead in a circle", str(path))
    return target


def refuse_overwriting_input(inputs: Path | Iterable[Path | None], output: Path | None) -> None:
    """Check that the output is none of these input files, also through a symbolic or a hard link. None is skipped."""
    if output is None or not output.is_file():
        return
    for path in [inputs] if isinstance(inputs, Path) else inputs:
        if path is not None and path.exists() and path.samefile(output):
            raise ValueError(f"the output {output} is the input {path}; choose another name for the output")


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a draft that replaces the file at the end, or is removed if the block fails.

    The draft is created exclusively beside the file, so that no link under its name is followed. A link to a file stays
    a link, and the file behind it is replaced. A pipe, a device or the standard output is never replaced. The draft is
    then in the folder for temporary files, and its bytes are written through at the end.
    """
    if is_special(path):
        with tempfile.TemporaryDirectory(prefix="answersim-") as folder:
            draft = Path(folder) / "draft"
            draft.touch()
            yield draft
            if is_stdout(path):
                sys.stdout.flush()
            handle = os.dup(1) if is_stdout(path) else os.open(path, os.O_WRONLY)
            with draft.open("rb") as file, os.fdopen(handle, "wb") as out:
                shutil.copyfileobj(file, out)
        return
    path = _link_target(path)
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    draft = path.parent / f".answersim-{secrets.token_hex(6)}"
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))  # with the usual mode
    try:
        if mode is not None:  # while it is empty, so that private content stays private
            draft.chmod(mode)
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.filename is None and error.errno in _FULL:
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)
