"""Partial scores of a command, in a file beside its output: they survive a kill, and the next call resumes."""

from __future__ import annotations

import json
import os
import struct
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from answersim.io import output_files
from answersim.runtime import locks
from answersim.types import FloatArray

_HEAD = b"answersim scores 2\n"  # version 1 had other keys in the counts of truncated texts
_FRAME = struct.Struct("<II16s")  # rows, bytes of the notes, digest of the answers


class UnfinishedWarning(UserWarning):
    """Scoring was or is unfinished. The message gives what is stored and how to resume."""


class Frame(NamedTuple):
    """The scores of a piece of a file."""

    digest: bytes  # a digest of its answers
    columns: FloatArray  # (rows, metrics) scores
    cut: dict[str, int]  # the number of truncated texts, by the unit and the signature of the metric


class PartialResults:
    """The scores so far, in a file that only grows: one frame per piece, with a checksum over all frames before.

    Attributes:
        path: The file that the next call resumes from, or None if nothing is stored.
        rows: How many rows have scores.
    """

    def __init__(self, path: Path | None, signatures: Sequence[str], file: IO[bytes] | None = None) -> None:
        self.path, self.metrics = path, len(signatures)
        self.rows = self.recalled = 0
        self.done = False
        self._file = file
        self._start = self._chain = blake2b(_HEAD + json.dumps(list(signatures)).encode(), digest_size=16).digest()
        self._end = len(_HEAD)
        if path is not None and os.path.lexists(path):
            self._file = os.fdopen(locks.open_own(path, create=False), "r+b")

    def recall(self, digest: bytes) -> Frame | None:
        """Return the scores of the next piece if an earlier call stored them for the same answers, else None."""
        read = self._read(self._end, self._chain)
        if read is None or read[0].digest != digest:
            return None
        frame, self._end, self._chain = read
        self.rows += len(frame.columns)
        self.recalled += len(frame.columns)
        return frame

    def append(self, frame: Frame) -> None:
        """Store the scores of the next piece. Later pieces of an earlier call are dropped."""
        if self._file is None:
            if self.path is None:
                return
            self._file = os.fdopen(locks.open_own(self.path, create=True, exclusive=True), "r+b")
        self.tell()
        if self._end == len(_HEAD):
            self._file.seek(0)
            self._file.write(_HEAD)
        notes = json.dumps(frame.cut, ensure_ascii=False).encode()
        raw = _FRAME.pack(len(frame.columns), len(notes), frame.digest) + frame.columns.astype("<f8").tobytes() + notes
        self._chain = blake2b(self._chain + raw, digest_size=16).digest()
        self._file.seek(self._end)
        self._file.truncate()
        self._file.write(raw + self._chain)
        self._file.flush()  # to the system, so that a kill of this process loses nothing
        self._end += len(raw) + len(self._chain)
        self.rows += len(frame.columns)

    def frames(self) -> Iterator[Frame]:
        """Yield the scores of each piece, from the first."""
        place, chain = len(_HEAD), self._start
        while place < self._end and (read := self._read(place, chain)) is not None:
            frame, place, chain = read
            yield frame

    def tell(self) -> None:
        """Warn once that an earlier call is resumed."""
        if self.recalled:
            warnings.warn(
                f"an earlier run was interrupted: its {self.recalled:,} scored rows are reused from {self.path}",
                UnfinishedWarning,
                stacklevel=3,
            )
            self.recalled = 0

    def close(self) -> None:
        """Leave the scores for the next call, or remove them if all is done."""
        if self._file is not None:
            self._file.close()
            if self.done and self.path is not None:
                self.path.unlink()

    def _read(self, place: int, chain: bytes) -> tuple[Frame, int, bytes] | None:
        """Return the frame at this place, the next place and the checksum; None if there is none or it is damaged."""
        if self._file is None:
            return None
        self._file.seek(place)
        head = self._file.read(_FRAME.size)
        if len(head) < _FRAME.size:
            return None
        rows, noted, digest = _FRAME.unpack(head)
        size = rows * self.metrics * 8
        if place + _FRAME.size + size + noted + len(chain) > os.fstat(self._file.fileno()).st_size:
            return None
        body, check = self._file.read(size + noted), self._file.read(len(chain))
        if check != blake2b(chain + head + body, digest_size=16).digest():
            return None
        columns = np.frombuffer(body[:size], dtype="<f8").astype(np.float64).reshape(rows, self.metrics)
        return Frame(digest, columns, json.loads(body[size:])), self._file.tell(), check


@contextmanager
def open_partial_results(output: Path | None, signatures: Sequence[str]) -> Iterator[PartialResults]:
    """Yield the draft of these metrics beside the output, which no other run can write meanwhile.

    If the work is interrupted, a warning gives the content of the draft. If the output is a pipe, a device or standard
    output, the draft has no name and nothing is resumed. Raise BlockingIOError if another run is writing the same
    output. Raise PermissionError if a link, or a file of another user, is at the path of the draft or its lock.
    """
    if output is None or output_files.is_special(output):
        with ExitStack() as stack:
            unnamed = None if output is None else stack.enter_context(tempfile.TemporaryFile())
            yield PartialResults(None, signatures, unnamed)
        return
    place = output.resolve()
    mine = f".answersim-{_short(place.name)}"  # short, also for a long name
    busy = f"another run is writing {output}; wait for it, or choose another --output"
    with locks.locked(place.parent / f"{mine}.lock", busy):
        path = place.parent / f"{mine}-{_short(*signatures)}"
        others = [file for file in place.parent.glob(f"{mine}-*") if file != path and file.suffix != ".out"]
        if others:
            warnings.warn(
                f"{others[0]} contains the scores of an unfinished run with other metrics or settings; repeat the "
                f"command of that run, or delete the file",
                UnfinishedWarning,
                stacklevel=4,
            )
        draft = PartialResults(path, signatures)
        try:
            yield draft
        except BaseException:
            if draft.rows:
                warnings.warn(
                    f"{draft.rows:,} rows are scored and kept in {path}; the same command resumes there",
                    UnfinishedWarning,
                    stacklevel=4,
                )
            raise
        finally:
            draft.close()


def _short(*texts: str) -> str:
    return blake2b(json.dumps(texts).encode(), digest_size=6).hexdigest()
