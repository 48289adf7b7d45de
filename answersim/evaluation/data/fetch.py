"""The files of the sets of the paper: their checksums, their places, and their download from the public source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from answersim._base.errors import ChecksumError, NoHomeError, unknown
from answersim._base.io.folders import cache_folder
from answersim._base.runtime import locks
from answersim.metrics.checkpoints.search import sha256
from answersim.metrics.checkpoints.wheels import Fetched

DATA_VARIABLE = "ANSWERSIM_DATA"
COMMIT = "8395a87"
SOURCE = f"https://raw.githubusercontent.com/e184633/semantic-answer-similarity/{COMMIT}"
COMMAND = "answersim data fetch"

_CHUNK = 1 << 16


class FetchError(OSError):
    """A file could not be fetched: no network, no such file at the source, or disk full."""


class File(NamedTuple):
    """One file of a set."""

    path: str  # the path below ``$ANSWERSIM_DATA`` or the cache folder
    remote: str  # the path in the repository of the paper
    sha256: str  # the SHA-256 that its bytes must have


FILES: dict[str, tuple[File, ...]] = {
    "squad": (
        File("sas/SQuAD_SAS.csv", "data/data/SQuAD_SAS.csv",
             "cef4bc0f273ad7d125c8acf4dad0a755d60d4f4c5db09d1379058de62bef97d6"),
        File("sas/recorded/squad_table_results_1.csv", "data/table/squad_table_results_1.csv",
             "91196bb1fdd53fd8f8242bd0e5f297d835b8a899a88d4a6b76037b52f258b03a"),
        File("sas/recorded/squad_all_layer_results.csv", "data/table/squad_all_layer_results.csv",
             "86d9056e274379d163c785a09cda944d89e5ea778978d608644aad44e0da365d"),
    ),
    "nq-open": (
        File("sas/NQ-open_SAS.csv", "data/data/NQ-open_SAS.csv",
             "e62d3cb175513a41ed97bcf5fd59214c5024ce31f50451f0d75a65b70dcc2439"),
        File("sas/nq_open_relabeled.csv", "data/data/nq_open_relabeled.csv",
             "f37af7a074adda34b9f2d128afd6b112dc0bb75bf2972a47cdf558bb13eb5fbe"),
        File("sas/nq_open_with_questions.csv", "data/table/filtered_nq_open_aug.csv",
             "e900f413326d5ccb13c3acf97f016045b8c381c08273a29de7c402eb2d6f6bf2"),
        File("sas/nq_open_filtered.csv", "data/data/nq/nq_open_filtered.csv",
             "11d8098c903c0230ee96b4905df2d4fe552fd8248efcaeb1f003c9b3e4d9e276"),
        File("sas/recorded/nq_open_table_results_relabelled_1.csv", "data/table/nq_open_table_results_relabelled_1.csv",
             "747571dc1284f8cc8e0754b432850cfb7835b65c9d21c6121bd5b1a684cb3b76"),
        File("sas/recorded/nq_open_sas_low_scores_annotated.csv", "data/errors/nq_open_sas_low_scores_annotated.csv",
             "8f11a39493795cb02a04d041287b1d33a7c596015df2b0c60c2ce7ce5cef6ad6"),
    ),
    "germanquad": (
        File("sas/GermanQuAD_SAS.csv", "data/data/GermanQuAD_SAS.csv",
             "fad168d37476e267b8b0f714b21d858bd2c997d541d066becdf6aefbfa5d639e"),
        File("sas/recorded/german_quad_table_results_1.csv", "data/table/german_quad_table_results_1.csv",
             "71b96139e4bac034c1c82c03a0c9c1efab9421848d1ba9cfb67a17423f220e07"),
    ),
}  # fmt: skip


def places() -> list[tuple[str, Path]]:
    """Return the folders that are searched, in order, each with its name: ``$ANSWERSIM_DATA``, then the cache.

    Without a home folder, there is no cache.
    """
    folder = os.environ.get(DATA_VARIABLE)
    folders = [(f"${DATA_VARIABLE}", Path(folder))] if folder else []
    with suppress(NoHomeError):
        folders.append(("the cache", cache_folder() / "data"))
    return folders


def fetch(
    names: Iterable[str] | None = None,
    *,
    folder: str | os.PathLike[str] | None = None,
    base_url: str = SOURCE,
    progress: Callable[[File, int, int | None], None] | None = None,
    files: Sequence[File] | None = None,
    timeout: float = 30.0,
) -> list[Fetched]:
    """Fetch the files of these sets from the public repository of the paper, unless they are present.

    A present file with the pinned SHA-256 needs no request. A download is written to ``<file>.part``, hashed, and then
    renamed in one step. An interrupted download resumes. ``names``: sets: "squad", "nq-open", "germanquad". By default,
    all of them. ``progress``: called after each piece with the file, the number of bytes received, and the size (None
    if unknown). Raise LookupError if no set has this name. Raise FetchError if there is no network, no such file, or
    the disk is full. A further call resumes. Raise ChecksumError if the source sent other bytes than the pinned ones.
    """
    if names is not None and files is not None:
        raise TypeError("names and files are both given, but either selects what is fetched; give one of them")
    chosen = _wanted(names) if files is None else list(files)
    target = cache_folder() / "data" if folder is None else Path(folder)
    return [_fetch_one(file, target, base_url, progress, timeout) for file in chosen]


def _wanted(names: Iterable[str] | None) -> list[File]:
    if isinstance(names, str):
        names = [names]
    chosen = list(FILES) if names is None else list(dict.fromkeys(names))
    for name in chosen:
        if name not in FILES:
            raise unknown("data set that can be fetched", name, FILES)
    return [file for name in chosen for file in FILES[name]]


def _fetch_one(
    file: File, folder: Path, base_url: str, progress: Callable[[File, int, int | None], None] | None, timeout: float
) -> Fetched:
    path = folder / file.path
    if path.is_file() and sha256(path) == file.sha256:
        return Fetched(path, brought=False)
    partial_file = path.with_name(path.name + ".part")
    url = f"{base_url.rstrip('/')}/{quote(file.remote)}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if partial_file.is_symlink():  # a link of someone else: it would be followed, or replace the file
            partial_file.unlink()
        # A complete part (only the last step was interrupted) needs no request either.
        if not (partial_file.is_file() and sha256(partial_file) == file.sha256):
            _download(file, url, partial_file, progress, timeout)
        digest = sha256(partial_file)
        if digest != file.sha256:
            partial_file.unlink()
            raise ChecksumError(
                f"{url} has the SHA-256 {digest}, but {file.sha256} is pinned for {file.path}; the download is "
                f"deleted. Try again. If the error persists, the source or a proxy has changed the file"
            )
        os.replace(partial_file, path)
    except FetchError:
        raise
    except OSError as error:  # all network errors are FetchErrors at this point
        raise FetchError(f"{path} cannot be written: {error.strerror or error}") from error
    return Fetched(path, brought=True)


def _download(
    file: File, url: str, partial_file: Path, progress: Callable[[File, int, int | None], None] | None, timeout: float
) -> None:
    """Download the file at this URL to ``partial_file``, and request only the missing bytes."""
    here = partial_file.stat().st_size if partial_file.is_file() else 0
    with _open(url, here, timeout) as response:
        if response.status != 206 or not _continues(response, here):
            here = 0  # the response is the whole file: the source does not support ranges
        length = response.headers.get("Content-Length")
        total = here + int(length) if length and length.isdigit() else None
        with os.fdopen(locks.open_own(partial_file, create=True, mode=0o666), "r+b") as out:
            out.seek(here)
            out.truncate()
            while piece := _piece(response, url):
                out.write(piece)
                here += len(piece)
                if progress is not None:
                    progress(file, here, total)
    if total is not None and here < total:
        raise FetchError(
            f"{url} was interrupted after {here} of {total} bytes; they are kept, and '{COMMAND}' resumes there"
        )


def _open(url: str, here: int, timeout: float) -> HTTPResponse:
    """Request all bytes from this position on."""
    headers = {"User-Agent": "answersim", "Accept-Encoding": "identity"}
    if here:
        headers["Range"] = f"bytes={here}-"
    try:
        response: HTTPResponse = urlopen(Request(url, headers=headers), timeout=timeout)
        return response
    except HTTPError as error:
        error.close()
        if error.code == 416 and here:  # what is here is as long as the file or longer, yet not the file
            return _open(url, 0, timeout)
        raise FetchError(f"{url} answers {error.code} {error.reason}; the file cannot be fetched there") from error
    except (OSError, HTTPException) as error:
        raise _unreadable(url, error) from error


def _piece(response: HTTPResponse, url: str) -> bytes:
    try:
        return response.read(_CHUNK)
    except (OSError, HTTPException) as error:
        raise _unreadable(url, error) from error


def _unreadable(url: str, error: Exception) -> FetchError:
    reason = getattr(error, "reason", None) or str(error) or type(error).__name__
    return FetchError(
        f"{url} cannot be read: {reason}. Check the network. The received bytes are kept, and '{COMMAND}' resumes there"
    )


def _continues(response: HTTPResponse, here: int) -> bool:
    """Return whether this partial response begins at the end of the local part."""
    return (response.headers.get("Content-Range") or "").startswith(f"bytes {here}-")
