"""dspy: ``Evaluate``, an optimizer and GEPA with metrics of answersim, without a language model."""

from importlib import import_module
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, ROWS, THRESHOLD, VALUES, Constant, Raising, pasted

dspy: Any = pytest.importorskip("dspy", reason="needs dspy")
integration: Any = import_module("answersim.integrations.dspy")

EXAMPLES = [
    dspy.Example(question=row.question, row=i, answer=row.golds).with_inputs("question", "row")
    for i, row in enumerate(ROWS)
]


class Program(dspy.Module):  # type: ignore[misc] # the library is not there for mypy
    """Answers what the rows contain."""

    def forward(self, question: str, row: int) -> Any:
        return dspy.Prediction(answer=ROWS[row].prediction)


def evaluated(metric: Any, program: Any = None, **given: Any) -> Any:
    return dspy.Evaluate(devset=EXAMPLES, metric=metric, num_threads=4, **given)(program or Program())


def test_evaluate_has_the_scores_in_percent_and_by_row():
    metric = integration.metric("f1", threshold=THRESHOLD)
    found = evaluated(metric)
    assert found.score == pytest.approx(100 * sum(VALUES) / len(VALUES), abs=0.005)
    assert [score for _, _, score in found.results] == pytest.approx(VALUES)
    assert metric.signature == F1


def test_with_a_trace_it_is_a_verdict():
    metric = integration.metric("f1", threshold=THRESHOLD)
    program = Program()
    for i, (example, row) in enumerate(zip(EXAMPLES, ROWS, strict=True)):
        assert metric(example, program(question=row.question, row=i), trace=[]) is (row.verdict == "equivalent")
    with pytest.raises(ValueError, match=r"needs a yes or no, but no calibration .*threshold="):
        integration.metric("bleu")(EXAMPLES[0], program(question="", row=0), trace=[])


def test_an_optimizer_bootstraps_from_the_rows_that_pass():
    lm = dspy.utils.DummyLM([{"answer": row.prediction} for row in ROWS])
    with dspy.context(lm=lm):
        optimizer = dspy.BootstrapFewShot(
            metric=integration.metric("f1", threshold=THRESHOLD), max_bootstrapped_demos=5, max_labeled_demos=0
        )
        program = optimizer.compile(dspy.Predict("question, row -> answer"), trainset=EXAMPLES)
    assert [demo.answer for demo in program.demos] == [row.prediction for row in ROWS if row.verdict == "equivalent"]


def test_gepa_gets_the_reason_as_feedback():
    utils = import_module("dspy.teleprompt.gepa.gepa_utils")
    metric = integration.feedback_metric("f1", threshold=THRESHOLD)
    feedback = metric(EXAMPLES[1], dspy.Prediction(answer="in Roma"), None, "self", None)
    assert feedback.score == pytest.approx(2 / 3)
    assert "nearest of 2 gold answers: 'Roma'" in feedback.feedback
    assert feedback.signature == F1
    student = dspy.Predict("question, row -> answer")
    adapter = utils.DspyAdapter(student_module=student, metric_fn=metric, feedback_map={}, failure_score=0.0)
    with dspy.context(lm=dspy.utils.DummyLM([{"answer": row.prediction} for row in ROWS])):
        batch = adapter.evaluate(EXAMPLES, {"self": "Answer."}, capture_traces=False)
    assert [getattr(score, "score", score) for score in batch.scores] == pytest.approx(VALUES)
    dspy.GEPA(metric=metric, max_metric_calls=1, reflection_lm=dspy.utils.DummyLM([{}]))  # it takes the metric


def test_evaluate_takes_the_metric_with_feedback_too():
    assert evaluated(integration.feedback_metric("f1")).score == pytest.approx(100 * sum(VALUES) / 5, abs=0.005)


def test_a_missing_prediction_scores_0_and_limits_are_those_of_the_scorer():
    assert integration.metric("f1")(EXAMPLES[0], dspy.Prediction(answer=None)) == 0
    assert integration.metric(Constant(1.5), limits="clip")(EXAMPLES[0], dspy.Prediction(answer="x")) == 1


def test_an_error_is_the_failure_of_its_row():
    class Broken(Program):
        def forward(self, question: str, row: int) -> Any:
            return dspy.Prediction(answer="broken" if row == 1 else "fine")

    found = evaluated(integration.metric(Raising()), Broken(), failure_score=0.0, max_errors=5)
    assert [score for _, _, score in found.results] == [0.5, 0, 0.5, 0.5, 0.5]


def test_the_lines_of_the_page_work():
    found = pasted("dspy", dspy=dspy, devset=EXAMPLES, program=Program(), lm=dspy.utils.DummyLM([{}]))
    assert found["score"].score == pytest.approx(100 * sum(VALUES) / 5, abs=0.005)
