"""pydantic-evals: ``Dataset.evaluate`` with an evaluator of answersim."""

import asyncio
from importlib import import_module
from typing import Any

import pytest

from tests.integrations.hosts.contract import (
    F1,
    PASSED,
    ROWS,
    THRESHOLD,
    VALUES,
    Constant,
    HostRow,
    Raising,
    Slow,
    pasted,
)

evals: Any = pytest.importorskip("pydantic_evals", reason="needs pydantic-evals")
integration: Any = import_module("answersim.integrations.pydantic_evals")


def dataset(evaluator: Any, rows: tuple[HostRow, ...] = ROWS) -> Any:
    cases = [
        evals.Case(name=str(i), inputs={"question": row.question, "row": i}, expected_output=row.golds)
        for i, row in enumerate(rows)
    ]
    return evals.Dataset(name="rows", cases=cases, evaluators=[evaluator])


def evaluated(evaluator: Any, rows: tuple[HostRow, ...] = ROWS) -> list[Any]:
    """The cases of the report, in order."""

    async def task(inputs: dict[str, Any]) -> str | None:
        return rows[inputs["row"]].prediction

    report = dataset(evaluator, rows).evaluate_sync(task, progress=False)
    assert not report.failures
    return sorted(report.cases, key=lambda case: int(case.name))


def test_a_report_has_score_assertion_reason_and_signature():
    cases = evaluated(integration.AnswerSimilarity("f1", THRESHOLD))
    assert [case.scores["f1"].value for case in cases] == pytest.approx(VALUES)
    assert [case.assertions["f1 equivalent"].value for case in cases] == PASSED
    assert {case.scores["f1"].evaluator_version for case in cases} == {F1}
    assert all(case.scores["f1"].reason.endswith(f"signature: {F1}") for case in cases)
    assert "nearest of 2 gold answers: 'Roma'" in cases[1].scores["f1"].reason


def test_without_a_verdict_there_is_no_assertion():
    (case,) = evaluated(integration.AnswerSimilarity("bleu"), ROWS[1:2])
    assert (case.scores["bleu"].value, case.assertions) == (pytest.approx(1.0), {})


def test_a_missing_prediction_scores_0_with_the_reason():
    (case,) = evaluated(integration.AnswerSimilarity("f1"), (ROWS[0]._replace(prediction=None),))
    assert case.scores["f1"].value == 0
    assert "there is no prediction" in case.scores["f1"].reason


def test_any_finite_score_is_passed_on():
    (case,) = evaluated(integration.AnswerSimilarity(Constant(1.5)), ROWS[:1])
    assert case.scores["constant"].value == 1.5


def test_a_score_that_is_nan_and_an_error_are_failures_of_their_case():
    (case,) = evaluated(integration.AnswerSimilarity(Constant(float("nan"))), ROWS[:1])
    assert case.scores == {}
    assert "NonFiniteScoreError" in case.evaluator_failures[0].error_message
    cases = evaluated(integration.AnswerSimilarity(Raising()), Raising.rows)
    assert [len(case.evaluator_failures) for case in cases] == [0, 1, 0]
    assert "this prediction is broken" in cases[1].evaluator_failures[0].error_message
    assert cases[0].scores["raising"].value == cases[2].scores["raising"].value == 0.5


def test_cancelling_an_evaluation_hangs_nothing():
    evaluator = integration.AnswerSimilarity(Slow(0.5))
    rows = tuple(ROWS[0]._replace(prediction=text) for text in ("slow", "fine"))

    async def task(inputs: dict[str, Any]) -> str | None:
        return rows[inputs["row"]].prediction

    async def cancelled() -> None:
        await asyncio.wait_for(dataset(evaluator, rows).evaluate(task, progress=False), 0.1)

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    assert [case.scores["slow"].value for case in evaluated(evaluator, rows)] == [0.5, 0.5]


def test_a_dataset_with_the_evaluator_is_stored_and_read(tmp_path):
    path = tmp_path / "rows.yaml"
    dataset(integration.AnswerSimilarity("f1", THRESHOLD)).to_file(path)
    found = evals.Dataset.from_file(path, custom_evaluator_types=[integration.AnswerSimilarity])
    assert found.evaluators == [integration.AnswerSimilarity("f1", THRESHOLD)]
    assert "threshold: 0.5" in path.read_text()


def test_an_unknown_metric_is_reported_before_any_case():
    with pytest.raises(LookupError, match="no metric is called 'f11'"):
        integration.AnswerSimilarity("f11")


def test_the_lines_of_the_page_work():
    rows = evals.Dataset(name="rows", cases=[evals.Case(inputs="Which city?", expected_output=["Rome", "Roma"])])
    found = pasted("pydantic-evals", dataset=rows, task=lambda question: "Roma")
    assert found["report"].cases[0].assertions["f1 equivalent"].value is True
