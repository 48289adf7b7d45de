"""The record of a judge: every request with its raw response, in one file that only grows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from hashlib import blake2b, sha256
from pathlib import Path
from threading import RLock
from typing import IO, Any

from answersim._base.arguments import expanded
from answersim._base.errors import ChecksumError, warn_user
from answersim._base.runtime import locks
from answersim._base.signature import computed_once
from answersim.metrics.judge.replies import Reply, read_reply

FORMAT = 1  # of a line
_SUM = ',"sum":"'  # the last member of a line: a checksum over everything before it
_KEY = re.compile(rb'\{"v":\d+,"key":"([0-9a-f]{32})"')  # the first members of a line


class RecordWarning(UserWarning):
    """The record of a judge ends in an incomplete line, which a killed process left. The reply is requested again."""


@dataclass(frozen=True)
class Question:
    """One request to a judge, by everything that determines it."""

    prompt: str  # the name and hash of the prompt
    model: str  # the requested model
    parameters: str  # the parameters as canonical JSON
    question: str  # the question, "" for none
    gold: str  # the gold answer, or the text in its place in this order
    pred: str  # the candidate, or the text in its place in this order
    repeat: int = 0  # the number of the repetition, from 0

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Question:
        """Return the request with these parts, among others."""
        return cls(**{item.name: content[item.name] for item in fields(cls)})

    @computed_once
    def key(self) -> str:
        """The key of the request: a hash of all its parts that are known before it is sent."""
        hash_only = self.prompt.rpartition("/")[2]  # the same text is the same prompt, whatever its name
        return _hash(hash_only, self.model, self.parameters, self.question, self.gold, self.pred, self.repeat)


@dataclass(frozen=True)
class Entry:
    """A recorded reply."""

    request: Question
    raw: str  # the whole body of the response
    structured: bool = False  # whether the reply was requested by JSON schema
    reply: Reply = field(init=False, compare=False)  # the chat completion in it

    def __post_init__(self) -> None:
        """Read the reply."""
        object.__setattr__(self, "reply", read_reply(self.raw))

    @computed_once
    def content(self) -> str:
        """The content key: the request, and the model as the server returned it."""
        return _hash(self.request.key, self.reply.model)


def _hash(*parts: Any) -> str:
    return sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Record:
    """The replies so far. Without a path, they are kept in memory only.

    One process writes at a time. Each line has a checksum. A reply is in the file before it is used, so a killed
    process loses only pending replies. When a file is opened, all checksums are compared; a line is parsed when its
    reply is asked for.

    Attributes:
        path: The file, or None.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._entries: dict[str, list[Entry | bytes]] = {}  # bytes: a line that was not parsed yet
        self._end = 0  # bytes of the file that were read or written
        self._lines = 0
        self._gap = b""  # the bytes that are written before the next line
        self._stamp: tuple[int, ...] | None = None  # of the file when it was last read or written here
        self._file: IO[bytes] | None = None
        self._lock = RLock()

    def get(self, key: str, returned: str | None = None) -> Entry | None:
        """Return the first reply with this key; with ``returned``, the first one of the model of this name.

        Raise ChecksumError if a line with this key has other parts than the key says.
        """
        entries = self._parsed(key) if key in self._entries else ()
        return next((entry for entry in entries if returned is None or entry.reply.model == returned), None)

    def entries(self) -> Iterator[Entry]:
        """Yield all replies that were read or added, those of one key together. Raise ChecksumError as ``get``."""
        for key in list(self._entries):
            yield from self._parsed(key)

    def _parsed(self, key: str) -> list[Entry]:
        """Return the replies with this key, and keep them parsed."""
        parsed = [_entry(line) if isinstance(line, bytes) else line for line in self._entries[key]]
        entries = [entry for entry in parsed if entry is not None]
        if len(entries) < len(parsed):
            raise ChecksumError(
                f"{self.path}: the parts of a line with the key {key} do not match the key: the record was changed "
                "after it was written. Restore the record, or delete this line to request its reply again"
            )
        self._entries[key] = list(entries)
        return entries

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how another process opens the same record. Replies that are only in memory are not passed on."""
        return open_record, (self.path,)

    def read(self, *, create: bool = False) -> None:
        """Read the file if it has changed since it was last read or written here.

        ``create``: whether a file that is missing is an empty record, because it can be written. Raise
        FileNotFoundError if there is no such file, ChecksumError if a line is damaged.
        """
        if self.path is None:
            return
        with self._lock:
            if create and not self.path.exists():
                self._forget()
                return
            with open(self.path, "rb") as file:
                self._take(file)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the record for this process, and read what others have added.

        Raise BlockingIOError if another process is writing the record. Raise PermissionError if a link, or a file of
        another user, is at the path.
        """
        if self.path is None:
            with self._lock:
                yield
            return
        lock = self.path.with_name(f".{self.path.name}.lock")
        busy = f"another run is writing the record {self.path}; wait for it, or choose another record"
        with self._lock:
            if self._file is not None:  # a call inside another one
                yield
                return
            with locks.locked(lock, busy):
                self._file = os.fdopen(locks.open_own(self.path, create=True), "r+b")
                try:
                    self._take(self._file)
                    self._file.seek(self._end)
                    self._file.truncate()  # an incomplete line, which was reported
                    yield
                finally:
                    self._stamp = _stamp(self._file)
                    self._file.close()
                    self._file = None

    def append(self, entry: Entry, details: Mapping[str, Any]) -> None:
        """Add a reply; it is in the file when this returns."""
        if self.path is not None:
            assert self._file is not None, "append is called inside writing()"
            line = self._gap + _line(entry, details)
            self._file.seek(self._end)
            self._file.write(line)
            self._file.flush()  # to the system, so that a kill of this process loses nothing
            self._end += len(line)
            self._lines += 1
            self._gap = b""
        self._entries.setdefault(entry.request.key, []).append(entry)

    def _take(self, file: IO[bytes]) -> None:
        stamp = _stamp(file)
        if stamp == self._stamp:
            return
        self._forget()
        for raw in file:
            key = _checked_key(raw)
            if key is None and not raw.endswith(b"\n"):
                warn_user(
                    RecordWarning(
                        f"the record {self.path} ends in an incomplete line ({len(raw):,} bytes), which a run that was "
                        "killed left; the reply counts as missing"
                    )
                )
                break
            if key is None:
                raise ChecksumError(
                    f"{self.path}, line {self._lines + 1} does not match its checksum: the record was changed after it "
                    "was written. Restore the record, or delete this line to request its reply again"
                )
            self._entries.setdefault(key, []).append(raw)
            self._end += len(raw)
            self._lines += 1
            self._gap = b"" if raw.endswith(b"\n") else b"\n"  # only the end of the line was lost
        self._stamp = stamp

    def _forget(self) -> None:
        self._entries, self._end, self._lines, self._gap, self._stamp = {}, 0, 0, b"", None


def _line(entry: Entry, details: Mapping[str, Any]) -> bytes:
    question = entry.request
    content = {
        "v": FORMAT,
        "key": question.key,
        "content": entry.content,
        "prompt": question.prompt,
        "model": question.model,
        "returned": entry.reply.model,
        "parameters": question.parameters,
        "question": question.question,
        "gold": question.gold,
        "pred": question.pred,
        "repeat": question.repeat,
        "structured": entry.structured,
        **details,
        "response": entry.raw,
    }
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":"))[:-1].encode()
    return body + f'{_SUM}{_digest(body)}"}}\n'.encode()


def _digest(body: bytes) -> str:
    return blake2b(body, digest_size=8).hexdigest()


def _checked_key(raw: bytes) -> str | None:
    """Return the key of a line; None if the line is incomplete or damaged."""
    body, mark, rest = raw.rstrip(b"\r\n").rpartition(_SUM.encode())
    if not mark or rest != f'{_digest(body)}"}}'.encode():
        return None
    key = _KEY.match(body)
    return None if key is None else key[1].decode()


def _entry(raw: bytes) -> Entry | None:
    """Return the reply in a line; None if its parts do not have its keys."""
    try:
        content = json.loads(raw)
        entry = Entry(Question.of(content), content["response"], content.get("structured") is True)
    except (ValueError, KeyError, TypeError):
        return None
    return entry if (entry.request.key, entry.content) == (content["key"], content["content"]) else None


def _stamp(file: IO[bytes]) -> tuple[int, ...]:
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


_open: dict[str, Record] = {}
_opening = RLock()


def open_record(path: str | os.PathLike[str] | None) -> Record:
    """Return the record in this file, the same object for all metrics of this process; a new one in memory for None.

    The folder must exist. The file is created when the first reply is written.
    """
    if path is None:
        return Record()
    place = expanded(path).absolute()
    if place.is_dir():
        raise IsADirectoryError(f"the record {path} is a folder; give a file, such as {place / 'judge.jsonl'}")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"the record {path} cannot be written: there is no folder {place.parent}")
    with _opening:
        return _open.setdefault(os.path.realpath(place), Record(place))
