"""langfuse: ``run_experiment`` with an evaluator of answersim, without a server."""

from importlib import import_module
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, ROWS, THRESHOLD, VALUES, Constant, HostRow, Raising, pasted

langfuse: Any = pytest.importorskip("langfuse", reason="needs langfuse")
integration: Any = import_module("answersim.integrations.langfuse")


def evaluated(evaluator: Any, rows: tuple[HostRow, ...] = ROWS) -> list[dict[str, Any]]:
    """The evaluations of each row by name, in order."""
    client = langfuse.Langfuse(public_key="pk", secret_key="sk", host="http://127.0.0.1:1", tracing_enabled=False)
    data = [{"input": {"question": row.question, "row": i}, "expected_output": row.golds} for i, row in enumerate(rows)]

    def task(*, item: dict[str, Any], **_: Any) -> str:
        return rows[item["input"]["row"]].prediction

    result = client.run_experiment(name="rows", data=data, task=task, evaluators=[evaluator])
    found = sorted(result.item_results, key=lambda one: one.item["input"]["row"])
    return [{evaluation.name: evaluation for evaluation in one.evaluations} for one in found]


def test_an_experiment_has_score_verdict_reason_and_signature():
    found = evaluated(integration.evaluator("f1", threshold=THRESHOLD))
    assert [row["f1"].value for row in found] == pytest.approx(VALUES)
    assert [row["f1_verdict"].value for row in found] == [row.verdict for row in ROWS]
    assert {row["f1_verdict"].data_type for row in found} == {"CATEGORICAL"}
    assert {row["f1"].metadata["signature"] for row in found} == {F1}
    assert "nearest of 2 gold answers: 'Roma'" in found[1]["f1"].comment


def test_a_missing_prediction_scores_0_with_the_reason():
    (found,) = evaluated(integration.evaluator("f1"), (ROWS[0]._replace(prediction=None),))
    assert found["f1"].value == 0
    assert "there is no prediction" in found["f1"].comment


def test_a_score_is_passed_on_or_clipped():
    values = [
        evaluated(integration.evaluator(Constant(1.5), limits=limits), ROWS[:1])[0]["constant"].value
        for limits in ("any", "clip")
    ]
    assert values == [1.5, 1.0]


def test_an_error_leaves_out_the_score_of_its_row_only():
    found = evaluated(integration.evaluator(Raising()), Raising.rows)
    assert [row["raising"].value if row else None for row in found] == [0.5, None, 0.5]


def test_the_lines_of_the_page_work():
    client = langfuse.Langfuse(public_key="pk", secret_key="sk", host="http://127.0.0.1:1", tracing_enabled=False)
    data = [{"input": "Which city?", "expected_output": ["Rome", "Roma"]}]
    found = pasted("langfuse", langfuse=client, data=data, task=lambda *, item, **_: "Roma")
    assert [one.value for one in found["result"].item_results[0].evaluations] == [1.0, "equivalent"]
