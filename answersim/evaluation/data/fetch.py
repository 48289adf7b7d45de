"""The files of the sets of the paper: their checksums, their places, and their download from the public source."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
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
from answersim.metrics.checkpoints.search import sha256

DATA_VARIABLE = "ANSWERSIM_DATA"
COMMIT = "8395a87"
SOURCE = f"https://raw.githubusercontent.com/e184633/semantic-answer-similarity/{COMMIT}"
COMMAND = "answersim data fetch"


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
    files: Sequence[File] | None = None,
    timeout: float = 30.0,
) -> list[tuple[Path, bool]]:
    """Fetch the files of these sets from the public repository of the paper, unless they are present.

    Return the path of each file, and whether it was fetched because it was missing or different. A present file with
    the pinned SHA-256 needs no request. ``names``: sets: "squad", "nq-open", "germanquad". By default, all of them.
    Raise LookupError if no set has this name. Raise FetchError if there is no network, no such file, or the disk is
    full. Raise ChecksumError if the source sent other bytes than the pinned ones.
    """
    if names is not None and files is not None:
        raise TypeError("names and files are both given, but either selects what is fetched; give one of them")
    chosen = _wanted(names) if files is None else list(files)
    target = cache_folder() / "data" if folder is None else Path(folder)
    return [_fetch_one(file, target, base_url, timeout) for file in chosen]


def _wanted(names: Iterable[str] | None) -> list[File]:
    if isinstance(names, str):
        names = [names]
    chosen = list(FILES) if names is None else list(dict.fromkeys(names))
    for name in chosen:
        if name not in FILES:
            raise unknown("data set that can be fetched", name, FILES)
    return [file for name in chosen for file in FILES[name]]


def _fetch_one(file: File, folder: Path, base_url: str, timeout: float) -> tuple[Path, bool]:
    path = folder / file.path
    if path.is_file() and sha256(path) == file.sha256:
        return path, False
    url = f"{base_url.rstrip('/')}/{quote(file.remote)}"
    content = _downloaded(url, timeout)
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


def _downloaded(url: str, timeout: float) -> bytes:
    """Return all bytes of the file at this URL. Raise FetchError if they do not arrive."""
    try:
        with urlopen(Request(url, headers={"User-Agent": "answersim"}), timeout=timeout) as response:
            return bytes(response.read())
    except HTTPError as error:
        error.close()
        raise FetchError(f"{url} answers {error.code} {error.reason}; the file cannot be fetched there") from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or str(error) or type(error).__name__
        raise FetchError(f"{url} cannot be read: {reason}. Check the network, and run '{COMMAND}' again") from error
