"""The costs of metrics: measured on new pairs, written with the machine and drawn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.programs import invoke

pytest.importorskip("matplotlib", reason="needs the extra `report`")
from benchmarks import costs, figures


def test_costs_are_measured_on_pairs_that_a_metric_has_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from answersim.data import load

    seen: list[tuple[str, ...]] = []

    class Watching:
        signature = "watching|v:1"

        def __call__(self, pairs: list[tuple[str, str]]) -> np.ndarray:  # type: ignore[type-arg]
            seen.append(tuple(gold for gold, _ in pairs))
            return np.zeros(len(pairs))

    monkeypatch.setattr("answersim.metric", lambda name, lang: Watching())
    pairs = [(str(i), "") for i in range(30)]
    result = costs.costs(["f1"], pairs, 10, 2)  # type: ignore[arg-type]
    assert [len(each) for each in seen] == [10, 10, 10]
    assert len({gold for each in seen for gold in each}) == 30
    assert result[0].least <= result[0].seconds <= result[0].most
    with pytest.raises(ValueError, match="need 40 pairs, but there are 30"):
        costs.costs(["f1"], pairs, 10, 3)  # type: ignore[arg-type]
    assert len(load("probe")) >= 30  # what the command can be tried on without the paper's sets


def test_costs_are_written_with_the_machine_and_read_back(tmp_path: Path) -> None:
    output = tmp_path / "costs.json"
    words = ["--dataset", "probe", "--pairs", "10", "--repetitions", "2", "--metrics", "f1,rouge-l"]
    result = invoke("costs", *words, "--output", str(output))
    assert result.exit_code == 0, result.output
    about = json.loads(output.read_text())
    assert {"processor", "cores", "system", "python", "versions", "threads"} <= set(about)
    assert [each.metric for each in costs.read(output)] == ["f1", "rouge-l"]


def test_the_cost_figure_draws_the_records_and_the_paper() -> None:
    drawn = figures.figure_costs(figures.Whose.recorded)
    recorded = costs.read()
    assert [text.get_text() for text in drawn.axes[0].get_yticklabels()] == [each.metric for each in recorded]
    assert costs.paper()["sas"] == pytest.approx(600 / 3.559)
