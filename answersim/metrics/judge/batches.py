"""Batch files of OpenAI and vLLM: requests that wait for a reply, and their replies joined to the record."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

from answersim._base.arguments import expanded
from answersim._base.io import output_files
from answersim._base.runtime.locks import locked
from answersim._base.text_tables import Result, counted
from answersim.metrics.judge.client import PATH, Request
from answersim.metrics.judge.record import Entry, Question, Record, open_record
from answersim.metrics.judge.replies import read_json

URL = f"/v1{PATH}"
MOST = 50_000  # requests of a file, the limit of OpenAI
_BYTES = 200_000_000  # of a file, the limit of OpenAI
_SHOWN = 3  # reasons and ids in a message
_LONGEST = 200  # characters of a reason


class Waiting(NamedTuple):
    """A request in a batch file: by its parts, the messages that were written, and whether with a JSON schema."""

    request: Question
    messages: Sequence[Mapping[str, Any]]
    structured: bool


@dataclass(frozen=True)
class BatchReplies(Result):
    """What the lines of reply files were, and what is left."""

    recorded: int = 0  # the replies that are now in the record
    known: int = 0  # lines whose reply was in the record before
    repeated: int = 0  # further lines with the id of a line before. The first reply counts.
    # ids that no request of this record has, with the number of their lines
    foreign: Mapping[str, int] = field(default_factory=dict)
    # the requests without a usable reply, by reason. The next batch file has them again.
    failed: Mapping[str, int] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()  # lines that are not JSON, or have no id, as "FILE, line N"
    waiting: int = 0  # the requests in batch files that have no reply yet

    def summary(self) -> list[str]:
        """Return the counts in sentences; without those that are 0."""
        lines = [
            f"{self.recorded:,} replies recorded; {counted(self.waiting, 'request')} in batch files have no reply yet"
        ]
        if self.failed:
            why = "; ".join(f"{n:,} x {reason}" for reason, n in [*self.failed.items()][:_SHOWN])
            lines.append(f"{sum(self.failed.values()):,} failed and are in the next batch file again: {why}")
        if self.foreign:
            first = ", ".join([*self.foreign][:_SHOWN])
            lines.append(f"{sum(self.foreign.values()):,} have an id that no request of this record has: {first}")
        if self.unreadable:
            lines.append(f"{len(self.unreadable):,} lines cannot be read: {', '.join(self.unreadable[:_SHOWN])}")
        if self.known or self.repeated:
            lines.append(f"{self.known:,} were recorded before, and {self.repeated:,} repeat the id of a line before")
        return lines


class Outbox:
    """The requests of a record that are in batch files and have no reply, in a file beside it (``RECORD.waiting``)."""

    def __init__(self, record: str | os.PathLike[str]) -> None:
        self.record: Record = open_record(record)
        path = expanded(record).absolute()
        self.path = path.with_name(f"{path.name}.waiting")
        self.requests: dict[str, Waiting] = {}

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the requests for this process, and read them. The record exists afterwards."""
        with locked(self.path.with_name(f".{self.path.name}.lock"), f"another run is using {self.path}; wait for it"):
            with self.record.writing():  # creates it
                pass
            self.requests = {}
            if self.path.exists():
                for number, line in enumerate(self.path.read_bytes().splitlines(), start=1):
                    try:
                        content = json.loads(line)
                        messages, structured = content.pop("messages"), content.pop("structured")
                        waiting = Waiting(Question.of(content), messages, structured)
                    except (ValueError, KeyError, TypeError) as error:
                        message = f"{self.path}, line {number} is damaged ({error}); delete the line to ask it again"
                        raise ValueError(message) from None
                    self.requests[waiting.request.key] = waiting
            yield

    def save(self) -> None:
        """Write the requests that wait."""
        with output_files.atomic_write(self.path) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
            for request, messages, structured in self.requests.values():
                file.write(f"{_json(asdict(request) | {'messages': messages, 'structured': structured})}\n")

    def receive(self, paths: Iterable[Path]) -> BatchReplies:
        """Move each request that has a reply in these files into the record. Call it inside ``opened``.

        A request that failed no longer waits, so that the next batch file has it.
        """
        counts, foreign, failed = Counter[str](), Counter[str](), Counter[str]()
        unreadable: list[str] = []
        seen: set[str] = set()
        with self.record.writing():
            for path, number, line in _lines(paths):
                reply = _read(line)
                if reply is None:
                    unreadable.append(f"{path.name}, line {number}")
                    continue
                key, body, problem = reply
                waiting = self.requests.get(key)
                if key in seen:
                    counts["repeated"] += 1
                elif self.record.get(key) is not None:
                    counts["known"] += 1
                    self.requests.pop(key, None)
                elif waiting is None:
                    foreign[key] += 1
                    continue
                else:
                    problem = problem or self._recorded(waiting, body)
                    counts["recorded"] += problem is None
                    if problem is not None:
                        failed[problem] += 1
                    del self.requests[key]
                seen.add(key)
        self.save()
        left, others = len(self.requests), tuple(unreadable)
        return BatchReplies(**counts, foreign=dict(foreign), failed=dict(failed), unreadable=others, waiting=left)

    def _recorded(self, waiting: Waiting, body: str) -> str | None:
        """Add a reply to the record. Return why it cannot be used, or None."""
        try:
            entry = Entry(waiting.request, body, waiting.structured)
        except ValueError as error:
            return str(error)
        self.record.append(entry, {"messages": waiting.messages, "batch": True})
        return None


def request_line(question: Question, request: Request, schema: bool) -> str:
    """Return the line of a batch file."""
    body = dict(request.body) | ({"response_format": dict(request.response_format)} if schema else {})
    return _json({"custom_id": question.key, "method": "POST", "url": URL, "body": body}) + "\n"


class BatchFiles:
    """Writes requests to one file, or to ``NAME-2``, ``NAME-3`` ... if it is full.

    ``stack``: when it is closed, all files appear; none if it is closed by an exception.
    """

    def __init__(self, output: Path, most: int, stack: ExitStack) -> None:
        self.output, self.most, self.stack = output, most, stack
        self.paths: list[Path] = []
        self._file: IO[bytes] | None = None
        self._lines = self._bytes = 0

    def write(self, line: str) -> None:
        """Add a line."""
        content = line.encode()
        if self._file is None or self._lines == self.most or self._bytes + len(content) > _BYTES:
            number = len(self.paths) + 1
            name = self.output.name if number == 1 else f"{self.output.stem}-{number}{self.output.suffix}"
            self.paths.append(self.output.with_name(name))
            draft = self.stack.enter_context(output_files.atomic_write(self.paths[-1]))
            self._file = self.stack.enter_context(draft.open("wb"))
            self._lines = self._bytes = 0
        self._file.write(content)
        self._lines, self._bytes = self._lines + 1, self._bytes + len(content)


def _lines(paths: Iterable[Path]) -> Iterator[tuple[Path, int, bytes]]:
    for path in paths:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield path, number, line


def _read(line: bytes) -> tuple[str, str, str | None] | None:
    """Return the id, the body and the problem (None if there is none) of the reply in a line; None if it has no id."""
    try:
        content = read_json(line.decode("utf-8"))
    except (ValueError, UnicodeDecodeError):
        return None
    if not isinstance(content, dict) or not isinstance(content.get("custom_id"), str):
        return None
    response, error = content.get("response"), content.get("error")
    answered: Mapping[str, Any] = response if isinstance(response, dict) else {}
    status, body = answered.get("status_code"), answered.get("body")
    if error or status != 200 or not isinstance(body, dict):
        stated = error or (body.get("error") if isinstance(body, dict) else None) or {}
        words = [stated.get(name) for name in ("code", "type", "message")] if isinstance(stated, dict) else [stated]
        words = [status and f"status {status}", *words]
        problem = ", ".join(str(word) for word in words if word)[:_LONGEST]
        return content["custom_id"], "", problem or "no response"
    return content["custom_id"], _json(body), None


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
