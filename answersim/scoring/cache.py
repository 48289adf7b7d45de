"""The score cache: scores of networks on disk, by signature and texts, which every call looks up before it computes."""

from __future__ import annotations

import errno
import os
import re
import stat
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import repeat
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import expanded, path, shown
from answersim._base.arrays import FloatArray
from answersim._base.errors import (
    ExtractionWarning,
    NoHomeError,
    TruncationWarning,
    deferred_warnings,
    renumbered,
    warn_user,
)
from answersim._base.golds import choices_of
from answersim._base.io.folders import cache_folder
from answersim._base.runtime import locks
from answersim._base.runtime.progress import bar, progress
from answersim._base.text_tables import Result, TextTable, json_object
from answersim.metrics import planning
from answersim.types import Metric, Pair, capabilities, reads_questions

VARIABLE = "ANSWERSIM_CACHE"
OFF = ("", "0", "off")

_NAME = re.compile(r"[0-9a-f]{24}\.scores")
_HEAD = b"answersim scores 1\n"
_RECORD = np.dtype([("key", "<u8", 2), ("score", "<f8"), ("check", "<u8")])  # 32 bytes
_AT_ONCE = 1 << 20  # records that are read at a time
_WAIT = 60.0  # seconds to wait for another process that holds the lock of a file
_FIRST, _MOST = 32, 1024  # pairs in the first portion that is computed and stored; each later one has twice as many


class CacheWarning(UserWarning):
    """The cache could not be used, or some of its scores were damaged. The scores are correct in both cases."""


@dataclass(frozen=True)
class CacheInfo(Result):
    """The content of a cache."""

    folder: Path  # the folder of the cache
    size: int  # bytes on disk
    scores: dict[str, int]  # the number of scores by signature
    damaged: int  # the number of entries that do not match their checksum, which are not used

    def __str__(self) -> str:
        return "\n".join(self.summary())

    def summary(self) -> list[str]:
        """Return the folder, its size, the number of scores, and the number of damaged entries if there are any."""
        lines = [f"folder  {self.folder}", f"size    {_size(self.size)}", f"scores  {sum(self.scores.values()):,}"]
        return [*lines, f"damaged {self.damaged:,}, not used"] if self.damaged else lines

    def tables(self) -> list[TextTable]:
        """Return the number of scores by signature, if there are any."""
        rows = tuple((f"{n:,}", name) for name, n in self.scores.items())
        return [TextTable("", ("scores", "signature"), rows)] if rows else []

    def records(self) -> list[dict[str, Any]]:
        """Return one record per signature."""
        return [{"scores": n, "signature": name} for name, n in self.scores.items()]

    def to_dict(self) -> dict[str, Any]:
        """Return the content for JSON, with the folder as text."""
        content = {"folder": str(self.folder), "size": self.size, "scores": self.scores, "damaged": self.damaged}
        return json_object(content)


@dataclass(frozen=True)
class ScoreCache:
    """Scores in a folder, one file per signature; several processes may share it, and any may be killed.

    A file only grows. An entry has 32 bytes: the key of the texts, the eight bytes of the score, and a checksum over
    the signature and both. A score is returned bit for bit, or not at all: an entry that does not match its checksum is
    reported by a ``CacheWarning`` and computed again. If a file cannot be used (disk full, no permission, locked for
    over a minute), a warning is issued and the scores are computed.
    """

    folder: Path

    def get(self, signature: str, keys: Sequence[bytes]) -> FloatArray:
        """Return the score of each key (see ``key``) by this metric, shape (n,); nan if none is stored."""
        scores = np.full(len(keys), np.nan)
        if not len(keys):
            return scores
        try:
            stored, damaged = self._stored(signature, keys)
        except OSError as error:
            self._warn(error)
            return scores
        for i, entry in enumerate(keys):
            scores[i] = stored.get(entry, np.nan)
        if damaged := damaged - stored.keys():
            warn_user(
                CacheWarning(
                    f"{len(damaged):,} scores in {self._path(signature)} are damaged and are computed again; "
                    "'answersim data cache' counts all that are"
                )
            )
        return scores

    def put(self, signature: str, keys: Sequence[bytes], scores: FloatArray) -> bool:
        """Add these keys and their scores; those that are not finite are left out. Return whether they are stored."""
        finite = np.isfinite(scores)
        records = np.empty(int(finite.sum()), dtype=_RECORD)
        records["key"] = _words(keys)[finite]
        records["score"] = scores[finite]
        records["check"] = _checks(self._path(signature), records)
        try:
            if len(records):
                self._append(signature, records.tobytes())
        except OSError as error:
            self._warn(error)
            return False
        return True

    def info(self) -> CacheInfo:
        """Return the content of the cache. All checksums are verified. Raise OSError if it cannot be read."""
        scores, size, damaged = {}, 0, 0
        for file in self._files():
            signature, first = _head(file)
            size += file.stat().st_size
            keys = [np.empty((0, 2), "<u8")]
            for records in _blocks(file, first):
                good = _checks(file, records) == records["check"]
                damaged += int((~good).sum())
                keys.append(records["key"][good])
            if n := len(np.unique(np.concatenate(keys), axis=0)):
                scores[signature] = n
        return CacheInfo(self.folder, size, dict(sorted(scores.items())), damaged)

    def clear(self) -> int:
        """Remove all scores, and return their number. Raise OSError if the files cannot be removed."""
        n = sum(self.info().scores.values())
        for file in self._files():
            file.unlink(missing_ok=True)
        return n

    def _files(self) -> list[Path]:
        try:
            return sorted(file for file in self.folder.iterdir() if _NAME.fullmatch(file.name))
        except FileNotFoundError:  # nothing has been stored yet
            return []

    def _path(self, signature: str) -> Path:
        return self.folder / _name(signature)

    def _stored(self, signature: str, keys: Sequence[bytes]) -> tuple[dict[bytes, float], set[bytes]]:
        """Return the stored scores of these keys, and the keys that have a damaged entry."""
        file = self._path(signature)
        first_halves = np.unique(_words(keys)[:, 0])  # the first halves of the keys
        stored: dict[bytes, float] = {}
        damaged: set[bytes] = set()
        for block in _blocks(file):
            halves = block["key"][:, 0]
            records = block[first_halves[np.searchsorted(first_halves[:-1], halves)] == halves]
            good = (_checks(file, records) == records["check"]) & np.isfinite(records["score"])
            names = [name.tobytes() for name in records["key"]]
            for name, score, valid in zip(names, records["score"].tolist(), good.tolist(), strict=True):
                if valid:
                    stored.setdefault(name, score)
                else:
                    damaged.add(name)
        return stored, damaged

    def _append(self, signature: str, raw: bytes) -> None:
        """Add whole entries to a file, or nothing."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with _opened(self._path(signature), os.O_RDWR | os.O_CREAT | os.O_APPEND) as handle:
            locks.wait_for_lock(handle, _WAIT)
            end = os.fstat(handle).st_size
            head = _HEAD + signature.encode() + b"\n" if not end else b""
            raw = head + bytes(-(end + len(head)) % _RECORD.itemsize) + raw  # a killed process may leave half an entry
            try:
                while raw:
                    raw = raw[os.write(handle, raw) :]
            except OSError:
                with suppress(OSError):
                    os.ftruncate(handle, end)
                raise

    def _warn(self, error: OSError) -> None:
        message = (
            f"the score cache {self.folder} cannot be used ({error}), so scores are computed and not stored; repair "
            f"the folder, choose another with ${VARIABLE}, or switch it off with {VARIABLE}=0"
        )
        warn_user(CacheWarning(message))


def _words(keys: Sequence[bytes]) -> NDArray[np.uint64]:
    """Return the two halves of each key, shape (n, 2)."""
    return np.frombuffer(b"".join(keys), dtype="<u8").reshape(-1, 2)


def _checks(file: Path, records: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the checksum of each record: 64 bits over the signature (by the name of its file), the key and the score.

    Source: the output function of SplitMix64 (Steele, Lea & Flood 2014), once per word.
    """
    mixed = np.full(len(records), int(file.name[:16], 16), dtype="<u8")
    for word in (records["key"][:, 0], records["key"][:, 1], records["score"].view("<u8")):
        mixed = (mixed ^ word) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed


def _blocks(file: Path, first: int = 0) -> Iterator[NDArray[Any]]:
    """Yield the records of a file from this one on, about a million at a time; nothing if there is no file."""
    try:
        with _opened(file, os.O_RDONLY) as handle, os.fdopen(handle, "rb", closefd=False) as raw:
            raw.seek(first * _RECORD.itemsize)
            while block := raw.read(_AT_ONCE * _RECORD.itemsize):
                yield np.frombuffer(block, dtype=_RECORD, count=len(block) // _RECORD.itemsize)
    except FileNotFoundError:
        return


def _head(file: Path) -> tuple[str, int]:
    """Return the signature in the head of a file, and the number of records that the head takes."""
    with _opened(file, os.O_RDONLY) as handle, os.fdopen(handle, "rb", closefd=False) as raw:
        magic, line = raw.readline(len(_HEAD)), raw.readline(1 << 16)
    signature = line.rstrip(b"\n").decode(errors="replace")
    if magic != _HEAD or _name(signature) != file.name:
        return f"(unknown, {file.name})", 0
    return signature, -(-len(magic + line) // _RECORD.itemsize)


@contextmanager
def _opened(file: Path, flags: int) -> Iterator[int]:
    """Open a regular file, and follow no link. The folder may be shared, so any user may own the file."""
    handle = os.open(file, flags | locks.SAFE, 0o666)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file; delete it", str(file))
        yield handle
    finally:
        os.close(handle)


def _name(signature: str) -> str:
    """Return the name of the file of a signature."""
    return f"{blake2b(signature.encode(), digest_size=12).hexdigest()}.scores"


def _size(size: int) -> str:
    """Return a number of bytes in the largest fitting unit, in steps of 1,024.

    >>> [_size(n) for n in (0, 1023, 1024, 5 << 20, 3 << 50)]
    ['0 bytes', '1,023 bytes', '1.0 KiB', '5.0 MiB', '3,072.0 TiB']
    """
    amount, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:,.0f} {units[0]}" if units[0] == "bytes" else f"{amount:,.1f} {units[0]}"


CacheLike = ScoreCache | str | os.PathLike[str] | bool


def cache_of(cache: CacheLike | None) -> ScoreCache | bool | None:
    """Return the cache in this folder; True for the default one, whose folder is looked up when scores are stored."""
    if cache is None or isinstance(cache, (ScoreCache, bool)):
        return cache or None
    if not isinstance(cache, (str, os.PathLike)) or (isinstance(cache, str) and not cache):
        raise TypeError(
            f"cache is {shown(cache)}, but it must be a folder, a ScoreCache, True for the default one, or None for no "
            "cache"
        )
    return ScoreCache(expanded(path("cache", cache)))


def default() -> ScoreCache | None:
    """Return the cache in ``$ANSWERSIM_CACHE``, else in the cache folder; None if it is off or there is no home."""
    setting = os.environ.get(VARIABLE)
    if setting is None:
        try:
            return ScoreCache(cache_folder() / "scores")
        except NoHomeError as error:
            message = (
                f"scores are not stored: {error}, or name a folder with ${VARIABLE}; {VARIABLE}=0 switches the cache "
                "off"
            )
            warn_user(CacheWarning(message), once=True)
            return None
    return None if setting.strip().lower() in OFF else ScoreCache(expanded(setting))


def key(pair: Pair | tuple[str, str], question: str = "") -> bytes:
    """Return sixteen bytes that identify these texts: BLAKE2b over them and their lengths."""
    texts = [text.encode() for text in (*pair, question, *choices_of(pair[0]))]
    return blake2b(b"".join(struct.pack("<Q", len(encoded)) + encoded for encoded in texts), digest_size=16).digest()


def costs(metric: Metric) -> bool:
    """Return whether the scores of this metric are stored: not fast ones, nor of a service, which has a record."""
    return capabilities(metric).cost == "model"


def score_all(
    metrics: Sequence[Metric], pairs: Sequence[Pair], questions: Sequence[str] | None, cache: ScoreCache | bool | None
) -> list[FloatArray]:
    """Return the result of ``planning.score_all``. Look up stored scores, and compute and store the others.

    A score from the cache has the same bits. An interrupted call loses a portion of up to 1,024 pairs at most.
    """
    store = (default() if cache is True else cache or None) if any(map(costs, metrics)) else None
    if store is None:
        return planning.score_all(metrics, pairs, questions)
    planning.check_signatures(metrics)
    used = questions if questions is not None and any(questions) else None
    unique = {metric.signature: metric for metric in metrics}
    light = [metric for metric in unique.values() if not costs(metric)]
    columns = planning.score_all(light, pairs, used) if light else []
    scores = {metric.signature: column for metric, column in zip(light, columns, strict=True)}
    for asks in (False, True):
        costly = [
            metric
            for metric in unique.values()
            if costs(metric) and (reads_questions(metric) and used is not None) == asks
        ]
        if costly:
            scores |= _stored(costly, pairs, used if asks else None, store)
    return [scores[metric.signature] for metric in metrics]


def _stored(
    metrics: Sequence[Metric], pairs: Sequence[Pair], questions: Sequence[str] | None, store: ScoreCache
) -> dict[str, FloatArray]:
    """Return the stored scores by signature, and compute and store the others portion by portion.

    The portions depend on the texts alone, so that a repeated call gives the bits of one without an interruption.
    """
    keys = [key(*entry) for entry in zip(pairs, repeat("") if questions is None else questions, strict=False)]
    scores = {metric.signature: store.get(metric.signature, keys) for metric in metrics}
    places: dict[bytes, int] = {}
    first = [places.setdefault(entry, i) for i, entry in enumerate(keys)]  # of equal texts
    golds: dict[str, int] = {}
    order = sorted(places.values(), key=lambda i: golds.setdefault(pairs[i].gold, i))  # a gold answer is encoded once
    done, size, usable = 0, _FIRST, True
    label = "+".join(metric.signature.split("|", 1)[0] for metric in metrics)
    with bar(len(order), label, "pair") as progress_bar, deferred_warnings() as collected, progress(False):
        while portion := order[done : done + size]:
            lacking: dict[tuple[int, ...], list[Metric]] = {}
            for metric in metrics:
                column = scores[metric.signature]
                lacking.setdefault(tuple(i for i in portion if isnan(column[i])), []).append(metric)
            for rows, group in lacking.items():
                for name, column in _computed(group, pairs, questions, rows).items():
                    scores[name][list(rows)] = column
                    usable = usable and store.put(name, [keys[i] for i in rows], column)
            progress_bar.update(len(portion))
            done, size = done + size, min(2 * size, _MOST)
    for warning in _summed(collected):
        warn_user(warning)
    return {name: column[first] for name, column in scores.items()}


def _computed(
    metrics: Sequence[Metric], pairs: Sequence[Pair], questions: Sequence[str] | None, rows: Sequence[int]
) -> dict[str, FloatArray]:
    """Return the scores of a few rows by signature; nothing for no rows."""
    if not rows:
        return {}
    with renumbered(rows):
        columns = planning.score_all(
            metrics, [pairs[i] for i in rows], None if questions is None else [questions[i] for i in rows]
        )
    return {metric.signature: column for metric, column in zip(metrics, columns, strict=True)}


def _summed(collected: Sequence[Warning]) -> Iterator[Warning]:
    """Yield these warnings, those of several portions as one with the sum of their counts."""
    counts: dict[tuple[Any, ...], list[int]] = {}
    for warning in collected:
        if isinstance(warning, TruncationWarning):
            counts.setdefault((TruncationWarning, warning.what, warning.signature), [0])[0] += warning.count
        elif isinstance(warning, ExtractionWarning):
            both = counts.setdefault((ExtractionWarning, warning.rule, warning.missing), [0, 0])
            both[0] += warning.count
            both[1] += warning.n
        else:
            yield warning
    yield from (kind(*count, *names) for (kind, *names), count in counts.items())
