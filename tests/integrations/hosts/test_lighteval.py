"""What only lighteval does: a custom task through its pipeline, with recorded answers, and several generations."""

import json
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from tests.integrations.hosts.calls import lighteval_document
from tests.integrations.hosts.contract import F1, PASSED, ROWS, THRESHOLD, VALUES, HostRow

pytest.importorskip("lighteval", reason="needs lighteval")
integration: Any = import_module("answersim.integrations.harnesses.lighteval")


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
        return lighteval_document(HostRow(*(line[name] for name in HostRow._fields)), task_name)

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
    (result,) = {name: values for name, values in run.get_results()["results"].items() if name != "all"}.values()
    assert result["f1"] == pytest.approx(sum(VALUES) / len(VALUES))
    assert result["f1_equivalent"] == sum(PASSED) / len(PASSED)
    run.save_and_push_results()
    (stored,) = (tmp_path / "out").rglob("results_*.json")
    assert f"score of {F1}" in stored.read_text(encoding="utf-8")


def test_of_several_generations_the_mean_counts():
    output = import_module("lighteval.models.model_output")
    responses = [output.ModelResponse(text=["Rome", "Milan"]), output.ModelResponse(text=["in Rome"])]
    score, _ = integration.metrics("f1")
    result = import_module("lighteval.metrics").apply_metric(responses, [lighteval_document(ROWS[0])] * 2, [score])
    assert [row["f1"] for row in result] == pytest.approx([0.5, 2 / 3])
