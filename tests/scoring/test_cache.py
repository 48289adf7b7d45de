"""The store of scores, shared by threads and processes: hits, signatures, and damage that costs no result."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import NonFiniteScoreError
from answersim._base.runtime import locks
from answersim.metrics import planning
from answersim.scoring import cache as caching
from answersim.scoring.cache import CacheWarning, ScoreCache, default, key
from answersim.types import Capabilities, Metric, Pair
from tests.fuzz import odd
from tests.made_metrics import PAIRS, Costly, fill, keys_of


@pytest.fixture
def cache(tmp_path: Path) -> ScoreCache:
    return ScoreCache(tmp_path / "scores")


@dataclass(frozen=True)
class Reading(Costly):
    """As well, and a hundred a letter of the question."""

    name: str = "reading"
    reads_questions = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None, /) -> FloatArray:
        return super().__call__(pairs) + np.array([100.0 * len(entry) for entry in questions or [""] * len(pairs)])


@dataclass(frozen=True)
class Double(Costly):
    """Twice its part."""

    name: str = "double"
    part: Costly = field(default_factory=Costly)
    capabilities: Any = None  # those of its part count

    @property
    def parts(self) -> Sequence[Metric]:
        return [self.part]

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Any = None, /) -> FloatArray:
        return 2 * columns[0]


def test_a_score_comes_back_bit_for_bit(cache: ScoreCache) -> None:
    numbers = np.array([1 / 3, -0.0, 0.0, 5e-324, 1.0, -1e300, np.nextafter(0.1, 1)])
    cache.put("m|v:1", keys_of(7), numbers)
    assert cache.get("m|v:1", keys_of(7)).tobytes() == numbers.tobytes()
    assert ScoreCache(cache.folder).get("m|v:1", keys_of(7)[::-1]).tobytes() == numbers[::-1].tobytes()


def test_a_pair_is_computed_once_in_all_calls(cache: ScoreCache) -> None:
    metric = Costly()
    first = answersim.score([a for a, _ in PAIRS], [b for _, b in PAIRS], metric, cache=cache)
    asked = len(metric.asked)
    again = answersim.score_pairs([*PAIRS, Pair("new", "")], [metric], cache=cache.folder)[metric.signature]
    assert again.values[:4].tobytes() == first.values.tobytes()
    assert metric.asked[asked:] == [Pair("new", "")]
    assert answersim.score("Rome", "in Rome", metric, cache=str(cache.folder)) == first[0]
    assert len(metric.asked) == asked + 1


def test_only_what_costs_is_kept(cache: ScoreCache) -> None:
    answersim.score_pairs(PAIRS, ["em", "f1", "meteor", Costly()], cache=cache)
    assert cache.info().scores == {"costly|v:1": 3}
    assert not caching.costs(answersim.metric("bleu"))
    assert caching.costs(Double())
    answersim.score_pairs(PAIRS, ["em"], cache=cache.folder / "unused")
    assert not (cache.folder / "unused").exists()


def test_the_question_counts_for_a_metric_that_reads_it_alone(cache: ScoreCache) -> None:
    reading, other = Reading(), Costly()
    for questions in (["?"] * 4, None, ["??"] * 4, ["?", "", "??", "?"]):
        scores = answersim.score_pairs(PAIRS, [reading, other], question=questions, cache=cache)
        expected = answersim.score_pairs(PAIRS, [Reading()], question=questions)
        assert scores[reading.signature] == expected[reading.signature]
    assert len(other.asked) == 3  # the equal pair is not computed again
    assert cache.info().scores == {"costly|v:1": 3, "reading|v:1": 9}


def test_only_what_is_lacking_is_computed_and_each_metric_for_itself(cache: ScoreCache) -> None:
    first, second = Costly("one"), Costly("other")
    answersim.score_pairs(PAIRS[:2], [first], cache=cache)
    answersim.score_pairs(PAIRS[:3], [first, second, "f1"], cache=cache)
    assert first.asked == PAIRS[:3]
    assert second.asked == PAIRS[:3]


@pytest.mark.parametrize("wrong", [3, "", b"x"])
def test_what_is_no_cache_is_refused_before_any_work(wrong: Any) -> None:
    metric = Costly()
    with pytest.raises(TypeError, match=r"cache is .*must be a folder, a ScoreCache, True for .*, or None"):
        answersim.score("a", "b", metric, cache=wrong)
    assert metric.asked == []


def test_a_neural_metric_gives_the_same_bits_again(tiny: Callable[..., Path], cache: ScoreCache) -> None:
    pytest.importorskip("torch")
    metrics = [
        answersim.metric("bi-encoder", model=tiny("bert")),
        answersim.metric("bertscore-trained", model=tiny("bert"), layer=2),
        answersim.metric("sas", model=tiny("bert", classifier=True)),
    ]
    first = answersim.score_pairs(PAIRS, metrics, cache=cache)
    again = answersim.score_pairs(PAIRS[::-1], metrics, cache=cache)
    assert set(cache.info().scores) == {metric.signature for metric in metrics}
    assert set(cache.info().scores.values()) == {3}
    for name, scores in first.items():
        assert scores.values.tobytes() == again[name].values[::-1].tobytes()
        np.testing.assert_allclose(scores.values, answersim.score_pairs(PAIRS, metrics)[name].values, atol=1e-6)


def test_a_call_that_is_repeated_after_an_interruption_gives_the_bits_of_one_without(tiny, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    metric = answersim.metric("bi-encoder", model=tiny("bert"))
    words = ["Rome", "in Rome", "the NFL", "eleven", "a b c d e f g", ""]
    pairs = [(f"{words[i % 6]} {i % 50}", f"{words[i % 5]} {i % 7}") for i in range(150)]
    whole = answersim.score_pairs(pairs, [metric], cache=tmp_path / "whole")[metric.signature]
    calls, score_all = [], planning.score_all

    def interrupted(*arguments: Any) -> list[FloatArray]:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return score_all(*arguments)

    monkeypatch.setattr(planning, "score_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        answersim.score_pairs(pairs, [metric], cache=tmp_path / "again")
    assert ScoreCache(tmp_path / "again").info().scores == {metric.signature: 32 + 64}
    again = answersim.score_pairs(pairs, [metric], cache=tmp_path / "again")[metric.signature]
    assert again.values.tobytes() == whole.values.tobytes()
    assert len(calls) == 4


def test_the_cache_lies_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANSWERSIM_CACHE", str(tmp_path))
    assert default() == ScoreCache(tmp_path)
    for off in ("", "0", "off", "OFF"):
        monkeypatch.setenv("ANSWERSIM_CACHE", off)
        assert default() is None
    monkeypatch.delenv("ANSWERSIM_CACHE")
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "all"))
    assert default() == ScoreCache(tmp_path / "all" / "scores")


def test_evaluate_uses_the_default_cache_and_score_only_if_told(tmp_path, monkeypatch):
    monkeypatch.setenv("ANSWERSIM_CACHE", str(tmp_path / "scores"))
    metric, stored = Costly(), ScoreCache(tmp_path / "scores")
    answersim.score_pairs(PAIRS[:1], [metric])
    answersim.evaluate({"gold": ["a"], "pred": ["b"]}, metric, cache=None)
    assert not stored.folder.exists()
    answersim.evaluate({"gold": ["a"], "pred": ["b"]}, metric)
    assert stored.info().scores == {metric.signature: 1}
    answersim.score_pairs(PAIRS[:1], [metric], cache=True)
    assert stored.info().scores == {metric.signature: 2}


def test_clearing_leaves_an_empty_cache_that_works(cache: ScoreCache) -> None:
    assert cache.clear() == 0
    keys, _ = fill(cache, 5000)
    assert cache.info().size > 5000 * 32
    (other := cache.folder / "other.scores").touch()
    assert cache.clear() == 5000
    assert [*cache.folder.iterdir()] == [other]
    assert (cache.info().scores, cache.info().size) == ({}, 0)
    assert np.isnan(cache.get("m|v:1", keys)).all()
    fill(cache, 5)
    assert cache.info().scores == {"m|v:1": 5}


@dataclass(frozen=True)
class NotANumber(Costly):
    """A metric of which one pair has no number."""

    gives: float = float("nan")

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        return np.array([self.gives if pred == "x" else 0.5 for _, pred in pairs])


@pytest.mark.parametrize("gives", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_not_stored_and_its_pair_is_named(gives: float, tmp_path: Path) -> None:
    metric, cache = NotANumber(gives=gives), ScoreCache(tmp_path)
    answersim.score_pairs(PAIRS[:2], [metric], cache=cache)  # the third pair is then the first that is computed
    with pytest.raises(NonFiniteScoreError, match="pair 3 "):
        answersim.score_pairs(PAIRS, [metric], cache=cache)
    assert cache.info().scores == {metric.signature: 2}
    cache.put(metric.signature, [key(PAIRS[2])], np.array([gives]))
    assert cache.info().scores == {metric.signature: 2}


def test_scores_of_a_service_are_not_stored(tmp_path: Path) -> None:
    class Service:
        signature = "service|v:1"
        capabilities = Capabilities(cost="remote")

        def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
            return np.ones(len(pairs))

    answersim.score_pairs([("a", "b")], [Service()], cache=tmp_path)
    assert ScoreCache(tmp_path).info().scores == {}
    assert not caching.costs(Service())


def file_of(cache: ScoreCache) -> Path:
    (path,) = cache.folder.glob("*.scores")
    return path


def damage(cache: ScoreCache, change: Callable[[bytearray], Any]) -> None:
    raw = bytearray(file_of(cache).read_bytes())
    file_of(cache).write_bytes(bytes(change(raw) or raw))


def flip(place: int) -> Callable[[bytearray], None]:
    def change(raw: bytearray) -> None:
        raw[place] ^= 4

    return change


def test_one_damaged_entry_is_reported_computed_again_and_costs_no_other(cache: ScoreCache) -> None:
    metric = Costly()
    expected = answersim.score_pairs(PAIRS, [metric], cache=cache)
    damage(cache, flip(-9))  # the score of the last entry
    assert cache.info().damaged == 1
    before = len(metric.asked)
    with pytest.warns(CacheWarning, match="1 scores in .* are damaged and are computed again"):
        assert answersim.score_pairs(PAIRS, [metric], cache=cache) == expected
    assert len(metric.asked) == before + 1
    assert answersim.score_pairs(PAIRS, [metric], cache=cache) == expected  # no warning, nothing computed
    assert len(metric.asked) == before + 1
    assert (cache.info().scores, cache.info().damaged) == ({metric.signature: 3}, 1)
    assert "damaged 1, not used" in cache.info().summary()


@pytest.mark.filterwarnings("ignore::answersim.scoring.cache.CacheWarning")
def test_whatever_bytes_change_a_score_is_right_or_absent(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 300)
    whole, rng, lost = file_of(cache).read_bytes(), random.Random(0), 0
    for _ in range(100):
        file_of(cache).write_bytes(odd.damaged(rng, whole))
        result = cache.get("m|v:1", keys)
        assert ((result == numbers) | np.isnan(result)).all()
        lost += int(np.isnan(result).any())
        fill(cache, 300)
        assert cache.get("m|v:1", keys).tolist() == numbers.tolist()
    assert lost > 40


def test_a_file_that_another_process_holds_is_reported_and_scores_are_computed(cache, monkeypatch):
    metric = Costly()
    fill(cache, 3, metric.signature)
    monkeypatch.setattr(caching, "_WAIT", 0.05)
    handle = os.open(file_of(cache), os.O_RDWR)
    locks.wait_for_lock(handle, 0)
    with pytest.warns(CacheWarning, match="cannot be used .*locked it for 0.05 s.*so scores are computed"):
        scores = answersim.score_pairs(PAIRS, [metric], cache=cache)
    os.close(handle)
    assert scores == answersim.score_pairs(PAIRS, [Costly()])
    assert cache.info().scores == {metric.signature: 3}


@pytest.mark.parametrize("folder", ["n" * 300, "file", "file/scores"])
def test_a_folder_that_cannot_be_is_reported_once_and_scores_are_computed(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.warns(CacheWarning, match=f"{folder} cannot be used .*so scores are computed"):
        scores = answersim.score_pairs(PAIRS, [Costly()], cache=tmp_path / folder)
    assert scores == answersim.score_pairs(PAIRS, [Costly()])


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_folder_may_be_a_link_but_its_file_may_not(cache: ScoreCache, tmp_path: Path) -> None:
    linked = ScoreCache(tmp_path / "link")
    cache.folder.mkdir(parents=True)
    linked.folder.symlink_to(cache.folder)
    fill(linked, 3)
    assert cache.info().scores == {"m|v:1": 3}
    (victim := tmp_path / "victim").touch()
    name = file_of(cache)
    name.unlink()
    name.symlink_to(victim)
    with pytest.warns(CacheWarning, match="symbolic links"):
        assert not linked.put("m|v:1", keys_of(3), np.ones(3))
    assert victim.read_bytes() == b""


@pytest.mark.parametrize("what", ["info", "clear"])
def test_a_folder_that_cannot_be_is_an_error_for_who_asks_for_the_cache_itself(what: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="Not a directory"):
        getattr(ScoreCache(tmp_path / "file"), what)()


def test_what_was_never_kept_is_nan(cache: ScoreCache) -> None:
    assert np.isnan(cache.get("m|v:1", keys_of(2))).all()
    fill(cache, 2)
    assert np.isnan(cache.get("m|v:2", keys_of(2))).all()
    assert np.isnan(cache.get("m|v:1", keys_of(3))).tolist() == [False, False, True]
    assert cache.get("m|v:1", []).shape == (0,)


def test_an_entry_of_another_metric_is_damage(cache: ScoreCache) -> None:
    keys, _ = fill(cache, 3)
    fill(cache, 3, "n|v:1")
    first, second = sorted(cache.folder.iterdir())
    first.write_bytes(second.read_bytes())
    with pytest.warns(CacheWarning, match="3 scores in .* are damaged"):
        assert np.isnan([*cache.get("m|v:1", keys), *cache.get("n|v:1", keys)]).sum() == 3
    assert cache.info().damaged == 3 + 1  # and its head


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
    for _ in range(2):
        process = run(WRITER, cache.folder, 0, "forever")
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0.02, 0.2))
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


FULL = """
import resource, signal, sys, warnings
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40 * 32 + 11, resource.RLIM_INFINITY))  # in the middle of an entry
from pathlib import Path
import numpy as np
import answersim
from tests.made_metrics import Costly
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
