"""A damaged cache, or one that cannot be used: a warning, and the scores are computed."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.runtime import locks
from answersim.scoring import cache as caching
from answersim.scoring.cache import CacheWarning, ScoreCache
from tests.cases import every
from tests.scoring.costly_metrics import PAIRS, Costly, fill, keys_of

ENTRY = 32  # bytes


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


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: b"no scores at all" * 1000,
        lambda raw: raw[: len(raw) // 2 - 7],
        lambda raw: raw[:4096] + bytes(len(raw) - 4096),
        lambda raw: bytes(100) + raw[100:],
        lambda raw: raw[:5000] + b"?" + raw[5000:],
        lambda raw: b"",
    ],
    ids=["garbage", "cut off", "zeros", "no head", "a byte more", "empty"],
)
@pytest.mark.filterwarnings("ignore::answersim.scoring.cache.CacheWarning")
def test_a_damaged_file_gives_right_scores_or_none_and_is_used_again(cache: ScoreCache, change: Any) -> None:
    keys, numbers = fill(cache, 2000)
    damage(cache, change)
    found = cache.get("m|v:1", keys)
    assert ((found == numbers) | np.isnan(found)).all()
    fill(cache, 2000)
    assert cache.get("m|v:1", keys).tolist() == numbers.tolist()


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


@every("part", ["key", "score", "check"])
def test_a_changed_bit_of_any_part_is_found(tmp_path: Path, part: str) -> None:
    cache = ScoreCache(tmp_path)
    keys, numbers = fill(cache, 50)
    damage(cache, flip({"key": -30, "score": -12, "check": -3}[part]))
    if part == "key":  # no entry has the right key any more
        found = cache.get("m|v:1", keys)
    else:
        with pytest.warns(CacheWarning, match="damaged"):
            found = cache.get("m|v:1", keys)
    assert np.isnan(found).tolist() == [False] * 49 + [True]
    assert found[:49].tolist() == numbers[:49].tolist()


def test_an_entry_of_another_metric_is_damage(cache: ScoreCache) -> None:
    keys, _ = fill(cache, 3)
    fill(cache, 3, "n|v:1")
    one, other = sorted(cache.folder.iterdir())
    one.write_bytes(other.read_bytes())
    with pytest.warns(CacheWarning, match="3 scores in .* are damaged"):
        assert np.isnan([*cache.get("m|v:1", keys), *cache.get("n|v:1", keys)]).sum() == 3
    assert cache.info().damaged == 3 + 1  # and its head


@pytest.mark.filterwarnings("ignore::answersim.scoring.cache.CacheWarning")
def test_whatever_bytes_change_a_score_is_right_or_absent(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 300)
    whole, rng, lost = file_of(cache).read_bytes(), random.Random(0), 0
    for _ in range(60):
        raw = bytearray(whole)
        for _ in range(rng.choice([1, 3, 50])):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        file_of(cache).write_bytes(bytes(raw))
        found = cache.get("m|v:1", keys)
        assert ((found == numbers) | np.isnan(found)).all()
        lost += int(np.isnan(found).any())
        fill(cache, 300)
        assert cache.get("m|v:1", keys).tolist() == numbers.tolist()
    assert lost > 40


def test_a_score_that_is_not_finite_is_never_returned(cache: ScoreCache) -> None:
    keys, _ = fill(cache, 1)
    records = np.zeros(1, dtype=caching._RECORD)
    records["key"], records["score"] = caching._words(keys), np.inf
    records["check"] = caching._checks(file_of(cache), records)
    damage(cache, lambda raw: raw[:-ENTRY] + records.tobytes())
    with pytest.warns(CacheWarning, match="damaged"):
        assert np.isnan(cache.get("m|v:1", keys)).all()


def test_a_file_that_another_process_holds_is_reported_and_scores_are_computed(
    cache: ScoreCache, monkeypatch: pytest.MonkeyPatch
) -> None:
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
