"""A damaged cache, or one that cannot be opened: scores are computed, and a warning says so."""

from __future__ import annotations

import random
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.scoring import cache as room
from answersim.scoring.cache import CacheWarning, ScoreCache
from tests.scoring.costly_metrics import PAIRS, Costly, fill, keys_of


def file_of(cache: ScoreCache) -> Path:
    path = max(path for path in cache.folder.iterdir() if path.name.endswith(".sqlite"))
    return path


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
def test_a_damaged_file_is_reported_set_aside_and_begun_anew(cache: ScoreCache, how: Any) -> None:
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
    for _ in range(60):
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
    assert lost > 20  # the damage was such that it is seen


def test_scoring_continues_over_a_damaged_file(cache: ScoreCache) -> None:
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


def test_a_file_that_another_process_holds_is_reported_and_scores_are_computed(
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


@pytest.mark.parametrize("folder", ["n" * 300, "file", "file/scores"])
def test_a_folder_that_cannot_be_is_reported_and_scores_are_computed(folder: str, tmp_path: Path) -> None:
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
