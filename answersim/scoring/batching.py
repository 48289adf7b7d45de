"""Micro-batches: rows that several threads and event loops want scored at the same time become one call of a metric."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent import futures
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from answersim._base.errors import CheckpointNotFoundError, ChecksumError, MissingExtraError
from answersim._base.golds import ChoiceGold
from answersim.scoring.pairs import Checked
from answersim.scoring.score import score_checked
from answersim.types import Capabilities, Metric, Pair

WINDOW = 0.003  # seconds that a batch waits for rows
# A batch waits for callers that were just answered for this share of the seconds of the last batch, if it is longer.
_SHARE = 0.25
MOST_ROWS = 256  # of a batch; the metric makes its own batches of them, by tokens
MOST_KEPT = 65_536  # scores in memory for each metric
_LAST = 1.0  # seconds that the end of a program waits for a batch
_IDLE = 10.0  # seconds after which a thread without work ends
_MOST_BATCHERS = 32
OF_ALL_ROWS = (MissingExtraError, CheckpointNotFoundError, ChecksumError)  # no single row can be blamed for these


class Row(NamedTuple):
    """The checked texts of one prediction."""

    golds: tuple[str, ...]  # the gold answers, at least one
    prediction: str  # the predicted answer
    question: str = ""  # the question if the metric shall read it, else ""
    choices: tuple[str, ...] = ()  # the options of a multiple-choice question


class Best(NamedTuple):
    """The number of a row, and the position of the gold answer that it belongs to."""

    value: float
    reference: int


class _Waiting(NamedTuple):
    row: Row
    future: Future[Best]
    due: float  # until when a batch that begins with this row waits for others, by time.monotonic


class Batcher:
    """The rows of one metric: one thread scores what was submitted meanwhile, and scores are kept in memory by content.

    The threads and event loops of the process share it. Its thread ends after some seconds without work.
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        stated = getattr(metric, "capabilities", None)
        self.is_light = isinstance(stated, Capabilities) and stated.cost == "light"  # faster than any batch
        self._kept: OrderedDict[bytes, Best] = OrderedDict()
        self._keeping = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self._running = 0  # rows of the batch that is computed now
        self._thread: threading.Thread | None = None
        self._is_ending = False  # the program ends
        self._callers = 1  # rows that were submitted and not answered when the last batch was done
        self._loading = threading.Lock()
        self._is_loaded = False
        self._done = 0.0  # when that was
        self._took = 0.0  # the seconds of that batch

    @property
    def unanswered(self) -> int:
        """The number of rows that were submitted and have no number yet."""
        with self._changed:
            return len(self._waiting) + self._running

    def score(self, rows: Sequence[Row]) -> list[Best | Exception]:
        """Return the number of each row, or the error that this row raises, in order; computed by this thread."""
        unique = dict.fromkeys(rows)
        results: dict[Row, Best | Exception] = {row: known for row in unique if (known := self._get(row)) is not None}
        missing = [row for row in unique if row not in results]
        if missing:
            results.update(zip(missing, self._computed(missing), strict=True))
        return [results[row] for row in rows]

    def submit(self, row: Row, *, wait: bool) -> Future[Best]:
        """Submit a row, and return a future. If ``wait`` is False, it waits only after calls of several callers."""
        future: Future[Best] = Future()
        known = self._get(row)
        if known is not None:
            future.set_result(known)
            return future
        with self._changed:
            due = time.monotonic() + (WINDOW if wait or self._callers > 1 else 0)
            self._waiting.append(_Waiting(row, future, due))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="answersim batches", daemon=True)
                self._thread.start()
            if len(self._waiting) == 1 or self._is_complete():  # between these, the thread would only wait again
                self._changed.notify()
        return future

    def end(self, seconds: float) -> None:
        """End the thread when it has no work, or wait for so long. A program must not end inside a network."""
        with self._changed:
            thread, self._is_ending = self._thread, True
            self._changed.notify_all()
        if thread is not None:
            thread.join(seconds)

    def load(self) -> None:
        """Load what the metric needs for its first score, once, so that no limit of time counts it. It may raise."""
        with self._loading:
            if not self._is_loaded:
                result = self.score([Row(("load",), "the network")])[0]
                if isinstance(result, OF_ALL_ROWS):
                    raise result
                self._is_loaded = True

    def score_within(self, rows: Sequence[Row], seconds: Callable[[int], float]) -> list[Best | BaseException | None]:
        """Return the number of each row, the error that it raises, or None if the time was over before.

        The work of a late row is not interrupted. ``seconds``: the time for this many rows: these, and those of other
        callers that are before them.
        """
        if self.is_light:
            until = time.monotonic() + seconds(len(rows))
            results: list[Best | BaseException | None] = []
            for i in range(0, len(rows), MOST_ROWS):
                block = rows[i : i + MOST_ROWS]
                results += self.score(block) if time.monotonic() < until else [None] * len(block)
            return results
        until = time.monotonic() + seconds(len(rows) + self.unanswered)
        submitted = [self.submit(row, wait=False) for row in rows]
        return [_within(future, until) for future in submitted]

    async def score_within_async(
        self, rows: Sequence[Row], seconds: Callable[[int], float]
    ) -> list[Best | BaseException | None]:
        """Return the same from an event loop. No thread waits; a light metric is computed by another thread."""
        if self.is_light:
            return await asyncio.to_thread(self.score_within, rows, seconds)
        allowed = seconds(len(rows) + self.unanswered)
        submitted = [self.submit(row, wait=True) for row in rows]
        answered = asyncio.gather(*map(asyncio.wrap_future, submitted), return_exceptions=True)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(answered, allowed)
        return [_within(future, 0.0) for future in submitted]

    def _is_complete(self) -> bool:
        """Whether a batch need not wait for others: it is full, or all callers of before are in it."""
        return len(self._waiting) >= min(MOST_ROWS, self._callers if self._callers > 1 else MOST_ROWS)

    def _work(self) -> None:
        while batch := self._next():
            running = [waiting for waiting in batch if waiting.future.set_running_or_notify_cancel()]
            start = time.monotonic()
            try:
                results: Sequence[Best | BaseException] = self.score([waiting.row for waiting in running])
            except BaseException as error:  # such as SystemExit of a plug-in: nobody may wait forever
                results = [error] * len(running)
            with self._changed:
                self._running = 0
                self._callers, self._done = len(batch) + len(self._waiting), time.monotonic()
                self._took = self._done - start
            for waiting, result in zip(running, results, strict=True):
                if isinstance(result, BaseException):
                    waiting.future.set_exception(result)
                else:
                    waiting.future.set_result(result)

    def _next(self) -> list[_Waiting]:
        """Wait for the next batch, and return it; an empty list if there is no work.

        It waits for callers that were just answered too. Otherwise, half of them would always wait for the other half.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_ending, _IDLE)
            if not self._waiting:
                self._thread = None
                return []
            again = max(WINDOW, _SHARE * self._took)  # on a busy machine both the batch and the callers take longer
            due = max(self._waiting[0].due, self._done + again if self._callers > 1 else 0.0)
            while not self._is_complete() and (left := due - time.monotonic()) > 0:
                self._changed.wait(left)
            batch, self._waiting = self._waiting[:MOST_ROWS], self._waiting[MOST_ROWS:]
            self._running = len(batch)
            return batch

    def _computed(self, rows: Sequence[Row]) -> list[Best | Exception]:
        """Return the numbers of these rows. If they fail together, each row is tried alone and has its own error."""
        try:
            bests = self._run(rows)
        except OF_ALL_ROWS as error:
            return [error] * len(rows)
        except Exception as error:  # a metric may raise anything
            return [error] if len(rows) == 1 else [result for row in rows for result in self._computed([row])]
        self._put(zip(rows, bests, strict=True))
        return list(bests)

    def _run(self, rows: Sequence[Row]) -> list[Best]:
        sizes = [len(row.golds) for row in rows]
        pairs = [
            Pair(ChoiceGold(gold, row.choices) if row.choices else gold, row.prediction)
            for row in rows
            for gold in row.golds
        ]
        questions = [row.question for row in rows for _ in row.golds]
        checked = Checked(pairs, np.cumsum([0, *sizes[:-1]]), questions if any(questions) else None)
        scores = score_checked(self.metric, checked)
        return [Best(*best) for best in zip(scores.values.tolist(), scores.references.tolist(), strict=True)]

    def _get(self, row: Row) -> Best | None:
        if self.is_light:
            return None
        key = _key(row)
        with self._keeping:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
            return known

    def _put(self, bests: Iterable[tuple[Row, Best]]) -> None:
        if self.is_light:
            return
        with self._keeping:
            for row, best in bests:
                self._kept[_key(row)] = best
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)


def _within(future: Future[Best], until: float) -> Best | BaseException | None:
    """Return the result of a future, its error, or None if there is none by then."""
    try:
        error = future.exception(max(0.0, until - time.monotonic()))
    except CancelledError:
        return None
    except (TimeoutError, futures.TimeoutError):  # one class from Python 3.11 on
        future.cancel()
        return None
    return future.result() if error is None else error


def _key(row: Row) -> bytes:
    return blake2b(repr(tuple(row)).encode("utf-8", "surrogatepass"), digest_size=16).digest()


_by_metric: OrderedDict[int, Batcher] = OrderedDict()
_lock = threading.Lock()


def batcher(metric: Metric) -> Batcher:
    """Return the batcher of this very metric, which keeps the metric alive."""
    with _lock:
        of_metric = _by_metric.get(id(metric))
        if of_metric is None:
            of_metric = _by_metric[id(metric)] = Batcher(metric)
            while len(_by_metric) > _MOST_BATCHERS:
                _by_metric.popitem(last=False)
        _by_metric.move_to_end(id(metric))
        return of_metric


def forget() -> None:
    """Begin anew, with a lock that nobody holds. A forked process does so, because it has no other thread."""
    global _by_metric, _lock
    _by_metric, _lock = OrderedDict(), threading.Lock()


@atexit.register
def _end() -> None:
    for of_metric in list(_by_metric.values()):
        of_metric.end(_LAST)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=forget)
