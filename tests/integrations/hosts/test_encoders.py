"""A metric with an encoder gives the scores of the package in loops, batches, threads, event loops and forks."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from answersim.integrations.base import Scorer
from answersim.scoring import batching
from tests.integrations.hosts.contract import ROWS, of_encoder

pytest.importorskip("torch", reason="needs torch")

NAME = "sas"
GIVEN = [(None, row.golds, row.prediction) for row in ROWS]


@pytest.fixture(autouse=True)
def _computed_anew() -> None:
    batching.forget()


@pytest.mark.parametrize("name", ["bertscore-names", "sas", "answersim"])
def test_a_loop_a_batch_threads_and_two_event_loops_give_the_scores_of_the_package(name):
    expected = of_encoder(name)
    scorer = Scorer(name)

    async def gathered() -> list[float]:
        return [scored.value for scored in await asyncio.gather(*(scorer.score_async(*stated) for stated in GIVEN))]

    def by_threads() -> list[float]:
        with ThreadPoolExecutor(4) as pool:
            return [scored.value for scored in pool.map(lambda given: scorer.score(*given), GIVEN)]

    ways: list[Any] = [
        lambda: [scorer.score(*stated).value for stated in GIVEN],
        lambda: [scored.value for scored in scorer.score_batch(GIVEN)],
        lambda: asyncio.run(gathered()),
        by_threads,
    ]
    for way in ways:
        batching.forget()
        assert way() == expected
    batching.forget()
    with ThreadPoolExecutor(2) as pool:  # an event loop in each of two threads
        assert list(pool.map(lambda _: asyncio.run(gathered()), range(2))) == [expected, expected]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12: threads and forks
def test_a_forked_process_gives_the_scores_of_its_parent():
    expected = of_encoder(NAME)
    scorer = Scorer(NAME)
    assert [scorer.score(*stated).value for stated in GIVEN] == expected  # its thread and its cache exist
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if [scorer.score(*stated).value for stated in GIVEN] == expected else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
