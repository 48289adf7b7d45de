"""haystack: a pipeline with an evaluator of answersim, stored, loaded and run."""

import asyncio
from importlib import import_module
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, ROWS, THRESHOLD, VALUES, Constant, pasted

haystack: Any = pytest.importorskip("haystack", reason="needs haystack-ai")
integration: Any = import_module("answersim.integrations.haystack")

DATA = {
    "ground_truth_answers": [row.golds for row in ROWS],
    "predicted_answers": [row.prediction for row in ROWS],
    "questions": [row.question for row in ROWS],
}


def pipeline(evaluator: Any) -> Any:
    made = haystack.Pipeline()
    made.add_component("f1", evaluator)
    return made


def check(found: dict[str, Any]) -> None:
    assert found["individual_scores"] == pytest.approx(VALUES)
    assert found["score"] == pytest.approx(sum(VALUES) / len(VALUES))
    assert found["verdicts"] == [row.verdict for row in ROWS]
    assert found["signature"] == F1
    assert found["counting"] == "an answer is right from the given threshold on, f1 0.5, and wrong below"
    assert "nearest of 2 gold answers: 'Roma'" in found["reasons"][1]


def test_a_pipeline_returns_score_individual_scores_verdicts_reasons_and_signature():
    check(pipeline(integration.AnswerSimilarityEvaluator("f1", threshold=THRESHOLD)).run({"f1": DATA})["f1"])


def test_an_asynchronous_pipeline_returns_the_same():
    made = pipeline(integration.AnswerSimilarityEvaluator("f1", threshold=THRESHOLD))
    check(asyncio.run(made.run_async({"f1": DATA}))["f1"])


def test_a_stored_pipeline_returns_the_same():
    text = pipeline(integration.AnswerSimilarityEvaluator("f1", threshold=THRESHOLD)).dumps()
    assert "answersim.integrations.haystack.AnswerSimilarityEvaluator" in text
    check(haystack.Pipeline.loads(text, allowed_modules=["answersim.integrations.haystack"]).run({"f1": DATA})["f1"])


def test_the_result_is_a_run_result_of_haystack():
    found = pipeline(integration.AnswerSimilarityEvaluator("f1")).run({"f1": DATA})
    result = import_module("haystack.evaluation").EvaluationRunResult("run", DATA, found)
    assert result.aggregated_report()["score"] == pytest.approx([sum(VALUES) / len(VALUES)])
    assert result.detailed_report()["f1"] == pytest.approx(VALUES)


def test_a_missing_prediction_scores_0_with_the_reason():
    evaluator = integration.AnswerSimilarityEvaluator("f1")
    found = evaluator.run(ground_truth_answers=["Rome", "Rome"], predicted_answers=[None, "Rome"])
    assert found["individual_scores"] == [0.0, 1.0]
    assert "there is no prediction" in found["reasons"][0]


def test_rows_that_do_not_match_are_refused():
    evaluator = integration.AnswerSimilarityEvaluator("f1")
    for golds, preds in ((["Rome"], []), ([], []), (["Rome"], ["Rome", "Milan"])):
        with pytest.raises(ValueError, match=r"give (one of each per row|at least one row)"):
            evaluator.run(ground_truth_answers=golds, predicted_answers=preds)


def test_a_metric_without_a_name_cannot_be_stored():
    with pytest.raises(TypeError, match="a pipeline can store names only"):
        integration.AnswerSimilarityEvaluator(Constant(1.0))


def test_limits_are_those_of_the_scorer():
    evaluator = integration.AnswerSimilarityEvaluator("f1", limits="clip")
    evaluator.scorer = type(evaluator.scorer)(Constant(1.5), limits="clip")
    assert evaluator.run(ground_truth_answers=["Rome"], predicted_answers=["x"])["individual_scores"] == [1.0]


def test_an_error_reaches_the_caller_and_the_next_run_works():
    made = pipeline(integration.AnswerSimilarityEvaluator("f1", missing="refuse", threshold=THRESHOLD))
    broken = DATA | {"predicted_answers": [None] * len(ROWS)}
    with pytest.raises(Exception, match="the prediction is None"):
        made.run({"f1": broken})
    check(made.run({"f1": DATA})["f1"])


def test_the_lines_of_the_page_work():
    names = {"golds": DATA["ground_truth_answers"], "preds": DATA["predicted_answers"]}
    check(pasted("haystack", pipeline=haystack.Pipeline(), **names)["result"]["f1"])
