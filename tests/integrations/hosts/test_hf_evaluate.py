"""Hugging Face evaluate loads the folder, and gets the numbers of the package for single and several references."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.integrations import hf_evaluate

GOLDS = ["National Football League", "eleven", "cortex"]
PREDICTIONS = ["the Football League", "11", "brain"]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that loads the metric through evaluate, with the caches in a folder of the test."""
    pytest.importorskip("evaluate", reason="could not import 'evaluate'")
    import evaluate

    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", tmp_path / "metrics")
    monkeypatch.setattr("evaluate.config.HF_EVALUATE_OFFLINE", True)
    return lambda *names: evaluate.load(hf_evaluate.folder(), *names, cache_dir=str(tmp_path))


def test_evaluate_loads_the_folder_and_returns_the_mean_of_the_package(load):
    found = load("f1").compute(predictions=PREDICTIONS, references=GOLDS)
    ours = answersim.score(GOLDS, PREDICTIONS, "f1", calibration="shipped")
    assert found["f1"] == pytest.approx(ours.mean)
    assert found["scores"] == ours.values.tolist()
    assert found["verdicts"] == ours.verdicts.tolist()
    assert found["signature"] == ours.signature


def test_of_several_references_the_best_counts_and_settings_may_be_given_to_compute(load):
    found = load().compute(predictions=["NFL"], references=[["League", "the NFL"]], metric="em")
    assert (found["em"], found["verdicts"], found["equivalent"]) == (1.0, ["equivalent"], 1.0)


def test_batches_are_added_up(load):
    metric = load("f1")
    for gold, prediction in zip(GOLDS, PREDICTIONS, strict=True):
        metric.add_batch(predictions=[prediction], references=[gold])
    assert metric.compute()["f1"] == pytest.approx(answersim.score(GOLDS, PREDICTIONS, "f1").mean)


def test_a_metric_without_a_basis_has_no_verdicts_and_states_how_to_get_some():
    found = hf_evaluate.compute(PREDICTIONS, GOLDS, metric="bleu")
    assert (found["verdicts"], found["equivalent"]) == (None, None)
    assert "To count them" in found["counting"]


def test_questions_that_a_metric_reads_are_signed():
    questions = ["Which?", "How many?", ""]
    found = hf_evaluate.compute(PREDICTIONS, GOLDS, metric="f1", questions=questions)
    assert found["signature"] == answersim.metric("f1").signature  # f1 reads none
    with pytest.raises(ValueError, match="there are no predictions"):
        hf_evaluate.compute([], [], metric="f1")
    with pytest.raises(ValueError, match="there are 2 gold answers, 3 predictions"):
        hf_evaluate.compute(PREDICTIONS, GOLDS[:2], metric="f1")


def test_the_module_prints_the_folder():
    run = subprocess.run(
        [sys.executable, "-m", "answersim.integrations.hf_evaluate"], capture_output=True, text=True, check=True
    )
    folder = Path(run.stdout.strip())
    assert (folder / f"{folder.name}.py").is_file()
