"""The files of the sets of the paper: their checksums, their places, and their download from the public source."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from answersim._base.errors import ChecksumError, NoHomeError, unknown
from answersim._base.io import output_files
from answersim._base.io.folders import cache_folder
from answersim.evaluation.data.labeled import read_csv
from answersim.metrics.checkpoints.search import sha256

DATA_VARIABLE = "ANSWERSIM_DATA"
COMMIT = "8395a87"
SOURCE = f"https://raw.githubusercontent.com/e184633/semantic-answer-similarity/{COMMIT}"
COMMAND = "answersim data fetch"
TIMEOUT = 30.0  # seconds


class FetchError(OSError):
    """A file could not be fetched: no network, no such file at the source, or disk full."""


class File(NamedTuple):
    """One file of a set."""

    path: str  # the path below ``$ANSWERSIM_DATA`` or the cache folder
    remote: str  # the path in the repository of the paper
    sha256: str  # the SHA-256 that its bytes must have


_ROWS = read_csv(Path(__file__).with_name("files.csv"))
FILES = {
    name: tuple(File(row["path"], row["remote"], row["sha256"]) for row in _ROWS if row["set"] == name)
    for name in dict.fromkeys(row["set"] for row in _ROWS)
}
"""The files of each set."""


def places() -> list[tuple[str, Path]]:
    """Return the folders that are searched, in order, each with its name: ``$ANSWERSIM_DATA``, then the cache.

    Without a home folder, there is no cache.
    """
    folder = os.environ.get(DATA_VARIABLE)
    folders = [(f"${DATA_VARIABLE}", Path(folder))] if folder else []
    with suppress(NoHomeError):
        folders.append(("the cache", cache_folder() / "data"))
    return folders


def fetch(names: Iterable[str] | None = None) -> list[tuple[Path, bool]]:
    """Fetch the files of these sets from the public repository of the paper, unless they are present.

    Return the path of each file, and whether it was fetched because it was missing or different. A present file with
    the pinned SHA-256 needs no request. ``names``: sets: "squad", "nq-open", "germanquad". By default, all of them.
    Raise LookupError if no set has this name. Raise FetchError if there is no network, no such file, or the disk is
    full. Raise ChecksumError if the source sent other bytes than the pinned ones.
    """
    chosen = [names] if isinstance(names, str) else dict.fromkeys(FILES if names is None else names)
    for name in chosen:
        if name not in FILES:
            raise unknown("data set that can be fetched", name, FILES)
    return [_fetch_one(file, cache_folder() / "data") for name in chosen for file in FILES[name]]


def _fetch_one(file: File, folder: Path) -> tuple[Path, bool]:
    path = folder / file.path
    if path.is_file() and sha256(path) == file.sha256:
        return path, False
    url = f"{SOURCE}/{quote(file.remote)}"
    content = _downloaded(url)
    if (digest := hashlib.sha256(content).hexdigest()) != file.sha256:
        raise ChecksumError(
            f"{url} has the SHA-256 {digest}, but {file.sha256} is pinned for {file.path}; nothing is written. Try "
            "again. If the error persists, the source or a proxy has changed the file"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with output_files.atomic_write(path) as draft:
            draft.write_bytes(content)
    except OSError as error:
        raise FetchError(f"{path} cannot be written: {error.strerror or error}") from error
    return path, True


def _downloaded(url: str) -> bytes:
    """Return all bytes of the file at this URL. Raise FetchError if they do not arrive."""
    try:
        with urlopen(Request(url, headers={"User-Agent": "answersim"}), timeout=TIMEOUT) as response:
            return bytes(response.read())
    except HTTPError as error:
        error.close()
        raise FetchError(f"{url} answers {error.code} {error.reason}; the file cannot be fetched there") from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or str(error) or type(error).__name__
        raise FetchError(f"{url} cannot be read: {reason}. Check the network, and run '{COMMAND}' again") from error
