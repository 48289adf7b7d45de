"""torchmetrics: one process and two give the same numbers."""

import json
import math
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from answersim.evaluation.doctor import as_subject
from answersim.metrics.testing import properties
from tests.integrations.hosts.contract import F1, PASSED, ROWS, THRESHOLD, VALUES

torch: Any = pytest.importorskip("torch", reason="needs torch")
torchmetrics: Any = pytest.importorskip("torchmetrics", reason="needs torchmetrics")
integration: Any = import_module("answersim.integrations.evaluators.torchmetrics")

GOLDS, PREDS = [row.golds for row in ROWS], [row.prediction for row in ROWS]
ROOT = Path(__file__).parents[3]
# Rank 0 gets the first rows, rank 1 the others, for each cut; both print what they compute.
PROCESS = """
import json, sys
from datetime import timedelta
import torch.distributed as distributed
from answersim.integrations.evaluators.torchmetrics import AnswerSimilarity

rank, cuts, store, rows = json.loads(sys.argv[1])
distributed.init_process_group(
    "gloo", init_method=f"file://{store}", rank=rank, world_size=2, timeout=timedelta(seconds=300)
)
found = []
for cut in cuts:
    metric = AnswerSimilarity("f1", settings={"threshold": 0.5}, return_scores=True)
    for gold, pred in rows[cut:] if rank else rows[:cut]:
        metric.update([pred], [gold])
    found.append([{name: value.tolist() for name, value in metric.compute().items()}, len(metric.scores)])
print(json.dumps(found))
distributed.destroy_process_group()
"""


def metric(**given: Any) -> Any:
    return integration.AnswerSimilarity("f1", settings={"threshold": THRESHOLD}, **given)


def test_update_and_compute_give_the_means_of_all_rows():
    result = metric()
    result.update(PREDS[:2], GOLDS[:2])
    result.update(PREDS[2], GOLDS[2])
    result.update(PREDS[3:], GOLDS[3:])
    values = result.compute()
    assert float(values["f1"]) == pytest.approx(sum(VALUES) / len(VALUES))
    assert float(values["f1_equivalent"]) == sum(PASSED) / len(PASSED)
    assert values["f1"].dtype == torch.float64
    assert result.signature == F1


def test_forward_returns_the_batch_and_keeps_the_rest():
    result = metric(return_scores=True)
    assert result(PREDS[:2], GOLDS[:2])["scores"].tolist() == pytest.approx(VALUES[:2])
    assert result(PREDS[2:], GOLDS[2:])["scores"].tolist() == pytest.approx(VALUES[2:])
    assert result.compute()["scores"].tolist() == pytest.approx(VALUES)


def test_two_processes_give_the_numbers_of_one_also_if_one_has_no_rows(tmp_path):
    rows = list(zip(GOLDS, PREDS, strict=True)) * 7
    cuts = [3, 0, len(rows)]
    first = metric(return_scores=True)
    first.update([pred for _, pred in rows], [gold for gold, _ in rows])
    expected = {name: value.tolist() for name, value in first.compute().items()}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, json.dumps([rank, cuts, str(tmp_path / "store"), rows])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for rank in (0, 1)
    ]
    try:
        outputs = [process.communicate(timeout=600) for process in processes]
    finally:
        for process in processes:
            process.kill()
    for rank, (output, errors) in enumerate(outputs):
        assert output, errors
        for cut, (result, remaining) in zip(cuts, json.loads(output.splitlines()[-1]), strict=True):
            assert result == expected  # to the last digit
            assert remaining == (len(rows) - cut if rank else cut)  # its own rows again


def test_it_is_reset_cloned_pickled_and_part_of_a_collection():
    result = metric()
    result.update(PREDS, GOLDS)
    for copied in (result.clone(), pickle.loads(pickle.dumps(result))):
        assert float(copied.compute()["f1"]) == float(result.compute()["f1"])
    result.reset()
    assert result.scores == []
    collection = torchmetrics.MetricCollection({"a": metric(), "b": integration.AnswerSimilarity("em")})
    collection.update(PREDS, GOLDS)
    assert {"f1", "em"} <= set(collection.compute())


def test_without_rows_the_mean_is_nan_and_without_a_verdict_the_share_is():
    with pytest.warns(UserWarning, match="before the ``update``"):
        assert math.isnan(metric().compute()["f1"])
    result = integration.AnswerSimilarity("em")
    result.update(PREDS, GOLDS)
    assert float(result.compute()["em"]) == float(result.compute()["em_equivalent"]) == pytest.approx(1 / 5)
    result = integration.AnswerSimilarity("bleu")
    result.update(PREDS, GOLDS)
    assert math.isnan(result.compute()["bleu_equivalent"])


def test_rows_that_do_not_match_are_refused_and_nothing_is_kept_of_them():
    result = metric()
    with pytest.raises(ValueError, match="give one of each per row"):
        result.update(["a", "b"], ["a"])
    with pytest.raises(TypeError, match="an answer is a string"):
        result.update(["a", b"b"], ["a", "b"])
    result.update(["Rome"], ["Rome"])
    assert float(result.compute()["f1"]) == 1


@pytest.mark.parametrize("idf", [False, True])
def test_the_doctor_finds_that_bertscore_of_torchmetrics_depends_on_the_batch(tiny, idf):
    """The fault that docs/choosing.md lists. If torchmetrics has mended it, state there from which version on."""
    text = pytest.importorskip("torchmetrics.text")

    def scores(golds: list[str], preds: list[str]) -> Any:
        result = text.BERTScore(model_name_or_path=str(tiny("bert")), num_layers=2, max_length=64, idf=idf)
        result.update(preds, golds)
        return result.compute()["f1"].reshape(-1) if preds else []

    texts = [pair for pair in properties.PAIRS if pair.gold.strip() and pair.pred.strip()]
    finding = properties.batch(as_subject(scores), texts, None, 1e-4)
    assert finding.holds is False
    assert finding.largest > 0.01
