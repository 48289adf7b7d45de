"""Threads, forks and processes share one cache."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.scoring.cache import ScoreCache, key
from tests.scoring.costly_metrics import fill, keys_of

ROOT = Path(__file__).parent.parent


def test_threads_share_a_cache(cache: ScoreCache) -> None:
    def work(thread: int) -> int:
        found = 0
        for at in range(0, 300, 30):
            start = (at + thread % 4 * 100) % 300
            keys = [key((f"gold {i}", f"pred {i}")) for i in range(start, start + 30)]
            numbers = np.array([i / 7 for i in range(start, start + 30)])
            kept = cache.get("m|v:1", keys)
            assert ((kept == numbers) | np.isnan(kept)).all()
            found += int((~np.isnan(kept)).sum())
            cache.put({"m|v:1": (keys, numbers)})
        return found

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) > 0
    assert cache.get("m|v:1", keys_of(330)).tolist()[:300] == [i / 7 for i in range(300)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork there")
def test_threads_that_create_a_cache_together_find_it_whole(tmp_path: Path) -> None:
    """One thread opens the file while another one is creating its tables."""

    def work(cache: ScoreCache, start: threading.Barrier, thread: int) -> None:
        start.wait()
        mine = key(("gold", f"pred {thread}"))
        cache.get("m|v:1", [mine])
        cache.put({"m|v:1": ([mine], np.array([thread / 7]))})
        assert cache.get("m|v:1", [mine]).tolist() == [thread / 7]

    with ThreadPoolExecutor(8) as pool:
        for i in range(25):
            cache, start = ScoreCache(tmp_path / str(i)), threading.Barrier(8)
            list(pool.map(work, [cache] * 8, [start] * 8, range(8)))
            assert cache.info().scores == {"m|v:1": 8}
            assert cache.info().set_aside == ()


def test_a_file_that_is_locked_while_another_thread_creates_it_is_waited_for(
    cache: ScoreCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = iter([True, True])

    class Refusing(sqlite3.Connection):
        """SQLite refuses this switch at once, whatever the time-out."""

        def execute(self, query: str, *values: Any) -> sqlite3.Cursor:
            if "journal_mode" in query and next(refusals, False):
                raise sqlite3.OperationalError("database is locked")
            return super().execute(query, *values)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Refusing))
    keys, numbers = fill(cache, 5)
    assert cache.get("m|v:1", keys).tolist() == numbers.tolist()
    assert next(refusals, None) is None


def test_a_fork_of_a_process_that_used_a_cache_uses_it_too(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 3)
    child = os.fork()
    if not child:
        status = 1
        try:
            assert cache.get("m|v:1", keys).tolist() == numbers.tolist()
            cache.put({"n|v:1": (keys, numbers)})
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert cache.info().scores == {"m|v:1": 3, "n|v:1": 3}


WRITER = """
import sys, numpy as np
from answersim.scoring.cache import ScoreCache, key
from pathlib import Path
cache, start = ScoreCache(Path(sys.argv[1])), int(sys.argv[2])
print("ready", flush=True)
while True:
    for at in range(start, start + 2000, 100):
        keys = [key((f"gold {i}", f"pred {i}")) for i in range(at, at + 100)]
        numbers = np.array([i / 7 for i in range(at, at + 100)])
        found = cache.get("m|v:1", keys)
        assert ((found == numbers) | np.isnan(found)).all()
        cache.put({"m|v:1": (keys, numbers)})
    if len(sys.argv) < 4:
        break
"""


def writer(cache: ScoreCache, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", WRITER, str(cache.folder), *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_several_processes_share_a_cache_that_none_of_them_has_made_before(cache: ScoreCache) -> None:
    running = [writer(cache, start) for start in (0, 1000, 1000, 2000)]
    for each in running:
        _, err = each.communicate(timeout=120)
        assert (each.returncode, err) == (0, "")
    keys = keys_of(4000)
    assert cache.get("m|v:1", keys).tolist() == [i / 7 for i in range(4000)]
    assert cache.info().scores == {"m|v:1": 4000}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9 there")
def test_a_process_that_is_killed_while_it_writes_leaves_a_whole_cache(cache: ScoreCache) -> None:
    rng = random.Random(0)
    for _ in range(3):
        running = writer(cache, 0, "forever")
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0.02, 0.3))
        os.kill(running.pid, signal.SIGKILL)
        running.communicate()
        result = cache.get("m|v:1", keys_of(2000))
        assert ((result == [i / 7 for i in range(2000)]) | np.isnan(result)).all()
    assert cache.info().set_aside == ()
