"""The figure of README: it shows the numbers of the records."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from answersim.checkpoints.search import read_json
from benchmarks import figures_judged
from benchmarks.figures_judged import METRICS, SETS, forest, of_set
from tests.benchmarks.programs import invoke

pytest.importorskip("matplotlib")
RECORDS = Path(figures_judged.__file__).parent / "results" / "judged.json"


@pytest.fixture
def records() -> Any:
    return read_json(RECORDS)


def test_the_readme_table_has_the_numbers_of_the_records(records: Any) -> None:
    readme = (RECORDS.parents[2] / "README.md").read_text(encoding="utf-8")
    for name in SETS:
        shown = {auc.metric: auc for auc in of_set(records, name)}
        for metric in ("f1", "recall", "bertscore-trained", "sas", "answersim", "answersim + question"):
            auc = shown[metric]
            assert f"{auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]" in readme, (name, metric)


def test_the_rows_of_the_figure_are_metrics_and_its_points_are_their_auc(records: Any) -> None:
    sets = {name: of_set(records, name) for name in SETS}
    (axes,) = forest(sets).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(reversed(METRICS))
    drawn: list[Any] = list(axes.containers)
    points = [container.lines[0].get_xdata().tolist() for container in drawn]
    assert points == [[auc.value for auc in values] for values in sets.values()]


def test_a_metric_that_is_missing_is_named(records: Any) -> None:
    fewer = copy.deepcopy(records)
    at = fewer["Quality"]["columns"].index("metric")
    fewer["Quality"]["rows"] = [row for row in fewer["Quality"]["rows"] if row[at] != "sas"]
    with pytest.raises(ValueError, match="no row for sas on evouna-test; make them with"):
        of_set(fewer, "evouna-test")


def test_the_figure_is_written(tmp_path: Path) -> None:
    result = invoke("figures_judged", str(RECORDS), "--output", str(tmp_path / "new"))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new" / "judged-answers.png").read_bytes().startswith(b"\x89PNG")
