"""autoevals: a scorer of answersim, called as braintrust calls it."""

import asyncio
from importlib import import_module
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, ROWS, THRESHOLD, VALUES, Constant, Raising, Slow, pasted

pytest.importorskip("autoevals", reason="needs autoevals")
integration: Any = import_module("answersim.integrations.autoevals")


def check(found: list[Any]) -> None:
    assert [one.score for one in found] == pytest.approx(VALUES)
    assert [one.metadata["verdict"] for one in found] == [row.verdict for row in ROWS]
    assert {one.metadata["signature"] for one in found} == {F1}
    assert {one.name for one in found} == {"f1"}
    assert "nearest of 2 gold answers: 'Roma'" in found[1].metadata["reason"]


def test_a_scorer_has_score_verdict_reason_and_signature():
    scorer = integration.AnswerSimilarity("f1", threshold=THRESHOLD)
    check([scorer(row.prediction, row.golds, input=row.question) for row in ROWS])
    check([scorer.eval(row.prediction, row.golds, input={"question": row.question}) for row in ROWS])


def test_the_asynchronous_scorer_has_the_same():
    scorer = integration.AnswerSimilarity("f1", threshold=THRESHOLD)

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(scorer.eval_async(row.prediction, row.golds, input=row.question) for row in ROWS))

    check(asyncio.run(all_at_once()))


def test_a_missing_prediction_scores_0_with_the_reason():
    found = integration.AnswerSimilarity("f1")(None, "Rome")
    assert found.score == 0
    assert "there is no prediction" in found.metadata["reason"]


@pytest.mark.parametrize(("value", "clipped"), [(1.5, 1.0), (-0.5, 0.0)])
def test_a_score_outside_0_to_1_is_clipped_or_refused(value, clipped):
    found = integration.AnswerSimilarity(Constant(value))("a", "b")
    assert (found.score, found.metadata["raw"]) == (clipped, value)
    with pytest.raises(ValueError, match="accepts scores from 0 to 1 only"):
        integration.AnswerSimilarity(Constant(value), limits="refuse")("a", "b")
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        integration.AnswerSimilarity(Constant(value), limits="any")("a", "b")


def test_an_error_reaches_the_call_of_its_row_only():
    scorer = integration.AnswerSimilarity(Raising())

    async def all_at_once() -> list[Any]:
        calls = (scorer.eval_async(text, "gold") for text in ("fine", "broken", "fine too"))
        return await asyncio.gather(*calls, return_exceptions=True)

    first, second, third = asyncio.run(all_at_once())
    assert (first.score, third.score) == (0.5, 0.5)
    assert "this prediction is broken" in str(second)


def test_a_cancelled_call_hangs_nothing():
    scorer = integration.AnswerSimilarity(Slow(0.5))

    async def cancelled() -> Any:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(scorer.eval_async("slow", "gold"), 0.05)
        return await scorer.eval_async("fine", "gold")

    assert asyncio.run(cancelled()).score == 0.5


def test_the_lines_of_the_page_work(capsys):
    pasted("autoevals", output="Roma", expected=["Rome", "Roma"], question="Which city?")
    assert "equivalent" in capsys.readouterr().out
