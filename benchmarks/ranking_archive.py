"""Archived runs of trained systems, to write a page again without the trainings.

One Parquet file holds all runs of one corpus and preset, and one row holds one run: a system, a seed and a split. A row
has the rank of each candidate among the candidates of its question (equal scores share a rank), which is all that
measures and top candidates depend on, and the provenance of the training. A run of another provenance is never returned
and never overwritten. Any Parquet reader can list the columns; ``sha256`` covers all others.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.errors import MissingExtraError
from answersim._base.io.output_files import atomic_write
from answersim._base.runtime import locks
from rankers.types import Question, Questions, Run

FORMAT = 2
WAIT_S = 60.0  # for another process that adds a run
_FORMAT_KEY = b"answersim.archive"
_DAMAGED = "remove it, or fetch it again"


class Key(NamedTuple):
    """The key of a run, unique in a file."""

    system: str  # the name of the system
    seed: int  # the seed of its training
    texts: str  # the questions that were ranked: a split, or a dataset and a split


class ArchivedRun(NamedTuple):
    """A run of a trained system, and its cost."""

    run: Run  # its scores have the order of the original scores, and no other meaning
    parameters: int  # the number of parameters of the network that ranks
    training: float  # the time of the training in seconds
    scoring: float  # the time of the scoring in seconds
    made_on: str  # a description of the machine


class Archive:
    """The archived runs of one corpus and preset, in one Parquet file."""

    def __init__(self, path: Path) -> None:
        """Use the file at this path. A file that does not exist is an empty archive; ``put`` creates it."""
        self.path = path

    @cached_property
    def rows(self) -> dict[Key, dict[str, Any]]:
        """All rows of the file, read and checked once. Raise ValueError if the file is damaged or of a later format."""
        return read_rows(self.path)

    def get(self, key: Key, questions: Questions, provenance: Mapping[str, Any] | None) -> ArchivedRun | None:
        """Return the run of these questions and this provenance, or None if the archive has none for this key.

        No provenance (None) accepts any. Raise ValueError if the file is damaged or of a later format, or has a run of
        other settings or questions.
        """
        row = self.rows.get(key)
        if row is None:
            return None
        place, remedy = f"{self.path} ({_text(key)})", "give another archive, or remove it"
        stored = json.loads(row["provenance"])
        wanted = stored if provenance is None else provenance
        if other := [f"{name} {part}" if part else name for name, part in _differing(stored, wanted)]:
            raise ValueError(f"{place} is a run of other settings ({', '.join(other)}): {remedy}")
        if row["questions"] != _fingerprint(questions):
            raise ValueError(f"{place} is a run on other questions or candidates: {remedy}")
        run = Run(row["system"], _scores(row["ranks"], questions), row["signature"])
        return ArchivedRun(run, row["parameters"], row["training_s"], row["scoring_s"], row["made_on"])

    def put(self, key: Key, archived: ArchivedRun, questions: Questions, provenance: Mapping[str, Any]) -> None:
        """Add a run, or replace the one with this key. The file is replaced atomically.

        Equal runs give equal bytes, in whatever order they are added. ``archived``: its run has all candidates of the
        questions.
        """
        ranks = [
            _ranks([archived.run.scores[question.id][candidate] for candidate in _ids(question)])
            for question in _in_order(questions)
        ]
        joined = np.concatenate([*ranks, np.empty(0, dtype=np.int64)])
        row = {
            **key._asdict(),
            "provenance": json.dumps(provenance, sort_keys=True),
            "questions": _fingerprint(questions),
            "signature": archived.run.signature,
            "parameters": archived.parameters,
            "training_s": round(archived.training, 2),
            "scoring_s": round(archived.scoring, 2),
            "made_on": archived.made_on,
            "ranks": joined.astype("u1" if joined.max(initial=0) < 256 else "<u2").tobytes(),
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(self.path):
            rows = read_rows(self.path) | {key: row | {"sha256": digest(row)}}  # another process may have added runs
            write_rows(self.path, rows)
        self.__dict__["rows"] = rows


def read_rows(path: Path) -> dict[Key, dict[str, Any]]:
    """Read and check all rows of an archive; a file that does not exist has none.

    Raise ValueError if the file is damaged or of a later format.
    """
    if not path.is_file():
        return {}
    _, parquet = _pyarrow()
    try:
        table = parquet.read_table(path, memory_map=False, partitioning=None)
        stated = int((table.schema.metadata or {})[_FORMAT_KEY])
        rows = table.to_pylist()
    except Exception as error:  # pyarrow has its own, OSError among them
        raise ValueError(f"{path} is damaged ({error}): {_DAMAGED}") from error
    if stated != FORMAT:
        raise ValueError(
            f"{path} has the format {stated}, but this version reads {FORMAT}: update answersim, or remove the file"
        )
    for row in rows:
        if row.get("sha256") != digest(row):
            raise ValueError(f"{path} is damaged (the checksum of a row does not match): {_DAMAGED}")
    return {Key(row["system"], row["seed"], row["texts"]): row for row in rows}


def write_rows(path: Path, rows: Mapping[Key, Mapping[str, Any]]) -> None:
    """Write these rows in the order of their keys. The file is replaced atomically."""
    pyarrow, parquet = _pyarrow()
    kinds = {"seed": pyarrow.int32(), "parameters": pyarrow.int64(), "ranks": pyarrow.binary()}
    kinds |= dict.fromkeys(("training_s", "scoring_s"), pyarrow.float64())
    names = "system seed texts provenance questions signature parameters training_s scoring_s made_on ranks sha256"
    columns = [(name, kinds.get(name, pyarrow.string())) for name in names.split()]
    schema = pyarrow.schema(columns, metadata={_FORMAT_KEY: str(FORMAT).encode()})
    table = pyarrow.Table.from_pylist([dict(rows[key]) for key in sorted(rows)], schema=schema)
    with atomic_write(path) as partial:
        parquet.write_table(table, partial, compression="zstd", compression_level=19)


def digest(row: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a row: of its columns as JSON, and of its ranks."""
    columns = {name: value for name, value in row.items() if name not in ("ranks", "sha256")}
    return sha256(json.dumps(columns, sort_keys=True).encode() + b"\0" + row["ranks"]).hexdigest()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("an archive of runs", "tables", "pyarrow") from error
    return pyarrow, parquet


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of an archive; wait for another process that holds it."""
    end = time.monotonic() + WAIT_S
    lock = path.with_name(f"{path.name}.lock")
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(locks.locked(lock, f"{path} is being written by another process; try again"))
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        yield


def _text(key: Key) -> str:
    return f"{key.system}, seed {key.seed}, {key.texts}"


def _differing(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the settings that differ: the name, and the name of the part or "" if there are no parts."""
    for name in sorted({*stored, *wanted}):
        one, other = stored.get(name), wanted.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            for part in sorted({*one, *other}):
                if one.get(part) != other.get(part):
                    yield name, part
        elif one != other:
            yield name, ""


def _in_order(questions: Questions) -> Iterator[Question]:
    """Sort the questions by id, so that the result does not depend on the order of loading."""
    return iter(sorted(questions, key=lambda question: question.id))


def _ids(question: Question) -> list[str]:
    return sorted(candidate.id for candidate in question.candidates)


def _ranks(scores: list[float]) -> NDArray[np.int64]:
    """Return the number of distinct better scores for each score: 0 for the best, (candidates,)."""
    if not scores:
        return np.empty(0, dtype=np.int64)
    return np.unique(-np.array(scores), return_inverse=True)[1].astype(np.int64)


def _scores(ranks: bytes, questions: Questions) -> dict[str, dict[str, float]]:
    """Return scores in the order of these ranks, by question and candidate, in the order of the questions."""
    candidates = sum(len(question.candidates) for question in questions)
    joined = np.frombuffer(ranks, dtype="<u2" if len(ranks) > candidates else "u1")
    by_question: dict[str, dict[str, float]] = {}
    start = 0
    for question in _in_order(questions):
        of_question = -joined[start : start + len(question.candidates)].astype(np.float64)
        by_question[question.id] = dict(zip(_ids(question), of_question.tolist(), strict=True))
        start += len(question.candidates)
    return {
        question.id: {candidate.id: by_question[question.id][candidate.id] for candidate in question.candidates}
        for question in questions
    }


def _fingerprint(questions: Questions) -> str:
    """Hash the ids and texts of questions, independent of their order. Grades are not part of it."""
    digest = sha256()
    for question in _in_order(questions):
        candidates = sorted((candidate.id, candidate.text) for candidate in question.candidates)
        digest.update(json.dumps([question.id, question.text, candidates]).encode())
    return digest.hexdigest()[:16]
