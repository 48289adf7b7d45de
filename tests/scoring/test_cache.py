"""The store of scores: hits, signatures, and damage that costs no result."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Sequence
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
from answersim.scoring import cache as room
from answersim.scoring.cache import CacheWarning, ScoreCache, default, key
from answersim.types import Capabilities, Metric, Pair
from tests.scoring.costly_metrics import PAIRS, Costly, fill, keys_of


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
    assert not room.costs(answersim.metric("bleu"))
    assert room.costs(Double())
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


def test_a_call_that_is_repeated_after_an_interruption_gives_the_bits_of_one_without(
    tiny: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_evaluate_uses_the_default_cache_and_score_only_if_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert not room.costs(Service())


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
    result = cache.get("m|v:1", keys)
    assert ((result == numbers) | np.isnan(result)).all()
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


@pytest.mark.filterwarnings("ignore::answersim.scoring.cache.CacheWarning")
def test_whatever_bytes_change_a_score_is_right_or_absent(cache: ScoreCache) -> None:
    keys, numbers = fill(cache, 300)
    whole, rng, lost = file_of(cache).read_bytes(), random.Random(0), 0
    for _ in range(60):
        raw = bytearray(whole)
        for _ in range(rng.choice([1, 3, 50])):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        file_of(cache).write_bytes(bytes(raw))
        result = cache.get("m|v:1", keys)
        assert ((result == numbers) | np.isnan(result)).all()
        lost += int(np.isnan(result).any())
        fill(cache, 300)
        assert cache.get("m|v:1", keys).tolist() == numbers.tolist()
    assert lost > 40


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
