"""ragas: the metric by itself, in batches, and in ``ragas.evaluate``."""

import asyncio
from importlib import import_module
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, ONE_GOLD, ROWS, THRESHOLD, VALUES, Constant, Raising, Slow, pasted

ragas: Any = pytest.importorskip("ragas", reason="needs ragas")
integration: Any = import_module("answersim.integrations.ragas")


def check(found: list[Any]) -> None:
    assert [one.value for one in found] == pytest.approx(VALUES)
    assert [one.traces["output"]["verdict"] for one in found] == [row.verdict for row in ROWS]
    assert {one.traces["output"]["signature"] for one in found} == {F1}
    assert "nearest of 2 gold answers: 'Roma'" in found[1].reason


def inputs() -> list[dict[str, Any]]:
    return [{"user_input": row.question, "reference": row.golds, "response": row.prediction} for row in ROWS]


def test_a_metric_has_value_verdict_reason_and_signature_alone_and_in_a_batch():
    metric = integration.metric("f1", threshold=THRESHOLD)
    check([metric.score(**row) for row in inputs()])
    check(metric.batch_score(inputs()))
    check(asyncio.run(metric.abatch_score(inputs())))


def test_a_missing_prediction_scores_0_with_the_reason():
    found = integration.metric("f1").score(response=None, reference="Rome")
    assert found.value == 0
    assert "there is no prediction" in found.reason


@pytest.mark.parametrize(("value", "clipped"), [(1.5, 1.0), (-0.5, 0.0)])
def test_a_score_outside_0_to_1_is_clipped_and_without_that_ragas_drops_it(value, clipped):
    row = inputs()[0]
    assert integration.metric(Constant(value)).score(**row).value == clipped
    dropped = integration.metric(Constant(value), limits="any").score(**row)
    assert dropped.value is None
    refused = integration.metric(Constant(value), limits="refuse").score(**row)
    assert "accepts scores from 0 to 1 only" in refused.reason


def test_an_error_is_that_of_its_row():
    rows = [{"reference": "gold", "response": text} for text in ("fine", "broken", "fine too")]
    found = integration.metric(Raising()).batch_score(rows)
    assert [one.value for one in found] == [0.5, None, 0.5]
    assert "this prediction is broken" in found[1].reason


def test_a_cancelled_call_hangs_nothing():
    metric = integration.metric(Slow(0.5))

    async def cancelled() -> Any:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(metric.ascore(response="slow", reference="gold"), 0.05)
        return await metric.ascore(response="fine", reference="gold")

    assert asyncio.run(cancelled()).value == 0.5


def test_evaluate_has_a_column_of_scores():
    samples = [
        ragas.SingleTurnSample(user_input=row.question, reference=str(row.golds), response=row.prediction)
        for row in ONE_GOLD
    ]
    metric = integration.single_turn("f1")
    assert metric.signature == F1
    found = ragas.evaluate(ragas.EvaluationDataset(samples=samples), metrics=[metric], show_progress=False)
    assert found["f1"] == pytest.approx([row.value for row in ONE_GOLD])
    assert asyncio.run(metric.single_turn_ascore(samples[0])) == pytest.approx(2 / 3)


def test_the_lines_of_the_page_work(capsys):
    pasted("ragas", response="Roma", golds=["Rome", "Roma"])
    assert "equivalent" in capsys.readouterr().out
