"""deepeval: ``evaluate`` and ``assert_test`` with a metric of answersim."""

from importlib import import_module
from typing import Any

import pytest

import answersim
from tests.integrations.hosts.contract import F1, PASSED, ROWS, THRESHOLD, VALUES, Constant, Raising, Slow, pasted

deepeval: Any = pytest.importorskip("deepeval", reason="needs deepeval")
integration: Any = import_module("answersim.integrations.deepeval")


def test_case(row):
    more = {"golds": row.listed[1:]} if row.listed[1:] else None
    return deepeval.test_case.LLMTestCase(
        input=row.question, actual_output=row.prediction, expected_output=row.listed[0], metadata=more
    )


test_case.__test__ = False  # type: ignore[attr-defined]


def evaluated(metric: Any, cases: list[Any], **config: Any) -> list[Any]:
    """The metric data of each case, in order, from deepeval's own entry point."""
    configs = import_module("deepeval.evaluate.configs")
    result = deepeval.evaluate(
        cases,
        [metric],
        display_config=configs.DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=configs.CacheConfig(write_cache=False),
        error_config=configs.ErrorConfig(ignore_errors=config.pop("ignore_errors", False)),
        async_config=configs.AsyncConfig(**config),
    )
    found = sorted(result.test_results, key=lambda one: one.index)
    return [one.metrics_data[0] for one in found]


@pytest.mark.parametrize("run_async", [True, False])
def test_evaluate_shows_score_success_reason_and_signature(run_async):
    metric = integration.AnswerSimilarity("f1", THRESHOLD)
    found = evaluated(metric, [test_case(row) for row in ROWS], run_async=run_async)
    assert [one.score for one in found] == pytest.approx(VALUES)
    assert [one.success for one in found] == PASSED
    assert {one.evaluation_model for one in found} == {F1}
    assert {one.name for one in found} == {"f1 (answersim)"}
    assert all(one.reason.endswith(f"signature: {F1}") for one in found)
    assert "nearest of 2 gold answers: 'Roma'" in found[1].reason


def test_a_missing_prediction_scores_0_with_the_reason():
    case = deepeval.test_case.LLMTestCase(input="Which city?", actual_output=None, expected_output="Rome")
    (found,) = evaluated(integration.AnswerSimilarity("f1"), [case])
    assert (found.score, found.success) == (0, False)
    assert "there is no prediction" in found.reason


@pytest.mark.parametrize(("value", "clipped"), [(1.5, 1.0), (-0.5, 0.0)])
def test_a_score_outside_0_to_1_is_clipped_and_the_verdict_is_of_the_raw_score(value, clipped):
    (found,) = evaluated(integration.AnswerSimilarity(Constant(value), 0.0), [test_case(ROWS[0])])
    assert found.score == clipped
    assert found.success == (value >= 0)
    assert f"clipped from {value:.4f}" in found.reason


def test_without_a_threshold_the_calibration_decides():
    metric = integration.AnswerSimilarity("f1")
    deepeval.assert_test(test_case(ROWS[1]), [metric])
    with pytest.raises(AssertionError, match=r"f1 .answersim. .*probability"):
        deepeval.assert_test(test_case(ROWS[4]), [metric])
    (found,) = evaluated(metric, [test_case(ROWS[1])])
    calibration = answersim.score("Rome", "Rome", "f1", calibration="shipped")
    assert 0 < found.threshold < calibration


def test_scores_of_0_and_1_need_no_threshold_and_other_scores_do():
    found = evaluated(integration.AnswerSimilarity("em"), [test_case(row) for row in (ROWS[1], ROWS[4])])
    assert [one.success for one in found] == [True, False]
    with pytest.raises(ValueError, match="'threshold'"):
        evaluated(integration.AnswerSimilarity("bleu"), [test_case(ROWS[1])])


def test_an_error_is_that_of_its_case():
    metric = integration.AnswerSimilarity(Raising(), THRESHOLD)
    found = evaluated(metric, [test_case(row) for row in Raising.rows], ignore_errors=True)
    assert [one.score for one in found] == [0.5, None, 0.5]
    assert "this prediction is broken" in found[1].error
    assert found[1].success is False


def test_a_timeout_of_the_host_loses_no_other_case_and_hangs_nothing(monkeypatch):
    monkeypatch.setenv("DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE", "0.5")
    metric = integration.AnswerSimilarity(Slow(2.0), THRESHOLD)
    cases = [test_case(ROWS[0]._replace(prediction=text)) for text in ("fine", "slow")]
    first, second = evaluated(metric, [cases[0]]), evaluated(metric, [cases[1]], ignore_errors=True)
    assert first[0].score == 0.5
    assert second[0].score is None
    assert "Timed out" in second[0].error
    monkeypatch.delenv("DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE")
    (again,) = evaluated(metric, [cases[1]])
    assert again.score == 0.5


def test_a_case_without_gold_answers_lacks_a_parameter():
    errors = import_module("deepeval.errors")
    case = deepeval.test_case.LLMTestCase(input="Which city?", actual_output="Rome")
    with pytest.raises(errors.MissingTestCaseParamsError, match="expected_output"):
        integration.AnswerSimilarity("f1").measure(case)


def test_the_lines_of_the_page_work():
    found = pasted("deepeval", deepeval=deepeval, test_cases=[test_case(ROWS[1])])
    assert found["result"].test_results[0].success is True
