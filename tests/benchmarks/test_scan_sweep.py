"""The sweep of the weights of SCAN: which settings are compared, and where its numbers come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.programs import invoke

pytest.importorskip("torch")
from benchmarks import scan_sweep


@pytest.fixture
def _made_features(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    base = torch.randn(40, 1, generator=torch.Generator().manual_seed(0))
    vectors = base + 0.2 * torch.randn(40, 12, generator=torch.Generator().manual_seed(1))
    monkeypatch.setattr(scan_sweep, "features", lambda *_: {"before training, cls": vectors})


@pytest.mark.usefixtures("_made_features")
def test_a_smaller_divisor_of_the_dependence_and_more_steps_move_the_weights_further() -> None:
    rows = list(scan_sweep.weights("wikiqa", 0))
    assert len(rows) == 2 * len(scan_sweep.CHANGES) + 3
    assert {row.lrbl for row in rows} == {1e-4, 0.01, 1.0, 10.0, 1000.0}
    found = {(row.lrbl, row.epochb, row.lambda_p): row.removed for row in rows}
    assert found[1e-4, 20, 1e-6] > 9 * found[1e-4, 20, 1e-4] > 81 * found[1e-4, 20, 1e-3]
    assert found[1.0, 80, 0.01] > found[1.0, 20, 0.01] > found[1.0, 5, 0.01] > 0
    assert all(row.lowest <= 1 <= row.highest for row in rows)


@pytest.mark.usefixtures("_made_features")
def test_trainings_change_one_setting_each_and_report_their_dev_results(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(scan_sweep, "trainable", lambda _: ("train", "dev"))
    monkeypatch.setattr(scan_sweep.fit, "fit", lambda *_, **more: asked.append(more))
    record = {
        "objective_statistics": [{"effective": 1.0, "largest": 1.0}, {"effective": 0.9, "largest": 2.5}],
        "epochs": [{"dev": 0.3}, {"dev": 0.6}, {"dev": 0.5}],
    }
    monkeypatch.setattr(scan_sweep.fit, "history", lambda *_: record)
    result = invoke("scan_sweep", "--train", "50", "--folder", str(tmp_path), "--format", "json")
    assert result.exit_code == 0, result.output
    rows = [row for row in json.loads(result.stdout) if "dev" in row]
    assert {(row["effective"], row["largest"], row["dev"]) for row in rows} == {(0.9, 2.5, 0.6)}
    weighing = [{key: value for key, value in one["overrides"].items() if "reweighting" in key} for one in asked]
    assert sorted(map(len, weighing)) == [0, 1, 1, 1]
    assert all(one["overrides"]["limit"] == 50 and one["overrides"]["training.source"] == "" for one in asked)
    assert len({one["folder"] for one in asked}) == len(rows) == 4
