"""A run over a file that breaks off anywhere resumes, to the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.io.partial_results import Frame, UnfinishedWarning, open_partial_results
from answersim.scoring.cache import ScoreCache
from answersim.scoring.streaming import score_file
from answersim.types import Capabilities, FloatArray, Pair
from tests.scoring.scored_files import WORDS, Asking, Counting, N, broken, in_full, left_in, lines, run, source

pytestmark = pytest.mark.usefixtures("_pieces_of_four")


ROOT = Path(__file__).parent.parent


def test_a_run_that_continues_signs_what_was_scored_before_the_break(tmp_path: Path) -> None:
    rows = [{**line, "q": "who" if i == 0 else ""} for i, line in enumerate(lines())]
    path, out = source(tmp_path / "a.jsonl", rows), tmp_path / "out.jsonl"
    with pytest.warns(UnfinishedWarning), pytest.raises(RuntimeError):
        run(path, out, Asking(10), question="q")
    with pytest.warns(UnfinishedWarning, match="8 scored rows are reused"):
        result = run(path, out, Asking(), question="q")
    assert result["counting"].signature == "counting|question:yes|v:1"


@pytest.mark.parametrize(("at", "suffix"), [(4, "parquet"), (9, "jsonl"), (22, "csv"), (22, "parquet")])
def test_a_run_that_was_broken_off_continues_and_ends_with_the_same_bytes(at: int, suffix: str, tmp_path: Path) -> None:
    expected, kept = in_full(tmp_path, suffix), at // 4 * 4
    broken(tmp_path, suffix, at)
    assert not (tmp_path / f"out.{suffix}").exists()
    assert len(left_in(tmp_path)) == 1
    metric = Counting()
    with pytest.warns(UnfinishedWarning, match=f"its {kept} scored rows are reused"):
        result = run(tmp_path / "t.jsonl", tmp_path / f"out.{suffix}", metric)
    assert metric.asked == N - kept
    assert (tmp_path / f"out.{suffix}").read_bytes() == expected
    assert result["counting"].n == N
    assert left_in(tmp_path) == []


def test_a_flaw_in_the_middle_names_its_row_and_mending_it_continues(tmp_path: Path) -> None:
    rows: list[Any] = lines()
    rows[13] = {"gold": "a", "pred": None}
    path = source(tmp_path / "t.jsonl", rows)
    with (
        pytest.warns(UnfinishedWarning, match="12 rows are scored"),
        pytest.raises(ValueError, match=r"t\.jsonl, row 14: 'pred' is null"),
    ):
        run(path, tmp_path / "out.jsonl")
    source(path)
    metric = Counting()
    with pytest.warns(UnfinishedWarning, match="its 12 scored rows"):
        run(path, tmp_path / "out.jsonl", metric)
    assert metric.asked == N - 12
    assert (tmp_path / "out.jsonl").read_bytes() == in_full(tmp_path, "jsonl")


@pytest.mark.filterwarnings("ignore::answersim.io.partial_results.UnfinishedWarning")
@pytest.mark.parametrize(("changed", "again", "column"), [(0, 23, "gold"), (5, 19, "pred"), (9, 15, "gold")])
def test_answers_that_have_changed_are_scored_again(changed: int, again: int, column: str, tmp_path: Path) -> None:
    broken(tmp_path, "jsonl", 12)
    rows = lines()
    rows[changed][column] = "other"
    expected, metric = in_full(tmp_path, "jsonl", rows), Counting()
    run(source(tmp_path / "t.jsonl", rows), tmp_path / "out.jsonl", metric)
    assert metric.asked == again
    assert (tmp_path / "out.jsonl").read_bytes() == expected


@pytest.mark.filterwarnings("ignore::answersim.io.partial_results.UnfinishedWarning")
def test_whatever_bytes_of_the_draft_change_the_output_is_the_same(tmp_path: Path) -> None:
    expected = in_full(tmp_path, "jsonl")
    broken(tmp_path, "jsonl", 12)
    (draft,) = [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    whole, rng, asked = draft.read_bytes(), np.random.default_rng(0), set()
    assert len(whole) > 300
    for at in [*rng.integers(len(whole), size=40).tolist(), None]:
        raw = bytearray(whole[: rng.integers(len(whole))] if at is None else whole)
        if at is not None:
            raw[at] ^= 1 << int(rng.integers(8))
        draft.write_bytes(bytes(raw))
        metric = Counting()
        run(tmp_path / "t.jsonl", tmp_path / "out.jsonl", metric)
        assert (tmp_path / "out.jsonl").read_bytes() == expected
        asked.add(metric.asked)
        assert not draft.exists()
    assert asked == {N, N - 4, N - 8, N - 12} or asked == {N, N - 4, N - 8}  # the head is not read, only skipped


def test_other_metrics_neither_take_nor_lose_what_is_kept(tmp_path: Path) -> None:
    broken(tmp_path, "jsonl", 12)
    (draft,) = left_in(tmp_path)
    with pytest.warns(UnfinishedWarning, match=f"{draft} contains the scores of an unfinished run"):
        run(tmp_path / "t.jsonl", tmp_path / "out.jsonl", Counting(name="other"))
    assert left_in(tmp_path) == [draft]
    with pytest.warns(UnfinishedWarning, match="its 12 scored rows"):
        run(tmp_path / "t.jsonl", tmp_path / "out.jsonl")


def test_a_run_without_output_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        score_file(source(tmp_path / "t.jsonl"), {"c": Counting(12)})
    assert left_in(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks there")
def test_two_processes_that_begin_together_do_not_mix(tmp_path: Path) -> None:
    frame = Frame(b"x" * 16, np.ones((3, 1)), {})
    with open_partial_results(tmp_path / "out.csv", ["m"]) as one:
        with (
            pytest.raises(BlockingIOError, match="another run is writing"),
            open_partial_results(tmp_path / "out.csv", ["m"]),
        ):
            pass
        one.append(frame)
        assert [frame.columns.tolist() for frame in one.frames()] == [[[1.0]] * 3]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks there")
@pytest.mark.parametrize("spelling", ["out.jsonl", "link.jsonl", "x/../out.jsonl"])
def test_a_second_run_onto_one_output_is_refused_while_the_first_writes(spelling: str, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "out.jsonl")

    class Meanwhile(Counting):
        """It lets a run with another metric begin onto the same output after the first piece."""

        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            if self.asked == 4:
                with pytest.raises(BlockingIOError, match=r"another run is writing .*; wait for it"):
                    score_file(tmp_path / "t.jsonl", {"f1": answersim.metric("f1")}, tmp_path / spelling)
            return super().__call__(pairs)

    expected = in_full(tmp_path, "jsonl")
    run(source(tmp_path / "t.jsonl"), tmp_path / "out.jsonl", Meanwhile())
    assert (tmp_path / "out.jsonl").read_bytes() == expected
    assert left_in(tmp_path) == []


def test_a_cache_serves_a_run_that_begins_anew(tmp_path: Path) -> None:
    class Costly(Counting):
        capabilities = Capabilities(cost="model")

    cache, metric = ScoreCache(tmp_path / "cache"), Costly()
    path = source(tmp_path / "t.jsonl")
    first = score_file(path, {"c": metric}, cache=cache)
    asked = metric.asked
    again = score_file(path, {"c": metric}, cache=cache)
    assert (again["c"].mean, again["c"].ci(), metric.asked) == (first["c"].mean, first["c"].ci(), asked)


KILLS = """
import contextlib, io, json, os, random, signal, sys, time
from pathlib import Path
import pyarrow.parquet, torch, transformers
import answersim
from answersim import profiles
from answersim.catalog import lookup
from answersim.io import chunks
from answersim.__main__ import app

folder, model, suffix, kills, cached = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
chunks.ROWS = 20
torch.set_num_threads(1)
profiles.WEIGHTS["bi-encoder"] = {"embedded": {"*": profiles.Weights(model)}}
answersim.score("a", "b", "bi-encoder")  # all is imported and loaded once, before the children are made
rng = random.Random(0)

def start(name):
    "The command, in a process of its own, which writes what it says into a file."
    (folder / name).mkdir(exist_ok=True)
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.environ["ANSWERSIM_CACHE"] = str(folder / f"cache-{name}") if cached == "yes" else "0"
        out = folder / name / f"out.{suffix}"
        with (folder / f"{name}.txt").open("w") as said, contextlib.redirect_stdout(said):
            app(["score", str(folder / "t.jsonl"), "-m", "em,f1,bi-encoder", "-o", str(out)], standalone_mode=False)
        code = 0
    finally:
        os._exit(code)

began = time.perf_counter()
assert os.waitpid(start("full"), 0)[1] == 0
long = time.perf_counter() - began
(expected,) = (folder / "full").iterdir()
done = killed = taken = round_ = 0
while killed < kills:
    name = f"killed-{round_}"
    child = start(name)
    time.sleep(rng.uniform(0, long))
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    killed += os.WIFSIGNALED(status)
    taken += bool(list((folder / name).glob(".answersim-*-*")))
    if (folder / name / f"out.{suffix}").exists():
        assert (folder / name / f"out.{suffix}").read_bytes() == expected.read_bytes()
        round_ += not os.WIFSIGNALED(status)
assert os.waitpid(start(name), 0)[1] == 0
for each in folder.glob("killed-*/"):
    if each.is_dir():
        assert [one.name for one in each.iterdir()] == [f"out.{suffix}"], list(each.iterdir())
        assert (each / f"out.{suffix}").read_bytes() == expected.read_bytes(), each
said = [(folder / f"{each}.txt").read_text().replace(each, "") for each in ("full", name)]
assert said[0] == said[1], said
print(json.dumps({"killed": killed, "with a draft": taken, "seconds": long}))
"""


def killed(kills: int, suffix: str, cached: str, model: Path, folder: Path) -> dict[str, float]:
    rows = [{"gold": f"{WORDS[i % 10]} {i % 37}", "pred": f"{WORDS[i * 3 % 7]} {i % 41}"} for i in range(600)]
    source(folder / "t.jsonl", rows)
    arguments = [str(folder), str(model), suffix, str(kills), cached]
    done = subprocess.run(
        [sys.executable, "-c", KILLS, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
    )
    assert done.returncode == 0, done.stderr
    content: dict[str, float] = json.loads(done.stdout)
    return content


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9 there")
def test_two_kills_change_no_byte_of_the_output(tiny: Callable[..., Path], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    assert killed(2, "jsonl", "yes", tiny("bert"), tmp_path)["killed"] == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9 there")
@pytest.mark.parametrize("cached", ["yes", "no"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_twenty_kills_at_random_moments_change_no_byte_of_the_output(
    suffix: str, cached: str, tiny: Callable[..., Path], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    result = killed(20, suffix, cached, tiny("bert"), tmp_path)
    assert result["killed"] == 20
    assert result["with a draft"] >= 5  # the kills were in the midst of the work
