"""The score cache: scores on disk by signature and texts. Every score is verified by a checksum when it is read."""

from __future__ import annotations

import errno
import math
import os
import re
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from answersim import planning
from answersim.arguments import expanded, path, shown
from answersim.data.fetch import cache_folder
from answersim.errors import NoHomeError, renumbered, warn_user
from answersim.text_tables import Result, TextTable, json_object
from answersim.types import FloatArray, Metric, Pair, capabilities, choices_of, reads_questions

if TYPE_CHECKING:
    import sqlite3  # imported in functions, because some builds of Python lack it

VARIABLE = "ANSWERSIM_CACHE"
OFF = ("", "0", "off")

_T = TypeVar("_T")
_APPLICATION = 0x616E7377  # "answ" in the header of the file, which identifies the application
_AT_ONCE = 500  # keys per query; SQLite before 3.32 accepts 999
_WAIT = 60.0  # seconds to wait for another process that locks the file
_NUMBER = re.compile(r"scores-(\d+)\.sqlite")
# Words in errors of SQLite about an intact file that cannot be used at the moment. All other errors mean damage.
_ELSEWHERE = ("locked", "busy", "readonly", "full", "unable to open", "disk i/o")
_LAYOUT = """
CREATE TABLE IF NOT EXISTS signatures (id INTEGER PRIMARY KEY, digest BLOB UNIQUE NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS scores (
    signature INTEGER NOT NULL, pair BLOB NOT NULL, score BLOB NOT NULL, PRIMARY KEY (signature, pair)
) WITHOUT ROWID;
"""


class CacheWarning(UserWarning):
    """The cache could not be used, or was damaged and replaced by a new one. The scores are correct in both cases."""


class _DamagedError(Exception):
    """The content of the file differs from what was written."""


@dataclass(frozen=True)
class CacheInfo(Result):
    """The content of a cache."""

    folder: Path  # the folder of the cache
    size: int  # bytes on disk, without the files that were set aside
    scores: dict[str, int]  # the number of scores by signature
    set_aside: tuple[Path, ...]  # files that were found damaged and are no longer used

    def __str__(self) -> str:
        return "\n".join(self.summary())

    def summary(self) -> list[str]:
        """Return the folder, its size, the number of scores, and the damaged files."""
        return [
            f"folder  {self.folder}",
            f"size    {_size(self.size)}",
            f"scores  {sum(self.scores.values()):,}",
            *(f"damaged, no longer used: {file}" for file in self.set_aside),
        ]

    def tables(self) -> list[TextTable]:
        """Return the number of scores by signature, if there are any."""
        rows = tuple((f"{n:,}", name) for name, n in self.scores.items())
        return [TextTable("", ("scores", "signature"), rows)] if rows else []

    def records(self) -> list[dict[str, Any]]:
        """Return one record per signature."""
        return [{"scores": n, "signature": name} for name, n in self.scores.items()]

    def to_dict(self) -> dict[str, Any]:
        """Return the content for JSON, with paths as texts."""
        plain = {"folder": str(self.folder), "set_aside": [*map(str, self.set_aside)]}
        return json_object(plain | {"size": self.size, "scores": self.scores})


@dataclass(frozen=True)
class ScoreCache:
    """Scores in a folder, one SQLite file in it; several processes may share it, and any may be killed.

    Every score is stored as its eight bytes, with a checksum over signature, texts and number. It is returned bit for
    bit, or not at all. A file that SQLite or a checksum finds damaged is left as it is, a ``CacheWarning`` is issued,
    and a new file with the next number takes its place. If the file cannot be used (disk full, no permission, locked
    for over a minute), a warning is issued and the scores are computed. Put the folder on a local disk: the locks of
    SQLite do not work on every network file system.
    """

    folder: Path

    def get(self, signature: str, keys: Sequence[bytes]) -> FloatArray:
        """Return the score of each key (see ``key``) by this metric, shape (n,); nan if none is stored."""
        wanted = _digest(signature)

        def look(connection: sqlite3.Connection) -> FloatArray:
            scores = np.full(len(keys), np.nan)
            row = connection.execute("SELECT id FROM signatures WHERE digest = ?", (wanted,)).fetchone()
            if row is None:
                return scores
            unique = list(dict.fromkeys(keys))
            stored: dict[bytes, float] = {}
            for start in range(0, len(unique), _AT_ONCE):
                chunk = unique[start : start + _AT_ONCE]
                marks = ",".join("?" * len(chunk))
                query = f"SELECT pair, score FROM scores WHERE signature = ? AND pair IN ({marks})"
                for pair, score in connection.execute(query, (row[0], *chunk)):
                    stored[pair] = _unpacked(wanted, pair, score)
            for i, pair_key in enumerate(keys):
                scores[i] = stored.get(pair_key, np.nan)
            return scores

        nothing = np.full(len(keys), np.nan)
        return self._guarded(look, nothing) if len(keys) else nothing

    def put(self, columns: Mapping[str, tuple[Sequence[bytes], FloatArray]]) -> None:
        """Store these keys and their scores by signature, in one transaction. Scores that are stored already stay."""
        if not any(len(keys) for keys, _ in columns.values()):
            return

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            for signature, (keys, numbers) in columns.items():
                mine = _digest(signature)
                connection.execute("INSERT OR IGNORE INTO signatures (digest, text) VALUES (?, ?)", (mine, signature))
                (place,) = connection.execute("SELECT id FROM signatures WHERE digest = ?", (mine,)).fetchone()
                connection.executemany(
                    "INSERT OR IGNORE INTO scores VALUES (?, ?, ?)",
                    (
                        (place, pair_key, _packed(mine, pair_key, float(number)))
                        for pair_key, number in zip(keys, numbers, strict=True)
                        if np.isfinite(number)
                    ),
                )
            connection.execute("COMMIT")

        self._guarded(write, None, again=True)

    def info(self) -> CacheInfo:
        """Return the content of the cache, after SQLite has checked all of it. A damaged file is set aside first.

        Raise OSError if the cache cannot be used, because of missing permissions or a lock of another process.
        """

        def count(connection: sqlite3.Connection) -> dict[str, int]:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise _DamagedError(verdict)
            query = "SELECT text, COUNT(*) FROM scores JOIN signatures ON signature = id GROUP BY id ORDER BY text"
            return dict(connection.execute(query))

        here = self._path()
        none: dict[str, int] = {}
        scores = self._guarded(count, none, strict=True) if here.exists() else none
        here = self._path()
        size = sum(file.stat().st_size for file in self.folder.glob(f"{here.name}*") if file.is_file())
        return CacheInfo(self.folder, size, scores, self._set_aside_before())

    def clear(self) -> int:
        """Remove all scores and the damaged files that were set aside. Return the number of scores.

        Other processes can continue to use the cache, because the file stays and is only emptied. Raise OSError if the
        cache cannot be used, because of missing permissions or a lock of another process.
        """

        def empty(connection: sqlite3.Connection) -> int:
            (n,) = connection.execute("SELECT COUNT(*) FROM scores").fetchone()
            connection.executescript("BEGIN IMMEDIATE; DELETE FROM scores; DELETE FROM signatures; COMMIT; VACUUM;")
            return int(n)

        n = self._guarded(empty, 0, strict=True) if self._path().exists() else 0
        for file in self._set_aside_before():
            for end in ("", "-wal", "-shm"):
                file.with_name(f"{file.name}{end}").unlink(missing_ok=True)
        return n

    def _set_aside_before(self) -> tuple[Path, ...]:
        """Return the files that a later one has replaced."""
        in_use = self._path().name
        before = (file for file in self._listed() if _NUMBER.match(file.name) and not file.name.startswith(in_use))
        return tuple(sorted(file for file in before if not file.name.endswith(("-wal", "-shm"))))

    def _path(self) -> Path:
        """Return the file in use, which is the one with the highest number.

        A damaged file keeps its name and is never written again. SQLite keeps files of changes beside its file, under
        the same name. Renaming them while a thread or a process has them open can end that process.
        """
        names = [(int(match[1]), file.name) for file in self._listed() if (match := _NUMBER.match(file.name))]
        whole = [number for number, name in names if _NUMBER.fullmatch(name)]
        last = max((number for number, _ in names), default=0)
        return self.folder / f"scores-{last if last in whole else last + 1}.sqlite"

    def _listed(self) -> list[Path]:
        try:
            return list(self.folder.iterdir())
        except FileNotFoundError:  # nothing has been stored yet
            return []

    def _guarded(
        self, work: Callable[[sqlite3.Connection], _T], otherwise: _T, *, again: bool = False, strict: bool = False
    ) -> _T:
        """Return what the work returns, or ``otherwise`` if the file is busy or damaged.

        ``again``: whether the work is tried once more on the new file that replaces a damaged one. ``strict``: whether
        a cache that cannot be used is an error instead of a warning.
        """
        import sqlite3

        path = None
        try:
            path = self._path()
            with _connection(path) as connection:
                return work(connection)
        except (sqlite3.Error, OSError, UnicodeError, _DamagedError) as error:
            if path is None or isinstance(error, OSError) or any(word in str(error).lower() for word in _ELSEWHERE):
                if strict:
                    raise OSError(f"the score cache {self.folder} cannot be used: {error}") from error
                message = (
                    f"the score cache {self.folder} cannot be used ({error}), so scores are computed; repair the "
                    f"folder, "
                    f"choose another with ${VARIABLE}, or switch it off with {VARIABLE}=0"
                )
                warn_user(CacheWarning(message))
                return otherwise
            self._set_aside(path, error)
        return self._guarded(work, otherwise) if again else otherwise

    def _set_aside(self, path: Path, error: Exception) -> None:
        after = path.with_name(f"scores-{int(_NUMBER.fullmatch(path.name)[1]) + 1}.sqlite")  # type: ignore[index]
        with suppress(OSError):  # if nothing can be written, the next call issues the warning again
            after.touch()
        message = (
            f"the score cache {path} is damaged ({error}): it is set aside, and a new one, {after.name}, is used. No "
            f"score was read from the damaged file. 'answersim data cache --clear' removes it"
        )
        warn_user(CacheWarning(message))


CacheLike = ScoreCache | str | os.PathLike[str]


def cache_of(given: CacheLike | None) -> ScoreCache | None:
    """Return the cache in this folder; None for None."""
    if given is None or isinstance(given, ScoreCache):
        return given
    if not isinstance(given, (str, os.PathLike)) or (isinstance(given, str) and not given):
        raise TypeError(f"cache is {shown(given)}, but it must be a folder, a ScoreCache, or None for no cache")
    return ScoreCache(expanded(path("cache", given)))


def default() -> ScoreCache | None:
    """Return the cache of the command line: the folder ``$ANSWERSIM_CACHE``, else ``scores`` in the cache folder.

    None if the variable is empty, "0" or "off". Also None, with a warning, if the user has no home folder.
    """
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
    """Return whether the scores of this metric are stored in the cache.

    Scores that are computed faster than they are looked up are not stored. Neither are scores of a service, because the
    service may change and every score of it must be backed by the record of its replies.
    """
    return capabilities(metric).cost == "model"


def score_all(
    metrics: Sequence[Metric],
    pairs: Sequence[Pair],
    questions: Sequence[str] | None,
    cache: ScoreCache | None,
    *,
    first: NDArray[np.int64] | None = None,
) -> list[FloatArray]:
    """Return the result of ``planning.score_all``. Look up stored scores, and compute and store the others.

    Metrics that lack the scores of the same pairs run together. A score from the cache has the same bits as the score
    that was computed.
    """
    if cache is None or not any(map(costs, metrics)):
        return planning.score_all(metrics, pairs, questions, first=first)
    planning.check_signatures(metrics)
    used_questions = questions if questions is not None and any(questions) else None
    plain = [key(pair) for pair in pairs]
    with_questions = (
        plain if used_questions is None else [key(*entry) for entry in zip(pairs, used_questions, strict=True)]
    )
    unique = {metric.signature: metric for metric in metrics}
    keys = {name: with_questions if reads_questions(metric) else plain for name, metric in unique.items()}
    scores = {
        name: cache.get(name, keys[name]) if costs(metric) else np.full(len(pairs), np.nan)
        for name, metric in unique.items()
    }
    lacking: dict[bytes, list[str]] = {}
    for name, column in scores.items():
        lacking.setdefault(np.isnan(column).tobytes(), []).append(name)
    for mask, names in lacking.items():
        where = np.flatnonzero(np.frombuffer(mask, dtype=bool)).tolist()
        if not where:
            continue
        missing_pairs = [pairs[i] for i in where]
        with renumbered(where):
            computed = planning.score_all(
                [unique[name] for name in names],
                missing_pairs,
                used_questions and [used_questions[i] for i in where],
                first=first if len(where) == len(pairs) else None,
            )
        for name, column in zip(names, computed, strict=True):
            scores[name][where] = column
        cache.put(
            {
                name: ([keys[name][i] for i in where], column)
                for name, column in zip(names, computed, strict=True)
                if costs(unique[name])
            }
        )
    return [scores[metric.signature] for metric in metrics]


@contextmanager
def _connection(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file and create its tables. There is one connection per call, which is safe with forks and threads."""
    import sqlite3

    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():  # SQLite would write into the target of the link
        raise OSError(errno.ELOOP, "it is a link, so it is not used; delete it", str(path))
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    try:
        owner, tables = _owner(connection)
        if owner != _APPLICATION:
            if owner or tables:
                raise _DamagedError("another program created it")
            _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))  # stored in the file
            connection.executescript(f"BEGIN IMMEDIATE; {_LAYOUT} PRAGMA application_id = {_APPLICATION}; COMMIT;")
        # A kill loses nothing in this mode. A power cut may lose the last scores, which are then computed again.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        yield connection
    finally:
        connection.close()


def _patiently(work: Callable[[], object]) -> None:
    """Retry an action that SQLite refuses without a time-out while another connection creates the file."""
    import sqlite3

    until = time.monotonic() + _WAIT
    while True:
        try:
            work()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(0.005)


def _owner(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the application of the file and its number of tables, read in one transaction.

    Another thread may be creating the tables at the same time.
    """
    connection.execute("BEGIN")
    try:
        (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
    finally:
        connection.execute("ROLLBACK")
    return int(owner), int(tables)


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


def _digest(signature: str) -> bytes:
    return blake2b(signature.encode(), digest_size=16).digest()


def _packed(signature: bytes, pair: bytes, number: float) -> bytes:
    """Return the eight bytes of the number, and an eight-byte checksum over the metric, the texts and the number."""
    raw = struct.pack("<d", number)
    return raw + blake2b(signature + pair + raw, digest_size=8).digest()


def _unpacked(signature: bytes, pair: object, packed: object) -> float:
    if not isinstance(pair, bytes) or not isinstance(packed, bytes) or len(packed) != 16:
        raise _DamagedError("a stored score has the wrong size or type")
    (number,) = struct.unpack("<d", packed[:8])
    if packed != _packed(signature, pair, number):
        raise _DamagedError("a score does not match its checksum")
    if not math.isfinite(number):
        raise _DamagedError("a score is not finite")
    return float(number)
