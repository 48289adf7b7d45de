"""The cache of scores: the very bits that were kept, or nothing; whatever happens to its file."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import answersim
from answersim.errors import NonFiniteScoreError
from answersim.scoring import cache as room
from answersim.scoring.cache import CacheWarning, ScoreCache, cache_of, default, key
from answersim.types import Capabilities, FloatArray, Metric, Pair

ROOT = Path(__file__).parent.parent
PAIRS = [Pair("Rome", "in Rome"), Pair("a", "b"), Pair("", "x"), Pair("a", "b")]


@dataclass(frozen=True)
class Costly:
    """A metric that is worth keeping: a third of the length of both texts; it remembers what it was asked."""

    name: str = "costly"
    asked: list[Pair] = field(default_factory=list, compare=False)
    capabilities = Capabilities(cost="model")

    @property
    def signature(self) -> str:
        return f"{self.name}|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        self.asked.extend(pairs)
        return np.array([(len(gold) + len(pred)) / 3 for gold, pred in pairs])


@dataclass(frozen=True)
class Reading(Costly):
    """As well, and a hundred a letter of the question."""

    name: str = "reading"
    reads_questions = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None, /) -> FloatArray:
        return super().__call__(pairs) + np.array([100.0 * len(each) for each in questions or [""] * len(pairs)])


@dataclass(frozen=True)
class Double(Costly):
    """Twice its part."""

    name: str = "double"
    part: Costly = field(default_factory=Costly)
    capabilities: Any = None  # those of its part count

    @property
    def parts(self) -> Sequence[Metric]:
        return [self.part]

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], /) -> FloatArray:
        return 2 * columns[0]


@pytest.fixture
def cache(tmp_path: Path) -> ScoreCache:
    return ScoreCache(tmp_path / "scores")


def keys_of(n: int) -> list[bytes]:
    return [key((f"gold {i}", f"pred {i}")) for i in range(n)]


def fill(cache: ScoreCache, n: int, signature: str = "m|v:1") -> tuple[list[bytes], FloatArray]:
    keys, numbers = keys_of(n), np.random.default_rng(0).random(n)
    cache.put({signature: (keys, numbers)})
    return keys, numbers


def file_of(cache: ScoreCache) -> Path:
    path = max(path for path in cache.folder.iterdir() if path.name.endswith(".sqlite"))
    return path


# --- what is kept


def test_a_score_comes_back_bit_for_bit(cache: ScoreCache) -> None:
    numbers = np.array([1 / 3, -0.0, 0.0, 5e-324, 1.0, -1e300, np.nextafter(0.1, 1)])
    cache.put({"m|v:1": (keys_of(7), numbers)})
    assert cache.get("m|v:1", keys_of(7)).tobytes() == numbers.tobytes()
    assert ScoreCache(cache.folder).get("m|v:1", keys_of(7)[::-1]).tobytes() == numbers[::-1].tobytes()


def test_what_was_never_kept_is_nan(cache: ScoreCache) -> None:
    assert np.isnan(cache.get("m|v:1", keys_of(2))).all()
    fill(cache, 2)
    assert np.isnan(cache.get("m|v:2", keys_of(2))).all()
    assert np.isnan(cache.get("m|v:1", keys_of(3))).tolist() == [False, False, True]
    assert cache.get("m|v:1", []).shape == (0,)


def test_many_keys_some_of_them_twice_keep_their_order(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 1203)  # more than two queries' worth
    order = np.random.default_rng(1).integers(1203, size=3000)
    assert cache.get("m|v:1", [keys[i] for i in order]).tolist() == numbers[order].tolist()


def test_the_first_score_of_a_pair_stays(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 3)
    cache.put({"m|v:1": (keys, numbers + 1)})
    assert cache.get("m|v:1", keys).tolist() == numbers.tolist()


def test_what_is_no_number_is_not_kept(cache: ScoreCache) -> None:
    cache.put({"m|v:1": (keys_of(3), np.array([np.nan, np.inf, 1.0]))})
    assert cache.info().scores == {"m|v:1": 1}


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=3, max_size=3), st.data())
def test_other_texts_have_another_key(texts: list[str], data: Any) -> None:
    other = data.draw(st.permutations(texts))
    joined, cuts = "".join(texts), sorted(data.draw(st.tuples(*[st.integers(0, sum(map(len, texts)))] * 2)))
    moved = [joined[: cuts[0]], joined[cuts[0] : cuts[1]], joined[cuts[1] :]]  # the same letters, parted elsewhere
    for each in (other, moved):
        assert (key((texts[0], texts[1]), texts[2]) == key((each[0], each[1]), each[2])) == (texts == list(each))


# --- scoring with it


def test_a_pair_is_computed_once_in_all_calls(cache: ScoreCache) -> None:
    metric = Costly()
    first = answersim.score([a for a, _ in PAIRS], [b for _, b in PAIRS], metric, cache=cache)
    asked = len(metric.asked)
    again = answersim.score_pairs([*PAIRS, Pair("new", "")], [metric], cache=cache.folder)[metric.signature]
    assert again.values[:4].tobytes() == first.values.tobytes()
    assert metric.asked[asked:] == [Pair("new", "")]
    assert answersim.score("Rome", "in Rome", metric, cache=str(cache.folder)) == first[0]
    assert len(metric.asked) == asked + 1


def test_with_and_without_a_cache_the_numbers_are_the_same(cache: ScoreCache) -> None:
    metrics = [Costly(), "f1", Reading(), Double(), "em"]
    without = answersim.score_pairs(PAIRS, metrics, question=["?", "", "??", ""])
    for _ in range(2):
        assert answersim.score_pairs(PAIRS, metrics, question=["?", "", "??", ""], cache=cache) == without


def test_only_what_costs_is_kept(cache: ScoreCache) -> None:
    answersim.score_pairs(PAIRS, ["em", "f1", "meteor", Costly()], cache=cache)
    assert cache.info().scores == {"costly|v:1": 3}
    assert not room.costs(answersim.metric("bleu"))
    assert room.costs(Double())
    answersim.score_pairs(PAIRS, ["em"], cache=cache.folder / "unused")
    assert not (cache.folder / "unused").exists()


def test_without_a_cache_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERSIM_CACHE", str(tmp_path / "named"))
    answersim.score_pairs(PAIRS, [Costly()])
    assert list(tmp_path.iterdir()) == []


def test_the_question_counts_for_a_metric_that_reads_it_alone(cache: ScoreCache) -> None:
    reading, other = Reading(), Costly()
    for questions in (["?"] * 4, None, ["??"] * 4, ["?", "", "??", "?"]):
        scores = answersim.score_pairs(PAIRS, [reading, other], question=questions, cache=cache)
        expected = answersim.score_pairs(PAIRS, [Reading()], question=questions)
        assert scores[reading.signature] == expected[reading.signature]
    assert len(other.asked) == 4
    assert cache.info().scores == {"costly|v:1": 3, "reading|v:1": 9}


def test_only_what_is_lacking_is_computed_and_each_metric_for_itself(cache: ScoreCache) -> None:
    one, other = Costly("one"), Costly("other")
    answersim.score_pairs(PAIRS[:2], [one], cache=cache)
    answersim.score_pairs(PAIRS[:3], [one, other, "f1"], cache=cache)
    assert one.asked == PAIRS[:3]
    assert other.asked == PAIRS[:3]


def test_of_several_references_the_best_is_the_same(cache: ScoreCache) -> None:
    for _ in range(2):
        scores = answersim.score([["a", "abc"], ["x"]], ["b", "c"], Costly(), cache=cache)
        assert scores.references.tolist() == [1, 0]
        assert scores.values.tolist() == [4 / 3, 2 / 3]


@pytest.mark.parametrize("wrong", [True, 3, "", b"x"])
def test_what_is_no_cache_is_refused_before_any_work(wrong: Any) -> None:
    metric = Costly()
    with pytest.raises(TypeError, match=r"cache is .*must be a folder, a ScoreCache, or None"):
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


# --- damage


def damaged(cache: ScoreCache, how: Callable[[bytearray], Any]) -> None:
    raw = bytearray(file_of(cache).read_bytes())
    file_of(cache).write_bytes(bytes(how(raw) or raw))


@pytest.mark.parametrize(
    "how",
    [
        lambda raw: b"not a database at all" * 1000,
        lambda raw: raw[: len(raw) // 2],
        lambda raw: raw[:4096] + bytes(len(raw) - 4096),
        lambda raw: bytes(100) + raw[100:],
    ],
    ids=["garbage", "cut off", "zeros", "no header"],
)
def test_a_damaged_file_is_told_set_aside_and_begun_anew(cache: ScoreCache, how: Any) -> None:
    keys, numbers = fill(cache, 2000)
    damaged(cache, how)
    with pytest.warns(CacheWarning, match="is damaged .* set aside, and a new one, scores-2.sqlite, is used"):
        assert np.isnan(cache.get("m|v:1", keys)).all()
    fill(cache, 2000)
    assert cache.get("m|v:1", keys).tolist() == numbers.tolist()
    (aside,) = cache.info().set_aside
    assert aside.is_file()
    assert cache.info().scores == {"m|v:1": 2000}


def test_a_changed_digit_is_never_returned(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 50)
    with sqlite3.connect(file_of(cache)) as connection:
        rows = connection.execute("SELECT pair, score FROM scores").fetchall()
        connection.execute("UPDATE scores SET score = ? WHERE pair = ?", (rows[1][1], rows[0][0]))
    connection.close()
    with pytest.warns(CacheWarning, match="does not match its checksum"):
        assert np.isnan(cache.get("m|v:1", keys)).all()
    fill(cache, 50)
    assert cache.get("m|v:1", keys).tolist() == numbers.tolist()


@pytest.mark.filterwarnings("ignore::answersim.scoring.cache.CacheWarning")
def test_whatever_bytes_change_a_number_is_right_or_absent(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 300)
    whole, rng, lost = file_of(cache).read_bytes(), random.Random(0), 0
    for _ in range(150):
        raw = bytearray(whole)
        for _ in range(rng.choice([1, 3, 50])):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        path = cache.folder / "scores-1.sqlite"
        for each in cache.folder.iterdir():
            each.unlink()
        path.write_bytes(bytes(raw))
        result = cache.get("m|v:1", keys)
        right = result == numbers
        assert (right | np.isnan(result)).all()
        lost += not right.all()
        fill(cache, 300)
        again = cache.get("m|v:1", keys)
        assert ((again == numbers) | np.isnan(again)).all()
    assert lost > 50  # the damage was such that it is seen


def test_scoring_goes_on_over_a_damaged_file(cache: ScoreCache) -> None:
    metric = Costly()
    answersim.score_pairs(PAIRS, [metric], cache=cache)
    damaged(cache, lambda raw: b"x" * 5000)
    with pytest.warns(CacheWarning, match="damaged"):
        scores = answersim.score_pairs(PAIRS, [metric], cache=cache)
    assert scores == answersim.score_pairs(PAIRS, [Costly()])
    asked = len(metric.asked)
    answersim.score_pairs(PAIRS, [metric], cache=cache)
    assert len(metric.asked) == asked


def test_what_is_damaged_when_it_is_written_is_begun_anew_at_once(cache: ScoreCache) -> None:
    fill(cache, 10)
    damaged(cache, lambda raw: b"x" * 5000)
    with pytest.warns(CacheWarning, match="damaged"):
        fill(cache, 20)
    assert cache.info().scores == {"m|v:1": 20}


def test_a_database_of_someone_else_is_set_aside_and_not_written_into(cache: ScoreCache) -> None:
    cache.folder.mkdir()
    with sqlite3.connect(cache.folder / "scores-1.sqlite") as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.warns(CacheWarning, match="another program created it"):
        fill(cache, 5)
    assert cache.info().scores == {"m|v:1": 5}
    (aside,) = cache.info().set_aside
    with sqlite3.connect(aside) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]
    connection.close()


def test_a_new_file_never_takes_the_name_of_one_that_was_set_aside(cache: ScoreCache) -> None:
    seen = set()
    for _ in range(3):
        fill(cache, 5)
        seen.add(file_of(cache).name)
        damaged(cache, lambda raw: b"x" * 5000)
        with pytest.warns(CacheWarning, match="damaged"):
            cache.get("m|v:1", keys_of(5))
    assert seen == {"scores-1.sqlite", "scores-2.sqlite", "scores-3.sqlite"}


def test_damage_that_no_look_up_meets_is_found_by_info(cache: ScoreCache) -> None:
    fill(cache, 5000)
    damaged(cache, lambda raw: raw[: len(raw) * 2 // 3 // 4096 * 4096])
    with pytest.warns(CacheWarning, match="damaged"):
        assert cache.info().scores == {}


# --- a file that cannot be had


def test_a_file_that_another_process_holds_is_told_and_scores_are_computed(
    cache: ScoreCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(cache, 3)
    monkeypatch.setattr(room, "_WAIT", 0.05)
    holder = sqlite3.connect(file_of(cache), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.warns(CacheWarning, match="cannot be used .*locked.*so scores are computed"):
        scores = answersim.score_pairs(PAIRS, [Costly()], cache=cache)
    assert scores == answersim.score_pairs(PAIRS, [Costly()])
    holder.close()
    assert cache.info().scores == {"m|v:1": 3}  # not set aside: it is whole


def test_a_folder_that_cannot_be_made_is_told_and_scores_are_computed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.warns(CacheWarning, match=r"file/scores cannot be used"):
        scores = answersim.score_pairs(PAIRS, [Costly()], cache=tmp_path / "file" / "scores")
    assert scores == answersim.score_pairs(PAIRS, [Costly()])


@pytest.mark.parametrize("folder", ["n" * 300, "file", "file/scores"])
def test_a_folder_that_cannot_be_is_told_and_scores_are_computed(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.warns(CacheWarning, match="cannot be used .*so scores are computed"):
        scores = answersim.score_pairs(PAIRS, [Costly()], cache=tmp_path / folder)
    assert scores == answersim.score_pairs(PAIRS, [Costly()])


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_folder_may_be_a_link_but_its_file_may_not(cache: ScoreCache, tmp_path: Path) -> None:
    linked = ScoreCache(tmp_path / "link")
    cache.folder.mkdir(parents=True)
    linked.folder.symlink_to(cache.folder)
    fill(linked, 3)
    assert cache.info().scores == {"m|v:1": 3}
    victim = tmp_path / "victim"
    victim.touch()
    file_of(cache).unlink()
    (cache.folder / "scores-1.sqlite").symlink_to(victim)
    with pytest.warns(CacheWarning, match="it is a link, so it is not used"):
        fill(linked, 3)
    assert victim.read_bytes() == b""


@pytest.mark.parametrize("what", ["info", "clear"])
def test_a_folder_that_cannot_be_is_an_error_for_who_asks_for_the_cache_itself(what: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"Not a directory|cannot be used"):
        getattr(ScoreCache(tmp_path / "file"), what)()


def test_a_cache_that_cannot_be_emptied_is_an_error(cache: ScoreCache, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cache, 3)
    monkeypatch.setattr(room, "_WAIT", 0.05)
    with closing(sqlite3.connect(file_of(cache), isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(OSError, match=r"the score cache .* cannot be used: .*locked"):
            cache.clear()
    assert cache.info().scores == {"m|v:1": 3}


# --- several threads and processes


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
        for i in range(60):
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


# --- where it is


def test_the_cache_lies_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANSWERSIM_CACHE", str(tmp_path))
    assert default() == ScoreCache(tmp_path)
    for off in ("", "0", "off", "OFF"):
        monkeypatch.setenv("ANSWERSIM_CACHE", off)
        assert default() is None
    monkeypatch.delenv("ANSWERSIM_CACHE")
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "all"))
    assert default() == ScoreCache(tmp_path / "all" / "scores")


def test_a_folder_names_a_cache_and_none_is_none(tmp_path: Path) -> None:
    assert cache_of(None) is None
    assert cache_of(str(tmp_path)) == cache_of(tmp_path) == cache_of(ScoreCache(tmp_path)) == ScoreCache(tmp_path)


def test_clearing_leaves_an_empty_cache_that_works(cache: ScoreCache) -> None:
    assert cache.clear() == 0
    keys, _ = fill(cache, 5000)
    size = cache.info().size
    damaged_before = cache.folder / "scores-0.sqlite.damaged-20200101-000000-1"
    damaged_before.touch()
    assert cache.clear() == 5000
    assert not damaged_before.exists()
    assert cache.info().scores == {}
    assert cache.info().size < size / 4
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
def test_a_number_that_is_not_finite_is_never_kept_and_its_pair_is_named_in_the_whole(
    gives: float, tmp_path: Path
) -> None:
    metric, cache = NotANumber(gives=gives), ScoreCache(tmp_path)
    answersim.score_pairs(PAIRS[:2], [metric], cache=cache)  # the third pair is then the first that is computed
    with pytest.raises(NonFiniteScoreError, match="pair 3 "):
        answersim.score_pairs(PAIRS, [metric], cache=cache)
    assert cache.info().scores == {metric.signature: 2}
    cache.put({metric.signature: ([key(PAIRS[2])], np.array([gives]))})
    assert cache.info().scores == {metric.signature: 2}


def test_a_kept_number_that_is_not_finite_is_never_given_back(tmp_path: Path) -> None:
    cache, signature, place = ScoreCache(tmp_path), "costly|v:1", key(PAIRS[0])
    cache.put({signature: ([place], np.array([0.5]))})
    (file,) = tmp_path.glob("scores-*.sqlite")
    with sqlite3.connect(file) as connection:
        forged = room._packed(room._digest(signature), place, float("inf"))
        connection.execute("UPDATE scores SET score = ?", (forged,))
    connection.close()
    with pytest.warns(CacheWarning, match="a score is not finite"):
        assert np.isnan(cache.get(signature, [place])).all()


def test_scores_of_a_service_are_not_stored(tmp_path: Path) -> None:
    class Service:
        signature = "service|v:1"
        capabilities = Capabilities(cost="remote")

        def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
            return np.ones(len(pairs))

    answersim.score_pairs([("a", "b")], [Service()], cache=tmp_path)
    assert ScoreCache(tmp_path).info().scores == {}
    assert not room.costs(Service())
