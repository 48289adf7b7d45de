"""lighteval: a custom task through its pipeline, with answers that a model gave before."""

import json
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, PASSED, ROWS, THRESHOLD, VALUES, Constant, Raising, of_encoder, pasted

pytest.importorskip("lighteval", reason="needs lighteval")
integration: Any = import_module("answersim.integrations.lighteval")


def doc(row: Any, task: str = "rows") -> Any:
    requests = import_module("lighteval.tasks.requests")
    return requests.Doc(
        query=f"Q: {row.question} A:",
        choices=row.listed,
        gold_index=list(range(len(row.listed))),
        task_name=task,
        specific={"question": row.question},
    )


def computed(metric: Any, rows: Any = ROWS) -> list[float]:
    """What lighteval makes of a metric, a number a document."""
    output = import_module("lighteval.models.model_output")
    responses = [output.ModelResponse(text=[row.prediction]) for row in rows]
    found = import_module("lighteval.metrics").apply_metric(responses, [doc(row) for row in rows], [metric])
    return [row[metric.metric_name] for row in found]


def test_a_pipeline_has_score_verdict_and_signature(tmp_path, monkeypatch):
    tasks, pipeline = import_module("lighteval.tasks.lighteval_task"), import_module("lighteval.pipeline")
    tracking = import_module("lighteval.logging.evaluation_tracker")
    dummy = import_module("lighteval.models.dummy.dummy_model")
    recorded: Any = dummy.DummyModel
    output = import_module("lighteval.models.model_output")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    registry = import_module("lighteval.tasks.registry").Registry
    for loader in ("_load_from_files", "_load_from_subdirs"):  # one of lighteval's own tasks downloads when imported
        monkeypatch.setattr(registry, loader, lambda *_: {})
    data = tmp_path / "data"
    data.mkdir()
    lines = [json.dumps(row._asdict() | {"golds": row.listed}) for row in ROWS]
    (data / "test.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def prompt(line: dict[str, Any], task_name: str) -> Any:
        return doc(
            ROWS[0]._replace(question=line["question"], golds=line["golds"], prediction=line["prediction"]), task_name
        )

    class Recorded(recorded):
        def greedy_until(self, docs: list[Any]) -> list[Any]:
            return [output.ModelResponse(text=[row.prediction]) for row in ROWS]

    module = ModuleType("rows_of_answersim")
    module.TASKS_TABLE = [
        tasks.LightevalTaskConfig(
            name="rows",
            prompt_function=prompt,
            hf_repo=str(data),
            hf_subset="default",
            hf_avail_splits=["test"],
            evaluation_splits=["test"],
            metrics=integration.metrics("f1", threshold=THRESHOLD),
            generation_size=10,
        )
    ]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    tracker = tracking.EvaluationTracker(output_dir=str(tmp_path / "out"))
    run = pipeline.Pipeline(
        tasks="rows|0",
        pipeline_parameters=pipeline.PipelineParameters(
            launcher_type=pipeline.ParallelismManager.NONE, custom_tasks_directory=module.__name__, bootstrap_iters=0
        ),
        evaluation_tracker=tracker,
        model=Recorded(dummy.DummyModelConfig(cache_dir=str(tmp_path / "cache"))),
    )
    run.evaluate()
    (found,) = {name: values for name, values in run.get_results()["results"].items() if name != "all"}.values()
    assert found["f1"] == pytest.approx(sum(VALUES) / len(VALUES))
    assert found["f1_equivalent"] == sum(PASSED) / len(PASSED)
    run.save_and_push_results()
    (stored,) = (tmp_path / "out").rglob("results_*.json")
    assert f"score of {F1}" in stored.read_text(encoding="utf-8")


def test_each_document_has_its_score_and_its_verdict():
    score, verdict = integration.metrics("f1", threshold=THRESHOLD)
    assert computed(score) == pytest.approx(VALUES)
    assert computed(verdict) == [float(passed) for passed in PASSED]
    assert str(score.sample_level_fn) == f"answersim, score of {F1}"


def test_an_encoder_scores_the_documents_as_the_package_does():
    score, _ = integration.metrics("bertscore-names", threshold=THRESHOLD)  # it reads no question
    assert computed(score) == of_encoder("bertscore-names")


def test_of_several_generations_the_mean_counts():
    output = import_module("lighteval.models.model_output")
    responses = [output.ModelResponse(text=["Rome", "Milan"]), output.ModelResponse(text=["in Rome"])]
    score, _ = integration.metrics("f1")
    found = import_module("lighteval.metrics").apply_metric(responses, [doc(ROWS[0])] * 2, [score])
    assert [row["f1"] for row in found] == pytest.approx([0.5, 2 / 3])


def test_without_a_verdict_it_is_nan_and_limits_are_those_of_the_scorer():
    score, verdict = integration.metrics(Constant(1.5), limits="clip")
    assert computed(score) == [1.0] * len(ROWS)
    assert all(value != value for value in computed(verdict))


def test_an_error_names_the_cause_and_the_next_call_works():
    score, _ = integration.metrics(Raising())
    with pytest.raises(RuntimeError, match="this prediction is broken"):
        computed(score, [ROWS[0]._replace(prediction="broken")])
    assert computed(score) == [0.5] * len(ROWS)


def test_the_lines_of_the_page_work():
    tasks = import_module("lighteval.tasks.lighteval_task")
    found = pasted("lighteval", LightevalTaskConfig=tasks.LightevalTaskConfig, prompt=doc, repo="rows")
    score, _ = found["TASKS_TABLE"][0].metrics
    assert computed(score) == pytest.approx(VALUES)
