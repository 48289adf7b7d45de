"""What only one of the evaluation libraries does; what all of them share is tested by ``test_rows``."""

import asyncio
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.integrations.evaluators import hf_evaluate
from tests.integrations.hosts import calls
from tests.integrations.hosts.contract import F1, ROWS, THRESHOLD, VALUES, Constant, Slow

GOLDS, PREDICTIONS = ["Rome", "eleven", "cortex"], ["in Rome", "11", "the cortex"]
SLOW = tuple(ROWS[0]._replace(prediction=text) for text in ("slow", "fine"))


def needs(library: str) -> Any:
    return pytest.importorskip(library, reason=f"needs {library}")


def test_autoevals_itself_refuses_a_score_outside_0_to_1() -> None:
    needs("autoevals")
    (seen,) = calls.autoevals(ROWS[:1], Constant(1.5), limits="any")
    assert "must be between 0 and 1" in seen.error


def test_deepeval_decides_by_the_calibration_if_there_is_no_threshold() -> None:
    deepeval = needs("deepeval")
    metric = calls.integration("evaluators.deepeval").AnswerSimilarity("typed+recall")
    deepeval.assert_test(calls.deepeval_case(ROWS[1]), [metric])
    with pytest.raises(AssertionError, match=r"typed.recall .answersim. .*probability"):
        deepeval.assert_test(calls.deepeval_case(ROWS[4]), [metric])
    (result,) = calls.deepeval_data(metric, ROWS[1:2])
    calibrated = answersim.score("Rome", "Rome", "typed+recall", calibration="shipped")
    assert 0 < result.threshold < float(calibrated)
    assert [entry.verdict for entry in calls.deepeval((ROWS[1], ROWS[4]), "em")] == [True, False]


def test_a_timeout_of_deepeval_hangs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("deepeval")
    monkeypatch.setenv("DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE", "0.5")
    (seen,) = calls.deepeval(SLOW[:1], Slow(2.0), True, threshold=THRESHOLD)
    assert (seen.value, "Timed out" in seen.error) == (None, True)
    monkeypatch.delenv("DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE")
    assert [entry.value for entry in calls.deepeval(SLOW, Slow(2.0), True, threshold=THRESHOLD)] == [0.5, 0.5]


def test_a_case_of_deepeval_without_gold_answers_lacks_a_parameter() -> None:
    deepeval = needs("deepeval")
    case = deepeval.test_case.LLMTestCase(input="Which city?", actual_output="Rome")
    with pytest.raises(import_module("deepeval.errors").MissingTestCaseParamsError, match="expected_output"):
        calls.integration("evaluators.deepeval").AnswerSimilarity("f1").measure(case)


def test_an_optimizer_of_dspy_bootstraps_from_the_rows_that_pass() -> None:
    dspy, ours = needs("dspy"), calls.integration("frameworks.dspy")
    with dspy.context(lm=dspy.utils.DummyLM([{"answer": row.prediction} for row in ROWS])):
        optimizer = dspy.BootstrapFewShot(
            metric=ours.metric("f1", threshold=THRESHOLD), max_bootstrapped_demos=5, max_labeled_demos=0
        )
        program = optimizer.compile(dspy.Predict("question, row -> answer"), trainset=calls.dspy_examples(ROWS))
    assert [demo.answer for demo in program.demos] == [row.prediction for row in ROWS if row.verdict == "equivalent"]


def test_gepa_of_dspy_gets_the_reason_as_feedback() -> None:
    dspy, ours = needs("dspy"), calls.integration("frameworks.dspy")
    metric, examples = ours.feedback_metric("f1", threshold=THRESHOLD), calls.dspy_examples(ROWS)
    adapter = import_module("dspy.teleprompt.gepa.gepa_utils").DspyAdapter(
        student_module=dspy.Predict("question, row -> answer"), metric_fn=metric, feedback_map={}, failure_score=0.0
    )
    with dspy.context(lm=dspy.utils.DummyLM([{"answer": row.prediction} for row in ROWS])):
        batch = adapter.evaluate(examples, {"self": "Answer."}, capture_traces=False)
    assert [getattr(score, "score", score) for score in batch.scores] == pytest.approx(VALUES)
    dspy.GEPA(metric=metric, max_metric_calls=1, reflection_lm=dspy.utils.DummyLM([{}]))  # it takes the metric
    total = dspy.Evaluate(devset=examples, metric=metric)(calls.dspy_program(ROWS)).score  # and so does Evaluate
    assert total == pytest.approx(100 * sum(VALUES) / len(VALUES), abs=0.005)


def test_the_outputs_of_haystack_are_those_of_a_run_result() -> None:
    needs("haystack")
    data = calls.haystack_data(ROWS)
    completed = calls.haystack_pipeline("f1", threshold=THRESHOLD).run({"metric": data})
    result = import_module("haystack.evaluation").EvaluationRunResult("run", data, completed)
    assert result.detailed_report()["metric"] == pytest.approx(VALUES)
    assert completed["metric"]["counting"] == "an answer is right from the given threshold on, f1 0.5, and wrong below"


def test_rows_of_haystack_that_do_not_match_and_a_metric_without_a_name_are_refused() -> None:
    needs("haystack")
    evaluator = calls.integration("frameworks.haystack").AnswerSimilarityEvaluator
    for golds, preds in ((["Rome"], []), ([], []), (["Rome"], ["Rome", "Milan"])):
        with pytest.raises(ValueError, match=r"give (one of each per row|at least one row)"):
            evaluator("f1").run(ground_truth_answers=golds, predicted_answers=preds)
    with pytest.raises(TypeError, match="a pipeline can store names only"):
        evaluator(Constant(1.0))


def test_evaluate_adds_batches_up_and_takes_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = needs("evaluate")
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", tmp_path / "metrics")
    metric = evaluate.load(hf_evaluate.folder(), "f1", cache_dir=str(tmp_path))
    for gold, prediction in zip(GOLDS, PREDICTIONS, strict=True):
        metric.add_batch(predictions=[prediction], references=[gold])
    assert metric.compute()["f1"] == pytest.approx(answersim.score(GOLDS, PREDICTIONS, "f1").mean)
    default = evaluate.load(hf_evaluate.folder(), cache_dir=str(tmp_path))
    result = default.compute(predictions=["NFL"], references=[["League", "the NFL"]], metric="em")
    assert (result["em"], result["verdicts"], result["equivalent"]) == (1.0, ["equivalent"], 1.0)


def test_the_function_of_evaluate_states_how_to_get_verdicts_and_refuses_rows_that_do_not_match() -> None:
    result = hf_evaluate.compute(PREDICTIONS, GOLDS, metric="bleu")
    assert (result["verdicts"], result["equivalent"], "To count them" in result["counting"]) == (None, None, True)
    questions = ["Which?", "How many?", ""]
    assert hf_evaluate.compute(PREDICTIONS, GOLDS, metric="f1", questions=questions)["signature"] == F1
    with pytest.raises(ValueError, match="there are no predictions"):
        hf_evaluate.compute([], [], metric="f1")
    with pytest.raises(ValueError, match="there are 2 gold answers, 3 predictions"):
        hf_evaluate.compute(PREDICTIONS, GOLDS[:2], metric="f1")


def test_the_module_of_evaluate_prints_the_folder() -> None:
    command = [sys.executable, "-m", "answersim.integrations.evaluators.hf_evaluate"]
    folder = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    assert (folder / f"{folder.name}.py").is_file()


def test_openevals_takes_the_evaluator_of_langsmith_for_what_it_simulates() -> None:
    simulators = needs("openevals.simulators")
    evaluator = calls.integration("tracking.langsmith").evaluator("f1", threshold=THRESHOLD, prediction="answer")

    def judged(*, outputs: Any, reference_outputs: Any, **given: Any) -> Any:
        return evaluator(outputs={"answer": outputs[-1]["content"]}, reference_outputs=reference_outputs, **given)

    result = simulators.run_multiturn_simulation(
        app=lambda message, **_: {"role": "assistant", "content": "in Rome"},
        user=["Which city?"],
        max_turns=1,
        trajectory_evaluators=[judged],
        reference_outputs={"answer": ["Rome", "Roma"]},
    )
    (feedback,) = result["evaluator_results"]
    assert (feedback["key"], feedback["score"]) == ("f1", pytest.approx(2 / 3))
    assert feedback["metadata"]["signature"] == F1


def test_a_score_of_pydantic_evals_that_is_nan_is_a_failure_of_its_case() -> None:
    needs("pydantic_evals")
    (seen,) = calls.pydantic_evals_report(ROWS[:1], Constant(float("nan")))
    assert (seen.value, "NonFiniteScoreError" in seen.error) == (None, True)


def test_cancelling_an_evaluation_of_pydantic_evals_hangs_nothing() -> None:
    needs("pydantic_evals")
    evaluator = calls.integration("evaluators.pydantic_evals").AnswerSimilarity(Slow(0.5))

    async def task(inputs: dict[str, Any]) -> str:
        return SLOW[inputs["row"]].prediction

    async def evaluation() -> None:
        await asyncio.wait_for(calls.pydantic_dataset(evaluator, SLOW).evaluate(task, progress=False), 0.1)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(evaluation())
    assert [row.value for row in calls.pydantic_evals_report(SLOW, Slow(0.5))] == [0.5, 0.5]


def test_a_dataset_of_pydantic_evals_is_stored_with_its_evaluator(tmp_path: Path) -> None:
    evals, ours = needs("pydantic_evals"), calls.integration("evaluators.pydantic_evals").AnswerSimilarity
    path, evaluator = tmp_path / "rows.yaml", ours("f1", THRESHOLD)
    calls.pydantic_dataset(evaluator, ROWS).to_file(path)
    result = evals.Dataset.from_file(path, custom_evaluator_types=[ours])
    assert result.evaluators == [evaluator]
    assert "threshold: 0.5" in path.read_text()
    with pytest.raises(LookupError, match="no metric is called 'f11'"):
        ours("f11")


def test_ragas_itself_drops_a_score_outside_0_to_1() -> None:
    needs("ragas")
    (seen,) = calls.ragas(ROWS[:1], Constant(1.5), limits="any")
    assert seen.value is None


async def cancelled(call: Any) -> Any:
    """What a call returns after another one was cancelled."""
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(call("slow"), 0.05)
    return await call("fine")


def test_a_cancelled_call_of_autoevals_hangs_nothing() -> None:
    needs("autoevals")
    scorer = calls.integration("evaluators.autoevals").AnswerSimilarity(Slow(0.5))
    assert asyncio.run(cancelled(lambda text: scorer.eval_async(text, "gold"))).score == 0.5


def test_a_cancelled_call_of_ragas_hangs_nothing() -> None:
    needs("ragas")
    metric = calls.integration("evaluators.ragas").metric(Slow(0.5))
    assert asyncio.run(cancelled(lambda text: metric.ascore(response=text, reference="gold"))).value == 0.5
