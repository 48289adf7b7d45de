"""The figure of README: it shows the numbers of the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answersim.metrics.checkpoints.search import read_json
from benchmarks import figures_judged
from benchmarks.figures_judged import SETS, of_set
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
        for metric in ("f1", "recall", "bertscore-trained", "sas-answers + question", "answersim + question"):
            auc = shown[metric]
            assert f"{auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]" in readme, (name, metric)


def test_the_figure_is_written(tmp_path: Path) -> None:
    result = invoke("figures_judged", str(RECORDS), "--output", str(tmp_path / "new"))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new" / "judged-answers.png").read_bytes().startswith(b"\x89PNG")
