"""What only lm-evaluation-harness does: tasks in YAML through ``simple_evaluate``, with recorded answers."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.hosts.contract import F1, PASSED, ROWS, THRESHOLD, VALUES, lines_of

pytest.importorskip("lm_eval", reason="needs lm-eval")
integration: Any = import_module("answersim.integrations.harnesses.lm_eval")


@pytest.fixture
def evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The results of a task in YAML, of which the test gives the lines that differ."""
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    evaluator, tasks = import_module("lm_eval.evaluator"), import_module("lm_eval.tasks")
    dummy: Any = import_module("lm_eval.models.dummy").DummyLM
    answers = {f"{i} {row.question}": row.prediction for i, row in enumerate(ROWS)}
    lines = [
        json.dumps({"id": i, "question": f"{i} {row.question}", "answer": row.listed}) for i, row in enumerate(ROWS)
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")

    class Recorded(dummy):
        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            asked = [request.args[0].rpartition("Q: ")[2].partition("\n")[0] for request in requests]
            return [answers[question] for question in asked]

    def run(lines: str = "", code: str = "") -> Any:
        folder = tmp_path / "tasks"
        folder.mkdir()
        (folder / "of_rows.py").write_text(code, encoding="utf-8")
        page = lines_of("lm-evaluation-harness").replace("TEMPLATE", integration.TEMPLATE)
        (folder / "rows.yaml").write_text(page + lines, encoding="utf-8")
        manager = tasks.TaskManager(include_path=str(folder), include_defaults=False)
        return evaluator.simple_evaluate(
            model=Recorded(), tasks=["my_questions"], task_manager=manager, bootstrap_iters=0, log_samples=True
        )

    return run


def test_the_template_has_means_over_graded_scores_with_several_golds(evaluated):
    evaluation = evaluated()
    results = evaluation["results"]["my_questions"]
    assert results["f1,first_line"] == pytest.approx(sum(VALUES) / len(VALUES))
    assert results["f1_reason,first_line"] == F1
    samples = sorted(evaluation["samples"]["my_questions"], key=lambda sample: sample["doc_id"])
    assert [sample["f1"] for sample in samples] == pytest.approx(VALUES)  # 2/3 stays 2/3
    assert "nearest of 2 gold answers: 'Roma'" in samples[1]["f1_reason"]
    assert F1 in str(evaluation["configs"]["my_questions"]["process_results"])


def test_a_task_chooses_its_settings_in_a_file_beside_its_yaml(evaluated):
    evaluation = evaluated(
        "process_results: !function of_rows.f1\n"
        "metric_list: [{metric: f1, aggregation: mean}, {metric: f1_equivalent, aggregation: mean}]\n",
        "from answersim.integrations.harnesses.lm_eval import ProcessResults\n"
        f'f1 = ProcessResults("f1", threshold={THRESHOLD})\n',
    )
    results = evaluation["results"]["my_questions"]
    assert results["f1,first_line"] == pytest.approx(sum(VALUES) / len(VALUES))
    assert results["f1_equivalent,first_line"] == sum(PASSED) / len(PASSED)


def test_a_name_of_a_metric_is_a_function_for_the_yaml():
    result = integration.em({"answer": {"aliases": ["Rome", "Roma"], "value": "Rome"}}, ["roma"])
    assert result == {"em": 1.0, "em_equivalent": 1.0}
    assert integration.rouge_l({"answers": {"text": ["Rome"], "answer_start": [4]}}, [["Rome"]])["rouge_l"] == 1
    assert "f1_reason" in integration.f1_with_reasons({"answer": "Rome"}, ["Rome"])
    with pytest.raises(AttributeError, match="no metric is called 'f11'"):
        integration.f11  # noqa: B018 # it is looked up


def test_several_answers_are_refused():
    with pytest.raises(ValueError, match="add the filter take_first"):
        integration.f1({"answer": "Rome"}, [["Rome", "Milan"]])
