"""Figures of results: what is drawn, and from which numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from answersim.evaluation.agreement.subsets import NONZERO, ZERO
from answersim.metrics.checkpoints.search import read_json
from answersim.stats.correlation import correlations
from benchmarks import figures, figures_judged
from benchmarks.figures_judged import SETS, of_set
from tests.benchmarks.made import invoke

pytest.importorskip("matplotlib", reason="needs the extra `report`")


@pytest.mark.data
def test_figure_2_counts_the_annotated_pairs(data_home: Path) -> None:
    result = figures.low_scores()
    assert len(result) == 154
    assert min(row.sas for row in result) > 0.008
    assert max(row.sas for row in result) < 0.25  # the text's limit; the caption's is .01
    counts = figures.category_counts(result)
    assert sum(n for n, _ in counts.values()) == 154
    assert sum(low for _, low in counts.values()) == 62
    assert list(counts.items())[:4] == [
        ("Wrong gold label", (34, 19)),
        ("Spatial", (20, 8)),
        ("Imprecise question", (14, 8)),
        ("Names", (11, 4)),
    ]
    # The rows that the paper took out: wrong gold label, imprecise question, multiple correct answers.
    assert counts["Wrong gold label"][0] + counts["Imprecise question"][0] + counts["Multiple correct answers"][0] == 54


@pytest.mark.data
def test_figure_3_has_the_layers_of_table_2_and_the_shapes_of_the_paper(data_home: Path) -> None:
    result = figures.recorded_layers(resamples=0)
    at = {(name, p.subset, p.coefficient, p.layer): p for name, points in result.items() for p in points}
    assert len(at) == 2 * 3 * 3 * 13
    # Table 2 of the paper: vanilla is layer 2, trained the last one; F1=0 and F1!=0, tau.
    assert at[figures.VANILLA, ZERO, "kendall", 2].value == pytest.approx(0.11, abs=0.005)
    assert at[figures.VANILLA, NONZERO, "kendall", 2].value == pytest.approx(0.49, abs=0.005)
    assert at[figures.TRAINED, ZERO, "kendall", 12].value == pytest.approx(0.32, abs=0.005)
    assert at[figures.TRAINED, NONZERO, "kendall", 12].value == pytest.approx(0.57, abs=0.005)
    # Appendix B.1: "the higher in layers we go in case of BERTScore trained, the higher the correlation".
    trained = [at[figures.TRAINED, ZERO, "kendall", layer].value for layer in range(13)]
    assert stats.spearmanr(range(13), trained).statistic > 0.95


@pytest.mark.data
def test_figure_3_equals_scipy_on_the_recorded_columns(data_home: Path) -> None:
    import csv

    path = data_home / "sas/recorded/squad_all_layer_results.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    labels = np.array([float(row["label"]) for row in rows])
    zero = np.array([float(row["f1"]) for row in rows]) == 0
    for point in figures.recorded_layers(resamples=0)[figures.VANILLA]:
        mask = {ZERO: zero, NONZERO: ~zero, "all": zero | ~zero}[point.subset]
        column = np.array([float(row[f"{point.layer}_bert_score"]) for row in rows])
        expected = correlations(column[mask], labels[mask])
        assert point.value == pytest.approx(getattr(expected, point.coefficient), abs=1e-12)
        assert point.n == expected.n


@pytest.mark.data
def test_the_other_figures_show_the_recorded_scores(
    data_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    save = figures.plots.save
    monkeypatch.setattr(figures.plots, "save", lambda figure, path: drawn.append(figure) or save(figure, path))
    result = invoke("figures", "--output", str(tmp_path / "new"), "--only", "2,5,6,7")
    assert result.exit_code == 0, result.output
    assert {path.name for path in (tmp_path / "new").iterdir()} == {f"figure-{i}.png" for i in (2, 5, 6, 7)}
    _, spread, _, seventh = drawn
    assert [axes.get_title() for axes in spread.axes] == ["SQuAD", "NQ-open", "GermanQuAD"]
    german = [text.get_text() for text in spread.axes[2].get_yticklabels()]
    assert "meteor" not in german  # as in the paper: it knows English words
    assert len(german) == 7
    assert sum(seventh.axes[0].patches[0].get_data().values) == 3030  # type: ignore[attr-defined]


RECORDS = Path(figures_judged.__file__).parent / "results" / "judged.json"


@pytest.fixture
def records() -> Any:
    return read_json(RECORDS)


def test_the_readme_table_has_the_numbers_of_the_records(records: Any) -> None:
    readme = (RECORDS.parents[2] / "README.md").read_text(encoding="utf-8")
    for name in SETS:
        printed = {auc.metric: auc for auc in of_set(records, name)}
        for metric in ("f1", "recall", "bertscore-trained", "sas-answers + question", "answersim + question"):
            auc = printed[metric]
            assert f"{auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]" in readme, (name, metric)
