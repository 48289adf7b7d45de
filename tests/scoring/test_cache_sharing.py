"""Threads and processes share one cache. A kill or a full disk loses no stored score, and none is computed twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from answersim.scoring.cache import ScoreCache, key
from tests.scoring.costly_metrics import fill, keys_of

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 and limits of files are of another kind there")


def run(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_threads_share_a_cache(cache: ScoreCache) -> None:
    def work(thread: int) -> int:
        result = 0
        for at in range(0, 300, 30):
            start = (at + thread % 4 * 100) % 300
            keys = [key((f"gold {i}", f"pred {i}")) for i in range(start, start + 30)]
            numbers = np.array([i / 7 for i in range(start, start + 30)])
            stored = cache.get("m|v:1", keys)
            assert ((stored == numbers) | np.isnan(stored)).all()
            result += int((~np.isnan(stored)).sum())
            cache.put("m|v:1", keys, numbers)
        return result

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) > 0
    assert cache.get("m|v:1", keys_of(300)).tolist() == [i / 7 for i in range(300)]
    assert cache.info().damaged == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork there")
def test_a_fork_of_a_process_that_used_a_cache_uses_it_too(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 3)
    child = os.fork()
    if not child:
        status = 1
        try:
            assert cache.get("m|v:1", keys).tolist() == numbers.tolist()
            cache.put("n|v:1", keys, numbers)
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
        cache.put("m|v:1", keys, numbers)
    if len(sys.argv) < 4:
        break
"""


def test_processes_share_a_cache_that_none_of_them_has_made_before(cache: ScoreCache) -> None:
    running = [run(WRITER, cache.folder, start) for start in (0, 1000, 1000, 2000)]
    for process in running:
        _, err = process.communicate(timeout=300)
        assert (process.returncode, err) == (0, "")
    assert cache.get("m|v:1", keys_of(4000)).tolist() == [i / 7 for i in range(4000)]
    assert (cache.info().scores, cache.info().damaged) == ({"m|v:1": 4000}, 0)


@POSIX
def test_a_process_that_is_killed_while_it_writes_damages_no_score(cache: ScoreCache) -> None:
    rng = random.Random(0)
    for _ in range(3):
        process = run(WRITER, cache.folder, 0, "forever")
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0.02, 0.3))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        result = cache.get("m|v:1", keys_of(2000))
        assert ((result == [i / 7 for i in range(2000)]) | np.isnan(result)).all()
    fill(cache, 1, "n|v:1")
    assert cache.info().scores["n|v:1"] == 1


def test_half_an_entry_at_the_end_harms_no_later_one(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 4)
    (file,) = cache.folder.glob("*.scores")
    file.write_bytes(file.read_bytes()[:-13])  # as a kill leaves it
    cache.put("m|v:1", keys[3:], numbers[3:])
    assert cache.get("m|v:1", keys).tolist() == numbers.tolist()


# Scores 400 pairs by a slow metric, and writes each pair that it computes to a file.
SCORER = """
import os, sys, time
from pathlib import Path
import numpy as np
import answersim
from answersim.scoring import cache

class Slow:
    signature = "slow|v:1"
    capabilities = answersim.types.Capabilities(cost="model")
    def __call__(self, pairs):
        time.sleep(0.001 * len(pairs))
        with open(sys.argv[2], "a") as file:
            file.write("".join(f"{pred}\\n" for _, pred in pairs))
        return np.array([len(pred) / 7 for _, pred in pairs])

cache._MOST = 32
table = {"gold": ["g"] * 400, "pred": [f"pred {i}" for i in range(400)]}
print("ready", flush=True)
if sys.argv[3] == "evaluate":
    found = answersim.evaluate(table, Slow(), cache=Path(sys.argv[1]))
    print(found.row().mean.value, found.row().n)
else:
    found = answersim.score_file(table, Slow(), cache=Path(sys.argv[1]))
    print(found["slow"].mean, len(found["slow"]))
"""
MEAN = f"{sum(len(f'pred {i}') / 7 for i in range(400)) / 400:.6f}"


def outcome(process: subprocess.Popen[str]) -> tuple[str, int]:
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    mean, n = out.split()[-2:]
    return f"{float(mean):.6f}", int(n)


@POSIX
@pytest.mark.parametrize("what", ["evaluate", "score_file"])
def test_after_a_kill_only_the_missing_pairs_are_computed(cache: ScoreCache, tmp_path: Path, what: str) -> None:
    log = tmp_path / "computed.txt"
    process = run(SCORER, cache.folder, log, what)
    while not log.exists() or len(log.read_text().split("\n")) < 100:
        time.sleep(0.002)
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    stored = cache.info().scores["slow|v:1"]
    assert 32 <= stored < 400
    before = Counter(log.read_text().splitlines())
    assert outcome(run(SCORER, cache.folder, log, what)) == (MEAN, 400)
    computed = Counter(log.read_text().splitlines()) - before
    assert (sum(computed.values()), max(computed.values())) == (400 - stored, 1)
    assert outcome(run(SCORER, cache.folder, log, what)) == (MEAN, 400)  # a third run computes nothing
    assert sum(Counter(log.read_text().splitlines()).values()) == sum((before + computed).values())


def test_two_runs_at_once_give_the_right_scores_and_lose_none(cache: ScoreCache, tmp_path: Path) -> None:
    logs = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for process in [run(SCORER, cache.folder, log, "evaluate") for log in logs]:
        assert outcome(process) == (MEAN, 400)
    assert (cache.info().scores, cache.info().damaged) == ({"slow|v:1": 400}, 0)
    assert outcome(run(SCORER, cache.folder, tmp_path / "three.txt", "evaluate")) == (MEAN, 400)
    assert not (tmp_path / "three.txt").exists()


FULL = """
import resource, signal, sys, warnings
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40 * 32 + 11, resource.RLIM_INFINITY))  # in the middle of an entry
from pathlib import Path
import numpy as np
import answersim
from tests.scoring.costly_metrics import Costly
from answersim.scoring.cache import ScoreCache
pairs = [("g", f"pred {i}") for i in range(200)]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    scores = answersim.score_pairs(pairs, [Costly()], cache=Path(sys.argv[1]))["costly|v:1"]
assert scores == answersim.score_pairs(pairs, [Costly()])["costly|v:1"]
print([str(warning.message).split("(")[1][:9] for warning in caught])
"""


@POSIX
def test_on_a_full_disk_a_warning_is_issued_and_all_scores_are_computed(cache: ScoreCache) -> None:
    process = run(FULL, cache.folder)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err, out) == (0, "", "['[Errno 27']\n")
    assert (cache.info().scores, cache.info().damaged) == ({"costly|v:1": 32}, 0)  # the first portion
