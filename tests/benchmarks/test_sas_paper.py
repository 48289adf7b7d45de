"""The numbers and figures of the SAS paper: its tables, its appendix C, and the drawings."""

from __future__ import annotations

import subprocess
from collections import Counter
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from answersim.evaluation.agreement.subsets import NONZERO, ZERO
from answersim.metrics.checkpoints.search import read_json
from answersim.stats.correlation import correlations
from answersim.training.data.pairs import read_pairs
from benchmarks import appendix_c, figures, figures_judged, sas_paper
from benchmarks import number_pairs as number_pairs_module
from benchmarks.figures_judged import SETS, of_set
from benchmarks.number_pairs import (
    NumberPairConfig,
    number_pairs,
    paper_rows,
)
from benchmarks.number_words import spellings
from tests.benchmarks.made import invoke
from tests.cases import every

pytest.importorskip("num2words")

ROMAN = (*NumberPairConfig().kinds, "roman")


@pytest.fixture(scope="module")
def default():
    return number_pairs()


def test_the_default_is_as_large_as_the_papers_set_and_half_of_it_neighbors(default):
    assert len(default) == 9_110
    assert Counter(pair.label for pair in default) == {1.0: 4_555, 0.0: 4_555}
    assert {pair.source.split(":")[1] for pair in default} == set(NumberPairConfig().kinds)
    assert {pair.source.split(":")[2] for pair in default} == {"en", "de"}


@pytest.mark.parametrize(("kind", "language"), [(kind, ("en", "de")[i % 2]) for i, kind in enumerate(ROMAN)])
def test_the_label_is_1_for_equal_numbers_and_0_for_others(kind, language, monkeypatch):
    meant = {}

    def recorded(kind, value, language):
        written = spellings(kind, value, language)
        for text in (*written.digits, *written.words):
            assert meant.setdefault(text, value) == value, text
        return written

    monkeypatch.setattr(number_pairs_module, "spellings", recorded)
    pairs = number_pairs(NumberPairConfig(languages=(language,), kinds=(kind,), size=500, seed=3))
    assert all((meant[pair.first] == meant[pair.second]) == bool(pair.label) for pair in pairs)


def test_the_papers_layout_has_its_counts():
    pairs = list(paper_rows())
    assert Counter(pair.label for pair in pairs) == {0.0: 5_406, 1.0: 3_704}
    assert [pair[:3] for pair in (pairs[0], pairs[1001], pairs[-1])] == [
        ("0", "zero", 1.0),
        ("zero", "0", 1.0),
        ("2100", "2099", 0.0),
    ]


@pytest.mark.data
def test_the_papers_layout_is_the_recorded_file_row_by_row(data_home):
    recorded = read_pairs(data_home / "numbers" / "number_pairs_score.csv")
    assert [pair[:4] for pair in paper_rows()] == [pair[:4] for pair in recorded]


@every(
    ("kind", "value", "language", "digits", "words"),
    [
        ("cardinal", "0", "en", ["0"], ["zero"]),
        ("cardinal", "1001", "en", ["1001", "1,001"], ["one thousand and one", "one thousand one"]),
        ("cardinal", "1100", "de", ["1100", "1.100"], ["eintausendeinhundert", "tausendeinhundert"]),
        ("cardinal", "2000000", "de", ["2000000", "2.000.000"], ["zwei Millionen"]),
        ("ordinal", "21", "en", ["21st"], ["twenty-first"]),
        ("ordinal", "21", "de", ["21."], ["einundzwanzigste"]),
        ("year", "1984", "en", ["1984"], ["nineteen eighty-four"]),
        ("year", "1905", "en", ["1905"], ["nineteen oh-five"]),
        ("year", "1984", "de", ["1984"], ["neunzehnhundertvierundachtzig"]),
        ("decimal", "3.5", "en", ["3.5"], ["three point five"]),
        ("decimal", "0.05", "de", ["0,05"], ["null Komma null fünf"]),
        ("roman", "14", "en", ["XIV"], ["14", "fourteen"]),
    ],
)
def test_a_number_is_written_so(kind, value, language, digits, words):
    written = spellings(kind, (Decimal(value),), language)
    assert (list(written.digits), list(written.words)) == (digits, words)


def test_the_pairs_are_written_and_trained_on_as_in_the_paper(tmp_path, monkeypatch):
    pytest.importorskip("num2words")
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda words, check: calls.append(words) or SimpleNamespace(returncode=3))
    words = ["--output", str(tmp_path / "runs"), "--seed", "1", "--base", "small", "--option", "limit=8"]
    result = CliRunner().invoke(appendix_c.app, words)
    assert result.exit_code == 3  # that of the training
    (line,) = calls
    pairs = tmp_path / "runs" / "pairs.csv"
    assert line[1:] == [
        *("-m", "answersim", "train", "names", "--paper", "--pairs", str(pairs), "--seed", "1"),
        *("--output", str(tmp_path / "runs"), "--base", "small", "--option", "limit=8"),
    ]
    assert {pair.label for pair in read_pairs(pairs)} == {0.0, 1.0}


@pytest.mark.data
def test_table_1_is_exact_but_for_the_repetitions(data_home: Path) -> None:
    rows = [row for row in sas_paper.table_1().rows if "repeated" not in str(row[1])]
    assert len(rows) == 3 * 7
    for title, what, ours, published in rows:
        assert round(float(str(ours))) == round(float(str(published))), (title, what)
        if "characters" not in str(what):
            assert float(str(ours)) == float(str(published)), (title, what)


def test_table_6_has_the_published_settings_and_those_of_our_base() -> None:
    table = sas_paper.table_6()
    published = [row for row in table.rows if row[1] == "paper"]
    assert len(published) == 6
    assert all(len(row) == 2 + len(sas_paper.CONFIG) for row in table.rows)
    assert ("bert-base-uncased", "paper", "768", "3072", "512", "bert", "12", "12", "30522") in published


@pytest.mark.data
def test_figure_2_has_the_means_of_the_recorded_scores(data_home: Path) -> None:
    import numpy as np

    from benchmarks import figures

    low = figures.low_scores()
    table = sas_paper.figure_2(metrics=("f1",))
    by_name = {row[0]: row for row in table.rows}
    assert by_name["all"][1:3] == (154, 62)
    spatial = [pair.sas for pair in low if pair.category == "Spatial"]
    assert by_name["Spatial"][1:4] == (20, 8, pytest.approx(np.mean(spatial)))
    assert sum(int(str(row[1])) for row in table.rows[:-1]) == 154


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
def test_the_other_figures_show_the_recorded_scores(data_home, tmp_path, monkeypatch):
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
