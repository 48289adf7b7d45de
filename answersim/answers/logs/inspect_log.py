"""Logs of Inspect, ``.eval`` and ``.json``: the input, the target and the completion of each sample and epoch.

Read with inspect-ai 0.3.285. A sample with an error has no completion. Inspect records "" for a sample without a
target, so it has no gold answer here.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from answersim._base.errors import MissingExtraError
from answersim.answers.logs.rows import field, last_user_text, message_text, parsed, row

_ZSTD = 93  # the number of this compression in a zip file; Python supports it from 3.14 on
_REFERENCE = "attachment://"  # long texts may be stored once beside the sample


def matches(path: Path, head: bytes) -> bool:
    """Return whether this is a log of Inspect, by the first bytes of the file."""
    if head.startswith(b"PK\3\4"):
        try:
            with ZipFile(path) as file:
                return "header.json" in file.namelist() or "_journal/start.json" in file.namelist()
        except BadZipFile:
            return False
    return all(key in head for key in (b'"version"', b'"status"', b'"eval"'))


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of each sample, in the order of the log.

    Raise ValueError if the file is damaged, or no log. Raise MissingExtraError if the log is compressed by zstd, Python
    is older than 3.14, and pyarrow is missing.
    """
    for where, sample in _samples(path):
        yield _row(sample, path, where)


def _samples(path: Path) -> Iterator[tuple[str, Any]]:
    with path.open("rb") as file:
        if file.read(4) == b"PK\3\4":
            yield from _zipped(path, file)
            return
    log = parsed(path.read_bytes(), path, "the log")
    for i, sample in enumerate(field(log, "samples", path, "the log") or (), start=1):
        yield f"sample {i}", sample


def _zipped(path: Path, file: IO[bytes]) -> Iterator[tuple[str, Any]]:
    try:
        with ZipFile(file) as archive:
            for info in archive.infolist():
                if info.filename.startswith("samples/") and info.filename.endswith(".json"):
                    yield info.filename, parsed(_content(archive, info, path), path, info.filename)
    except (BadZipFile, EOFError, RuntimeError, zlib.error) as error:
        raise ValueError(f"{path} is not a complete log of Inspect ({error}); was its run interrupted?") from error


def _content(archive: ZipFile, info: ZipInfo, path: Path) -> bytes:
    """Return the bytes of a member, checked by the checksum of the archive."""
    if info.compress_type in (ZIP_STORED, ZIP_DEFLATED):
        return archive.read(info)
    if info.compress_type != _ZSTD:
        raise ValueError(f"{path}: {info.filename} has the compression {info.compress_type}, which is not supported")
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError("a log of Inspect that is compressed by zstd", "tables", "pyarrow") from error
    file: Any = archive.fp
    file.seek(info.header_offset + 26)  # of the local header, whose lengths may differ from those in the directory
    lengths = file.read(4)
    file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
    try:
        raw = pyarrow.Codec("zstd").decompress(file.read(info.compress_size), info.file_size, asbytes=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path}: {info.filename} is damaged ({error})") from error
    if zlib.crc32(raw) != info.CRC:
        raise ValueError(f"{path}: {info.filename} is damaged: its checksum differs")
    return bytes(raw)


def _row(sample: Any, path: Path, where: str) -> dict[str, Any]:
    target = field(sample, "target", path, where)
    question = field(sample, "input", path, where)
    attachments = sample.get("attachments") or {}
    output = sample.get("output") or {}
    choices = output.get("choices") or ()
    answer = output.get("completion") or (message_text(choices[0]["message"]["content"]) if choices else None)
    targets = target if isinstance(target, list) else [target]
    return row(
        field(sample, "id", path, where),
        _resolved(last_user_text(question), attachments),
        [gold for gold in targets if not isinstance(gold, str) or gold.strip()],
        None if answer is None else _resolved(answer, attachments),
        epoch=sample.get("epoch"),
        choices=sample.get("choices") or None,
    )


def _resolved(text: str, attachments: Mapping[str, str]) -> str:
    """Return the text, or the one that it refers to."""
    return attachments.get(text.removeprefix(_REFERENCE), text) if text.startswith(_REFERENCE) else text
