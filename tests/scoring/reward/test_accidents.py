"""Accidents that users of other verifiers reported. Each one has a test, which the table beside this file names."""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from answersim import Reward
from answersim.integrations.rewards import trl, verl
from tests.cases import cases_of, every
from tests.made_metrics import Waiting

RULES = Reward("rules")
ROOT = Path(__file__).parents[3]


@every("accident, test", cases_of(__file__)["ACCIDENTS"])
def test_every_accident_has_a_test(accident: str, test: str) -> None:
    path, _, name = test.partition("::")
    assert f"def test_{name}" in (ROOT / path).read_text(encoding="utf-8"), accident


def test_a_batch_without_answers_is_counted() -> None:
    result = RULES(["5"] * 4, ["Thought process:", "", "\\boxed{}", "5"])
    assert result.counters["stage/extraction"] == 0.5
    assert result.counters["not_extracted"] == 1.0  # "5" alone is an answer, and no mark announces it
    assert all(row.reason for row in result)


@every("token", ["<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>", "<｜end▁of▁sentence｜>", "<eos>"])
@every("text", ["Rome", "It is Rome.", "\\boxed{Rome}", "The answer is Rome.", "#### Rome"])
def test_special_tokens_at_the_end_are_no_part_of_the_answer(text: str, token: str) -> None:
    assert RULES(["Rome"] * 2, [text + token, f"{text} {token}\n{token}"]).scores == [1.0, 1.0]
    assert RULES(["Oslo"], [text + token]).scores == [0.0]


def test_a_slow_metric_does_not_block_the_event_loop() -> None:
    async def ticks() -> int:
        metric, count = Waiting(30), 0
        task = asyncio.create_task(Reward(metric).score_async(["Rome"], ["Bern"]))
        while not metric.calls or count < 5:
            await asyncio.sleep(0.01)
            count += 1
        assert not task.done()
        metric.released.set()
        assert (await task).scores == [1.0]
        return count

    assert asyncio.run(ticks()) >= 5


def test_the_limit_does_not_count_the_lag_of_the_event_loop() -> None:
    async def lagging() -> list[float | None]:
        task = asyncio.create_task(Reward(Waiting(), limit=0.5).score_async(["Rome"], ["Bern"]))
        await asyncio.sleep(0)  # the call has begun
        time.sleep(1)  # something else blocks the loop
        return (await task).scores

    assert asyncio.run(lagging()) == [1.0]


def test_hundreds_of_awaited_rows_are_few_batches() -> None:
    metric = Waiting(0.05)

    async def rows() -> list[Any]:
        reward = Reward(metric, limit=60)
        return await asyncio.gather(*(reward.score_async(["Rome"], [f"city {i}"]) for i in range(300)))

    assert [result.scores for result in asyncio.run(rows())] == [[1.0]] * 300
    assert sum(metric.calls) == 300
    assert len(metric.calls) < 30  # a thread for each caller would join as many rows as the pool has threads
    assert max(metric.calls) > 32


def test_an_awaited_row_that_is_late_is_undecided_and_named() -> None:
    metric = Waiting(30)
    try:
        result = asyncio.run(Reward(metric, limit=0.1).score_async(["Rome", "Rome"], ["Rome?!x", "Bern"]))
    finally:
        metric.released.set()
    assert [row.verdict for row in result] == ["undecided"] * 2
    assert "row 1 ('Bern'" in result.rows[1].reason


def test_late_calls_leave_no_threads() -> None:
    before = threading.active_count()
    metric = Waiting(30)
    reward = Reward(metric, limit=0.02)
    try:
        for i in range(20):
            assert reward(["Rome"], [f"city {i}"]).scores == [None]
        assert threading.active_count() <= before + 1  # the one that computes the batches
    finally:
        metric.released.set()


@every("text", ["5^5^5^5", "10^(10^9)", "9" * 1_000_000, "\\boxed{" * 100_000 + "7"])
def test_memory_is_bounded(text: str) -> None:
    RULES(["7"], ["8"])
    tracemalloc.start()
    try:
        RULES(["7", text], [text, "7"])
        assert tracemalloc.get_traced_memory()[1] < 32_000_000
    finally:
        tracemalloc.stop()


@every(
    "sent", [RULES, trl.AnswerReward(metric="rules"), verl.compute_score, verl.compute_score_batch, RULES.score_async]
)
def test_what_hosts_send_to_workers_pickles(sent: Callable[..., Any]) -> None:
    assert callable(pickle.loads(pickle.dumps(sent)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_copies_no_locked_tally() -> None:
    reward = Reward("rules")
    reward(["5"], ["5"])
    with reward._tally.lock:  # as if another thread held it
        child = os.fork()
        if not child:
            threading.Timer(20, os._exit, (1,)).start()
            os._exit(int(reward(["5"], ["5"]).scores != [1.0]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
