"""A metric with an encoder through the shared shape and the libraries that share an environment with torch."""

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
COLUMNS = {"gold": [row.listed for row in ROWS], "pred": [row.prediction for row in ROWS]}


@pytest.fixture(autouse=True)
def _computed_anew() -> None:
    batching.forget()


@pytest.mark.parametrize("name", ["bertscore-names", "sas", "answersim"])
def test_a_loop_a_batch_threads_and_two_event_loops_give_the_scores_of_the_package(name):
    expected = of_encoder(name)
    scorer = Scorer(name)

    async def gathered() -> list[float]:
        return [scored.value for scored in await asyncio.gather(*(scorer.score_async(*given) for given in GIVEN))]

    def by_threads() -> list[float]:
        with ThreadPoolExecutor(4) as pool:
            return [scored.value for scored in pool.map(lambda given: scorer.score(*given), GIVEN)]

    ways: list[Any] = [
        lambda: [scorer.score(*given).value for given in GIVEN],
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


def test_a_cancelled_await_leaves_the_scores_of_the_others():
    expected = of_encoder(NAME).expected
    scorer = Scorer(NAME)

    async def all_but_the_first() -> list[float]:
        tasks = [asyncio.create_task(scorer.score_async(*given)) for given in GIVEN]
        await asyncio.sleep(0)
        tasks[0].cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError)
        return [scored.value for scored in found[1:]]

    assert asyncio.run(all_but_the_first()) == pytest.approx(expected[1:], abs=1e-6)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12: threads and forks
def test_a_forked_process_gives_the_scores_of_its_parent():
    expected = of_encoder(NAME)
    scorer = Scorer(NAME)
    assert [scorer.score(*given).value for given in GIVEN] == expected  # its thread and its cache exist
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if [scorer.score(*given).value for given in GIVEN] == expected else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_evaluate_loads_it_by_name(tmp_path, monkeypatch):
    evaluate = pytest.importorskip("evaluate", reason="needs evaluate")
    from answersim.integrations import hf_evaluate

    expected = of_encoder(NAME)
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", tmp_path / "metrics")
    metric = evaluate.load(hf_evaluate.folder(), NAME, cache_dir=str(tmp_path))
    assert metric.compute(predictions=COLUMNS["pred"], references=COLUMNS["gold"])["scores"] == expected
