"""mlflow: ``genai.evaluate`` with a scorer, ``models.evaluate`` with a metric."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, PASSED, ROWS, THRESHOLD, VALUES, Constant, HostRow, Raising, pasted

mlflow: Any = pytest.importorskip("mlflow", reason="needs mlflow")
pandas: Any = pytest.importorskip("pandas")
integration: Any = import_module("answersim.integrations.mlflow")


@pytest.fixture(scope="module", autouse=True)
def _store(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One store for all tests, because mlflow takes seconds to make one."""
    folder: Path = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("hosts", artifact_location=folder.as_uri()))


def evaluated(scorer: Any, rows: Sequence[HostRow] = ROWS) -> Any:
    data = [
        {
            "inputs": {"question": row.question, "row": i},
            "outputs": row.prediction,
            "expectations": {"expected_response": row.golds},
        }
        for i, row in enumerate(rows)
    ]
    return mlflow.genai.evaluate(data=data, scorers=[scorer])


def feedback(result: Any, name: str) -> list[Any]:
    """The feedback of this name in the traces, in the order of the rows."""
    found = {}
    for trace in result.result_df["trace"]:
        trace = trace if hasattr(trace, "info") else mlflow.entities.Trace.from_json(trace)
        row = import_module("json").loads(trace.data.request)["row"]
        found[row] = [one for one in trace.info.assessments if one.name == name]
    return [one for row in sorted(found) for one in found[row]]


def test_evaluate_logs_score_verdict_reason_and_signature():
    result = evaluated(integration.scorer("f1", threshold=THRESHOLD))
    scores, verdicts = feedback(result, "f1"), feedback(result, "f1_equivalent")
    assert [one.value for one in scores] == pytest.approx(VALUES)
    assert [one.value for one in verdicts] == PASSED
    assert result.metrics["f1/mean"] == pytest.approx(sum(VALUES) / len(VALUES))
    assert result.metrics["f1_equivalent/mean"] == sum(PASSED) / len(PASSED)
    assert {one.metadata["signature"] for one in scores} == {F1}
    assert scores[1].metadata["gold"] == "Roma"
    assert "nearest of 2 gold answers: 'Roma'" in scores[1].rationale


def test_an_error_is_that_of_its_row():
    scores = feedback(evaluated(integration.scorer(Raising()), Raising.rows), "raising")
    assert [one.value for one in scores] == [0.5, None, 0.5]
    assert "this prediction is broken" in scores[1].error.error_message


def test_a_score_is_passed_on_clipped_or_refused():
    found = {
        limits: feedback(evaluated(integration.scorer(Constant(1.5), limits=limits), ROWS[:1]), "constant")[0]
        for limits in ("any", "clip", "refuse")
    }
    assert [found["any"].value, found["clip"].value, found["refuse"].value] == [1.5, 1.0, None]
    assert "accepts scores from 0 to 1 only" in found["refuse"].error.error_message


def test_the_metric_of_models_evaluate_has_a_row_a_prediction_and_aggregates():
    table = pandas.DataFrame(
        {
            "question": [row.question for row in ROWS],
            "gold": [row.golds if isinstance(row.golds, str) else tuple(row.golds) for row in ROWS],
            "pred": [row.prediction for row in ROWS],
        }
    )
    metric = integration.make_metric("f1", question="question")
    assert metric.metric_metadata["signature"] == F1
    with mlflow.start_run():
        result = mlflow.models.evaluate(
            data=table, predictions="pred", targets="gold", extra_metrics=[metric], evaluators="default"
        )
    assert result.metrics["f1/mean"] == pytest.approx(sum(VALUES) / len(VALUES))
    rows = result.tables["eval_results_table"]
    assert rows["f1/score"].tolist() == pytest.approx(VALUES)
    assert all(reason.endswith(f"signature: {F1}") for reason in rows["f1/justification"])


def test_the_lines_of_the_page_work(capsys):
    row = {
        "inputs": {"question": "Which city?"},
        "outputs": "Roma",
        "expectations": {"expected_response": ["Rome", "Roma"]},
    }
    pasted("mlflow", mlflow=mlflow, data=[row])
    assert "1.0 1.0" in capsys.readouterr().out
