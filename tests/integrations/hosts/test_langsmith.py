"""langsmith and openevals: an experiment without a server, and the call of openevals."""

from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, ROWS, THRESHOLD, VALUES, Constant, HostRow, Raising, pasted

langsmith: Any = pytest.importorskip("langsmith", reason="needs langsmith")
integration: Any = import_module("answersim.integrations.langsmith")


def evaluated(evaluator: Any, rows: tuple[HostRow, ...] = ROWS) -> list[Any]:
    """The feedback of each row, in order."""
    schemas, uuid = import_module("langsmith.schemas"), import_module("uuid")
    examples = [
        schemas.Example(
            id=uuid.uuid4(),
            dataset_id=uuid.UUID(int=1),
            inputs={"question": row.question, "row": i},
            outputs={"answer": row.golds},
        )
        for i, row in enumerate(rows)
    ]
    client = langsmith.Client(api_url="http://127.0.0.1:1", api_key="key")
    results = langsmith.evaluate(
        lambda inputs: {"answer": rows[inputs["row"]].prediction},
        data=examples,
        evaluators=[evaluator],
        client=client,
        upload_results=False,
        max_concurrency=4,
    )
    found = sorted(results, key=lambda one: one["example"].inputs["row"])
    return [one["evaluation_results"]["results"][0] for one in found]


def test_an_experiment_has_score_verdict_reason_and_signature():
    found = evaluated(integration.evaluator("f1", threshold=THRESHOLD))
    assert [one.score for one in found] == pytest.approx(VALUES)
    assert [one.value for one in found] == [row.verdict for row in ROWS]
    assert {one.metadata["signature"] for one in found} == {F1}
    assert {one.key for one in found} == {"f1"}
    assert "nearest of 2 gold answers: 'Roma'" in found[1].comment


def test_a_missing_prediction_scores_0_with_the_reason():
    (found,) = evaluated(integration.evaluator("f1"), (ROWS[0]._replace(prediction=None),))
    assert found.score == 0
    assert "there is no prediction" in found.comment


def test_a_score_is_passed_on_or_clipped():
    found = [evaluated(integration.evaluator(Constant(1.5), limits=how), ROWS[:1])[0] for how in ("any", "clip")]
    assert [one.score for one in found] == [1.5, 1.0]


def test_an_error_is_that_of_its_row():
    found = evaluated(integration.evaluator(Raising()), Raising.rows)
    assert [one.score for one in found] == [0.5, None, 0.5]
    assert "this prediction is broken" in found[1].comment


def test_openevals_takes_the_evaluator_for_what_it_simulates():
    simulators = pytest.importorskip("openevals.simulators", reason="needs openevals")
    evaluator = integration.evaluator("f1", threshold=THRESHOLD, prediction="answer")

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


def test_the_lines_of_the_page_work():
    schemas, uuid = import_module("langsmith.schemas"), import_module("uuid")
    ids = {"id": uuid.uuid4(), "dataset_id": uuid.UUID(int=1)}
    example = schemas.Example(**ids, inputs={"question": "Which city?"}, outputs={"answers": ["Rome", "Roma"]})
    client = langsmith.Client(api_url="http://127.0.0.1:1", api_key="key")
    named = SimpleNamespace(evaluate=partial(langsmith.evaluate, client=client))
    found = pasted("langsmith and openevals", langsmith=named, data=[example], target=lambda inputs: {"answer": "Roma"})
    (row,) = found["results"]
    assert row["evaluation_results"]["results"][0].value == "equivalent"
