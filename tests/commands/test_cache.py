"""``answersim data cache``: what is kept, and an empty cache afterwards; and what ``answersim score`` keeps there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from answersim._base.errors import NoHomeError
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import profiles
from answersim.scoring.cache import ScoreCache, key
from tests.command_line import run


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScoreCache:
    """The cache of the command line, in a folder of the test."""
    monkeypatch.setenv("ANSWERSIM_CACHE", str(tmp_path / "scores"))
    return ScoreCache(tmp_path / "scores")


@pytest.fixture
def table(tmp_path: Path, tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, and a bi-encoder that is small."""
    pytest.importorskip("torch")
    monkeypatch.setitem(profiles.WEIGHTS, "bi-encoder", {"embedded": {"*": profiles.Weights(str(tiny("bert")))}})
    (tmp_path / "t.csv").write_text("gold,pred\nRome,in Rome\na,b\nRome,in Rome\n")
    return tmp_path / "t.csv"


def test_info_says_what_is_kept_and_where(cache: ScoreCache) -> None:
    keys = [key(("a", str(i))) for i in range(1200)]
    cache.put("m|v:1", keys, np.ones(1200))
    cache.put("n|v:1", keys[:1], np.ones(1))
    code, out, err = run("data", "cache")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"folder  {cache.folder}"
    assert lines[:3] == cache.info().summary()
    assert lines[2] == "scores  1,201"
    assert [line.split() for line in lines[-2:]] == [["1,200", "m|v:1"], ["1", "n|v:1"]]


def test_info_of_a_cache_that_was_never_used_makes_none(cache: ScoreCache) -> None:
    assert run("data", "cache") == (0, f"folder  {cache.folder}\nsize    0 bytes\nscores  0\n", "")
    assert not cache.folder.exists()


def test_damaged_entries_are_counted(cache: ScoreCache) -> None:
    cache.put("m|v:1", [key(("a", "b")), key(("c", "d"))], np.ones(2))
    (file,) = cache.folder.iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    code, out, err = run("data", "cache")
    assert (code, err) == (0, "")
    assert out.splitlines()[2:4] == ["scores  1", "damaged 1, not used"]


def test_clear_says_how_many_there_were(cache: ScoreCache) -> None:
    cache.put("m|v:1", [key(("a", "b"))], np.ones(1))
    assert run("data", "cache", "--clear") == (0, f"removed 1 scores from {cache.folder}\n", "")
    assert cache.info().scores == {}


def test_a_cache_that_is_switched_off_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERSIM_CACHE", "0")
    for more in ((), ("--clear",)):
        code, out, err = run("data", "cache", *more)
        assert (code, out) == (2, "")
        assert err.startswith("answersim: the cache is switched off by $ANSWERSIM_CACHE")


def test_score_keeps_what_networks_say_and_nothing_else(cache: ScoreCache, table: Path, tmp_path: Path) -> None:
    first = run("score", table, "-m", "em,f1,bi-encoder", "-o", tmp_path / "first.csv")
    assert first[0] == 0
    assert [(name.split("|")[0], n) for name, n in cache.info().scores.items()] == [("bi-encoder", 2)]
    again = run("score", table, "-m", "em,f1,bi-encoder", "-o", tmp_path / "again.csv")
    assert again[1] == first[1].replace("first", "again")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "first.csv").read_bytes()


def test_score_takes_from_the_cache_unless_told_not_to(cache: ScoreCache, table: Path) -> None:
    signature = lookup.metric("bi-encoder").signature
    keys = [key(("Rome", "in Rome")), key(("a", "b"))]
    cache.put(signature, keys, np.array([0.125, 0.25]))  # not what it says
    assert "bi-encoder   3   0.1667" in run("score", table, "-m", "bi-encoder")[1]
    assert "bi-encoder   3   0.1667" not in run("score", table, "-m", "bi-encoder", "--no-cache")[1]
    assert cache.info().scores == {signature: 2}


@pytest.fixture
def labeled(table: Path, tmp_path: Path) -> Path:
    """A table with labels, of 40 pairs."""
    rows = [f"gold {i},{'gold' if i % 2 else 'other'} {i},{i % 2}" for i in range(40)]
    (tmp_path / "labeled.csv").write_text("\n".join(["gold,pred,label", *rows]) + "\n")
    return tmp_path / "labeled.csv"


STUDIES: dict[str, list[str]] = {
    "calibrate": ["-m", "bi-encoder", "-o", "mine.json"],
    "score": ["-c", "ready.json"],
    "correlate": ["-m", "bi-encoder", "--resamples", "20"],
}


@pytest.mark.parametrize("command", STUDIES)
def test_a_study_keeps_its_scores_and_takes_them_from_the_cache(
    command: str, cache: ScoreCache, labeled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if command == "score":
        made = run("calibrate", labeled, "-m", "bi-encoder", "-o", "ready.json", "--no-cache")
        assert made[0] == 0, made
    result = run(command, labeled, *STUDIES[command], "--no-cache")
    assert result[0] == 0, result
    assert not cache.folder.exists()
    first = run(command, labeled, *STUDIES[command])
    signature = lookup.metric("bi-encoder").signature
    assert cache.info().scores == {signature: 40}
    assert first == result

    def never(*_: object) -> None:
        raise AssertionError("it ran the network")

    monkeypatch.setattr("answersim.metrics.planning.score_all", never)
    assert run(command, labeled, *STUDIES[command]) == first


@pytest.mark.filterwarnings("default::UserWarning")
def test_without_a_home_folder_a_warning_says_that_scores_are_not_kept(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> Path:
        raise NoHomeError("there is no home folder; set $HOME")

    monkeypatch.delenv("ANSWERSIM_CACHE")
    monkeypatch.setattr("answersim.scoring.cache.cache_folder", nowhere)
    code, _, err = run("score", table, "-m", "bi-encoder")
    assert code == 0
    assert err.count("scores are not stored: there is no home folder; set $HOME, or name a folder") == 1
    assert run("score", table, "-m", "f1")[::2] == (0, "")  # nothing that would be stored
    assert run("score", table, "-m", "bi-encoder", "--no-cache")[::2] == (0, "")
